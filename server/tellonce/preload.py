"""Imports the modules of a program. Ctrl-C can end the process during the import."""

import gc
import importlib
import signal
from types import ModuleType


def imported(module: str) -> ModuleType:
    """Import the module, in the main thread. Ctrl-C ends the process at once. A library could report KeyboardInterrupt
    as its own error."""
    raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if raises:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A full collection visits all imported objects (150,000) and stops every thread for 80 to 200 ms. Without the pause,
    # collections take 15 % of the start-up. Without the freeze, each preview of `forget` over 10,000 messages causes a
    # full collection.
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()
        if raises:
            signal.signal(signal.SIGINT, signal.default_int_handler)
