"""Reads lines from the terminal or a pipe. Meanwhile, nothing else runs in the process."""

import importlib
import sys
from contextlib import suppress

from tellonce_cli.screen import interruptible


class Keyboard:
    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        if self.interactive:
            # With readline, `input` supports arrow keys, a history, lines of any length, and multi-line paste.
            with suppress(ImportError):  # Python can be built without readline
                importlib.import_module("readline").parse_and_bind("set enable-bracketed-paste on")

    def line(self, prompt: str) -> str | None:
        """The next line without its line end. None at the end of the input. The prompt is not printed for a pipe."""
        with interruptible():
            return _typed(prompt) if self.interactive else _piped()

    def answer(self, question: str) -> str:
        """The answer to a question. After Ctrl-C or at the end of the input, it is empty, which means no."""
        try:
            return self.line(question) or ""
        except KeyboardInterrupt:
            print()  # end the prompt's line
            return ""


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()  # end the prompt's line
        return None


def _piped() -> str | None:
    line = sys.stdin.buffer.readline()
    return line.decode(errors="replace").rstrip("\r\n") if line else None
