"""Detects the kind of value that an answer requests, if the answer ends with a question of a clear type. Every slot
restricts what it accepts, because a slot without a restriction would accept whatever the person says next. Pure."""

import re

from tellonce.contract import Expects, SlotType

_LAST_QUESTION = re.compile(r"(?:^|[.!?…:\n])([^.!?…\n]{3,200}[?？])[\s*_)\"”»]*\Z")
_CHOICE = re.compile(r"([\w' -]{1,40}?),?\s+or\s+([\w' -]{1,40}?)[?？]\Z", re.IGNORECASE)
_CHOICES = re.compile(
    r"(?:^|[:,]|\b(?:prefer|like|want|be|is it|choose|pick)\b)\s*((?:[\w'-]+ ?){1,4})\Z", re.IGNORECASE
)

_TYPES: tuple[tuple[SlotType, re.Pattern[str]], ...] = (
    ("email", re.compile(r"\be-?mail address\b|\b(?:what|which)\b.*\be-?mail\b", re.IGNORECASE)),
    ("url", re.compile(r"\b(?:what|which|send|share|have)\b.*\b(?:url|link|web ?site address)\b", re.IGNORECASE)),
    ("time", re.compile(r"\b(?:what|which) time\b|\bat what (?:time|hour)\b", re.IGNORECASE)),
    (
        "date",
        re.compile(
            r"\b(?:what|which) (?:date|day)\b|^\W*when\b|\b(?:by|until|for|on|since) when\b|\bdeadline\b", re.IGNORECASE
        ),
    ),
    ("number", re.compile(r"\bhow (?:many|much|old|long|far)\b|\b(?:what|which) (?:number|amount)\b", re.IGNORECASE)),
)
_YES_NO = re.compile(
    r"^\W*(?:so,? |and |then |ok(?:ay)?,? )?(?:do|does|did|is|are|was|were|should|shall|may|can|could|would|will|have|has)\b"
    r"(?!.*\bor\b)",
    re.IGNORECASE,
)


def expected(answer: str) -> Expects | None:
    """The kind of value for which the answer's last question asks; None for an open question."""
    found = _LAST_QUESTION.search(answer.strip())
    if found is None:
        return None
    question = found[1].strip()
    for kind, pattern in _TYPES:
        if pattern.search(question):
            return Expects(slot=_slot(question), type=kind)
    return _choice(question) or _yes_no(question)


def _choice(question: str) -> Expects | None:
    either = _CHOICE.search(question)
    if either is None:
        return None
    first, second = _CHOICES.search(either[1]), either[2].strip()
    if first is None or not second:
        return None
    return Expects(slot=_slot(question), type="choice", choices=(first[1].strip(), second))


def _yes_no(question: str) -> Expects | None:
    return Expects(slot=_slot(question), type="yes_no") if _YES_NO.search(question) else None


def _slot(question: str) -> str:
    return question[:64]
