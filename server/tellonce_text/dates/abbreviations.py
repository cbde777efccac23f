"""Recognizes abbreviated weekdays and months (`Di 14:30`, `mar. 12`, `13 nov.`) in languages other than English.

Many abbreviations are also other words (`so`, `mar`, `set`), so the neighboring tokens must show that a date is meant.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tellonce_text.dates.tokens import Token


def spelled_out(tokens: Sequence["Token"], index: int, language: str) -> "Token":
    """Return the token with the tag of the weekday or month that it abbreviates. A token that is not such an
    abbreviation is returned unchanged."""
    token = tokens[index]
    if token.has("short_month") and _is_month(tokens, index):
        return token._replace(tags={"month": token.get("short_month")})
    if token.has("short_weekday") and _is_weekday(tokens, index, language):
        return token._replace(tags={"weekday": token.get("short_weekday")})
    return token


def _is_month(tokens: Sequence["Token"], index: int) -> bool:
    """Whether a day comes before the token, as in `13. Nov.`, or a year follows the token."""
    before = [token for token in tokens[max(0, index - 2) : index] if token.word not in _MARKS]
    if before and before[-1].kind == "number" and 1 <= (before[-1].value or 0) <= _LONGEST_MONTH:
        return True
    after = [token for token in tokens[index + 1 : index + 3] if token.word not in _MARKS]
    return bool(after) and after[0].kind == "number" and len(after[0].word) == _YEAR


_MARKS: Final = frozenset(".-")
_LONGEST_MONTH: Final = 31
_YEAR: Final = 4


def _is_weekday(tokens: Sequence["Token"], index: int, language: str) -> bool:
    """Whether a date or a time follows the token, as in `Di 14:30`, or a word such as `am` comes before it."""
    token = tokens[index]
    if (language == "de" and not token.capital) or (index and tokens[index - 1].kind == "number"):
        return False
    after = list(tokens[index + 1 : index + 5])
    dotted = bool(after) and after[0].word == "."
    after = after[1:] if dotted else after
    led = index > 0 and (tokens[index - 1].has("on") or tokens[index - 1].has("by"))
    if led and (dotted or language in {"de", "ru"}):
        return True
    if after and after[0].word == ",":
        after = after[1:]
    if not after:
        return False
    if after[0].kind in {"numeric", "clock"} or after[0].suffix == "h" or (dotted and after[0].has("at")):
        return True
    return after[0].kind == "number" and any(_is_dated(following) for following in after[1:3])


def _is_dated(token: "Token") -> bool:
    return token.has("month") or token.has("short_month") or token.has("o_clock") or token.has("hour_h")
