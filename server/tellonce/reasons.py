"""The reasons why a memory is uncertain or has ended.

A reason is stored in English, because models, exports and the command show it unchanged. `codes` finds the code of
each sentence in a reason, including the sentences of earlier releases. The page can thus show them in the reader's
language.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

REASONS_META: Final = "tellonce/reasons"
"""A key in the `_meta` of a result. Its value maps each reason in the result to the reason's parts. Each part has its
code and values."""

_SENTENCES: Final = {
    "no_quote": "The quote is in no message of the user.",
    "not_own_words": "A quote is not the user's own words.",
    "quote_absent": "A quote is not in the message it names.",
    "quote_silent": "The quote does not say this.",
    "nothing_said": "The user said nothing that supports it.",
    "words_silent": "The user's words do not say this.",
    "day": "{day} does not follow from the quote.",
    "number": "The number {number} is not in the quote.",
    "time_unit": "The quote does not count in {unit}s.",
    "measure": "The unit of {measure} is not the one in the quote.",
    "name": "The name {name} is not in the quote.",
    "unknown_memory": "It names memory {id}, which the model was not shown.",
    "unsure": "The model is not sure of it.",
}
"""The reasons of the checks, by their codes. A memory may have several of these reasons."""
_PHRASES: Final = {
    "unread": "not read a second time yet",
    "not_found": "a second reading did not find this in what was said",
    "deadline_unreadable": "its deadline could not be read",
    "overdue": "its deadline passed long ago: is it still a goal?",
    "over_before": "it had ended before it was learned",
    "over_before_import": "its time had passed before it was imported",
    "day_passed": "the day has passed",
    "closed": "closed: its deadline passed, and nobody said that it is still a goal",
    "reminded": "the reminder was delivered",
    "reminder_cancelled": "the reminder was cancelled",
    "read_again": "read again by {tier}",
    "stated_later": "#{id} was stated later",
    "ended_by": "ended by #{id}",
    "replaced_by": "replaced by #{id}",
    "taken_back": "taken back",
}
"""A memory with one of these reasons has no other reason. If a model gave one of these texts as its doubt, the text is
the last part of the stored reason."""
_TEXTS: Final = {**_SENTENCES, **_PHRASES}
CODES: Final = tuple(_TEXTS)
_FORMER: Final = {"no_quote": "It has no quote of the user."}
"""Wordings that are stored in older memories."""
_FORMS: Final = {"day": r"\d{1,4}-\d\d-\d\d", "id": r"\d+", "tier": r"\w+"}
"""The pattern of a value in a sentence. A value that is not listed here may be any short text of a memory."""


def reason(code: str, **values: object) -> str:
    """The stored text of a reason."""
    return _TEXTS[code].format(**values)


def codes(text: str) -> list[dict[str, Any]]:
    """The parts of a stored reason. A part in a model's own words has no code."""
    parts: list[dict[str, Any]] = []
    while found := _first(text):
        parts.append(found)
        text = text[len(found["text"]) :].lstrip()
    return [*parts, _whole(text)] if text else parts


def reasons_meta(result: object) -> dict[str, Any]:
    """The `_meta` entry with the codes of the reasons in a result. Empty if no reason has a code."""
    coded = {text: codes(text) for text in dict.fromkeys(_stored(result))}
    known = {text: parts for text, parts in coded.items() if any("code" in part for part in parts)}
    return {REASONS_META: known} if known else {}


def _stored(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(text := value.get("reason"), str):
            yield text
        for part in value.values():
            yield from _stored(part)
    elif isinstance(value, list):
        for part in value:
            yield from _stored(part)


def _first(text: str) -> dict[str, Any] | None:
    """The first part of the text if it is a sentence of a check; otherwise None."""
    found = ((code, _patterns()[code].match(text)) for code in _SENTENCES)
    return next((_part(match, code) for code, match in found if match), None)


def _whole(text: str) -> dict[str, Any]:
    found = ((code, _patterns()[code].fullmatch(text)) for code in _PHRASES)
    return next((_part(match, code) for code, match in found if match), {"text": text})


def _part(match: re.Match[str], code: str) -> dict[str, Any]:
    return {"text": match[0], "code": code, "values": match.groupdict()}


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """For each code, the pattern of its wordings, with a group for each value."""
    found: dict[str, re.Pattern[str]] = {}
    for code, text in _TEXTS.items():
        wordings = re.escape(text) + (f"|{re.escape(_FORMER[code])}" if code in _FORMER else "")
        found[code] = re.compile(re.sub(r"\\\{(\w+)\\\}", _group, wordings))
    return found


def _group(value: re.Match[str]) -> str:
    return f"(?P<{value[1]}>{_FORMS.get(value[1], '.{1,200}?')})"
