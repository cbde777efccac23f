"""Grammar rules for the days of a repetition: `every Monday`, `on the first Friday of the month`, `every other day`.
Pure. This module knows no times of day.

As in Quartz, the weekday field of a cron expression may be `1#2`, which is the second Monday of the month, or `5L`,
which is the last Friday.
"""

from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from tellonce_text.dates.grammar import phrase_at
from tellonce_text.dates.intervals import MOST, IntervalUnit
from tellonce_text.dates.phrases import count_at, day_number, skip
from tellonce_text.dates.readings import DAY
from tellonce_text.dates.tokens import Line, Token

HOURS: Final = {"morning": 9, "afternoon": 14, "evening": 19, "night": 21}
"""The hour of each part of the day, for a text without a clock time."""

MORNING: Final = HOURS["morning"]
_EVERY_DAY: Final = "* * *"
_WORKDAYS: Final = "* * 1-5"
UNITS: Final[dict[str, tuple[int, IntervalUnit]]] = {
    "day": (1, "day"),
    "week": (7, "day"),
    "fortnight": (14, "day"),
    "month": (1, "month"),
    "quarter": (3, "month"),
    "half_year": (6, "month"),
    "year": (12, "month"),
}
_LONG: Final = frozenset({"fortnight", "quarter", "half_year"})
"""Units that cron cannot express."""
_NO_UNIT: Final[tuple[int, IntervalUnit]] = (0, "day")
_LAST_COMMON_DAY: Final = 28
"""The last day that exists in every month."""


class RepeatedDays(NamedTuple):
    """The days of a repetition. `days` contains the last three fields of a cron expression. If a cron expression cannot
    express the days, `every` contains the distance between two of them as a number and a unit. This distance is counted
    from the day `first`. `days` and `every` are empty if neither can express the days. `end` is the index after the
    last token, and `part` is the part of the day that the words name, as in `every evening`."""

    end: int
    days: str = ""
    part: str | None = None
    every: tuple[int, IntervalUnit] | None = None
    first: date | None = None


def repeated_days(line: Line, index: int, today: date) -> RepeatedDays | None:
    """Parse the days of a repetition that begin at a token; None if there are none. `today` is the day on which the
    text was said."""
    found = (
        _alternating(line, index, today)
        or _spaced(line, index, today)
        or _weekday_of_month(line, index)
        or _weekday_range(line, index)
        or _day_of_every_month(line, index)
        or _named(line, index, today)
    )
    return _without(line, found) if found is not None and found.days in (_EVERY_DAY, _WORKDAYS) else found


def _without(line: Line, found: RepeatedDays) -> RepeatedDays:
    """Parse `except Sunday` or `außer sonntags` after days."""
    at = skip(line, found.end + 1, "on", "article")
    if not line[found.end].has("except") or _weekday(line[at]) is None:
        return found
    end, left_out = _weekdays(line, at)
    days = [day for day in range(5 if found.days == _WORKDAYS else 7) if day not in left_out]
    return RepeatedDays(end, f"* * {_cron_days(days)}" if days else "")


def _weekday(token: Token) -> int | None:
    """The weekday in `Monday` or `Mondays`."""
    weekday: int | None = token.get("weekday")
    return token.get("weekdays") if weekday is None else weekday


def every_at(line: Line, index: int) -> int | None:
    """Parse a word for `every`, or `раз в`. Return the index of the next word, which can be a number. None for other
    words."""
    if line[index].word == "раз" and line[index + 1].word == "в":
        return index + 2
    every = line[index].has("every") or line[index].has("every_count")
    return skip(line, index + 1, "article") if every else None


def spacing(line: Line, at: int) -> tuple[int, int]:
    """Parse the number after `every`, as in `other`, `2`, `2nd`, `zweiten`. Returns the number (1 if there is none) and
    the index of the next token."""
    if line[at].has("other"):
        return 2, at + 1
    ordinal = _ordinal(line, at)
    if ordinal is not None:
        return ordinal, at + 1 + _is_dotted(line, at)
    count = count_at(line, at)
    return (count.value, count.end) if count is not None and count.exact else (1, at)


