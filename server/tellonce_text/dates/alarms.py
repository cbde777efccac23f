"""Determines when an alarm is due from the words of an order: `tomorrow at 9`, `every Monday at 8`. Pure.

An order is a request for an alarm and is always about the future. An hour without AM or PM is taken as an hour when
people are awake. A day without a time of day means the morning of that day.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce_text.dates.clock_phrases import Clock, clock_at, part_at
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import counted_day
from tellonce_text.dates.intervals import MOST, UTC, Interval, IntervalUnit, wall
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.phrases import count_at, day_number, skip
from tellonce_text.dates.readings import DAY, Said, add_months
from tellonce_text.dates.resolver import resolved
from tellonce_text.dates.tokens import Line, line_of

HOURS: Final = {"morning": 9, "afternoon": 14, "evening": 19, "night": 21}
"""The hour that each part of the day means if no clock time is given."""

MORNING: Final = HOURS["morning"]


class Alarm(NamedTuple):
    """An alarm. `start` and `end` are the place of the alarm's words in the text. A single alarm has `at`; a repeated
    alarm has `repeats`, which is a cron expression of five fields in the user's zone, or an interval.

    An alarm with neither of them repeats in a way that cannot be expressed, such as every minute. `dated` and `timed`
    say whether the text gives a day and a time of day; `halved`, whether it is known that the hour is AM or PM. `lead`
    is the number of characters before the words themselves, such as `and`.
    """

    start: int
    end: int
    at: datetime | None = None
    repeats: str | None = None
    dated: bool = True
    timed: bool = True
    halved: bool = True
    lead: int = 0


MOST_READ: Final = 2_000
"""Maximum characters of an order that are read; an order has one or two sentences."""


class _Repeat(NamedTuple):
    """A repetition: the last three fields of the repetition's cron expression in `days`, and the hour to use if the
    text gives no time. An interval has `every` instead of `days`; `day` is the first day on which it may be due."""

    end: int
    days: str
    hour: int = MORNING
    every: tuple[int, IntervalUnit] | None = None
    day: date | None = None


def alarm(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """Return the alarm that a text orders. The time of the alarm may be in the past. None if the text gives no time, or
    a time that cannot be represented.

    `language` is the order's language, if known; otherwise it is detected from the words.
    """
    line = line_of(text[:MOST_READ], language)
    if line is None:
        return None
    local = said.at.astimezone(said.zone)
    found = _repeating(line, local) or _once(line, said, local) or _in_a_unit(line, local) or _bare_hour(line, local)
    return found and found._replace(start=_led_by(line, found.start))


def rings(text: str, said: Said, moment: datetime) -> bool:
    """Whether `moment` can be the due time of the alarm in a text. An hour without AM or PM matches both hours."""
    found = alarm(text, said)
    local = moment.astimezone(said.zone)
    if found is None or (found.at is None and found.repeats is None):
        return False
    interval = Interval.read(found.repeats or "")
    at = interval.after(said.at, said.zone) if interval is not None else found.at
    if at is not None:
        apart = abs(moment - at)
        return apart < timedelta(minutes=1) or (apart == timedelta(hours=12) and local.date() >= said.at.date())
    minute, hour, day, month, weekdays = (found.repeats or "").split()
    return (
        local.minute == int(minute)
        and str(local.hour) in hour.split(",")
        and (day in ("*", str(local.day)) or (day == "last" and (local + DAY).day == 1))
        and month in ("*", str(local.month))
        and _is_among(local.isoweekday() % 7, weekdays)
    )


def _is_among(weekday: int, field: str) -> bool:
    if field == "1-5":
        return 1 <= weekday <= 5
    return field == "*" or str(weekday) in field.split(",")


def _led_by(line: Line, start: int) -> int:
    """Return the position in the text where an alarm's words begin. `start` is the position of the day or time; words
    such as `on` and `at` directly before it belong to the alarm."""
    index = next(at for at in range(len(line)) if line[at].start == start)
    while index and any(line[index - 1].has(tag) for tag in ("on", "at", "article")):
        index -= 1
    return line[index].start


def _repeating(line: Line, local: datetime) -> Alarm | None:
    for index in range(len(line)):
        spaced = _interval(line, index, local.date())
        found = spaced or _repeat_at(line, index, local.date())
        if found is not None:
            return _with_clock(line, index, found, local)
    repeats = next(((line[first].start, line[item.end - 1].end) for first, item in items(line) if item.repeats), None)
    place = repeats or _uncountable(line)
    return Alarm(*place) if place else None


def _uncountable(line: Line) -> tuple[int, int] | None:
    """The place of a repetition with a number that cannot be expressed: `every 2nd Monday of the month`."""
    return next(
        (
            (line[at].start, line[at + 1].end)
            for at in range(len(line))
            if line[at].has("every") and day_number(line, at + 1)
        ),
        None,
    )


_EVERY: Final = {"de": "alle", "ru": "каждые"}
"""Words for `every` that stand only before a number."""

_UNITS: Final[dict[str, tuple[int, IntervalUnit]]] = {
    "hour": (1, "hour"),
    "day": (1, "day"),
    "week": (7, "day"),
    "fortnight": (14, "day"),
    "month": (1, "month"),
    "year": (12, "month"),
}
_NO_UNIT: Final[tuple[int, IntervalUnit]] = (0, "day")


def _interval(line: Line, index: int, today: date) -> _Repeat | None:
    """Parse `every other day`, `every 2 weeks on Monday`, `every second Friday`, `alle zwei Tage`, `через день`, `раз в
    две недели`."""
    if line.language == "ru" and line[index].word == "через" and line[index + 1].word == "день":
        return _Repeat(index + 2, "", every=(2, "day"), day=today)
    once_in = line[index].word == "раз" and line[index + 1].word == "в"
    if not (once_in or line[index].has("every") or line[index].word == _EVERY.get(line.language)):
        return None
    count, at = _spacing(line, index + 2 if once_in else skip(line, index + 1, "article"))
    weekday = line[at].get("weekday") if not once_in else None
    unit_word = "week" if weekday is not None else line[at].get("unit")
    size, unit = _UNITS.get(unit_word or "", _NO_UNIT)
    counted = count > 1 or once_in or unit_word in ("fortnight", "hour")
    if not size or not counted or not 0 < count * size <= MOST:
        return None
    end = at + 1
    if line[end].has("of") or line[skip(line, end, "inside", "article")].get("unit") == "month":
        return None
    if weekday is None and size % 7 == 0 and unit == "day":
        weekday, end = _weekday_at(line, end)
    first = today if weekday is None else today + (weekday - today.weekday()) % 7 * DAY
    return _Repeat(end, "", every=(count * size, unit), day=first)


def _spacing(line: Line, at: int) -> tuple[int, int]:
    """Parse the number after `every`, as in `other`, `2`, `2nd`, `zweiten`. Returns it, or 1, and the index of the next
    token."""
    if line[at].has("other"):
        return 2, at + 1
    ordinal = day_number(line, at) if line[at].has("ordinal") or line[at].suffix or _is_dotted(line, at) else None
    if ordinal is not None:
        return ordinal, at + 1 + _is_dotted(line, at)
    count = count_at(line, at)
    return (count.value, count.end) if count is not None and count.exact else (1, at)


def _weekday_at(line: Line, end: int) -> tuple[int | None, int]:
    """Parse `on Monday`, `los lunes` or `по понедельникам`. Returns the weekday, if any, and the index after it."""
    at = skip(line, end, "on", "article", "every")
    weekday = line[at].get("weekday") if line[at].has("weekday") else line[at].get("weekdays")
    return (weekday, at + 1) if weekday is not None else (None, end)


def _with_clock(line: Line, index: int, found: _Repeat, local: datetime) -> Alarm:
    """Add the time of day, which may come before or after the days: `every Monday at 8`, `at 8 every Monday`."""
    part = part_at(line, found.end)
    hour, end = (HOURS[part[0]], part[1]) if part else (found.hour, found.end)
    after = clock_at(line, end, beside_day=True)
    if after is not None:
        clocks = [after, *_more_clocks(line, end, after)]
        return _repeated(line, (index, clocks[-1].end), clocks, found, local)
    for at in range(index):
        before = clock_at(line, at, beside_day=True)
        if before is not None and before.end == index:
            return _repeated(line, (at, end), [before], found, local)
    alarm = _repeated(line, (index, end), [Clock(end, hour)], found, local)
    return alarm._replace(timed=part is not None)


def _more_clocks(line: Line, start: int, first: Clock) -> Iterator[Clock]:
    """The times after the first one, which begins at `start`: in `8 and 20` and `8 am and 8 pm`. The grammar of clock times takes the latter for a range."""
    end = first.end
    if first.until is not None and any(line[at].has("and") for at in range(start, end)):
        yield Clock(end, *first.until)
    while (line[end].has("and") or line[end].word == ",") and (hour := _hour_at(line, end + 1)) is not None:
        yield hour
        end = hour.end


def _hour_at(line: Line, at: int) -> Clock | None:
    """The time of day at a token. A number alone is an hour if it counts nothing: if the text ends or goes on with
    `to`, `and` or a comma."""
    clock = clock_at(line, at, beside_day=True)
    value = line[at].value if line[at].kind == "number" and not line[at].suffix else None
    following = line[at + 1]
    ends = at + 1 == len(line) or following.has("to") or following.has("and") or following.word == ","
    return (
        Clock(at + 1, value, half=value > 12) if clock is None and value is not None and value < 24 and ends else clock
    )


def _repeated(line: Line, tokens: tuple[int, int], clocks: Sequence[Clock], found: _Repeat, local: datetime) -> Alarm:
    """The alarm at each of the times. Cron cannot express times with different minutes, and an interval has one
    time."""
    alarm = Alarm(line[tokens[0]].start, line[tokens[1] - 1].end)
    if found.every is not None:
        return alarm._replace(repeats=str(_spaced(clocks[0], found, local))) if len(clocks) == 1 else alarm
    hours = ",".join(str(hour) for hour in sorted({_awake(clock) % 24 for clock in clocks}))
    minutes = {clock.minute for clock in clocks}
    return alarm._replace(repeats=f"{minutes.pop()} {hours} {found.days}") if len(minutes) == 1 else alarm


def _spaced(clock: Clock, found: _Repeat, local: datetime) -> Interval:
    """The interval that begins at the next possible time."""
    assert found.every is not None
    assert found.day is not None
    count, unit = found.every
    if unit == "hour":
        return Interval((local + timedelta(hours=count)).replace(second=0, microsecond=0, tzinfo=None), count, unit)
    start = datetime.combine(found.day, time(_awake(clock) % 24, clock.minute))
    if start > local.replace(tzinfo=None):
        return Interval(start, count, unit)
    if unit == "month":
        return Interval(datetime.combine(add_months(found.day, count), start.time()), count, unit)
    later = found.day + (1 if count % 7 else count) * DAY
    return Interval(datetime.combine(later, start.time()), count, unit)


def _repeat_at(line: Line, index: int, today: date) -> _Repeat | None:
    token = line[index]
    if (monthly := _day_of_every_month(line, index)) is not None:
        return monthly
    if token.has("every_day"):
        return _Repeat(index + 1, "* * *")
    if token.has("weekdays"):
        return _weekdays(line, index, "weekdays")
    if token.word == "los" and line[index + 1].has("weekday"):
        return _weekdays(line, index + 1, "weekday")
    if token.has("workdays"):
        return _Repeat(index + 1, "* * 1-5")
    return _every(line, skip(line, index + 1, "article"), today) if token.has("every") else None


def _every(line: Line, at: int, today: date) -> _Repeat | None:
    """Parse the words after `every`."""
    if count_at(line, at) is not None and not _is_dotted(line, at):
        return None
    if line[at].has("workdays"):
        return _Repeat(at + 1, "* * 1-5")
    if line[at].has("weekday") or line[at].has("weekdays"):
        return _weekdays(line, at, "weekday" if line[at].has("weekday") else "weekdays")
    if line[at].has("part"):
        return _Repeat(at + 1, "* * *", HOURS[line[at].get("part")])
    return _every_ordinal(line, at) if day_number(line, at) else _unit(line, at, today)


def _every_ordinal(line: Line, at: int) -> _Repeat | None:
    """Parse `31st` or `31st of the month` after `every`. None for `2nd Monday`, which cron cannot express."""
    end = at + 1 + _is_dotted(line, at)
    after = skip(line, end, "of", "article")
    if line[after].get("unit") == "month":
        return _Repeat(after + 1, f"{day_number(line, at)} * *")
    if any(line[end].has(tag) for tag in ("unit", "weekday", "weekdays", "part")):
        return None
    return _Repeat(end, f"{day_number(line, at)} * *")


def _is_dotted(line: Line, at: int) -> bool:
    """Whether the number is an ordinal with a period, such as `1.` in German."""
    return line[at].kind == "number" and line[at + 1].word == "."


def _day_of_every_month(line: Line, index: int) -> _Repeat | None:
    """Parse `1st of every month` and `last day of every month`."""
    is_last = line[index].get("ordinal") == -1 and line[index + 1].get("unit") == "day"
    day = "last" if is_last else day_number(line, index)
    at = skip(line, index + 1 + (is_last or _is_dotted(line, index)), "of", "article")
    if day and line[at].has("every") and line[at + 1].get("unit") == "month":
        return _Repeat(at + 2, f"{day} * *")
    return None


def _weekdays(line: Line, at: int, tag: str) -> _Repeat:
    """Parse `Monday` or `Monday and Thursday`. In cron, Sunday is 0."""
    days, end = [line[at].get(tag)], at + 1
    while (line[end].has("and") or line[end].word == ",") and line[end + 1].has(tag):
        days.append(line[end + 1].get(tag))
        end += 2
    return _Repeat(end, f"* * {','.join(str((day + 1) % 7) for day in days)}")


def _unit(line: Line, at: int, today: date) -> _Repeat | None:
    match line[at].get("unit"):
        case "day":
            return _Repeat(at + 1, "* * *")
        case "week":
            return _Repeat(at + 1, f"* * {today.isoweekday() % 7}")
        case "weekend":
            return _Repeat(at + 1, "* * 6")
        case "month":
            return _of_month(line, at + 1, today)
        case "year":
            return _Repeat(at + 1, f"{today.day} {today.month} *")
        case _:
            return None


def _of_month(line: Line, end: int, today: date) -> _Repeat:
    """Parse `on the 1st`, or `1` before a clock time, after `every month`. Without such words, the day is today's day of the month, but at most the
    28th, which exists in every month."""
    at = skip(line, end, "on", "article")
    day = day_number(line, at) if at > end or line[at + 1].kind == "clock" else None
    return _Repeat(at + 1, f"{day} * *") if day else _Repeat(end, f"{min(today.day, 28)} * *")


def _once(line: Line, said: Said, local: datetime) -> Alarm | None:
    """Return the alarm from the first expression with a time of day; without one, from the first expression that names
    a day."""
    found = [one for first, item in items(line) if (one := _moment(line, first, item, said, local)) is not None]
    timed = next((one for one, is_timed in found if is_timed), None)
    return timed or next((one for one, _ in found), None)


def _moment(line: Line, first: int, item: Item, said: Said, local: datetime) -> tuple[Alarm, bool] | None:
    named = None if item.repeats or item.since else resolved(line, first, item, local, said.region, "future")
    if named is None or named.best is None:
        return None
    place, best = (named.start, named.end), named.best
    dated = item.phrase is not None
    if item.elapsed:
        end, more = _more_minutes(line, item.end)
        return Alarm(named.start, line[end - 1].end if more else named.end, at=best.start + more), True
    if named.timed and (item.clock is None or item.clock.half or item.phrase is None):
        return Alarm(*place, at=best.start, dated=dated), True
    day = _counted(line, first, item, local.date()) or best.start.date()
    if item.clock is not None:
        at = _on(day, item.clock, local, said.zone)
        return Alarm(*place, at=at, dated=dated, halved=item.clock.half), True
    hour = HOURS[item.part] if item.part else MORNING
    return Alarm(*place, at=_on_wall(day, hour, 0, said.zone), dated=dated, timed=bool(item.part)), bool(item.part)


def _more_minutes(line: Line, end: int) -> tuple[int, timedelta]:
    """Parse the minutes after a number of hours, as in `in 2 hours and 30 minutes`."""
    count = count_at(line, end + 1 if line[end].has("and") else end)
    if count is None or line[count.end].get("unit") != "minute":
        return end, timedelta()
    return count.end + 1, timedelta(minutes=count.value)


def _in_a_unit(line: Line, local: datetime) -> Alarm | None:
    """Parse `через час` and `через полчаса`, which have no number."""
    for at in range(len(line)) if line.language == "ru" else ():
        unit = line[at + 1].get("unit")
        minutes = 30 if line[at + 1].word == "полчаса" else {"hour": 60, "minute": 1}.get(unit or "", 0)
        if line[at].word == "через" and minutes:
            at_time = local.astimezone(UTC) + timedelta(minutes=minutes)
            return Alarm(line[at].start, line[at + 1].end, at=at_time.astimezone(local.tzinfo))
    return None


def _counted(line: Line, first: int, item: Item, today: date) -> date | None:
    """The day of an order that counts months or years. `in 3 months` means that day of the month, whereas a statement
    may mean any day of it."""
    if item.phrase is None or item.phrase.form != "count" or item.phrase.single:
        return None
    found = next(filter(None, (distance_at(line, at) for at in range(first, item.phrase.end))), None)
    return counted_day(today, found[1], found[0].value) if found is not None else None


def _bare_hour(line: Line, local: datetime) -> Alarm | None:
    """The alarm for a request that gives only an hour, such as `at 5`: the next five o'clock at an hour when people are
    awake."""
    for index in range(len(line)):
        clock = clock_at(line, index, beside_day=True) if line[index].has("exactly_at") else None
        if clock is not None:
            return _next(line, index, clock, local)
    return None


def hour_alone(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """The alarm of a text that begins with a number that is an hour, such as the rest of `at 8, 12 and 20`; None for a
    number that counts something."""
    line = line_of(text[:MOST_READ], language)
    clock = _hour_at(line, 0) if line is not None else None
    return _next(line, 0, clock, said.at.astimezone(said.zone)) if line is not None and clock is not None else None


def _next(line: Line, index: int, clock: Clock, local: datetime) -> Alarm:
    return Alarm(
        line[index].start, line[clock.end - 1].end, at=next(_coming(clock, local)), dated=False, halved=clock.half
    )


def _coming(clock: Clock, local: datetime) -> Iterator[datetime]:
    assert isinstance(local.tzinfo, ZoneInfo)
    for day in (local.date(), local.date() + DAY):
        at = _on(day, clock, local, local.tzinfo)
        if at > local:
            yield at


def _on(day: date, clock: Clock, local: datetime, zone: ZoneInfo) -> datetime:
    """The clock time on that day. Without AM or PM, it is an hour when people are awake; for today, it is an hour in
    the future if possible."""
    at = _on_wall(day, _awake(clock), clock.minute, zone)
    later = _on_wall(day, clock.hour % 12 + 12, clock.minute, zone)
    return later if not clock.half and day == local.date() and at <= local < later else at


def _awake(clock: Clock) -> int:
    return clock.hour if clock.half or not 1 <= clock.hour <= 6 else clock.hour + 12


def _on_wall(day: date, hour: int, minute: int, zone: ZoneInfo) -> datetime:
    """The time on a day. Hour 24 is the first hour of the next day."""
    return wall(day + timedelta(days=hour // 24), time(hour % 24, minute), zone)
