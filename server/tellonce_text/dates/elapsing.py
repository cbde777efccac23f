"""Parses a duration after which something is due: `in an hour and a half`, `через полтора часа`, `in 1 h 30 min`, `in
90 seconds`. Pure."""

from datetime import timedelta
from typing import Final

from tellonce_text.dates.lexicon import lexicon
from tellonce_text.dates.phrases import count_at
from tellonce_text.dates.tokens import Line

_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_SECOND: Final = timedelta(seconds=1)
_AND_A_HALF: Final = "einhalb"
"""The end of German numbers such as `zweieinhalb`."""


def elapsing(line: Line, index: int) -> tuple[int, timedelta] | None:
    """The length of time after a word such as `in` at the token `index`, and the index after it. None if no hours,
    minutes or seconds follow, or if they are in the past (`in the hours since`)."""
    if not line[index].has("in"):
        return None
    total, at, smallest = timedelta(), index + 1, timedelta.max
    while part := _part(line, at if at == index + 1 else at + line[at].has("and")):
        end, time, unit = part
        if unit >= smallest:
            break
        total, at, smallest = total + time, end, unit
    return (at, total) if total and not line[at].has("ago") and not line[at].has("of") else None


def _part(line: Line, index: int) -> tuple[int, timedelta, timedelta] | None:
    """The index after an amount of one unit, the amount, and the unit."""
    named = index + (line[index].has("one") or line[index].get("number") == 1)
    minutes = line[named].get("span_minutes")
    if minutes:
        return named + 1, minutes * _MINUTE, _MINUTE
    amount, at = _amount(line, index)
    unit = _unit(line, at)
    if unit is None or not amount:
        return None
    end = at + 1
    more, after = _fraction_more(line, end)
    if more and _unit(line, after) is None:
        amount, end = amount + more, after
    return end, amount * unit, unit


def _unit(line: Line, index: int) -> timedelta | None:
    """The unit that a word names; a number such as `90min` ends with its unit."""
    token = line[index]
    tags = lexicon(line.language).words.get(token.suffix, {}) if token.suffix else token.tags
    if "seconds" in tags:
        return _SECOND
    return {"hour": _HOUR, "minute": _MINUTE}.get(str(tags.get("unit")))


def _amount(line: Line, index: int) -> tuple[float, int]:
    """The number of units, and the index of the unit's token; 0 if there is no number."""
    token = line[index]
    if token.kind == "number" and token.suffix:
        return token.value or 0, index
    half = _half(line, index)
    if half:
        return half
    if token.has("one_and_half"):
        return 1.5, index + 1
    if token.word.endswith(_AND_A_HALF):
        whole = lexicon("de").words.get(token.word.removesuffix(_AND_A_HALF), {}).get("number")
        return (whole + 0.5 if whole else 0), index + 1
    decimal = _decimal(line, index)
    if decimal:
        return decimal
    count = count_at(line, index)
    if count is None:
        alone = line.language == "ru" or "'" in line[index].word or _fraction_more(line, index + 1)[0]
        return (1 if alone else 0), index
    more, end = _fraction_more(line, count.end)
    return (count.value + more, end) if _unit(line, end) else (count.value, count.end)


def _half(line: Line, index: int) -> tuple[float, int] | None:
    """Parse `half an hour`, `a half hour`, `media hora` and `three quarters of an hour` up to the unit."""
    at = index + line[index].has("one")
    part = _fraction(line, at)
    if not part:
        count = count_at(line, index)
        part = _fraction(line, count.end) if count and count.end == index + 1 else 0
        if count is None or not part:
            return None
        at, part = count.end, count.value * part
    after = at + 1 + line[at + 1].has("of")
    return part, after + line[after].has("one")


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
    if token.kind == "numeric" and token.parts[1] == "." and not token.parts[3]:
        return float(token.word), index + 1
    apart = token.end < mark.start or mark.end < tail.start
    if token.kind != "number" or mark.word != "," or tail.kind != "number" or tail.suffix or apart:
        return None
    return float(f"{token.word}.{tail.word}"), index + 3
