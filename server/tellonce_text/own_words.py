"""Separates the writer's own words in a message from quoted words. It finds only quotations that the form of the
message shows.

Channels use `label` to mark content such as a photo, and `forwarded` to mark a forwarded text. Pure.
"""

import re
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_text.dates.clock import STAMP
from tellonce_text.fences import without_recalled

_OTHERS: Final = (
    re.compile(r"\A\s*+\[[^\[\]\n]*\]"),  # a label such as [photo], or the head of a forwarded text
    re.compile(r"^[ \t]*(`{3}|~{3}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE),
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE),
)
_FORWARDED: Final = "forwarded from"
_MARK: Final = re.compile(rf"\A\[{_FORWARDED} [^\[\]\n]*?(?:, ((?:19|20)\d\d-\d\d-\d\d \d\d:\d\d))?\]", re.ASCII)
"""Matches the head of a forwarded text, with the time at which the text was written, if it is known."""
_QUOTED_LINE: Final = re.compile(r"^> ", re.MULTILINE)
_QUOTED_LINES: Final = re.compile(r"(?:\n> [^\n]*)+")
_BRACKETS: Final = str.maketrans("[]", "()")


def own_words(text: str) -> str:
    """The text without recalled memory, code, quoted lines and the label at its beginning. These are not the writer's
    own words."""
    text = without_recalled(text)
    for others in _OTHERS:
        text = others.sub("\n", text)
    return text


def quotations(text: str, least: int) -> list[tuple[int, int]]:
    """The places of all quotations that are within one line and have at least `least` characters between their marks.
    Each place includes the marks. An apostrophe within a word is not a mark. The time is linear in the length of the
    text."""
    found: list[tuple[int, int]] = []
    opened: int | None = None
    for mark in _MARKS.finditer(text):
        sign, at = mark[0], mark.start()
        if sign == "\n":
            opened = None
        elif opened is not None and sign in _CLOSING[text[opened]]:
            if at - opened > least:
                found.append((opened, at + 1))
            opened = None
        elif sign in _CLOSING and (opened is None or (text[opened] in "'‘" and sign not in "'‘")):
            opened = at
    return found


_MARKS: Final = re.compile(r"[\"“”„«»「」\n]|(?<!\w)['‘](?=\S)|(?<=\S)['’](?!\w)")
_CLOSING: Final = {'"': '"', "“": "”", "„": "“”", "«": "»", "「": "」", "'": "'’", "‘": "’'"}


def label(kind: str, name: str = "") -> str:
    """The label of content without text, such as `[file notes.txt]`. `name` may come from another person, so its
    brackets and line breaks are replaced: it can neither end the label nor begin a new line."""
    return f"[{' '.join(f'{kind} {name}'.translate(_BRACKETS).split())}]"


def forwarded(author: str, text: str, written: datetime | None = None) -> str:
    """A forwarded text. Each line is quoted, because another person wrote the text. `written` is the local time at which
    this person wrote it; None if it is unknown."""
    head = author if written is None else f"{author}, {written:{STAMP}}"
    return "\n".join([label(_FORWARDED, head), *(f"> {line}" for line in text.split("\n"))])


def is_forwarded(text: str) -> bool:
    return _MARK.match(text) is not None


def written_at(text: str, sent_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The time at which the words of a message were written: `sent_at`, unless the message is forwarded. None for a
    forwarded message that does not give this time."""
    mark = _MARK.match(text)
    if mark is None:
        return sent_at
    try:
        return datetime.strptime(mark[1] or "", STAMP).replace(tzinfo=zone)
    except ValueError:  # no time, or a day that does not exist
        return None


def forwarded_words(text: str) -> str:
    """The forwarded words at the beginning of a text: the head and the quoted lines, or the whole text without quoted
    lines. Spaces replace the head and the marks of the quoted lines, so the places of the words do not change."""
    mark = _MARK.match(text)
    start = mark.end() if mark is not None else 0
    quoted = _QUOTED_LINES.match(text, start)
    words = text[start : quoted.end() if quoted is not None else None]
    return " " * start + _QUOTED_LINE.sub("  ", words)
