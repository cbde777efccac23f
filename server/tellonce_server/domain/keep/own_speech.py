"""Finds the lines that the writer of a message wrote. Quoted parts, pasted parts and code are left out. These parts are
recognized by their form alone."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from tellonce_text.own_words import own_words, quotations

LONG_PARAGRAPH: Final = 1500
"""Minimum characters of a paragraph with punctuation that counts as pasted. Few people type paragraphs of this length,
and dictated text has no punctuation."""

INTRODUCED: Final = 300
"""Minimum characters of a paragraph that counts as pasted because the line before it ends in a colon."""

LONG_QUOTE: Final = 80
"""Minimum characters of a quotation that is left out. Shorter quotations are names, titles and single words."""

_BLOCKS: Final = tuple(
    re.compile(pattern, re.DOTALL | re.MULTILINE)
    for pattern in (
        r"^-{3,}[^-\n]+-{3,}[ \t]*$.*\Z",  # ----- Forwarded message -----
        r"^[^\s:]{2,12}: [^\n@]{0,80}@[^\n]*\n[^\s:]{2,12}: .*\Z",  # From: ann@example.org, Subject: …
        r"^(?:[ ]{4}|\t|[ ]{0,3}\|)[^\n]*$",
    )
)
_LABELLED: Final = re.compile(r"(?:\[[^\]\n]{1,40}\] ?)?([^\s:][^:\n]{0,40}): \S")
_STOP: Final = re.compile(r"[.!?…]\s")


def own_lines(message: str) -> list[str]:
    """Return the lines that the writer wrote, in order, without empty lines."""
    message = own_words(message)
    for block in _BLOCKS:
        message = block.sub("\n", message)
    for start, end in reversed(quotations(message, LONG_QUOTE)):
        message = f"{message[:start]}\n{message[end:]}"
    return [line for paragraph in _own_paragraphs(message) for line in paragraph if line]


def _own_paragraphs(message: str) -> Iterator[list[str]]:
    introduced = False
    for paragraph in re.split(r"\n[ \t]*\n", message):
        lines = [line.strip() for line in paragraph.splitlines()]
        if not any(lines):
            continue
        if _is_pasted(paragraph, introduced) or _is_transcript(lines):
            continue
        own = _until_introduction(lines)
        introduced = own[-1].endswith(":")
        yield own


def _is_pasted(paragraph: str, introduced: bool) -> bool:
    if introduced and len(paragraph) >= INTRODUCED:
        return True
    lines, stops = paragraph.count("\n") + 1, len(_STOP.findall(paragraph))
    prose = len(paragraph) >= 40 * lines and stops * 300 >= len(paragraph)
    return prose and len(paragraph) >= LONG_PARAGRAPH


def _until_introduction(lines: list[str]) -> list[str]:
    """Return the lines up to the first line that ends in a colon and has a long text after it. If there is no such
    line, return all lines."""
    left = sum(map(len, lines))
    for count, line in enumerate(lines, 1):
        left -= len(line)
        if line.endswith(":") and left >= INTRODUCED:
            return lines[:count]
    return lines


def _is_transcript(lines: list[str]) -> bool:
    """Whether the lines are a pasted chat. In a pasted chat, most lines begin with a name and a colon, and at least one
    name repeats."""
    names = Counter(match[1] for line in lines if (match := _LABELLED.match(line)))
    return names.total() >= 3 and names.total() * 2 > len(lines) and len(names) < names.total()