def _ordinal(line: Line, at: int) -> int | None:
    """The number in `2nd`, `second` or `2.`; None for a plain number."""
    numbers = line[at].has("ordinal") or line[at].suffix or _is_dotted(line, at)
    return day_number(line, at) if numbers else None


def _is_dotted(line: Line, at: int) -> bool:
    """Whether the number is an ordinal with a period, such as `1.` in German."""
    return line[at].kind == "number" and line[at + 1].word == "."


def _spaced(line: Line, index: int, today: date) -> RepeatedDays | None:
    """Parse `every other day`, `every 2 weeks on Monday`, `every second Friday`, `alle zwei Tage`, `раз в две недели`,
    `fortnightly`."""
    rhythm = line[index].get("rhythm")
    if rhythm in _LONG and is_adverb(line, index):
        return _every_so(line, 1, *UNITS[rhythm], index + 1, today)
    begin = every_at(line, index)
    if begin is None:
        return None
    count, at = spacing(line, begin)
    once_in = line[index].word == "раз" and line[at].has("unit")
    counted = count > 1 or once_in or line[at].get("unit") in _LONG
    return _every_noun(line, count, at, at + 1, today) if counted else None


def _alternating(line: Line, index: int, today: date) -> RepeatedDays | None:
    """Parse `alternate Mondays`, `días alternos`, `un lunes sí y otro no`, `через день`, `через неделю по вторникам`."""
    for noun, word in ((index + 1, index), (index, index + 1)):
        if line[word].has("alternate"):
            return _every_noun(line, 2, noun, index + 2, today)
    if line[index].word == "через":  # without a weekday, `через неделю` means `in a week`
        plain = line[index + 1].has("weekday") or line[index + 1].word == "день"
        weekly = line[index + 1].get("unit") == "week" and _weekday_at(line, index + 2)[0] is not None
        return _every_noun(line, 2, index + 1, index + 2, today) if plain or weekly else None
    if line.language == "es" and line[index].has("one") and line[index + 2].word in ("sí", "si"):
        other = skip(line, index + 3 + (line[index + 3].word == ","), "and")
        last = other + 1 + (line[other + 1].word == line[index + 1].word)
        if (line[other].has("other") or line[other].has("one")) and line[last].word == "no":
            return _every_noun(line, 2, index + 1, last + 1, today)
    return None


def _every_noun(line: Line, count: int, noun: int, end: int, today: date) -> RepeatedDays | None:
    """The repetition on every `count`-th weekday or in every `count`-th unit. The token `noun` names the weekday or the
    unit."""
    weekday = _weekday(line[noun])
    if weekday is not None:
        return None if _month_after(line, end) else _every_so(line, count, 7, "day", end, today, weekday)
    size, unit = UNITS.get(line[noun].get("unit") or "", _NO_UNIT)
    return None if line[end].has("of") else _every_so(line, count, size, unit, end, today)


def _every_so(
    line: Line, count: int, size: int, unit: IntervalUnit, end: int, today: date, weekday: int | None = None
) -> RepeatedDays | None:
    if not 0 < count * size <= MOST:
        return None
    if weekday is None and size % 7 == 0 and unit == "day":
        weekday, end = _weekday_at(line, end)
    first = today if weekday is None else today + (weekday - today.weekday()) % 7 * DAY
    return RepeatedDays(end, every=(count * size, unit), first=first)


def _weekday_at(line: Line, end: int) -> tuple[int | None, int]:
    """Parse `on Monday`, `los lunes` or `по понедельникам`. Returns the weekday and the index after it; None and `end`
    if there is no weekday."""
    at = skip(line, end, "on", "article", "every")
    weekday = _weekday(line[at])
    return (weekday, at + 1) if weekday is not None else (None, end)


def _weekday_of_month(line: Line, index: int) -> RepeatedDays | None:
    """Parse `first Monday of the month`, `every 2nd and 4th Friday of the month`, `letzten Freitag im Monat`."""
    found = _numbered_weekday(line, skip(line, index + 1, "article") if line[index].has("every") else index)
    end = found and _month_after(line, found.end)
    return found._replace(end=end) if found and end else None


