"""Finds the quoted and forwarded parts of a text. A relative day such as `tomorrow` counts from the day on which the quoted
words were said, and not from the day of the text."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tellonce_text.dates.tokens import Token

Span = tuple[int, int]
"""The index of the token that opens a quotation, and the index after its last token."""
_CLOSING: Final = {
    **{'"': '"', "'": "'", "‘": "'", "“": "”", "”": "”", "„": "“”", "«": "»", "»": "«"},
    **{"‹": "›", "「": "」", "『": "』"},
}
"""For each mark that opens a quotation, the marks that close it."""
_MARKS: Final = frozenset("".join((*_CLOSING, *_CLOSING.values())))
_HINTS: Final = _MARKS | {"’", ">"}
_DEEPEST: Final = 4
"""A mark is compared with at most this many open quotations, so that the time is linear."""
_SHORT: Final = 3


def openings(tokens: Sequence["Token"], text: str) -> Mapping[int, int]:
    """For each quoted token, the index of the token that opens the innermost quotation around it. A line that a mail
    program marks as quoted is a quotation. A text that begins like a forwarded message is also a quotation."""
    if _HINTS.isdisjoint(text) and not _is_forwarded(tokens):
        return {}
    found: dict[int, int] = {}
    around: list[Span] = []
    coming = sorted(_quotations(tokens, text), key=lambda span: (-span[0], span[1]))
    for at in range(len(tokens) if coming else 0):
        while around and around[-1][1] <= at:
            around.pop()
        while coming and coming[-1][0] == at:
            around.append(coming.pop())
        if around:
            found[at] = around[-1][0]
    return found


def _quotations(tokens: Sequence["Token"], text: str) -> Sequence[Span]:
    found = _quoted_lines(tokens, text)
    if _is_forwarded(tokens):
        found.append((0, len(tokens)))
    opened: list[tuple[int, str]] = []
    for at, token in enumerate(tokens):
        if token.kind != "mark" or token.word not in _MARKS:
            continue
        inner = _closed(opened, token, text)
        if inner:
            found.append((opened[-inner][0], at))
            del opened[-inner:]
        elif token.word in _CLOSING and _may_open(token, text):
            opened.append((at, _CLOSING[token.word]))
    return found


def _closed(opened: Sequence[tuple[int, str]], token: "Token", text: str) -> int:
    """The number of open quotations that the mark closes, or 0. If the mark closes an outer quotation, the marks inside
    it opened no quotation. An example is the apostrophe of `'cause`."""
    if token.word == "'" and text[token.end : token.end + 1].isalnum():
        return 0
    deepest = min(len(opened), _DEEPEST)
    return next((inner for inner in range(1, deepest + 1) if token.word in opened[-inner][1]), 0)


def _may_open(token: "Token", text: str) -> bool:
    """Whether the mark can open a quotation. After a digit, it means inches. An apostrophe needs a space before and a
    letter after it."""
    before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    return (after.isalpha() and not before.isalnum()) if token.word == "'" else not before.isdigit()


def _is_forwarded(tokens: Sequence["Token"]) -> bool:
    """Whether the text begins with a word such as `Fwd`. A word as short as `WG` needs a colon."""
    if not tokens or not tokens[0].has("forwarded"):
        return False
    return len(tokens[0].word) >= _SHORT or [token.word for token in tokens[1:2]] == [":"]


def _quoted_lines(tokens: Sequence["Token"], text: str) -> list[Span]:
    found: list[Span] = []
    for at, token in enumerate(tokens):
        if token.word == ">" and text[token.start - 1 : token.start] in {"", "\n"}:
            line_end = text.find("\n", token.end)
            inside = (n for n in range(at, len(tokens)) if line_end >= 0 and tokens[n].start > line_end)
            found.append((at, next(inside, len(tokens))))
    return found
