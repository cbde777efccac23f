"""Ends a process when its parent is gone: `up` holds a pipe to each child's standard input."""

import os
import signal
import threading

VARIABLE = "TELLONCE_LIFELINE"


def watch() -> None:
    """Send SIGTERM to this process when the descriptor named in the environment is closed. Without that variable, do
    nothing."""
    name = os.environ.pop(VARIABLE, None)
    if name is not None:
        threading.Thread(target=_wait, args=(int(name),), name="lifeline", daemon=True).start()


def _wait(descriptor: int) -> None:
    while os.read(descriptor, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
