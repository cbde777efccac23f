"""Detects code that blocks the event loop by computing for too long, and logs in one line which code it is."""

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

logger = logging.getLogger(__name__)

LIMIT_SECONDS = 0.25
"""Seconds of processor time after which a call that computes on the event loop is reported, because all other calls
must wait."""

BEAT_SECONDS = 0.1
"""Seconds between heartbeats. The processor time since a heartbeat can include this much work of other calls."""

NAMED_CALLS = 6
"""Number of the innermost calls that are logged."""


class LoopWatch:
    """Runs a heartbeat on the event loop, and a thread that checks the heartbeat.

    Processor time is measured instead of real time, because a busy machine also delays heartbeats. A call that blocks
    the loop while it waits, for example for a file, is therefore not noticed.
    """

    def __init__(self) -> None:
        self.episodes: int | None = None
        """How often a call computed for longer than the limit. None if this is not measured."""
        self._worked_at_beat = 0.0
        self._named = False
        self._ended = threading.Event()

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch the running loop of this thread during the block. On macOS, nothing is measured, because the system has
        no clock for a single thread."""
        if hasattr(time, "pthread_getcpuclockid"):
            self.episodes = 0
            thread = threading.get_ident()
            clock = time.pthread_getcpuclockid(thread)
            self._beat(asyncio.get_running_loop(), clock)
            threading.Thread(target=self._watch, args=(thread, clock), name="loop watch", daemon=True).start()
        try:
            yield
        finally:
            self._ended.set()

    def _beat(self, loop: asyncio.AbstractEventLoop, clock: int) -> None:
        self._worked_at_beat, self._named = time.clock_gettime(clock), False
        if not self._ended.is_set():
            loop.call_later(BEAT_SECONDS, self._beat, loop, clock)

    def _watch(self, loop_thread: int, clock: int) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            worked = time.clock_gettime(clock) - self._worked_at_beat
            if not self._named and worked >= LIMIT_SECONDS + BEAT_SECONDS:
                self._named = True
                self.episodes = (self.episodes or 0) + 1
                self._name(loop_thread)

    def _name(self, loop_thread: int) -> None:
        # In Python, this is the only way to read the stack of another thread.
        frame = sys._current_frames().get(loop_thread)  # pyright: ignore[reportPrivateUsage]
        calls = reversed(traceback.extract_stack(frame)[-NAMED_CALLS:]) if frame is not None else ()
        named = " < ".join(f"{Path(x.filename).name}:{x.lineno} {x.name}" for x in calls)
        logger.warning("a call computed on the event loop for over %.0f ms: %s", 1000 * LIMIT_SECONDS, named)
