"""Reads lines from the terminal or a pipe. While a program waits for a line, it can be interrupted at once."""

import asyncio
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress

if sys.platform != "win32":
    import termios

_STDIN, _STDOUT = 0, 1
_RUN = 65536
_NO_PASTE_MARKS = b"\x1b[?2004l"


@contextmanager
def terminal_as_found() -> Generator[None]:
    """Restore the terminal's settings after the block. Without this, the echo would stay off after an interrupted
    line."""
    if sys.platform == "win32" or not (os.isatty(_STDIN) and os.isatty(_STDOUT)):
        yield
        return
    before = termios.tcgetattr(_STDIN)
    try:
        yield
    finally:
        termios.tcsetattr(_STDIN, termios.TCSADRAIN, before)
        os.write(_STDOUT, _NO_PASTE_MARKS)


class Keyboard:
    """Reads standard input in a separate thread. It is not a thread of asyncio's pool. At exit, asyncio waits for the
    threads of its pool, so the user would have to press Enter after Ctrl-C."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        piped = _piped()
        self._read: Callable[[str], str | None] = _typed if self.interactive else lambda _: next(piped, None)
        self._reading: asyncio.Future[str | None] | None = None
        if self.interactive:
            # With readline, `input` supports arrow keys, a history, lines of any length, and multi-line paste.
            with suppress(ImportError):  # Python can be built without readline
                importlib.import_module("readline").parse_and_bind("set enable-bracketed-paste on")

    async def line(self, prompt: str) -> str | None:
        """The next line without its line end; None at the end of the input. The prompt is not printed for a pipe."""
        if self._reading is None:
            self._reading = self._begin(prompt)
        elif self.interactive:
            print(prompt, end="", flush=True)  # after an interrupted question, a thread is still reading the input
        line = await asyncio.shield(self._reading)
        self._reading = None
        return line

    async def answer(self, question: str) -> str:
        """The answer to a question. After Ctrl-C or at the end of the input, it is empty, which means no."""
        reading = asyncio.ensure_future(self.line(question))
        loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(reading.cancel))
        try:
            await asyncio.wait([reading])
        finally:
            signal.signal(signal.SIGINT, before)
            reading.cancel()
        if reading.cancelled():
            print()  # end the prompt's line
            return ""
        return reading.result() or ""

    def _begin(self, prompt: str) -> "asyncio.Future[str | None]":
        loop = asyncio.get_running_loop()
        result: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            line = self._read(prompt)
            # After an interrupt, the loop is closed and nobody waits for the line.
            if not loop.is_closed():
                loop.call_soon_threadsafe(_set, result, line)

        threading.Thread(target=read, name="keyboard", daemon=True).start()
        return result


def _set(result: "asyncio.Future[str | None]", line: str | None) -> None:
    if not result.done():
        result.set_result(line)


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()  # end the prompt's line
        return None


def _piped() -> Iterator[str]:
    """A thread that waits for `sys.stdin` keeps a lock that the process needs to exit."""
    rest = b""
    while run := os.read(_STDIN, _RUN):
        *lines, rest = (rest + run).split(b"\n")
        yield from (line.decode(errors="replace").rstrip("\r") for line in lines)
    if rest:
        yield rest.decode(errors="replace").rstrip("\r")
