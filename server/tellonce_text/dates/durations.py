"""Parses a duration of hours, minutes and seconds: `an hour and a half`, `полтора часа`, `1 h 30 min`, `90 seconds`.
Pure."""

from datetime import timedelta
from typing import Final, NamedTuple

from tellonce_text.dates.lexicon import lexicon
from tellonce_text.dates.phrases import count_at
from tellonce_text.dates.tokens import Line

_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_SECOND: Final = timedelta(seconds=1)
_AND_A_HALF: Final = "einhalb"
"""The last letters of German numbers such as `zweieinhalb`."""


class Duration(NamedTuple):
    """A length of time; `end` is the index after its last token. `unit` is the smallest unit in the text. `exact` is
    false for counts such as `a couple of hours`."""

    end: int
    length: timedelta
    unit: timedelta
    exact: bool = True


def duration(line: Line, index: int) -> Duration | None:
    """The duration at the token `index`; None if there is none."""
    total = _part(line, index)
    while total and (part := _part(line, total.end + line[total.end].has("and"))) and part.unit < total.unit:
        total = Duration(part.end, total.length + part.length, part.unit, total.exact and part.exact)
    return total


def _part(line: Line, index: int) -> Duration | None:
    named = index + (line[index].has("one") or line[index].get("number") == 1)
    minutes = line[named].get("span_minutes")
    if minutes:
        return Duration(named + 1, minutes * _MINUTE, _MINUTE)
    amount, at, exact = _amount(line, index)
    unit = _unit(line, at)
    if unit is None or not amount:
        return None
    more, after = _fraction_more(line, at + 1)
    if more and _unit(line, after) is None:
        return Duration(after, (amount + more) * unit, unit, exact)
    return Duration(at + 1, amount * unit, unit, exact)


def _unit(line: Line, index: int) -> timedelta | None:
    """The unit of a word, or of a number such as `90min`."""
    token = line[index]
    tags = lexicon(line.language).words.get(token.suffix, {}) if token.suffix else token.tags
    if "seconds" in tags:
        return _SECOND
    return {"hour": _HOUR, "minute": _MINUTE}.get(str(tags.get("unit")))


def _amount(line: Line, index: int) -> tuple[float, int, bool]:
    """The number of units (0 if there is none), the index of the unit's token, and whether the number is exact."""
    token = line[index]
    if token.kind == "number" and token.suffix:
        return token.value or 0, index, True
    half = _half(line, index)
    if half:
        return *half, True
    if token.has("one_and_half"):
        return 1.5, index + 1, True
    if token.word.endswith(_AND_A_HALF):
        whole = lexicon("de").words.get(token.word.removesuffix(_AND_A_HALF), {}).get("number")
        return (whole + 0.5 if whole else 0), index + 1, True
    decimal = _decimal(line, index)
    if decimal:
        return *decimal, True
    count = count_at(line, index)
    if count is None:
        alone = line.language == "ru" or "'" in token.word or _fraction_more(line, index + 1)[0]
        return (1 if alone else 0), index, True
    more, end = _fraction_more(line, count.end)
    return (count.value + more, end, count.exact) if _unit(line, end) else (count.value, count.end, count.exact)


def _half(line: Line, index: int) -> tuple[float, int] | None:
    """Parse the words before the unit in `half an hour`, `a half hour`, `media hora` and `three quarters of an
    hour`."""
    at = index + line[index].has("one")
    part = _fraction(line, at)
    count = count_at(line, index) if not part else None
    if count and count.end == index + 1:
        at, part = count.end, count.value * _fraction(line, count.end)
    after = at + 1 + line[at + 1].has("of")
    return (part, after + line[after].has("one")) if part else None


def _fraction(line: Line, index: int) -> float:
    divisor = line[index].get("fraction")
    return 1 / divisor if divisor in {2, 4} and not line[index].has("one_and_half") else 0


def _fraction_more(line: Line, index: int) -> tuple[float, int]:
    """Parse `and a half`, `y media` or `с половиной` after a number or a unit; 0 if there is none."""
    joined = line[index].has("and") or line[index].word == "с"
    at = index + 1 + line[index + 1].has("one")
    part = _fraction(line, at) if joined else 0
    return (part, at + 1) if part else (0, index)


def _decimal(line: Line, index: int) -> tuple[float, int] | None:
    """Parse `1.5` and `1,5`."""
    token, mark, tail = line[index], line[index + 1], line[index + 2]
    if token.kind == "numeric" and token.word.count(".") == 1 and token.parts[1] == ".":
        return float(token.word), index + 1
    apart = token.end < mark.start or mark.end < tail.start
    if token.kind != "number" or mark.word != "," or tail.kind != "number" or tail.suffix or apart:
        return None
    return float(f"{token.word}.{tail.word}"), index + 3
