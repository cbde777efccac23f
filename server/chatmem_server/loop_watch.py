"""Notices an event loop that one call holds too long, and names the code at work; knows nothing of what the calls do."""

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager

logger = logging.getLogger(__name__)

LIMIT_SECONDS = 0.25
"""Everybody's calls wait meanwhile."""

BEAT_SECONDS = 0.1


class LoopWatch:
    """A beat on the loop, and a thread that looks whether it still comes."""

    def __init__(self) -> None:
        self.episodes = 0
        """How often the loop was held longer than the limit."""
        self._beat_at = 0.0
        self._worked_at_beat = 0.0
        self._named = False
        self._ended = threading.Event()

    @contextmanager
    def watching(self) -> Generator[None]:
        """Within the running loop, in its thread."""
        self._beat(asyncio.get_running_loop())
        thread = threading.Thread(target=self._watch, args=(threading.get_ident(),), name="loop watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        self._beat_at, self._worked_at_beat, self._named = time.monotonic(), time.process_time(), False
        if not self._ended.is_set():
            loop.call_later(BEAT_SECONDS, self._beat, loop)

    def _watch(self, loop_thread: int) -> None:
        looked_at = time.monotonic()
        while not self._ended.wait(BEAT_SECONDS):
            now, before, looked_at = time.monotonic(), looked_at, time.monotonic()
            worked = time.process_time() - self._worked_at_beat
            if not self._named and is_held(now - self._beat_at, late=now - before - BEAT_SECONDS, worked=worked):
                self._named = True
                self.episodes += 1
                self._name(loop_thread)

    def _name(self, loop_thread: int) -> None:
        frame = sys._current_frames().get(loop_thread)
        stack = "".join(traceback.format_stack(frame)[-12:]) if frame is not None else "(no stack)"
        logger.warning("the event loop was held for over %.0f ms here:\n%s", 1000 * LIMIT_SECONDS, stack)


def is_held(since_beat: float, *, late: float, worked: float) -> bool:
    """Whether the loop's own work held it, and not a machine that gave this process no time.

    `late`: seconds the watching thread itself came late. It does when a call of C code keeps the interpreter; then the
    processor time this process `worked` since the beat tells it from a busy machine.
    """
    if since_beat < BEAT_SECONDS + LIMIT_SECONDS:
        return False
    return late < LIMIT_SECONDS / 2 or worked >= LIMIT_SECONDS
