"""Determines when the alarm in a request is due, as in `tomorrow at 9` or `every Monday at 8`. Pure.

A request is always about the future. An hour without AM or PM is taken as an hour when people are awake. A day without
a time of day means the morning of that day.
"""

from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple

from tellonce_text.dates.clock_phrases import Clock, awake, clock_at
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import counted_day
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.phrases import count_at, skip
from tellonce_text.dates.readings import DAY, Expression, Reading, Said, wall_time
from tellonce_text.dates.repetitions import HOURS, Items, repetition
from tellonce_text.dates.resolver import resolved
from tellonce_text.dates.tokens import Line, line_of

Unfit = Literal["repetition", "several", "end"]
"""Why an alarm cannot be set: its repetition is not daily, weekly, monthly or yearly at one time; the request names
several times; or the request says when the repetition ends."""


class Alarm(NamedTuple):
    """An alarm, whose words are in the text from `start` to `end`. A single alarm has `at`. A repeated alarm has
    `repeats`, a cron expression in the user's zone. An alarm that is unfit for its repetition has neither.

    `otherwise` is the other day that numbers such as 12/10 can mean, if their order is in doubt.
    """

    start: int
    end: int
    at: datetime | None = None
    repeats: str | None = None
    otherwise: datetime | None = None
    unfit: Unfit | None = None


class _Found(NamedTuple):
    start: int
    end: int
    at: datetime | None = None
    repeats: str | None = None
    otherwise: datetime | None = None


MOST_READ: Final = 2_000
"""At most this many characters of a request are read. A request has one or two sentences."""
_DAYS_OF: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTE: Final = timedelta(minutes=1)
_HALF_DAY: Final = timedelta(hours=12)
_MUCH_LATER: Final = timedelta(days=183)
"""A date such as 3/4 can mean two days. A request rarely means the later day if the days are further apart than this.
"""
_NEAR: Final = 6
"""Maximum number of tokens from `between` to its `and`."""
_FILLERS: Final = 3
"""Maximum number of words between `and` and another time, such as `again` or `ещё раз в`."""
_LONG_UNITS: Final = frozenset({"day", "week", "fortnight", "month", "quarter", "half_year", "year"})


def alarm(text: str, said: Said, language: str | None = None) -> Alarm | None:
    """Return the alarm that a text requests. The alarm's time can be in the past. None if the text gives no time, or a
    time that cannot be represented.

    `language` is the language of the request, if known; otherwise it is detected from the words.
    """
    line = line_of(text[:MOST_READ], language)
    # A request such as `30 February at 9` would otherwise set an alarm at 9 on another day.
    if line is None or any(_is_no_day(line, at) for at in range(len(line))):
        return None
    local, named = said.at.astimezone(said.zone), tuple(items(line))
    found = _repeating(line, named, local) or _once(line, named, said, local) or _bare_hour(line, local)
    if found is None:
        return None
    start = found.start
    while start and any(line[start - 1].has(tag) for tag in ("on", "at", "article")):
        start -= 1
    return Alarm(line[start].start, line[found.end - 1].end, *found[2:], _unfit(line, named, found))


def rings(text: str, said: Said, moment: datetime) -> bool:
    """Whether `moment` can be the first due time of the alarm in a text. An hour without AM or PM matches both hours,
    and numbers whose order is in doubt (`12/10`) match both days."""
    found = alarm(text, said)
    if found is None:
        return False
    local = moment.astimezone(said.zone)
    if found.at is None:
        is_known = found.repeats is not None and found.unfit != "several"
        return _is_due(found.repeats or "", local) if is_known else _may_begin(text, local)
    at = found.at
    if found.otherwise is not None and local.date() == found.otherwise.date():
        at = wall_time(local.date(), at.hour, at.minute, said.zone)
    apart = abs(moment - at)
    return apart < _MINUTE or (apart == _HALF_DAY and local.date() >= said.at.date())


def _is_due(cron: str, local: datetime) -> bool:
    minute, hour, day, month, weekdays = cron.split()
    last = day == "last" and (local + DAY).day == 1
    allowed = range(1, 6) if weekdays == "1-5" else [int(one) for one in weekdays.split(",") if one.isdecimal()]
    return (
        (local.minute, local.hour) == (int(minute), int(hour))
        and (last or day in ("*", str(local.day)))
        and month in ("*", str(local.month))
        and (weekdays == "*" or local.isoweekday() % 7 in allowed)
    )


def _may_begin(text: str, local: datetime) -> bool:
    """Whether a repetition can begin at the time `local` although its meaning is unknown. Its weekdays and hours must
    fit."""
    line = line_of(text[:MOST_READ])
    assert line is not None  # the text has a repetition
    tokens = [line[at] for at in range(len(line)) if not line[at + 1].has("unit")]
    weekdays = {day for token in tokens for day in (token.get("weekday"), token.get("weekdays")) if day is not None}
    hours = [int(t.parts[0] or 0) if t.kind == "clock" else t.value for t in tokens if t.kind in ("clock", "number")]
    known = [hour for hour in hours if hour is not None and hour <= 24]
    fits = any(local.hour % 12 == hour % 12 or min(known) <= local.hour <= hour for hour in known)
    return (not weekdays or local.weekday() in weekdays) and (not known or fits)


def _unfit(line: Line, named: Items, found: _Found) -> Unfit | None:
    if found.at is None and found.repeats is None:
        return "repetition"
    by_start = dict(named)
    if any(_joins_times(line, at, by_start, found) for at in range(len(line))):
        return "several"
    return "end" if found.repeats and _says_end(line, by_start) else None


