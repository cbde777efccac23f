"""Decides whether a message fills a slot. A slot is a value that the assistant asked for. Pure. An unrelated message
must never fill a slot."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from tellonce.contract import Focus, SlotType
from tellonce_server.store.context import ContextRows
from tellonce_server.store.messages import Line
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip

_PLAIN_YES = frozenset(["yes", "yeah", "yep", "yup", "absolutely", "definitely", "да", "oui", "sí"])
_PLAIN_NO = frozenset(["nope", "nah", "нет", "nein", "non"])
_ASSENT = re.compile(
    r"(?:y|ok|okay|sure|fine|ja|si|of course|please|please do|go ahead|do it|do that|sounds good|why not)"
    r"(?: (?:please|thanks|thank you|then|thing|go ahead|do it|do that|bitte))*"
)
_REFUSAL = re.compile(
    r"(?:n|no|never|don't|dont|do not|please don't|please do not|not now|not yet|not really|rather not|better not)"
    r"(?: (?:please|thanks|thank you|need|way|danke|never|not now|don't|do not))*"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"https?://\S+|(?<![@\w.-])(?:www\.)?[\w-]+\.(?:com|org|net|io|dev|app|gov|edu)(?:/\S*)?", re.IGNORECASE
)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")
_TIME = re.compile(
    r"\b(?:[01]?\d|2[0-3])(?::[0-5]\d)?\s*(?:am|pm)\b|\b(?:[01]?\d|2[0-3]):[0-5]\d\b|\b(?:noon|midnight)\b", re.I
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(
    rf"\b(?:{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{1,2}(?:st|nd|rd|th)"
    r"|today|tomorrow|tonight|yesterday|in\s+(?:\d+|a|one|two|three)\s+(?:day|week|month)s?"
    r"|(?:next|this|on|last)?\s*(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:next|this)\s+(?:week|month|year))(?!['’]?\w)",
    re.IGNORECASE,
)
_MOST_WORDS = 12
"""Maximum words of an answer. The maximum does not apply to free text, email addresses and URLs. A longer message may,
for example, contain a date without answering the question about the date."""
_MOST_CHARACTERS = 2_000
"""Maximum characters of an answer that is not free text. The limit is needed for two reasons. A text without spaces
counts as one word. The search for addresses tries every position of the text."""


def fill(slot_type: SlotType, text: str, choices: Sequence[str] = ()) -> str | None:
    """Return the value that `text` gives for a slot of type `slot_type`. Return None if the text does not answer the
    question for the slot."""
    said = text.strip()
    if not said or (slot_type != "text" and _is_talk(said, slot_type)):
        return None
    value = _MATCHERS[slot_type](said, choices)
    return None if value is None or _asks_beside(said, value, slot_type) else value


def _asks_beside(said: str, value: str, slot_type: SlotType) -> bool:
    """Whether a message is a question that only mentions the value. "tomorrow?" is an answer; "what was on tomorrow?"
    is a question."""
    if slot_type in ("text", "yes_no") or not said.rstrip().endswith(("?", "？")):
        return False
    return 2 * len(value.split()) < len(said.split())


def _is_talk(said: str, slot_type: SlotType) -> bool:
    if len(said) > _MOST_CHARACTERS:
        return True
    return slot_type not in ("email", "url") and len(said.split()) > _MOST_WORDS


def _text(said: str, _: Sequence[str]) -> str | None:
    return None if said.endswith("?") or said.startswith("/") else said


def _yes_no(said: str, _: Sequence[str]) -> str | None:
    """The answer "yes" or "no", or None. Only the first clause is read. An unambiguous word such as "yes" may be
    followed by any other words. Other expressions must match the whole clause."""
    clause = " ".join(re.findall(r"[\w']+", re.split(r"[,.;:!?–—]", said.lower().replace("’", "'"))[0]))
    first = clause.partition(" ")[0]
    if first in _PLAIN_YES or _ASSENT.fullmatch(clause):
        return "yes"
    return "no" if first in _PLAIN_NO or _REFUSAL.fullmatch(clause) else None


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
    """The (slot, value) pair if the message fills the open slot, else None."""
    if slot is None or not query:
        return None
    value = fill(slot["type"], query, slot.get("choices", ()))
    return (slot["slot"], value) if value is not None else None


def find_focus(rows: ContextRows, query: str | None, now: datetime, most: int) -> Focus | None:
    """The message or slot to which the user's message refers. Three are tried in this order: the message to which the
    user replies, the open slot that the user's message fills, and the newest assistant message of the thread.

    The text is clipped to `most` tokens, because the text is not counted in the context's budget.
    """
    if rows.quoted is not None:
        return _on("reply", rows.quoted, most)
    latest = next((line for line in reversed(rows.window) if line.id == rows.thread.focus_id), None)
    open_slot = rows.thread.slot if rows.thread.slot_until is not None and now < rows.thread.slot_until else None
    filled = pending(open_slot, query)
    if filled is not None:
        slot, value = filled
        text = _said(latest, most) if latest else ""
        return Focus(
            source="slot", message_id=rows.thread.focus_id, role="assistant", text=text, slot=slot, value=value
        )
    return _on("latest", latest, most) if latest is not None else None


def _on(source: str, line: Line, most: int) -> Focus:
    return Focus.model_validate({"source": source, "message_id": line.id, "role": line.role, "text": _said(line, most)})


def _said(line: Line, most: int) -> str:
    """The text of a message. For a routine's message, the text is the message's summary, as everywhere in a context."""
    return clip(mask(line.routine_summary or line.content), most)[0]
