"""The output of commands: results and messages, the sentence for a failure, and JSON Lines for the page."""

import asyncio
import errno
import io
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tellonce.extras import remedy
from tellonce.settings import SettingsError

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    """The text without control characters, because these could let a stored text control the terminal."""
    return _CONTROLS.sub("", text)


class Screen(Console):
    """A console whose texts cannot control the terminal. In a terminal, lines are broken between words, but not inside
    a command in backticks. In a pipe or file, lines are not broken."""

    def print(self, *objects: Any, **options: Any) -> None:
        if not self.is_terminal:
            options = {"soft_wrap": True, **options}
        elif all(isinstance(one, str) for one in objects) and not options.get("soft_wrap"):
            whole = " ".join(objects)
            objects = ("\n".join(broken(line, self.width) for line in whole.split("\n")),)
            options = {**options, "soft_wrap": True}
        super().print(*objects, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


_PIECE = re.compile(r" *(?:`[^`]+`|[^ ])+| +$")
"""Matches a word or a command in backticks, with the spaces before it; or the spaces at the end of a line."""


def broken(line: str, width: int) -> str:
    """The line, broken into lines of at most `width` cells. A single word or command may be longer."""
    lines = [""]
    for piece in _PIECE.findall(line):
        if lines[-1] and cell_len(lines[-1]) + cell_len(piece.rstrip(" ")) > width:
            lines.append(piece.lstrip(" "))
        else:
            lines[-1] += piece
    return "\n".join(lines)


console = Screen(markup=False, highlight=False)
notes = Screen(stderr=True, markup=False, highlight=False)
"""The console on standard error, for messages that are not part of the result."""


def make_printable() -> None:
    """Let any text be printed in every locale, if necessary with escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def flush_output() -> None:
    """Write the buffered output now, so that a failure can still be reported."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


DEFECT = 70
"""The exit code EX_SOFTWARE of sysexits.h."""


class CommandFailed(Exception):
    """A command failed. The text is for the person to read."""


def failure_message(error: BaseException) -> tuple[str, int]:
    """The message for a failure, and the exit code. For a group of exceptions, the first exception is reported."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, CommandFailed | SettingsError):
        return str(error), 1
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full ({error.strerror}); free some space, then run this again.", 1
    if isinstance(error, ModuleNotFoundError) and (needed := remedy(error)):
        return needed, 1
    name = f"{type(error).__name__}: {error}".partition("\n")[0]
    return f"{name}. `tellonce doctor` checks this machine; `tellonce --debug …` shows where it happened.", DEFECT


def with_doctor(problem: object) -> str:
    """The problem as a sentence, followed by the advice to run `tellonce doctor`."""
    return f"{str(problem).rstrip('.')}. Run `tellonce doctor` for the fix."


def can_ask() -> bool:
    """Whether a person can answer a question. With --json, the caller is a program."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not console.quiet


def said_yes(question: str, otherwise: str) -> bool:
    """Whether the user said yes. Ctrl-C and the end of the input mean no. In both cases, `otherwise` is printed."""
    try:
        with interruptible():
            return console.input(question, markup=False).strip().lower() in ("y", "yes")
    except (KeyboardInterrupt, EOFError):
        console.print(f"\n{otherwise}")
        return False


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C raise KeyboardInterrupt at once, while asyncio's own handler would wait for the end of the block."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def answer(found: Any) -> None:
    """Print a command's result for other programs, if --json asked for it."""
    if console.quiet:
        print(json.dumps(found, ensure_ascii=False, indent=2, default=str))


def hint(text: str) -> None:
    """Print a possible next step on standard error."""
    if not console.quiet:
        notes.print(text)


def print_entry(**entry: Any) -> None:
    """Write `entry` as one line of JSON, for the memory page."""
    print(json.dumps(entry, ensure_ascii=False, default=str), flush=True)


def run_for_page(tasks: Mapping[str, Callable[..., Coroutine[Any, Any, None] | None]]) -> None:
    """Run the task that the first argument names. Messages for people go to standard error."""
    console.file = sys.stderr
    task, *arguments = sys.argv[1:]
    try:
        result = tasks[task](*arguments)
        if result is not None:
            asyncio.run(result)
    except Exception as error:
        # Any error is caught here, because the page must get a sentence for it.
        sys.exit(failure_message(error)[0])