def _joins_times(line: Line, joint: int, named: dict[int, Item], found: _Found) -> bool:
    """Whether the token is `and`, `or` or a comma that joins two times, as in `at 9 and at 15:00`."""
    comma = line[joint].word == ","
    if not (comma or line[joint].has("and") or line[joint].has("or")):
        return False
    later = skip(line, joint + 1, "on", "at", "article")
    following = named.get(later)
    if joint == found.end and comma:
        return _is_hour(line, joint + 1) or (following is not None and line[following.end].has("and"))
    if joint == found.end:
        return _is_hour(line, joint + 1) or any(at in named for at in range(later, later + _FILLERS + 1))
    if comma or any(line[at].has("between") for at in range(joint - _NEAR, joint)):
        return False
    if joint > found.end:
        hour = line[joint + 1].has("exactly_at") and clock_at(line, joint + 1, beside_day=True) is not None
        return hour or (following is not None and (later > joint + 1 or following.clock is not None))
    if joint >= found.start:
        return clock_at(line, joint + 1) is not None
    before = line[joint - 1].kind in ("number", "mark") or any(item.end == joint for item in named.values())
    return found.start <= later and before


def _is_hour(line: Line, at: int) -> bool:
    """Whether the token is a time of day. A plain number needs the end of the text, a comma, `to`, `for` or `and` after
    it."""
    following, number = line[at + 1], line[at]
    ends = at + 1 == len(line) or following.word == "," or any(map(following.has, ("to", "for", "and")))
    plain = number.kind == "number" and not number.suffix and (number.value or 0) < 24
    return clock_at(line, at, beside_day=True) is not None or (plain and ends)


def _says_end(line: Line, named: dict[int, Item]) -> bool:
    """Whether a text says when a repetition ends: `until Christmas`, `for 5 days`, `5 Tage lang`, `5 дней` at the
    end."""
    last = len(line) - 1
    while last > 0 and line[last].kind == "mark":
        last -= 1
    days = {first for first, item in named.items() if item.phrase is not None or item.repeats}
    for at in range(len(line)):
        if line[at].has("to") and line[at].has("by") and not days.isdisjoint(range(at, at + 3)):
            return True
        count = count_at(line, at)
        if count is not None and line[count.end].get("unit") in _LONG_UNITS:
            led = any(line[n].has("for") or line[n].word in ("durante", "por", "течение") for n in range(at - 3, at))
            if led or count.end == last or line[count.end + 1].word == "lang":
                return True
    return False


def _repeating(line: Line, named: Items, local: datetime) -> _Found | None:
    found = repetition(line, local.date(), named)
    return found and _Found(found.start, found.end, repeats=found.cron or None)


def _once(line: Line, named: Items, said: Said, local: datetime) -> _Found | None:
    """The alarm of the first expression with a time of day, or else of the first expression that names a day."""
    found = [one for first, item in named if (one := _moment(line, first, item, said, local)) is not None]
    timed = next((one for one, is_timed in found if is_timed), None)
    return timed or next((one for one, _ in found), None)


def _moment(line: Line, first: int, item: Item, said: Said, local: datetime) -> tuple[_Found, bool] | None:
    named = None if item.repeats or item.since else resolved(line, first, item, local, said.region, "future")
    if named is None or named.best is None:
        return None
    (best, other), clock = _likely(named, said, local), item.clock
    found = _Found(first, item.end, at=best.start, otherwise=other)
    if named.timed and (clock is None or clock.half or item.phrase is None):
        return found, True
    day = _counted(line, first, item, local.date()) or best.start.date()
    if clock is not None:
        return found._replace(at=_on(day, clock, local)), True
    hour = HOURS[item.part or "morning"]
    return found._replace(at=wall_time(day, hour, 0, said.zone)), bool(item.part)


def _likely(named: Expression, said: Said, local: datetime) -> tuple[Reading, datetime | None]:
    """The most likely reading and, if the order of day and month is in doubt (`12/10`), the other day. The nearer day
    is taken if the usual order is not known, or if the usual order gives a much later day."""
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
    """The day of a request that counts months or years. In a request, `in 3 months` is one day; in a statement, any day
    of that month."""
    if item.phrase is None or item.phrase.form != "count" or item.phrase.single:
        return None
    found = next(filter(None, (distance_at(line, at) for at in range(first, item.phrase.end))), None)
    return counted_day(today, found[1], found[0].value) if found is not None else None


def _bare_hour(line: Line, local: datetime) -> _Found | None:
    """The alarm of a request that gives only an hour, such as `at 5`: the next such hour at which people are awake."""
    for index in range(len(line)):
        clock = clock_at(line, index, beside_day=True) if line[index].has("exactly_at") else None
        if clock is not None:
            due = (_on(day, clock, local) for day in (local.date(), local.date() + DAY))
            return _Found(index, clock.end, at=next(at for at in due if at > local))
    return None


def _on(day: date, clock: Clock, local: datetime) -> datetime:
    """The clock time on that day. Without AM or PM, the half of the day in which people are awake is chosen. If this
    time has already passed today, the later half is chosen."""
    at = wall_time(day, awake(clock), clock.minute, local.tzinfo)
    later = wall_time(day, clock.hour % 12 + 12, clock.minute, local.tzinfo)
    return later if not clock.half and day == local.date() and at <= local < later else at
