"""Prepares search results for the responder without a model. Joins messages that a person sent at the same moment.
Reduces summaries to the lines that are used. Pure."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from tellonce import contract as c

LABEL = re.compile(r"\[[^\]]*\]")
PLACE = re.compile(r"\[(?:location|place|contact) [^\]]*\]")
BEFORE = timedelta(minutes=5)
"""Maximum time between a message with a place and a later message about this place, such as "I parked here"."""
_ANSWERED = 2
"""The number of a person's next message is higher by 1, or by 2 if the bot answered in between."""
APART = "\u2029"
"""Separates two messages of a burst. Their words are not quoted as one piece."""
_AFTER_PLACE = re.compile(rf"({PLACE.pattern}){APART}")
BURST = timedelta(seconds=2)
"""Maximum time between two messages of a burst. Telegram dates messages in whole seconds."""

_SPOKEN: Final = re.compile(r"[^“”\n]{1,80}: “(.*)”(?: \([^()]*\))?")
"""Matches a line of a summary without a model: who said it, the words, and the day."""


def with_bursts(chosen: Sequence[c.SearchResult], results: Sequence[c.SearchResult]) -> list[c.SearchResult]:
    """Each chosen result, joined with the messages that the person sent at the same moment."""
    shown: list[c.SearchResult] = []
    joined: list[c.SearchResult] = []
    for result in chosen:
        if not is_said(result):
            shown.append(result)
        elif result not in joined:
            burst = [r for r in results if r == result or (is_said(r) and _is_beside(result, r))]
            joined += burst
            text = APART.join(r.text for r in sorted(burst, key=lambda r: r.id))
            text = _AFTER_PLACE.sub(r"\1 ", text)
            shown.append(result.model_copy(update={"text": text}))
    return shown


def _is_beside(one: c.SearchResult, other: c.SearchResult) -> bool:
    """Whether the other message belongs to the burst, or is a place or contact sent directly before."""
    if (one.speaker, one.thread_key) != (other.speaker, other.thread_key):
        return False
    if PLACE.fullmatch(other.text):
        return 0 < one.id - other.id <= _ANSWERED and one.at - other.at <= BEFORE
    return not LABEL.fullmatch(other.text) and abs(one.at - other.at) <= BURST


def is_said(result: c.SearchResult) -> bool:
    return result.kind == "message" and result.role == "user"


def with_lines(result: c.SearchResult, is_used: Callable[[str], bool]) -> c.SearchResult:
    """The result. From a summary, each line is dropped if `is_used` is false for the words that the line quotes."""
    if result.kind != "summary":
        return result
    lines = [line for line in result.text.splitlines() if is_used(_words(line))]
    return result.model_copy(update={"text": "\n".join(lines)})


def _words(line: str) -> str:
    found = _SPOKEN.fullmatch(line.strip())
    return found[1] if found else line
