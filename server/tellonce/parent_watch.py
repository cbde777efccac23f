"""Ends a process when the one that started it is gone: `up` holds a pipe to each child's standard input."""

import os
import signal
import threading

VARIABLE = "TELLONCE_LIFELINE"


def watch() -> None:
    """Send ourselves SIGTERM when the descriptor named by the environment reaches its end; nothing without it."""
    name = os.environ.pop(VARIABLE, None)
    if name is not None:
        threading.Thread(target=_wait, args=(int(name),), name="lifeline", daemon=True).start()


def _wait(descriptor: int) -> None:
    while os.read(descriptor, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
