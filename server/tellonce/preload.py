"""Imports the modules of a program without garbage collection, so that the program starts fast. Ctrl-C can end the
process during the import."""

import gc
import importlib
import signal
from types import ModuleType


def imported(module: str) -> ModuleType:
    """Import the module. This function must be called in the main thread. The garbage collector is off during the
    import, because an import creates no garbage, and the collection took a sixth of the time. Ctrl-C ends the process
    at once instead of raising KeyboardInterrupt, because a library could report this exception as its own error."""
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
