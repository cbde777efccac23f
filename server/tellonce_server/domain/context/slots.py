"""Decides whether a message fills a slot, a value that the assistant asked for. Pure. An unrelated message never does."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from tellonce.contract import Focus, SlotType
from tellonce_server.store.context import ContextRows
from tellonce_server.store.messages import Line
from tellonce_text.dates.readings import DAY, WEEK, Expression, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.tokens import Token, line_of
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
_PRECISE: Final = frozenset({"instant", "day", "week", "month"})
_LEADING: Final = frozenset({"article", "contracted", "on", "at"})
_AGO: Final = frozenset({"ago", "ago_before", "ago_that"})
"""The tags of words that come before a date or time, and of words that count back from now."""
_MOST_WORDS = 12
"""Maximum words of an answer. A longer message may contain a date without answering the question about it."""
_MOST_CHARACTERS = 2_000
"""Maximum characters of an answer that is not free text. A text without spaces counts as one word."""


def fill(slot_type: SlotType, text: str, said: Said, choices: Sequence[str] = ()) -> str | None:
    """The value that `text` gives for the slot, or None if it does not answer the question."""
    words = text.strip()
    if not words or (slot_type != "text" and _is_talk(words, slot_type)):
        return None
    if slot_type in ("date", "time"):
        value = _when(words, said, timed=slot_type == "time")
    elif slot_type == "choice":
        value = _choice(words, choices)
    else:
        value = _MATCHERS[slot_type](words)
    return None if value is None or _asks_beside(words, value, slot_type) else value


def _when(words: str, said: Said, *, timed: bool) -> str | None:
    """The first date or time of day, without a preposition or article before it."""
    # A bare "3/5" is a date only beside a preposition.
    for text in (words, f"on {words}"):
        found = expressions(text, said, "future")
        for one in found:
            tokens = _tokens(text, one)
            if (one.timed if timed else one.dated) and _is_answer(one, tokens, said):
                begin = next((token.start for token in tokens if _LEADING.isdisjoint(token.tags)), one.start)
                return text[begin : one.end]
        if found:
            break
    return None


def _tokens(text: str, found: Expression) -> Sequence[Token]:
    line = line_of(text)
    tokens = [line[index] for index in range(len(line))] if line is not None else []
    return [token for token in tokens if found.start <= token.start < found.end]


def _is_answer(found: Expression, tokens: Sequence[Token], said: Said) -> bool:
    """Whether the expression gives a time, a day, a week or a month. These do not: "since March", "Merry Christmas", "2
    hours ago", "the weekend", "yesterday's game"."""
    best = found.best
    if best is None or found.precision not in _PRECISE or found.since or found.celebrated:
        return False
    first, last = best.days
    weekend = found.precision == "week" and last - first < WEEK - DAY
    ago = best.start < said.at and any(not _AGO.isdisjoint(token.tags) for token in tokens)
    return not (weekend or ago or found.text.endswith(("'s", "’s")))


def _asks_beside(said: str, value: str, slot_type: SlotType) -> bool:
    """ "tomorrow?" is an answer, but "what was on tomorrow?" is a question."""
    if slot_type in ("text", "yes_no") or not said.rstrip().endswith(("?", "？")):
        return False
    return 2 * len(value.split()) < len(said.split())


def _is_talk(said: str, slot_type: SlotType) -> bool:
    if len(said) > _MOST_CHARACTERS:
        return True
    return slot_type not in ("email", "url") and len(said.split()) > _MOST_WORDS


def _text(said: str) -> str | None:
    return None if said.endswith("?") or said.startswith("/") else said


def _yes_no(said: str) -> str | None:
    """Only the first clause counts. A word such as "yes" may begin it. Other expressions must match it whole."""
    clause = " ".join(re.findall(r"[\w']+", re.split(r"[,.;:!?–—]", said.lower().replace("’", "'"))[0]))
    first = clause.partition(" ")[0]
    if first in _PLAIN_YES or _ASSENT.fullmatch(clause):
        return "yes"
    return "no" if first in _PLAIN_NO or _REFUSAL.fullmatch(clause) else None


def _searched(pattern: re.Pattern[str], said: str) -> str | None:
    found = pattern.search(said)
    return found[0] if found else None


def _number(said: str) -> str | None:
    found = _NUMBER.findall(said)
    return found[0] if len(found) == 1 else None


def _choice(said: str, choices: Sequence[str]) -> str | None:
    lowered = said.casefold()
    found = [choice for choice in choices if re.search(rf"(?<!\w){re.escape(choice.casefold())}(?!\w)", lowered)]
    return found[0] if len(found) == 1 else None


_MATCHERS: dict[str, Callable[[str], str | None]] = {
    "text": _text,
    "yes_no": _yes_no,
    "number": _number,
    "email": partial(_searched, _EMAIL),
    "url": partial(_searched, _URL),
}


def find_focus(rows: ContextRows, query: str | None, said: Said, most: int) -> Focus | None:
    """The message or slot to which the user's message refers, clipped to `most` tokens.

    The first of these is chosen: the message to which the user replies, the open slot that the message fills, the
    newest assistant message. The context's budget does not count this text.
    """
    if rows.quoted is not None:
        return _on("reply", rows.quoted, most)
    latest = next((line for line in reversed(rows.window) if line.id == rows.thread.focus_id), None)
    slot = rows.thread.slot if rows.thread.slot_until is not None and said.at < rows.thread.slot_until else None
    value = fill(slot["type"], query, said, slot.get("choices", ())) if slot and query else None
    if slot and value is not None:
        text = _said(latest, most) if latest else ""
        return Focus(
            source="slot", message_id=rows.thread.focus_id, role="assistant", text=text, slot=slot["slot"], value=value
        )
    return _on("latest", latest, most) if latest is not None else None


def _on(source: str, line: Line, most: int) -> Focus:
    return Focus.model_validate({"source": source, "message_id": line.id, "role": line.role, "text": _said(line, most)})


def _said(line: Line, most: int) -> str:
    return clip(mask(line.routine_summary or line.content), most)[0]
