"""The lines of a summary without a model, such as `User: “I moved” (2026-02-16)`. Pure."""

import re
from collections.abc import Callable
from typing import Final

from tellonce import contract as c

_SPOKEN: Final = re.compile(r"[^“”\n]{1,80}: “(.*)”(?: \([^()]*\))?")
"""Matches a line of a summary without a model: who said it, the words, and the day."""


def with_lines(result: c.SearchResult, tells: Callable[[str], bool]) -> c.SearchResult:
    """The result. A summary keeps only the lines whose words (the quoted words or, in other lines, the whole line) fulfil
    `tells`."""
    if result.kind != "summary":
        return result
    told = [line for line in result.text.splitlines() if tells(_words(line))]
    return result.model_copy(update={"text": "\n".join(told)})


def _words(line: str) -> str:
    found = _SPOKEN.fullmatch(line.strip())
    return found[1] if found else line
