"""Whether a sentence at a given place is about the past, the future, or neither for certain."""

from typing import Final, NamedTuple

from tellonce_text.dates.readings import Direction
from tellonce_text.dates.tokens import Line, Token

_FAR: Final = 30
"""Maximum tokens that are read on either side, so that the time stays linear for texts without punctuation."""


def _is_attribute(line: Line, first: int, end: int) -> bool:
    """`the contract of 3 March`, `die Rechnung vom 3.4.`: the date belongs to a thing, so the tense of the sentence
    says nothing about it."""
    if any(line[at].has("to") or line[at].word in _APART for at in range(first, end)):
        return False
    before = line[first - 1]
    return before.word == "of" or (line.language == "de" and before.word == "vom")


class Look(NamedTuple):
    """`sure`: a verb gives the direction. `own`: that verb is in the clause of the expression."""

    direction: Direction | None
    sure: bool = False
    own: bool = True


def direction_at(line: Line, first: int, end: int) -> Look:
    """The direction of the verb that governs the tokens from `first` to `end`.

    It is the nearest before them, else after.  An English sentence without a verb is more often about the future.
    """
    if _reported(line, first) or _moved_from(line, first):
        return Look(None)
    if line[end].word in {"would", "will"} and _before(line, first) == "past":
        return Look(None)
    if _only_arranged(line, first):
        return Look(None)
    if _is_attribute(line, first, end):
        return Look("past", own=False)
    moved = _moved(line, first)
    if moved:
        return Look(moved, sure=True)
    before = _before(line, first)
    if before:
        return Look(before, sure=True, own=_in_clause(line, first, end, before))
    found = _after(line, end) or _order(line, first)
    if found:
        return Look(found, sure=True)
    either = any(line[at].has("tense_either") for at in _back(line, first))
    return Look("future" if line.language == "en" else None, own=not either)


def _in_clause(line: Line, first: int, end: int, found: Direction) -> bool:
    """Whether the past verb is in the clause of the expression and the clause is not about a plan. A present verb
    between them shows that they are in different clauses: `the course I paid for starts Friday`.
    """
    if found == "future":
        return not any(
            line[at].has("tense_future") and line[at - 1].word in {"was", "were"} for at in _back(line, first)
        )
    if _leads_ahead(line, first) or _is_question_of(line, first, end):
        return False
    for index in _back(line, first):
        joined = line[index].has("clause") and index >= first - 2
        if joined or line[index].word in _APART:
            return _after(line, end) == "past"
        if _sign(line, index, first, infinitive=False) == "past":
            return not _is_notice(line, index, first)
        if line[index].has("tense_present"):
            return False
    return True


def _is_notice(line: Line, index: int, first: int) -> bool:
    """`Closed on Friday`: a participle alone may be about the past or the future."""
    return index == line.sentences[first][0] and index >= first - 2 and _is_participle(line[index])


def _leads_ahead(line: Line, first: int) -> bool:
    """`lent me the car until Friday`, `bought tickets for the 3rd`."""
    at = first - 1 - line[first - 1].has("article")
    return line[at].has("by") or line[at].has("for") or line[at].word == "from"


def _is_question_of(line: Line, first: int, end: int) -> bool:
    """`Was Friday all right?`, `Did you say Friday?`: the question is about the day itself, which may be past or
    future."""
    return line[first - 1].word in {"say", "mean"} or (
        first == line.sentences[first][0] + 1 and line[line.sentences[end - 1][1] - 1].word == "?"
    )


def _reported(line: Line, first: int) -> bool:
    """`I thought the meeting was the 12th`: something that was thought or said may be past or still to come."""
    for index in _back(line, first):
        token = line[index]
        if token.has("tense_reported"):
            return token.word in {"thought", "assumed"} or not line[first - 1].has("on")
        if token.has("tense_future"):
            return False
    return False


def _only_arranged(line: Line, first: int) -> bool:
    """`signed up for a race in September`: the verb does not say whether September is when it was arranged or when it
    takes place."""
    for index in _back(line, first):
        token = line[index]
        if token.has("tense_arranged") and _is_participle(token):
            auxiliary = any(line[at].has("tense_be") for at in range(index - 3, index))
            return not auxiliary and not _moved_to(line, first) and line[first - 1].word in {"in", "on"}
        if _sign(line, index, first, infinitive=False) or token.has("tense_present"):
            return False
    return False


def _moved_from(line: Line, first: int) -> bool:
    """`moved from Tuesday to Thursday`: the former day may be past or future."""
    before = line[first - 1]
    return before.word == "from" and any(line[index].has("tense_arranged") for index in _back(line, first))


def _back(line: Line, first: int) -> range:
    """The tokens of the sentence before the expression, the nearest first."""
    return range(first - 1, max(line.sentences[first][0], first - _FAR) - 1, -1)


def _moved(line: Line, first: int) -> Direction | None:
    """Whether something was postponed to the day, for languages whose other verbs are not read."""
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
    """The direction that this token gives. `first` is the start of the expression, or -1 if the token comes after
    it."""
    token = line[index]
    if token.kind != "word":
        return None
    if token.has("tense_past") and not _is_past_participle_ahead(token):
        if infinitive and token.has("tense_committed"):
            return "future"
        if token.has("tense_arranged") and _moved_to(line, first):
            return "future"
        if token.word == "got" and (line[index - 1].has("tense_have") or line[index - 2].has("tense_have")):
            return "future"
        if token.has("tense_perfect") and not _is_whole_perfect(line, index):
            return None
        return None if _is_condition(line, index) else "past"
    if token.has("tense_future"):
        return "future"
    if not _is_participle(token) or _is_adjective(line, index) or _is_condition(line, index):
        return None
    if first > index and _moved_to(line, first) and (token.has("tense_arranged") or index == first - 2):
        return "future"
    if infinitive and token.has("tense_committed"):
        return "future"
    return _by_auxiliary(line, index)


def _is_whole_perfect(line: Line, index: int) -> bool:
    """Whether a participle goes with the auxiliary (`hat ... gekauft`), which alone is of the present (`hat offen`)."""
    until = min(line.sentences[index][1], index + _FAR // 2)
    return any(_is_german_participle(line[at]) for at in range(index + 1, until))


def _is_german_participle(token: Token) -> bool:
    word = token.word
    if token.capital or not word.endswith(("t", "en")):
        return False
    return "ge" in word[:-3] or word.startswith(("be", "er", "ent", "ver", "zer", "miss")) or word.endswith("iert")


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


def _is_condition(line: Line, index: int) -> bool:
    """`if you slept well`: not what happened."""
    return any(line[at].has("condition") for at in range(index - 3, index))


def _is_adjective(line: Line, index: int) -> bool:
    """`a folded book`: a participle after an article or a preposition, with a noun behind it."""
    before, after = line[index - 1], line[index + 1]
    led = any(before.has(tag) for tag in ("article", "one", "own", "on", "of", "for", "in")) or before.word == "with"
    return led and after.kind == "word" and not after.tags


def _is_participle(token: Token) -> bool:
    word = token.word
    if token.has("tense_stative"):
        return False
    return token.has("tense_arranged") or (len(word) > 4 and word.endswith("ed") and not token.tags.keys() - _VERBAL)


def _is_past_participle_ahead(token: Token) -> bool:
    return token.has("unit") or token.has("season")


_APART: Final = frozenset(",:()–—-")
_VERBAL: Final = frozenset({"tense_arranged", "tense_committed"})
