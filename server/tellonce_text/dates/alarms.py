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
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.phrases import count_at, day_number, skip
from tellonce_text.dates.readings import DAY, Said
from tellonce_text.dates.resolver import resolved
from tellonce_text.dates.tokens import Line, line_of

HOURS: Final = {"morning": 9, "afternoon": 14, "evening": 19, "night": 21}
"""The hour that each part of the day means if no clock time is given."""

MORNING: Final = HOURS["morning"]


class Alarm(NamedTuple):
    """An alarm. `start` and `end` are the place of the alarm's words in the text. A single alarm has `at`; a repeated
    alarm has `cron`, an expression of five fields in the user's zone.

    An alarm with neither of them repeats in a way that cron cannot express, such as every other day.
    """

    start: int
    end: int
    at: datetime | None = None
    cron: str | None = None


MOST_READ: Final = 2_000
"""Maximum characters of an order that are read; an order has one or two sentences."""


class _Repeat(NamedTuple):
    """A repetition: the last three fields of the repetition's cron expression in `days`, and the hour to use if the
    text gives no time."""

    end: int
    days: str
    hour: int = MORNING


def alarm(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """Return the alarm that a text orders. The time of the alarm may be in the past. None if the text gives no time, or
    a time that cannot be represented.

    `language` is the order's language, if known; otherwise it is detected from the words.
    """
    line = line_of(text[:MOST_READ], language)
    if line is None:
        return None
    local = said.at.astimezone(said.zone)
    found = _repeating(line, local) or _once(line, said, local) or _bare_hour(line, local)
    return found and found._replace(start=_led_by(line, found.start))


def names_more(text: str, found: Alarm, said: Said, language: str | None = None) -> bool:
    """Whether `and` or `or` adds another time to an alarm that was found in the text: `at 9 and at 17`."""
    line = line_of(text[:MOST_READ], language)
    tokens = (line[index] for index in range(len(line))) if line is not None else ()
    joints = [token.end for token in tokens if token.start >= found.end and (token.has("and") or token.has("or"))]
    others = ((end, alarm(text[end : end + _NEAR], said, language)) for end in joints[:_MOST_JOINTS])
    return any(other is not None and not text[end : end + other.start].strip() for end, other in others)


_MOST_JOINTS: Final = 5
_NEAR: Final = 100  # characters


def rings(text: str, said: Said, moment: datetime) -> bool:
    """Whether `moment` can be the due time of the alarm in a text. An hour without AM or PM matches both hours."""
    found = alarm(text, said)
    local = moment.astimezone(said.zone)
    if found is None or (found.at is None and found.cron is None):
        return False
    if found.at is not None:
        apart = abs(moment - found.at)
        return apart < timedelta(minutes=1) or (apart == timedelta(hours=12) and local.date() >= said.at.date())
    minute, hour, day, month, weekdays = (found.cron or "").split()
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
        found = _repeat_at(line, index, local.date())
        if found is not None:
            return _with_clock(line, index, found)
    repeats = next(((line[first].start, line[item.end - 1].end) for first, item in items(line) if item.repeats), None)
    place = repeats or _uncountable(line)
    return Alarm(*place) if place else None


def _uncountable(line: Line) -> tuple[int, int] | None:
    """The place of a repetition with a number that cron cannot express: `every 2nd Monday`."""
    return next(
        (
            (line[at].start, line[at + 1].end)
            for at in range(len(line))
            if line[at].has("every") and day_number(line, at + 1)
        ),
        None,
    )


def _with_clock(line: Line, index: int, found: _Repeat) -> Alarm:
    """Add the time of day, which may come before or after the days: `every Monday at 8`, `at 8 every Monday`."""
    part = part_at(line, found.end)
    hour, end = (HOURS[part[0]], part[1]) if part else (found.hour, found.end)
    after = clock_at(line, end, beside_day=True)
    if after is not None:
        clocks = [after, *_more_clocks(line, end, after)]
        return _cron(line, index, clocks[-1].end, clocks, found.days)
    for at in range(index):
        before = clock_at(line, at, beside_day=True)
        if before is not None and before.end == index:
            return _cron(line, at, end, [before], found.days)
    return _cron(line, index, end, [Clock(end, hour)], found.days)


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
    `to`."""
    clock = clock_at(line, at, beside_day=True)
    value = line[at].value if line[at].kind == "number" and not line[at].suffix else None
    if clock is None and value is not None and value < 24 and (at + 1 == len(line) or line[at + 1].has("to")):
        return Clock(at + 1, value, half=value > 12)
    return clock


def _cron(line: Line, first: int, end: int, clocks: Sequence[Clock], days: str) -> Alarm:
    """The alarm at each of the times. Cron cannot express times with different minutes."""
    place = line[first].start, line[end - 1].end
    hours = ",".join(str(hour) for hour in sorted({_awake(clock) % 24 for clock in clocks}))
    minutes = {clock.minute for clock in clocks}
    return Alarm(*place, cron=f"{minutes.pop()} {hours} {days}") if len(minutes) == 1 else Alarm(*place)


def _repeat_at(line: Line, index: int, today: date) -> _Repeat | None:
    token = line[index]
    if (monthly := _day_of_every_month(line, index)) is not None:
        return monthly
    if token.has("every_day"):
        return _Repeat(index + 1, "* * *")
    if token.has("weekdays"):
        return _weekdays(line, index, "weekdays")
    if token.has("workdays"):
        return _Repeat(index + 1, "* * 1-5")
    return _every(line, skip(line, index + 1, "article"), today) if token.has("every") else None


def _every(line: Line, at: int, today: date) -> _Repeat | None:
    """Parse the words after `every`. None for `every other week` and `every 3 days`, which cron cannot express."""
    if line[at].has("other") or (count_at(line, at) is not None and not _is_dotted(line, at)):
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
    if item.elapsed or (named.timed and (item.clock is None or item.clock.half or item.phrase is None)):
        return Alarm(*place, at=best.start), True
    day = _counted(line, first, item, local.date()) or best.start.date()
    if item.clock is not None:
        return Alarm(*place, at=_on(day, item.clock, local, said.zone)), True
    hour = HOURS[item.part] if item.part else MORNING
    return Alarm(*place, at=_wall(day, hour, 0, said.zone)), bool(item.part)


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
            at = next(_coming(clock, local))
            return Alarm(line[index].start, line[clock.end - 1].end, at=at)
    return None


def _coming(clock: Clock, local: datetime) -> Iterator[datetime]:
    assert isinstance(local.tzinfo, ZoneInfo)
    for day in (local.date(), local.date() + DAY):
        at = _on(day, clock, local, local.tzinfo)
        if at > local:
            yield at


def _on(day: date, clock: Clock, local: datetime, zone: ZoneInfo) -> datetime:
    """The clock time on that day. Without AM or PM, it is an hour when people are awake; for today, it is an hour in
    the future if possible."""
    at = _wall(day, _awake(clock), clock.minute, zone)
    later = _wall(day, clock.hour % 12 + 12, clock.minute, zone)
    return later if not clock.half and day == local.date() and at <= local < later else at


def _awake(clock: Clock) -> int:
    return clock.hour if clock.half or not 1 <= clock.hour <= 6 else clock.hour + 12


def _wall(day: date, hour: int, minute: int, zone: ZoneInfo) -> datetime:
    """The time on a day at which the wall clock shows `hour` and `minute`. A time that does not exist because summer
    time begins becomes the time an hour later."""
    moment = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24, minute), zone)
    return moment.astimezone(ZoneInfo("UTC")).astimezone(zone)
