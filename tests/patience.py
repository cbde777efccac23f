"""How long a test waits: `HANGS` for what must come some time, `promised` for what is to come in time."""

import os
import time

HANGS = 120.0
"""Seconds. Nothing takes so long even on a busy machine; what does will not come."""

_WORK_SECONDS = 0.05


def promised(seconds: float) -> float:
    """The limit of a promise made for an idle machine, stretched by how many times slower this one is just now."""
    return seconds * max(1.0, _slowness(), os.getloadavg()[0] / (os.cpu_count() or 1))


def _slowness() -> float:
    """Seconds on the clock for a second of a processor: 1 where nobody else wants it."""
    began, worked_before = time.perf_counter(), time.process_time()
    while (worked := time.process_time() - worked_before) < _WORK_SECONDS:
        pass
    return (time.perf_counter() - began) / worked
