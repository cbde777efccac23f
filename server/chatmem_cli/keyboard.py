"""What a person types, or a pipe holds, line by line; whoever waits for a line can be interrupted at once."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable

_STDIN = 0
_RUN = 65536


class Keyboard:
    """Standard input. A thread of asyncio's own pool would be waited for at the end: Ctrl-C would need an Enter."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self._read: Callable[[str], str | None] = _typed if self.interactive else _Pipe().read

    async def line(self, prompt: str) -> str | None:
        """The next line without its end; None when there is no more. A pipe is not prompted."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            line = self._read(prompt)
            # The loop is closed when we were interrupted meanwhile; nobody waits for the line any more.
            if not loop.is_closed():
                loop.call_soon_threadsafe(_set, result, line)

        threading.Thread(target=read, name="keyboard", daemon=True).start()
        return await result


def _set(result: "asyncio.Future[str | None]", line: str | None) -> None:
    if not result.done():
        result.set_result(line)


def _typed(prompt: str) -> str | None:
    """With the terminal's line editing."""
    try:
        return input(prompt)
    except EOFError:
        print()  # the prompt's line is not ended
        return None


class _Pipe:
    """Reads the descriptor itself: a thread left in a read of `sys.stdin` would hold its lock when Python ends."""

    def __init__(self) -> None:
        self._rest = b""
        self._ended = False

    def read(self, _prompt: str) -> str | None:
        while b"\n" not in self._rest and not self._ended:
            run = os.read(_STDIN, _RUN)
            self._rest += run
            self._ended = not run
        if not self._rest:
            return None
        line, _, rest = self._rest.partition(b"\n")
        self._rest = rest
        return line.decode(errors="replace").rstrip("\r")