def _numbered_weekday(line: Line, at: int) -> RepeatedDays | None:
    """Parse `first Monday` or `first and third Monday`."""
    numbers: list[int] = []
    while (number := _number_in_month(line, at)) is not None:
        numbers.append(number)
        at += 1 + _is_dotted(line, at)
        after = skip(line, at, "and", "article") if line[at].word != "," else at + 1
        at = after if _number_in_month(line, after) is not None else at
    weekday: int | None = line[at].get("weekday")
    if weekday is None or not numbers:
        return None
    day = (weekday + 1) % 7
    return RepeatedDays(at + 1, f"* * {','.join(f'{day}#{number}' if number > 0 else f'{day}L' for number in numbers)}")


def _number_in_month(line: Line, at: int) -> int | None:
    """The number of a weekday in its month: 1 to 5, or -1 for `last`; None for other words."""
    if line[at].get("ordinal") == -1:
        return -1
    ordinal = _ordinal(line, at)
    return ordinal if ordinal is not None and ordinal <= 5 else None


def _month_after(line: Line, end: int) -> int | None:
    """The index after `of the month`, `of every month` or `im Monat`; None for other words."""
    at = skip(line, end, "of", "inside", "article", "every")
    return at + 1 if line[at].get("unit") == "month" else None


def _weekday_range(line: Line, index: int) -> RepeatedDays | None:
    """Parse `Monday to Friday` at the beginning of the text or before a time; elsewhere, such words may name a span."""
    first = index + (line[index].has("from") or line[index].word == "de" or line[index].has("every"))
    last = skip(line, first + 2, "article")
    begin, end, to = line[first].get("weekday"), line[last].get("weekday"), line[first + 1]
    if begin is None or end is None or not to.has("to") or to.has("and"):
        return None
    if index and line[last + 1].kind != "clock" and not line[last + 1].has("exactly_at"):
        return None
    days = _cron_days([day % 7 for day in range(begin, begin + (end - begin) % 7 + 1)])
    return RepeatedDays(last + 1, f"* * {days}")


def _day_of_every_month(line: Line, index: int) -> RepeatedDays | None:
    """Parse `1st of every month`, `1st and 15th of each month` and `every last day of the month`."""
    last = skip(line, index + 1, "article") if line[index].has("every") else index
    is_last = line[last].get("ordinal") == -1 and line[last + 1].get("unit") == "day"
    days, at = ("last", last + 2) if is_last else _month_days(line, index)
    at = skip(line, at, "of", "article")
    monthly = line[at].has("every") and line[at + 1].get("unit") == "month"
    if is_last and last > index and line[at].get("unit") == "month":
        return RepeatedDays(at + 1, "last * *")
    return RepeatedDays(at + 2, f"{days} * *") if days and monthly else None


def _month_days(line: Line, at: int) -> tuple[str, int]:
    """Parse `31st` or `1st and 15th`. Returns the days with commas, and the index after them."""
    days: list[str] = []
    while (day := day_number(line, at)) is not None:
        days.append(str(day))
        at += 1 + _is_dotted(line, at)
        after = skip(line, at, "and", "article")
        if after == at or day_number(line, after) is None or line[after + 1].kind == "clock":
            break
        at = after
    return ",".join(days), at


def _named(line: Line, index: int, today: date) -> RepeatedDays | None:
    token = line[index]
    if token.has("every_day") and is_adverb(line, index):
        return RepeatedDays(index + 1, _EVERY_DAY)
    if token.has("weekdays") or (token.word == "los" and line[index + 1].has("weekday")):
        return _on_weekdays(line, index + (not token.has("weekdays")))
    if token.has("workdays"):
        return RepeatedDays(index + 1, _WORKDAYS)
    if token.has("rhythm") and is_adverb(line, index):
        return _unit(line, token.get("rhythm"), index + 1, today)
    return _every(line, skip(line, index + 1, "article"), today) if token.has("every") else None


def is_adverb(line: Line, index: int) -> bool:
    """Whether a word such as `weekly` says how often something is due. In `the weekly report`, it says which report is
    meant."""
    before, after = line[index - 1], line[index + 1]
    described = any(before.has(tag) for tag in ("article", "one", "own", "on"))
    return index == 0 or not (described or (after.kind == "word" and not after.tags))


