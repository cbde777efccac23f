"""Grammar rules for repetitions: every day, on weekdays, every week, month or year, each at one time of day. Pure.

Other repetitions are recognized, but not understood: `every 30 minutes`, `every other day`, `on the first Monday of the
month`. Otherwise an alarm could be set for only a part of these words.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final, NamedTuple

from tellonce_text.dates.clock_phrases import Clock, awake, clock_at, in_part, part_at
from tellonce_text.dates.durations import duration
from tellonce_text.dates.grammar import phrase_at
from tellonce_text.dates.items import Item
from tellonce_text.dates.phrases import count_at, day_number, skip
from tellonce_text.dates.tokens import Line, Token

Items = Iterable[tuple[int, Item]]
"""The expressions of a line, each with the index of its first token."""

HOURS: Final = {"morning": 9, "afternoon": 14, "evening": 19, "night": 21}
"""The hour of each part of the day, for a text without a clock time."""

_EVERY_DAY: Final = "* * *"
_WORKDAYS: Final = "* * 1-5"
_COMMON_UNITS: Final = frozenset({"day", "workday", "week", "weekend", "month", "year"})
_LAST_COMMON_DAY: Final = 28
"""The last day that exists in every month."""


class Repetition(NamedTuple):
    """A repetition in the tokens `start:end`. `cron` is empty if the repetition is only recognized."""

    start: int
    end: int
    cron: str = ""


class _Days(NamedTuple):
    """The days of a repetition in the last three fields of a cron expression. They are empty for an uncommon
    repetition."""

    end: int
    cron: str = ""
    part: str | None = None


def repetition(line: Line, today: date, named: Items) -> Repetition | None:
    """The first repetition in a text that was said on the day `today`; None if there is none. `named` contains the
    items of the line."""
    common = ((index, days) for index in range(len(line)) if (days := _common(line, index, today)) is not None)
    start, found = next(common, (0, None))
    inside = range(start + 1, found.end) if found is not None else ()
    for index in range(len(line)):
        days = _uncommon(line, index) if index not in inside else None
        if days is not None:
            return Repetition(index, days.end)
    if found is not None:
        is_common = found.cron and not line[found.end].has("except")
        return _with_clock(line, start, found) if is_common else Repetition(start, found.end)
    return next((Repetition(first, item.end) for first, item in named if item.repeats), None)


def _uncommon(line: Line, index: int) -> _Days | None:
    """Recognize a repetition that is not daily, weekly, monthly or yearly."""
    token, after = line[index], line[index + 1]
    if _day_of_every_month(line, index):
        return None
    if token.has("rhythm") and token.get("rhythm") not in _COMMON_UNITS and _is_adverb(line, index):
        return _Days(index + 1)
    if (token.has("alternate") and _is_day_or_unit(after)) or (after.has("alternate") and _is_day_or_unit(token)):
        return _Days(index + 2)
    if token.word == "через":  # without a weekday, `через неделю` means `in a week`
        weekly = after.get("unit") == "week" and _weekday(line[skip(line, index + 2, "on", "every")]) is not None
        return _Days(index + 2) if weekly or after.has("weekday") or after.word == "день" else None
    if line.language == "es" and token.has("one") and line[index + 2].word in ("sí", "si"):  # `un día sí y otro no`
        return _Days(index + 3) if _is_day_or_unit(after) else None
    return _weekday_of_month(line, index) or _spaced(line, index)


def _spaced(line: Line, index: int) -> _Days | None:
    """Recognize `every other day`, `every 2 weeks`, `every half hour`, `alle zwei Tage`, `of every month`."""
    begin = _every_at(line, index)
    if begin is None:
        return None
    lasting, at = duration(line, begin), _after_number(line, begin)
    if lasting is not None:
        return _Days(lasting.end)
    rare = line[at].has("unit") and line[at].get("unit") not in _COMMON_UNITS
    partial = line[at].get("unit") == "month" and (line[index - 1].has("of") or line[index - 1].has("unit"))
    return _Days(at + 1) if rare or partial or (at > begin and _is_day_or_unit(line[at])) else None


def _every_at(line: Line, index: int) -> int | None:
    """Parse a word for `every`, or `раз в`. Returns the index of the next word; None for other words."""
    if line[index].word == "раз" and line[index + 1].word == "в" and _weekday(line[index + 2]) is None:
        return index + 2
    every = line[index].has("every") or line[index].has("every_count")
    return skip(line, index + 1, "article") if every else None


def _after_number(line: Line, at: int) -> int:
    """The index after a number such as `other`, `2`, `2nd` or `zweiten`."""
    if line[at].has("other"):
        return at + 1
    if line[at].has("ordinal") or line[at].suffix or _is_dotted(line, at):
        return at + 1 + _is_dotted(line, at) if day_number(line, at) or line[at].has("ordinal") else at
    count = count_at(line, at)
    return count.end if count is not None else at


def _is_dotted(line: Line, at: int) -> bool:
    """Whether the number is an ordinal with a period, such as `1.` in German."""
    return line[at].kind == "number" and line[at + 1].word == "."


def _is_day_or_unit(token: Token) -> bool:
    """Whether the word is a weekday, a unit such as `week`, or a part of the day such as `evening`."""
    return _weekday(token) is not None or any(token.has(tag) for tag in ("unit", "part", "every_part"))


def _weekday(token: Token) -> int | None:
    weekday: int | None = token.get("weekday")
    return token.get("weekdays") if weekday is None else weekday


def _weekday_of_month(line: Line, index: int) -> _Days | None:
    """Recognize `first Monday of the month`, `first and third Monday of every month`, `letzten Freitag im Monat`."""
    at = skip(line, index, "every", "article")
    weekday = _numbered_weekday(line, at)
    month = skip(line, weekday, "of", "inside", "article", "every") if weekday else 0
    return _Days(month + 1) if weekday and line[month].get("unit") == "month" else None


def _numbered_weekday(line: Line, at: int) -> int:
    """The index after `first Monday` or `first and third Monday`; 0 for other words."""
    first = at
    while line[at].has("ordinal") or line[at].suffix or _is_dotted(line, at):
        at = skip(line, at + 1 + _is_dotted(line, at), "and", "article")
    return at + 1 if at > first and line[at].has("weekday") else 0


def _common(line: Line, index: int, today: date) -> _Days | None:
    token = line[index]
    if found := _weekday_range(line, index) or _day_of_every_month(line, index):
        return found
    if token.has("every_day") and _is_adverb(line, index):
        return _Days(index + 1, _EVERY_DAY)
    if token.has("weekdays") or (token.word == "los" and line[index + 1].has("weekday")):
        return _on_weekdays(line, index + (not token.has("weekdays")))
    if token.has("workdays"):
        return _Days(index + 1, _WORKDAYS)
    if token.has("rhythm") and _is_adverb(line, index):
        return _unit(line, token.get("rhythm"), index + 1, today)
    begin = _every_at(line, index) if not token.has("every_count") else None
    return _every(line, begin, today) if begin is not None else None


def _is_adverb(line: Line, index: int) -> bool:
    """Whether a word such as `weekly` says how often something is due. In `the weekly report`, it says which report is
    meant."""
    before, after = line[index - 1], line[index + 1]
    described = any(before.has(tag) for tag in ("article", "one", "own", "on"))
    return index == 0 or not (described or (after.kind == "word" and not after.tags))


def _weekday_range(line: Line, index: int) -> _Days | None:
    """Parse `Monday to Friday` at the beginning of the text or before a time; elsewhere, such words may name a span."""
    first = index + (line[index].has("from") or line[index].word == "de" or line[index].has("every"))
    last = skip(line, first + 2, "article")
    begin, end, to = line[first].get("weekday"), line[last].get("weekday"), line[first + 1]
    if begin is None or end is None or not to.has("to") or to.has("and"):
        return None
    if index and line[last + 1].kind != "clock" and not line[last + 1].has("exactly_at"):
        return None
    return _Days(last + 1, _cron_days([day % 7 for day in range(begin, begin + (end - begin) % 7 + 1)]))


def _day_of_every_month(line: Line, index: int) -> _Days | None:
    """Parse `1st of every month` and `every last day of the month`."""
    last = skip(line, index + 1, "article") if line[index].has("every") else index
    is_last = line[last].get("ordinal") == -1 and line[last + 1].get("unit") == "day"
    days, end = ("last * *", last + 2) if is_last else _month_day(line, index)
    at = skip(line, end, "of", "article")
    if end > index and line[at].has("every") and line[at + 1].get("unit") == "month":
        return _Days(at + 2, days)
    return _Days(at + 1, days) if is_last and last > index and line[at].get("unit") == "month" else None


def _month_day(line: Line, at: int) -> tuple[str, int]:
    """Parse `1st`. Returns the days and the index after the words; `at` if there is no day. The days are empty if the
    text names several days (`1st and 15th`), or a day that some months lack."""
    days: list[int] = []
    while (day := day_number(line, at)) is not None:
        days.append(day)
        at += 1 + _is_dotted(line, at)
        after = skip(line, at, "and", "article")
        if after == at or day_number(line, after) is None or line[after + 1].kind == "clock":
            break
        at = after
    return f"{days[0]} * *" if len(days) == 1 and days[0] <= _LAST_COMMON_DAY else "", at


def _every(line: Line, at: int, today: date) -> _Days | None:
    """Parse the words after `every`."""
    if line[at].has("workdays"):
        return _Days(at + 1, _WORKDAYS)
    if _weekday(line[at]) is not None:
        return _on_weekdays(line, at)
    part = line[at].get("part") or line[at].get("every_part")
    if part is not None:
        return _Days(at + 1, _EVERY_DAY, part)
    dated = _day_of_year(line, at)
    if dated is not None or (count_at(line, at) is not None and not _is_dotted(line, at)):
        return dated
    if not day_number(line, at):
        return _unit(line, line[at].get("unit"), at + 1, today)
    days, end = _month_day(line, at)  # `1st` or `1st of the month`
    month = skip(line, end, "of", "article")
    return _Days(month + 1 if line[month].get("unit") == "month" else end, days)


def _on_weekdays(line: Line, at: int) -> _Days:
    """Parse `Monday`, `Monday evening` or `Monday and Thursday`."""
    first, days = line[at], [_weekday(line[at])]
    at += 1
    while (line[at].has("and") or line[at].word == ",") and _weekday(line[at + 1]) is not None:
        days.append(_weekday(line[at + 1]))
        at += 2
    return _Days(at, _cron_days([day for day in days if day is not None]), first.get("part"))


def _cron_days(weekdays: Sequence[int]) -> str:
    field = ",".join(str((day + 1) % 7) for day in weekdays)
    return _WORKDAYS if field == "1,2,3,4,5" else f"* * {field}"


def _unit(line: Line, unit: str | None, end: int, today: date) -> _Days | None:
    """Parse the words after `every week`, `monthly` and the like. If the words name no day, the repetition falls on the
    same weekday or date as today."""
    at = skip(line, end, "on", "article", "every")
    match unit:
        case "day":
            return _Days(end, _EVERY_DAY)
        case "workday":
            return _Days(end, _WORKDAYS)
        case "week" if _weekday(line[at]) is not None:
            return _on_weekdays(line, at)
        case "week":
            return _Days(end, _cron_days([today.weekday()]))
        case "weekend":
            return _Days(end, "* * 6")
        case "month" if _numbered_weekday(line, at):
            return _Days(_numbered_weekday(line, at))
        case "month" if day_number(line, at) and (at > end or line[at + 1].kind == "clock"):
            days, end = _month_day(line, at)
            return _Days(end, days)
        case "month":
            return _Days(end, f"{min(today.day, _LAST_COMMON_DAY)} * *")
        case "year":
            return _day_of_year(line, at) or _yearly(end, today.day, today.month)
        case _:
            return None


def _day_of_year(line: Line, at: int) -> _Days | None:
    """Parse `March 3` or `3. März`. Feasts are not accepted, because the dates of some feasts change each year."""
    phrase = phrase_at(line, at)
    if phrase is None or not phrase.single:
        return None
    tokens = range(at, phrase.end)
    month = next((line[n].get("month") for n in tokens if line[n].has("month")), None)
    day = next((day for n in tokens if not line[n].has("month") and (day := day_number(line, n)) is not None), None)
    return _yearly(phrase.end, day, month) if month and day else None


def _yearly(end: int, day: int, month: int) -> _Days:
    return _Days(end, f"{day} {month} *" if (day, month) != (29, 2) else "")


def _with_clock(line: Line, index: int, days: _Days) -> Repetition:
    """Add the time of day, which may come before or after the days: `every Monday at 8`, `at 8 every Monday`."""
    part, end = part_at(line, days.end) or (days.part, days.end)
    after = clock_at(line, end, beside_day=True)
    if after is not None:
        return Repetition(index, after.end, _cron(in_part(after, part), days))
    begin = index
    while line[begin - 1].has("on") or line[begin - 1].has("article"):
        begin -= 1
    for at in range(begin):
        before = clock_at(line, at, beside_day=True)
        if before is not None and before.end == begin:
            return Repetition(at, end, _cron(in_part(before, part), days))
    return Repetition(index, end, _cron(Clock(end, HOURS[part or "morning"]), days))


def _cron(clock: Clock, days: _Days) -> str:
    return f"{clock.minute} {awake(clock) % 24} {days.cron}"
