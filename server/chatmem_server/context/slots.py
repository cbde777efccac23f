"""Whether a message answers what the assistant asked for; pure. An unrelated message must never fill a slot."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from chatmem.contract import SlotType

_YES = frozenset(
    [
        "yes",
        "y",
        "yeah",
        "yep",
        "yup",
        "sure",
        "ok",
        "okay",
        "of",
        "course",
        "absolutely",
        "please",
        "do",
        "да",
        "oui",
        "si",
        "sí",
        "ja",
    ]
)
_NO = frozenset(["no", "n", "nope", "nah", "never", "don't", "dont", "нет", "non", "nein"])
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"https?://\S+|(?:www\.)?[\w-]+\.(?:com|org|net|io|dev|app|gov|edu)(?:/\S*)?", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")
_TIME = re.compile(
    r"\b(?:[01]?\d|2[0-3])(?::[0-5]\d)?\s*(?:am|pm)\b|\b(?:[01]?\d|2[0-3]):[0-5]\d\b|\b(?:noon|midnight)\b", re.I
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?|today|tomorrow|tonight|yesterday"
    r"|(?:next|this|on|last)?\s*(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:next|this)\s+(?:week|month|year))\b",
    re.IGNORECASE,
)
_MOST_WORDS = 12
"""An answer is short; a long message that happens to hold a date is talk."""


def fill(slot_type: SlotType, text: str, choices: Sequence[str] = ()) -> str | None:
    """The value `text` gives for a slot of that type, or None when it answers something else."""
    said = text.strip()
    if not said or (len(said.split()) > _MOST_WORDS and slot_type not in ("email", "url", "text")):
        return None
    return _MATCHERS[slot_type](said, choices)


def _text(said: str, _: Sequence[str]) -> str | None:
    return None if said.endswith("?") or said.startswith("/") else said


def _yes_no(said: str, _: Sequence[str]) -> str | None:
    words = re.findall(r"[\w']+", said.lower())
    if not words:
        return None
    if words[0] in _YES or " ".join(words[:2]) in ("of course", "please do"):
        return "yes"
    return "no" if words[0] in _NO else None


def _searched(pattern: re.Pattern[str]) -> Callable[[str, Sequence[str]], str | None]:
    def search(said: str, _: Sequence[str]) -> str | None:
        found = pattern.search(said)
        return found[0].strip() if found else None

    return search


def _number(said: str, _: Sequence[str]) -> str | None:
    found = _NUMBER.findall(said)
    return found[0] if len(found) == 1 else None


def _choice(said: str, choices: Sequence[str]) -> str | None:
    lowered = said.casefold()
    found = [choice for choice in choices if re.search(rf"(?<!\w){re.escape(choice.casefold())}(?!\w)", lowered)]
    return found[0] if len(found) == 1 else None


_MATCHERS: dict[str, Callable[[str, Sequence[str]], str | None]] = {
    "text": _text,
    "yes_no": _yes_no,
    "number": _number,
    "date": _searched(_DATE),
    "time": _searched(_TIME),
    "email": _searched(_EMAIL),
    "url": _searched(_URL),
    "choice": _choice,
}


def pending(slot: dict[str, Any] | None, query: str | None) -> tuple[str, str] | None:
    """(slot, value) when the message fills the slot that is open."""
    if slot is None or not query:
        return None
    value = fill(slot["type"], query, slot.get("choices", ()))
    return (slot["slot"], value) if value is not None else None