def _every(line: Line, at: int, today: date) -> RepeatedDays | None:
    """Parse the words after `every`."""
    if line[at].has("workdays"):
        return RepeatedDays(at + 1, _WORKDAYS)
    if _weekday(line[at]) is not None:
        return _on_weekdays(line, at)
    part = line[at].get("part") or line[at].get("every_part")
    if part is not None:
        return RepeatedDays(at + 1, _EVERY_DAY, part)
    if line[at].get("unit") == "month" and line[at - 2].has("of"):  # `in the first week of every month`
        return RepeatedDays(at + 1)
    dated = _day_of_year(line, at)
    if dated is not None or (count_at(line, at) is not None and not _is_dotted(line, at)):
        return dated
    if not day_number(line, at):
        return _unit(line, line[at].get("unit"), at + 1, today)
    days, end = _month_days(line, at)  # `31st` or `31st of the month`
    after = skip(line, end, "of", "article")
    monthly = line[after].get("unit") == "month"
    if not monthly and any(line[end].has(tag) for tag in ("unit", "weekday", "weekdays", "part")):
        return None
    return RepeatedDays(after + 1 if monthly else end, f"{days} * *")


def _on_weekdays(line: Line, at: int) -> RepeatedDays:
    end, days = _weekdays(line, at)
    return RepeatedDays(end, f"* * {_cron_days(days)}", line[at].get("part"))


def _weekdays(line: Line, at: int) -> tuple[int, list[int]]:
    """Parse `Monday` or `Monday and Thursday`. Returns the index after the words, and the weekdays."""
    days, end = [_weekday(line[at])], at + 1
    while (line[end].has("and") or line[end].word == ",") and _weekday(line[end + 1]) is not None:
        days.append(_weekday(line[end + 1]))
        end += 2
    return end, [day for day in days if day is not None]


def _cron_days(days: Sequence[int]) -> str:
    """The weekdays (0 is Monday) as a field of a cron expression, in which Sunday is 0."""
    field = ",".join(str((day + 1) % 7) for day in days)
    return "1-5" if field == "1,2,3,4,5" else field


def _unit(line: Line, unit: str | None, end: int, today: date) -> RepeatedDays | None:
    match unit:
        case "day":
            return RepeatedDays(end, _EVERY_DAY)
        case "week":
            weekday, end = _weekday_at(line, end)
            return RepeatedDays(end, f"* * {_cron_days([today.weekday() if weekday is None else weekday])}")
        case "weekend":
            return RepeatedDays(end, "* * 6")
        case "month":
            return _of_month(line, end, today)
        case "year":
            dated = _day_of_year(line, skip(line, end, "on", "article"))
            return dated or RepeatedDays(end, f"{today.day} {today.month} *")
        case _:
            return None


def _of_month(line: Line, end: int, today: date) -> RepeatedDays:
    """After `every month`, parse `on the first Monday`, `on the 1st`, or a bare `1` if a clock time follows it. Without
    such words, the day is today's day of the month, or the last day that every month has."""
    at = skip(line, end, "on", "article")
    weekday = _numbered_weekday(line, at)
    if weekday is not None:
        return weekday
    days, after = _month_days(line, at) if at > end or line[at + 1].kind == "clock" else ("", end)
    return RepeatedDays(after if days else end, f"{days or min(today.day, _LAST_COMMON_DAY)} * *")


def _day_of_year(line: Line, at: int) -> RepeatedDays | None:
    """Parse `March 3` or `3. März`. Feasts are not accepted, because the dates of some feasts change from year to
    year."""
    phrase = phrase_at(line, at)
    if phrase is None or not phrase.single:
        return None
    tokens = range(at, phrase.end)
    month = next((line[n].get("month") for n in tokens if line[n].has("month")), None)
    day = next((day for n in tokens if not line[n].has("month") and (day := day_number(line, n)) is not None), None)
    return RepeatedDays(phrase.end, f"{day} {month} *") if month and day else None
