"""Which way a sentence looks at a place in it: back to what was, ahead to what will be, or neither for sure."""

from typing import Final

from chatmem_text.dates.readings import Direction
from chatmem_text.dates.tokens import Line, Token

_FAR: Final = 30
"""Tokens looked at on either side, so that a text without sentence marks stays linear."""


def direction_at(line: Line, first: int, end: int) -> tuple[Direction | None, bool]:
    """The direction of the verb that governs the tokens from `first` to `end`, and whether there is one.

    It is the nearest before them, else after.  An English sentence without one looks ahead more often than not.
    """
    if _reported(line, first) or _moved_from(line, first):
        return None, False
    found = _moved(line, first) or _before(line, first) or _after(line, end) or _order(line, first)
    if found:
        return found, True
    return ("future" if line.language == "en" else None), False


def _reported(line: Line, first: int) -> bool:
    """`I thought the meeting was the 12th`: what somebody thought or said may be neither past nor still so."""
    for index in _back(line, first):
        token = line[index]
        if token.has("tense_reported"):
            return token.word in {"thought", "assumed"} or not line[first - 1].has("on")
        if token.has("tense_future"):
            return False
    return False


def _moved_from(line: Line, first: int) -> bool:
    """`moved from Tuesday to Thursday`: the day it was moved from lies on either side of today."""
    before = line[first - 1]
    return before.word == "from" and any(line[index].has("tense_arranged") for index in _back(line, first))


def _back(line: Line, first: int) -> range:
    """The tokens of the sentence before the expression, the nearest first."""
    return range(first - 1, max(line.sentences[first][0], first - _FAR) - 1, -1)


def _moved(line: Line, first: int) -> Direction | None:
    """Whether something was put off to the day: in languages whose verbs are not read otherwise."""
    if line.language == "en":
        return None
    near = range(max(0, first - _FAR // 4), first + _FAR // 4)
    return "future" if any(line[index].has("tense_moved") for index in near) else None


def _before(line: Line, first: int) -> Direction | None:
    infinitive = False
    weak: Direction | None = None
    for index in _back(line, first):
        found = _sign(line, index, first, infinitive=infinitive)
        if found:
            return found
        if weak and (line[index].word == "," or line[index].has("clause")):
            return weak
        if line[index].has("tense_present"):
            weak = "future"
        infinitive = infinitive or (line[index].word == "to" and index + 1 < first)
    return weak


def _after(line: Line, end: int) -> Direction | None:
    weak: Direction | None = None
    for index in range(end, min(line.sentences[end - 1][1], end + _FAR)):
        found = _sign(line, index, -1, infinitive=False)
        if found:
            return found
        if line[index].has("tense_present"):
            weak = "future"
    return weak


def _order(line: Line, first: int) -> Direction | None:
    """`Remind me Friday`: a sentence that begins with an order looks ahead."""
    index = line.sentences[first][0]
    if first - index > _FAR:
        return None
    beginning = next((n for n in range(index, first) if line[n].kind == "word"), first)
    return "future" if line[beginning].has("tense_order") else None


def _sign(line: Line, index: int, first: int, *, infinitive: bool) -> Direction | None:
    """The direction this token gives. `first`: where the expression begins, or -1 when the token comes after it."""
    token = line[index]
    if token.kind != "word":
        return None
    if token.has("tense_past") and not _is_past_participle_ahead(token):
        if infinitive and token.has("tense_committed"):
            return "future"
        if token.has("tense_arranged") and _moved_to(line, first):
            return "future"
        return "past"
    if token.has("tense_future"):
        return "future"
    if not _is_participle(token):
        return None
    if first > index and _moved_to(line, first) and (token.has("tense_arranged") or index == first - 2):
        return "future"
    if infinitive and token.has("tense_committed"):
        return "future"
    return _by_auxiliary(line, index)


def _by_auxiliary(line: Line, index: int) -> Direction:
    for back in range(index - 1, max(-1, index - 4), -1):
        token = line[back]
        if token.has("tense_have"):
            return "past"
        if token.has("tense_be"):
            return "future"
        if token.kind != "word" or token.has("tense_past"):
            break
    return "past"


def _moved_to(line: Line, first: int) -> bool:
    """Whether the expression is what something was moved to: `pushed to May 12`, `booked for Friday`."""
    at = first - 1
    while at > first - 4 and (line[at].has("article") or line[at].word in {"after", "before", "around", "about"}):
        at -= 1
    return line[at].word in {"to", "for", "until", "till", "forward", "back"}


def _is_participle(token: Token) -> bool:
    word = token.word
    if token.has("tense_stative"):
        return False
    return token.has("tense_arranged") or (len(word) > 4 and word.endswith("ed") and not token.tags.keys() - _VERBAL)


def _is_past_participle_ahead(token: Token) -> bool:
    return token.has("unit") or token.has("season")


_VERBAL: Final = frozenset({"tense_arranged", "tense_committed"})
