"""Determines when the alarm in a request is due, as in `tomorrow at 9` or `every Monday at 8`. Pure.

A request is always about the future. An hour without AM or PM is taken as an hour when people are awake. A day without
a time of day means the morning of that day.
"""

from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce_text.dates.clock_phrases import Clock, awake, clock_at
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import counted_day
from tellonce_text.dates.intervals import Interval, IntervalUnit, wall
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.readings import DAY, Expression, Reading, Said, add_months
from tellonce_text.dates.repeated_days import HOURS, MORNING
from tellonce_text.dates.repetitions import End, Items, hour_at, repetition
from tellonce_text.dates.resolver import resolved
from tellonce_text.dates.tokens import Line, line_of


class Alarm(NamedTuple):
    """An alarm. The alarm's words are in the text from `start` to `end`. A single alarm has `at`; a repeated alarm has
    `repeats`, which is a cron expression of five fields in the user's zone, or an interval.

    An alarm without `at` and `repeats` repeats in a way that cannot be expressed, such as every minute. `dated` says
    whether the text gives a day, and `timed` whether it gives a time of day. `halved` says whether AM or PM of the hour
    is known. `lead` is the length of a leading word such as `and`. `shares_day` means that the text does not name this
    alarm's day; the day is the same as the previous alarm's. A repetition can have an end. The end is the last possible
    time `until`, or the length `lasts`, which begins with the first alarm. `otherwise` is the other day that numbers
    such as 12/10 can mean, if their order is in doubt.
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
    otherwise: datetime | None = None

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


MOST_READ: Final = 2_000
"""At most this many characters of a request are read. A request has one or two sentences."""
_DAYS_OF: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTE: Final = timedelta(minutes=1)
_HALF_DAY: Final = timedelta(hours=12)
_MUCH_LATER: Final = timedelta(days=183)
"""A request rarely means a day that is later than another possible day by more than this time."""


def alarm(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """Return the alarm that a text requests. The alarm's time can be in the past. None if the text gives no time, or a
    time that cannot be represented.

    `language` is the language of the request, if known; otherwise it is detected from the words.
    """
    line = line_of(text[:MOST_READ], language)
    # A request such as `30 February at 9` would otherwise set an alarm at 9 on another day.
    if line is None or any(_is_no_day(line, at) for at in range(len(line))):
        return None
    local = said.at.astimezone(said.zone)
    named = tuple(items(line))
    found = _repeating(line, named, said, local) or _once(line, named, said, local) or _bare_hour(line, local)
    return found and found._replace(start=_led_by(line, found.start))


def rings(text: str, said: Said, moment: datetime) -> bool:
    """Whether `moment` can be the due time of the alarm in a text. An hour without AM or PM matches both hours, and
    numbers whose order is in doubt (`12/10`) match both days."""
    found = alarm(text, said)
    local = moment.astimezone(said.zone)
    if found is None or (found.at is None and found.repeats is None):
        return False
    interval = Interval.read(found.repeats or "")
    at = interval.after(said.at, said.zone) if interval is not None else found.at
    if at is not None:
        if found.otherwise is not None and local.date() == found.otherwise.date():
            at = _on_wall(local.date(), at.hour, at.minute, said.zone)
        apart = abs(moment - at)
        return apart < _MINUTE or (apart == _HALF_DAY and local.date() >= said.at.date())
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


def _repeating(line: Line, named: Items, said: Said, local: datetime) -> Alarm | None:
    found = repetition(line, local, named)
    if found is None:
        return None
    limit = found.limit
    alarm = Alarm(line[found.start].start, line[found.end - 1].end, repeats=found.repeats, timed=found.timed)
    if limit is None:
        return alarm
    until = _until(line, limit, said, local)
    return alarm._replace(until=until, lasts=limit.lasts, repeats=found.repeats if until or limit.lasts else None)


def _until(line: Line, limit: End, said: Said, local: datetime) -> datetime | None:
    """The last possible time of a repetition: the end of its last day, or a time of day."""
    named = _moment(line, *limit.until, said, local) if limit.until is not None else None
    at = named[0].at if named is not None else None
    if at is None or limit.until is None or limit.until[1].phrase is None:
        return at
    return _on_wall(at.date() + DAY, 0, 0, said.zone) - _MINUTE


def _once(line: Line, named: Items, said: Said, local: datetime) -> Alarm | None:
    """Return the alarm from the first expression with a time of day. If no expression has a time of day, return the
    alarm from the first expression that names a day."""
    found = [one for first, item in named if (one := _moment(line, first, item, said, local)) is not None]
    timed = next((one for one, is_timed in found if is_timed), None)
    return timed or next((one for one, _ in found), None)


def _moment(line: Line, first: int, item: Item, said: Said, local: datetime) -> tuple[Alarm, bool] | None:
    named = None if item.repeats or item.since else resolved(line, first, item, local, said.region, "future")
    if named is None or named.best is None:
        return None
    (best, other), clock = _likely(named, said, local), item.clock
    dated = item.phrase is not None or item.elapsed is not None
    found = Alarm(named.start, named.end, at=best.start, dated=dated, otherwise=other)
    if named.timed and (clock is None or clock.half or item.phrase is None):
        return found, True
    day = _counted(line, first, item, local.date()) or best.start.date()
    if clock is not None:
        return found._replace(at=_on(day, clock, local, said.zone), halved=clock.half), True
    hour = HOURS[item.part] if item.part else MORNING
    return found._replace(at=_on_wall(day, hour, 0, said.zone), timed=bool(item.part)), bool(item.part)


def _likely(named: Expression, said: Said, local: datetime) -> tuple[Reading, datetime | None]:
    """The most likely reading of an expression and, if the order of day and month is in doubt (`12/10`), the day in the
    other order. If the usual order gives a much later day, or if the usual order is not known, the nearer day is
    taken."""
    best = named.readings[0]
    if named.certain or "/" not in named.text:
        return best, None
    other = next(
        (
            one
            for one in named.readings
            if (one.start.month, one.start.day) == (best.start.day, best.start.month) and one.start > local
        ),
        None,
    )
    if other is None or other.start.date() == best.start.date():
        return best, None
    later = best.start - other.start
    prefers_other = later > _MUCH_LATER or (said.region is None and later > timedelta())
    return (other, best.start) if prefers_other else (best, other.start)


def _is_no_day(line: Line, at: int) -> bool:
    """Whether the token belongs to an impossible day, such as `30 February` or `31.06.`."""
    token, month = line[at], line[at].get("month")
    if token.kind == "numeric" and not token.parts[3]:
        first, second = (int(token.parts[place] or 0) for place in (0, 2))
        return _is_beyond(first, second) or (token.parts[1] == "/" and _is_beyond(second, first))
    days = (line[n].value or 0 for n in (at - 1 - line[at - 1].has("of"), at + 1))
    return bool(month) and _is_beyond(next((day for day in days if 0 < day <= max(_DAYS_OF)), 0), month)


def _is_beyond(day: int, month: int) -> bool:
    return 0 < month <= len(_DAYS_OF) and _DAYS_OF[month - 1] < day <= max(_DAYS_OF)


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
    """The alarm for a text that begins with a bare hour, such as `12 and 20` after `at 8,`. None if the number is an
    amount, as in `12 pills`."""
    line = line_of(text[:MOST_READ], language)
    clock = hour_at(line, 0) if line is not None else None
    return _next(line, 0, clock, said.at.astimezone(said.zone)) if line is not None and clock is not None else None


def _next(line: Line, index: int, clock: Clock, local: datetime) -> Alarm:
    """The alarm for the next occurrence of the time `clock`, today or tomorrow."""
    assert isinstance(local.tzinfo, ZoneInfo)
    due = (_on(day, clock, local, local.tzinfo) for day in (local.date(), local.date() + DAY))
    at = next(at for at in due if at > local)
    return Alarm(line[index].start, line[clock.end - 1].end, at=at, dated=False, halved=clock.half)


def _on(day: date, clock: Clock, local: datetime, zone: ZoneInfo) -> datetime:
    """The clock time on that day. Without AM or PM, the hour is an hour when people are awake; for today, the time is
    in the future if possible."""
    at = _on_wall(day, awake(clock), clock.minute, zone)
    later = _on_wall(day, clock.hour % 12 + 12, clock.minute, zone)
    return later if not clock.half and day == local.date() and at <= local < later else at


def _on_wall(day: date, hour: int, minute: int, zone: ZoneInfo) -> datetime:
    """The time on a day. Hour 24 is the first hour of the next day."""
    return wall(day + timedelta(days=hour // 24), time(hour % 24, minute), zone)
