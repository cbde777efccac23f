"""Timeouts of tests: `HANGS` for events whose time is not guaranteed, and `promised` for events that must happen within
a given time."""

import os
import time

HANGS = 120.0
"""Seconds after which an event is considered missing, even on a busy machine."""

_WORK_SECONDS = 0.05


def promised(seconds: float) -> float:
    """The limit in seconds on this machine: the limit for an idle machine, multiplied by the factor by which this
    machine is slower now."""
    return seconds * max(1.0, _slowness(), os.getloadavg()[0] / (os.cpu_count() or 1))


def _slowness() -> float:
    """Elapsed seconds for one second of processor time: 1 on an idle machine."""
    began, worked_before = time.perf_counter(), time.process_time()
    while (worked := time.process_time() - worked_before) < _WORK_SECONDS:
        pass
    return (time.perf_counter() - began) / worked
