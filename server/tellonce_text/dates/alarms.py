"""Determines from the words of a request when an alarm is due: `tomorrow at 9`, `every Monday at 8`. Pure.

A request is always about the future. An hour without AM or PM is taken as an hour when people are awake. A day without
a time of day means the morning of that day.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce_text.dates.clock_phrases import Clock, awake, clock_at
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import counted_day
from tellonce_text.dates.elapsing import elapsing
from tellonce_text.dates.intervals import UTC, Interval, IntervalUnit, wall
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.phrases import day_number
from tellonce_text.dates.readings import DAY, Said, add_months
from tellonce_text.dates.repeated_days import HOURS, MORNING
from tellonce_text.dates.repetitions import End, hour_at, repetition
from tellonce_text.dates.resolver import resolved
from tellonce_text.dates.tokens import Line, line_of


class Alarm(NamedTuple):
    """An alarm. The alarm's words are in the text from `start` to `end`. A single alarm has `at`; a repeated alarm has
    `repeats`, which is a cron expression of five fields in the user's zone, or an interval.

    An alarm without `at` and `repeats` repeats in a way that cannot be expressed, such as every minute. `dated` says
    whether the text gives a day, and `timed` whether it gives a time of day. `halved` says whether AM or PM of the hour
    is known. `lead` is the length of a leading word such as `and`. `shares_day` means that the text does not name this
    alarm's day; the day is the same as the previous alarm's. A repetition may have an end: the last possible time
    `until`, or its length `lasts` from the first time on.
    """

    start: int
    end: int
    at: datetime | None = None
    repeats: str | None = None
    dated: bool = True
    timed: bool = True
    halved: bool = True
    lead: int = 0
    shares_day: bool = False
    until: datetime | None = None
    lasts: tuple[int, IntervalUnit] | None = None

    def last_possible(self, first: datetime) -> datetime | None:
        """The last possible time of a repetition that is due at `first` for the first time; None if it has no end."""
        if self.lasts is None:
            return self.until
        assert isinstance(first.tzinfo, ZoneInfo)
        number, unit = self.lasts
        if unit in ("minute", "hour"):
            return first + timedelta(**{f"{unit}s": number}) - _MINUTE
        day = add_months(first.date(), number) if unit == "month" else first.date() + number * DAY
        return wall(day, first.time(), first.tzinfo) - _MINUTE


_MINUTE: Final = timedelta(minutes=1)

MOST_READ: Final = 2_000
"""Maximum number of characters of a request that are read. A request has one or two sentences."""


def alarm(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """Return the alarm that a text requests. The time of the alarm may be in the past. None if the text gives no time,
    or a time that cannot be represented.

    `language` is the language of the request, if known; otherwise it is detected from the words.
    """
    line = line_of(text[:MOST_READ], language)
    if line is None:
        return None
    if _names_no_day(line):
        return None
    local = said.at.astimezone(said.zone)
    found = _repeating(line, said, local) or _first(_elapsing(line, local), _once(line, said, local))
    found = found or _bare_hour(line, local)
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
        _is_among(local.minute, minute)
        and _is_among(local.hour, hour)
        and (_is_among(local.day, day) or (day == "last" and (local + DAY).day == 1))
        and _is_among(local.month, month)
        and any(_is_weekday(local, part) for part in weekdays.split(","))
    )


def _is_among(value: int, field: str) -> bool:
    """Whether a field of a cron expression, such as `9-17/2,20`, contains the value."""
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span == "*" or (span.isdecimal() and value == int(span)):
            return True
        if last and value in range(int(first), int(last) + 1, int(step or 1)):
            return True
    return False


def _is_weekday(local: datetime, part: str) -> bool:
    """Whether the day matches a weekday field such as `1-5`, `1#2` or `5L`."""
    weekday, of_month, number = part.removesuffix("L").partition("#")
    is_last = (local + 7 * DAY).month != local.month
    return (
        _is_among(local.isoweekday() % 7, weekday)
        and (not of_month or (local.day + 6) // 7 == int(number))
        and (not part.endswith("L") or is_last)
    )


def _led_by(line: Line, start: int) -> int:
    """Return the position in the text where an alarm's words begin. `start` is the position of the day or time; words
    such as `on` and `at` directly before it belong to the alarm."""
    index = next(at for at in range(len(line)) if line[at].start == start)
    while index and any(line[index - 1].has(tag) for tag in ("on", "at", "article")):
        index -= 1
    return line[index].start


def _repeating(line: Line, said: Said, local: datetime) -> Alarm | None:
    found = repetition(line, local)
    if found is None:
        return None
    place = (line[found.start].start, line[found.end - 1].end)
    alarm = Alarm(*place, repeats=found.repeats, timed=found.timed)
    if found.limit is None:
        return alarm
    until = _until(line, found.limit, said, local)
    return alarm._replace(
        until=until, lasts=found.limit.lasts, repeats=found.repeats if until or found.limit.lasts else None
    )


def _until(line: Line, limit: End, said: Said, local: datetime) -> datetime | None:
    """The last possible time of a repetition: the end of its last day, or a time of day."""
    named = _moment(line, *limit.until, said, local) if limit.until is not None else None
    at = named[0].at if named is not None else None
    if at is None or limit.until is None or limit.until[1].phrase is None:
        return at
    return _on_wall(at.date() + DAY, 0, 0, said.zone) - _MINUTE


def _once(line: Line, said: Said, local: datetime) -> Alarm | None:
    """Return the alarm from the first expression with a time of day; if there is none, from the first expression that
    names a day."""
    found = [one for first, item in items(line) if (one := _moment(line, first, item, said, local)) is not None]
    timed = next((one for one, is_timed in found if is_timed), None)
    return timed or next((one for one, _ in found), None)


def _moment(line: Line, first: int, item: Item, said: Said, local: datetime) -> tuple[Alarm, bool] | None:
    named = None if item.repeats or item.since else resolved(line, first, item, local, said.region, "future")
    if named is None or named.best is None:
        return None
    place, best = (named.start, named.end), named.best
    dated = item.phrase is not None
    if named.timed and (item.clock is None or item.clock.half or item.phrase is None):
        return Alarm(*place, at=best.start, dated=dated), True
    day = _counted(line, first, item, local.date()) or best.start.date()
    if item.clock is not None:
        at = _on(day, item.clock, local, said.zone)
        return Alarm(*place, at=at, dated=dated, halved=item.clock.half), True
    hour = HOURS[item.part] if item.part else MORNING
    return Alarm(*place, at=_on_wall(day, hour, 0, said.zone), dated=dated, timed=bool(item.part)), bool(item.part)


def _elapsing(line: Line, local: datetime) -> Alarm | None:
    """The alarm after the first duration in a text, as in `in an hour and a half`."""
    for at in range(len(line)):
        found = elapsing(line, at)
        if found is not None:
            due = (local.astimezone(UTC) + found[1]).astimezone(local.tzinfo)
            return Alarm(line[at].start, line[found[0] - 1].end, at=due)
    return None


def _first(one: Alarm | None, other: Alarm | None) -> Alarm | None:
    """The alarm whose words begin first in the text. If both begin at the same position, this is `one`."""
    return min((found for found in (one, other) if found is not None), key=lambda found: found.start, default=None)


def _names_no_day(line: Line) -> bool:
    """Whether the text names a day that no year has, such as `30 February` or `31.06.`. Without this check, the time of
    day alone would give an alarm on another day."""
    return any(_is_no_day(line, at) for at in range(len(line)))


def _is_no_day(line: Line, at: int) -> bool:
    token, month = line[at], line[at].get("month")
    if token.kind == "numeric" and not token.parts[3]:
        first, second = (int(token.parts[place] or 0) for place in (0, 2))
        return _is_beyond(first, second) or (token.parts[1] == "/" and _is_beyond(second, first))
    if month is None:
        return False
    beside = (at - 1 - line[at - 1].has("of"), at + 1)
    day = next((day for n in beside if line[n].kind == "number" and (day := day_number(line, n))), None)
    return day is not None and _is_beyond(day, month)


def _is_beyond(day: int, month: int) -> bool:
    return 0 < month <= len(_DAYS_OF) and _DAYS_OF[month - 1] < day <= max(_DAYS_OF)


_DAYS_OF: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _counted(line: Line, first: int, item: Item, today: date) -> date | None:
    """The day of a request that counts months or years. In a request, `in 3 months` means one day: the same day of the
    month. In a statement, it may mean any day of that month."""
    if item.phrase is None or item.phrase.form != "count" or item.phrase.single:
        return None
    found = next(filter(None, (distance_at(line, at) for at in range(first, item.phrase.end))), None)
    return counted_day(today, found[1], found[0].value) if found is not None else None


def _bare_hour(line: Line, local: datetime) -> Alarm | None:
    """The alarm for a request that gives only an hour, such as `at 5`. It is due at the next five o'clock at which
    people are awake."""
    for index in range(len(line)):
        clock = clock_at(line, index, beside_day=True) if line[index].has("exactly_at") else None
        if clock is not None:
            return _next(line, index, clock, local)
    return None


def hour_alone(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """The alarm for a text that begins with a bare hour, such as `12 and 20` after `at 8,`; None if the number counts
    something."""
    line = line_of(text[:MOST_READ], language)
    clock = hour_at(line, 0) if line is not None else None
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
    """The clock time on that day. Without AM or PM, the hour is an hour when people are awake; for today, the time is
    in the future if possible."""
    at = _on_wall(day, awake(clock), clock.minute, zone)
    later = _on_wall(day, clock.hour % 12 + 12, clock.minute, zone)
    return later if not clock.half and day == local.date() and at <= local < later else at


def _on_wall(day: date, hour: int, minute: int, zone: ZoneInfo) -> datetime:
    """The time on a day. Hour 24 is the first hour of the next day."""
    return wall(day + timedelta(days=hour // 24), time(hour % 24, minute), zone)
