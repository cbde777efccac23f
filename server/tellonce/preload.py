"""Imports the modules of a program, so that it starts fast and can be interrupted meanwhile."""

import gc
import importlib
import signal
from types import ModuleType


def imported(module: str) -> ModuleType:
    """Import the module, in the main thread. The garbage collector pauses: importing creates no garbage, and collecting
    took a sixth of the time. Ctrl-C ends the process at once, because a library could report an exception as its own
    error."""
    raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if raises:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()
        if raises:
            signal.signal(signal.SIGINT, signal.default_int_handler)
