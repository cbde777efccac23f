"""The start of a process: what it works with is imported. It knows none of it."""

import gc
import importlib
from types import ModuleType


def imported(module: str) -> ModuleType:
    """The module, imported with no look for garbage: nothing made meanwhile is any, and looking takes a sixth of it."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()
