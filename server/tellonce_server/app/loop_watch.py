"""Detects code that blocks the event loop for too long, and logs in one line which code it is."""

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
"""If code blocks the event loop for more than this number of seconds, it is reported, because all calls must wait."""

BEAT_SECONDS = 0.1

NAMED_CALLS = 6
"""Number of the innermost calls that are logged."""


class LoopWatch:
    """Runs a heartbeat on the event loop, and a thread that checks the heartbeat."""

    def __init__(self) -> None:
        self.episodes = 0
        """How often the loop was blocked for longer than the limit."""
        self._beat_at = 0.0
        self._worked_at_beat = 0.0
        self._clock: int | None = None
        """The clock that measures the processor time of the loop's thread, if the system has such a clock."""
        self._named = False
        self._ended = threading.Event()

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch the event loop during the block. Call this method in the thread of the running loop."""
        if hasattr(time, "pthread_getcpuclockid"):
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._beat(asyncio.get_running_loop())
        thread = threading.Thread(
            target=self._watch, args=(threading.get_ident(), threading.get_native_id()), name="loop watch", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            self._ended.set()

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        self._beat_at, self._worked_at_beat, self._named = time.monotonic(), self._worked(), False
        if not self._ended.is_set():
            loop.call_later(BEAT_SECONDS, self._beat, loop)

    def _worked(self) -> float:
        """Seconds of processor time that the loop's thread has used."""
        return time.process_time() if self._clock is None else time.clock_gettime(self._clock)

    def _watch(self, loop_thread: int, native_id: int) -> None:
        looked_at = time.monotonic()
        while not self._ended.wait(BEAT_SECONDS):
            now, before, looked_at = time.monotonic(), looked_at, time.monotonic()
            worked, late = self._worked() - self._worked_at_beat, now - before - BEAT_SECONDS
            if not self._named and is_held(now - self._beat_at, late, worked, runnable=_is_runnable(native_id)):
                self._named = True
                self.episodes += 1
                self._name(loop_thread)

    def _name(self, loop_thread: int) -> None:
        # In Python, this is the only way to read the stack of another thread.
        frame = sys._current_frames().get(loop_thread)  # pyright: ignore[reportPrivateUsage]
        calls = reversed(traceback.extract_stack(frame)[-NAMED_CALLS:]) if frame is not None else ()
        named = " < ".join(f"{Path(x.filename).name}:{x.lineno} {x.name}" for x in calls)
        logger.warning("the event loop was blocked for over %.0f ms by %s", 1000 * LIMIT_SECONDS, named)


def is_held(since_beat: float, late: float, worked: float, *, runnable: bool) -> bool:
    """Whether a call blocked the loop. A late heartbeat alone does not prove this, because a busy machine can also
    delay a heartbeat.

    - `worked`: processor time of the loop's thread since the last heartbeat, in seconds. A call that computes uses
      processor time.
    - `runnable`: false if the loop's thread waits for the system.
    - `late`: delay of the watching thread, in seconds. A call that waits is reported only if the watching thread ran on
      time.
    """
    if since_beat < BEAT_SECONDS + LIMIT_SECONDS:
        return False
    return worked >= LIMIT_SECONDS or (not runnable and late < LIMIT_SECONDS / 2)


def _is_runnable(native_id: int) -> bool:
    """Whether the thread is running or waits for a processor. False if the system does not provide this information."""
    try:
        stat = Path(f"/proc/self/task/{native_id}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "R"
