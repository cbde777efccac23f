"""Grammar rules for repetitions with their times of day: `every Monday at 8`, `every 30 minutes`, `every two hours
between 9 and 17`. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise, product
from typing import Final, NamedTuple, TypeVar

from tellonce_text.dates.clock_phrases import Clock, awake, clock_at, in_part, one_clock, part_at
from tellonce_text.dates.durations import duration
from tellonce_text.dates.intervals import MOST, UTC, Interval, IntervalUnit
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.phrases import comma, count_at, day_number, skip
from tellonce_text.dates.readings import DAY, add_months
from tellonce_text.dates.repeated_days import HOURS, UNITS, RepeatedDays, every_at, is_adverb, repeated_days, spacing
from tellonce_text.dates.tokens import Line, line_of

LEAST: Final = 5
"""Minimum number of minutes between two times."""
_HOUR, _DAY = 60, 24 * 60
_LENGTHS: Final = {"minute": 1, "hour": _HOUR, "half_hour": _HOUR // 2}
"""The units that are shorter than a day, in minutes."""
FoundT = TypeVar("FoundT")
_WITHIN_DAY: Final[dict[str, tuple[int, IntervalUnit]]] = {**UNITS, "hour": (1, "hour"), "minute": (1, "minute")}
_MISSING: Final = {"29 * *": (1, 12), "30 * *": (1, 12), "31 * *": (1, 12), "29 2 *": (12, 2)}
"""Some months or years lack these days. Each value has two numbers: the months between two alarms, and the number of a
month that has the day."""
LONGEST: Final = 1_999
"""Maximum number of days or months until the end of a repetition. If a text gives a longer length, the repetition has
no end."""
Items = Iterable[tuple[int, Item]]
"""The expressions of a line, each with the index of its first token."""


class End(NamedTuple):
    """The words that say when a repetition ends, up to the token before `stop`. `lasts` is a length: a number and a
    unit. If there is no length, `until` is the item of the last day or time, with the index of the item's first
    token."""

    stop: int
    lasts: tuple[int, IntervalUnit] | None = None
    until: tuple[int, Item] | None = None


class Repetition(NamedTuple):
    """A repetition in the tokens `start:end`. `repeats` is a cron expression or an interval; None if neither can
    express the repetition. `timed` says whether the text gives a time of day. `limit` is the end of the repetition, if
    the text names one."""

    start: int
    end: int
    repeats: str | None
    timed: bool = True
    limit: End | None = None


def repetition(line: Line, local: datetime, named: Items) -> Repetition | None:
    """The first repetition in a text that was said at `local`; None if there is none. `named` contains the items of the
    line."""
    within_day = _pulse(line, local)
    if within_day is not None:
        return _limited(line, within_day, by_a_time=True)
    for index in range(len(line)):
        found = repeated_days(line, index, local.date())
        if found is not None:
            return _limited(line, _with_clock(line, index, found, local), by_a_time=False)
    return _inexpressible(line, named)


def says_end(text: str, language: str | None = None) -> bool:
    """Whether the subject of a repetition says when the repetition ends: `take pills for 5 days`, `call Ann until
    Christmas`. A length at the end of the text counts if it is at least a day."""
    line = line_of(text, language)
    if line is None:
        return False
    last = len(line) - 1
    while last > 0 and (line[last].kind == "mark" or line[last].word == "lang"):
        last -= 1
    lasts = line[last].has("unit") and line[last].get("unit") not in ("hour", "minute")
    counted = any((count := count_at(line, at)) is not None and count.end == last for at in range(last - 3, last))
    untils = [at for at in range(len(line)) if _is_until(line, at)]
    named = tuple(items(line)) if untils else ()
    return (lasts and counted) or any(_until_at(line, at, by_a_time=False, named=named) for at in untils)


def _limited(line: Line, found: Repetition, *, by_a_time: bool) -> Repetition:
    """Add the words that say when a repetition ends. These words are directly before or after the repetition: `every 8
    hours for 5 days`, `until Friday every morning`. With `by_a_time`, the end may also be a time of day: `every hour
    until 6 pm`."""
    if found.limit is not None:
        return found
    after = _end_at(line, comma(line, found.end), by_a_time=by_a_time)
    if after is not None:
        return found._replace(end=after.stop, limit=after)
    # In the whole line, the day could be parsed together with the repetition: `until Sunday every day`.
    led = line_of(line.text[: line[found.start].start], line.language) if found.start else None
    named = tuple(items(led)) if led is not None else ()
    for at in range(found.start):
        before = _end_at(led, at, by_a_time=by_a_time, named=named) if led is not None else None
        if led is not None and before is not None and comma(led, before.stop) == found.start:
            return found._replace(start=at, limit=before)
    return found


def _end_at(line: Line, at: int, *, by_a_time: bool, named: Items | None = None) -> End | None:
    """Parse the end of a repetition: `until Friday`, `for 5 days`, `5 Tage lang`. With `by_a_time`, the end may be a time
    of day, and the length may be shorter than a day."""
    until = _until_at(line, at, by_a_time=by_a_time, named=named)
    if until is not None:
        return End(until[1].end, until=until)
    in_course = line[at + 1].word == "течение"
    led = line[at].has("for") or line[at].word in ("durante", "por") or in_course
    begin = skip(line, at + 1 + in_course, "article", "step") if led else at
    count = count_at(line, begin)
    noun = count.end if count is not None else begin
    number, unit = (_WITHIN_DAY if by_a_time else UNITS).get(line[noun].get("unit") or "", (0, "day"))
    length = number * (count.value if count is not None else 1)
    if not 0 < length <= LONGEST or not (led or (count is not None and line[noun + 1].word == "lang")):
        return None
    return End(noun + 1 + (line[noun + 1].word == "lang"), (length, unit))


def _until_at(line: Line, at: int, *, by_a_time: bool, named: Items | None = None) -> tuple[int, Item] | None:
    """The day that follows a word such as `until`. With `by_a_time`, a time of day can follow instead. None if the
    token is not such a word. `named` are the items of the line, if they are known."""
    if not _is_until(line, at):
        return None
    named = items(line) if named is None else named
    found = ((first, item) for first, item in named if item.phrase is not None or by_a_time)
    return next(((first, item) for first, item in found if at <= first <= at + 2), None)


def _is_until(line: Line, at: int) -> bool:
    return line[at].has("to") and line[at].has("by")


def _inexpressible(line: Line, named: Items) -> Repetition | None:
    """A repetition that no rule can parse, such as `every minute` or `every 40th day`."""
    repeats = next(((first, item.end) for first, item in named if item.repeats), None)
    place = repeats or next(
        ((at, at + 2) for at in range(len(line)) if line[at].has("every") and day_number(line, at + 1)), None
    )
    return Repetition(*place, None) if place else None


def _with_clock(line: Line, index: int, found: RepeatedDays, local: datetime) -> Repetition:
    """Add the time of day, which may come before or after the days: `every Monday at 8`, `at 8 every Monday`."""
    after_days = part_at(line, found.end)
    part, end = after_days or (found.part, found.end)
    after = clock_at(line, end, beside_day=True)
    if after is not None:
        clocks = [after, *_more_clocks(line, end, after)]
        return Repetition(index, clocks[-1].end, _repeats(clocks, found, local, part))
    begin = index
    while line[begin - 1].has("on") or line[begin - 1].has("article"):
        begin -= 1
    for at in range(begin):
        before = clock_at(line, at, beside_day=True)
        if before is not None and before.end == begin:
            return Repetition(at, end, _repeats([before], found, local, part))
    limit = _end_at(line, comma(line, end), by_a_time=False)
    clock = _clock_of(line, limit) if limit is not None else None
    if limit is not None and clock is not None:
        clocks = [clock, *_more_clocks(line, limit.stop, clock)]
        return Repetition(index, clocks[-1].end, _repeats(clocks, found, local, part), limit=limit)
    usual = Clock(end, HOURS[part or "morning"])
    return Repetition(index, end, _repeats([usual], found, local), timed=after_days is not None)


def _clock_of(line: Line, limit: End) -> Clock | None:
    """The time of day after the end of a repetition: `every Monday until Christmas at 9`."""
    if limit.until is not None and limit.until[1].clock is not None:
        return limit.until[1].clock._replace(end=limit.stop)
    return clock_at(line, limit.stop, beside_day=True)


def _more_clocks(line: Line, start: int, first: Clock) -> Iterator[Clock]:
    """The times after the first time, as in `8 and 20` or `8 am and 8 pm`. `start` is the index of the first time. The
    grammar of clock times parses `8 am and 8 pm` as a range."""
    end = first.end
    if first.until is not None and any(line[at].has("and") for at in range(start, end)):
        yield Clock(end, *first.until)
    while (line[end].has("and") or line[end].word == ",") and (hour := hour_at(line, end + 1)) is not None:
        yield hour
        end = hour.end


def hour_at(line: Line, at: int) -> Clock | None:
    """The time of day at a token. A plain number is an hour only in two cases: the text ends after the number, or the
    next token is `to`, `for`, `and` or a comma."""
    clock = clock_at(line, at, beside_day=True)
    following = line[at + 1]
    ends = at + 1 == len(line) or following.word == "," or any(map(following.has, ("to", "for", "and")))
    return _plain(line, at) if clock is None and ends else clock


def _repeats(clocks: Sequence[Clock], found: RepeatedDays, local: datetime, part: str | None = None) -> str | None:
    """The repetition at each of the times, which are in the part of the day `part`. A cron expression covers only times
    with the same minute. An interval covers only one time. In all other cases, the result is None."""
    clocks = [in_part(clock, part) for clock in clocks]
    if found.every is not None:
        return str(_interval(clocks[0], found, local)) if len(clocks) == 1 else None
    if len(clocks) == 1 and (clamped := _clamped(clocks[0], found.days, local)) is not None:
        return str(clamped)
    hours = ",".join(str(hour) for hour in sorted({awake(clock) % 24 for clock in clocks}))
    minutes = {clock.minute for clock in clocks}
    return f"{minutes.pop()} {hours} {found.days}" if found.days and len(minutes) == 1 else None


def _clamped(clock: Clock, days: str, local: datetime) -> Interval | None:
    """The interval for a day that some months or years lack. In such a month, the interval is due on the last day,
    whereas a cron expression would skip the month. None for other days."""
    if days not in _MISSING:
        return None
    number, month = _MISSING[days]
    day, year = int(days.split()[0]), local.year - 1
    year -= year % 4 if number == 12 else 0
    return Interval(datetime(year, month, day, awake(clock) % 24, clock.minute), number, "month")


def _interval(clock: Clock, found: RepeatedDays, local: datetime) -> Interval:
    """The interval that begins at the next possible time."""
    assert found.every is not None
    assert found.first is not None
    count, unit = found.every
    start = datetime.combine(found.first, time(awake(clock) % 24, clock.minute))
    if start > local.replace(tzinfo=None):
        return Interval(start, count, unit)
    if unit == "month":
        return Interval(datetime.combine(add_months(found.first, count), start.time()), count, unit)
    later = found.first + (1 if count % 7 else count) * DAY
    return Interval(datetime.combine(later, start.time()), count, unit)


def _pulse(line: Line, local: datetime) -> Repetition | None:
    """The first repetition of the text that is due several times a day; None if there is none. `local` is the time at
    which the text was said."""
    for index in range(len(line)):
        beat = _beat(line, index)
        if beat is not None:
            return _within(line, index, *beat, local)
    return None


def _beat(line: Line, index: int) -> tuple[int, int] | None:
    """Parse `every 30 minutes`, `hourly`, `jede halbe Stunde`. Returns the number of minutes and the index after the
    words."""
    rhythm = _LENGTHS.get(line[index].get("rhythm") or "")
    if rhythm is not None and is_adverb(line, index):
        return rhythm, index + 1
    begin = every_at(line, index)
    if begin is None:
        return None
    count, at = spacing(line, begin)
    found = duration(line, begin)
    if found is not None:  # `half hour`, `hour and a half`, `anderthalb Stunden`
        return found.length // timedelta(minutes=1), found.end
    unit = _LENGTHS.get(line[at].get("unit") or "")
    return (count * unit, at + 1) if unit else None


def _within(line: Line, start: int, minutes: int, end: int, local: datetime) -> Repetition:
    """Add the hours and the days in which the repetition is due. The text may name the hours and days before or after
    the repetition."""

    def days_at(of: Line, at: int) -> tuple[str, int] | None:
        found = repeated_days(of, skip(of, at, "on"), local.date())
        return (found.days, found.end) if found is not None and found.days else None

    hours: tuple[int, int] | None = None
    days: str | None = None
    for _ in range(2):
        if hours is None and (window := _beside(line, start, end, _window)) is not None:
            start, end, hours = window
        if days is None and (dated := _beside(line, start, end, days_at)) is not None:
            start, end, days = dated
    if hours is not None or days is not None:
        return Repetition(start, end, _cron(minutes, hours or (0, _DAY - 1), days or "* * *"))
    led = line[end].has("from") or line[end].word == "ab"  # `starting at 9`
    first = one_clock(line, skip(line, end + 1, "from", "article", "at")) if led else None
    return Repetition(start, first.end if first is not None else end, _endless(minutes, local, first))


def _beside(
    line: Line, start: int, end: int, parse: Callable[[Line, int], tuple[FoundT, int] | None]
) -> tuple[int, int, FoundT] | None:
    """Parse the words after the tokens or, if this fails, the words directly before the tokens. Returns the start and
    the end of all these tokens, and the parsed value."""
    after = parse(line, comma(line, end))
    if after is not None:
        return start, after[1], after[0]
    for at in range(start):
        before = parse(line, at)
        if before is not None and comma(line, before[1]) == start:
            return at, end, before[0]
    return None


def _window(line: Line, at: int) -> tuple[tuple[int, int], int] | None:
    """Parse `between 9 and 17`, `von 9 bis 17 Uhr`, `de 9 a 17`. Returns the time of day in which the alarm repeats,
    and the index after the words. This time is given by its first and its last minute of the day. The last minute is
    smaller than the first if the hours cross midnight."""
    if not (line[at].has("between") or line[at].has("from") or line[at].word == "de"):
        return None
    begin = skip(line, at + 1, "article", "at")
    for first in (one_clock(line, begin), _plain(line, begin)):
        joint = line[first.end] if first is not None else None
        if first is None or joint is None or not (joint.has("and") or joint.has("to") or joint.has("exactly_at")):
            continue
        second = one_clock(line, skip(line, first.end + (not joint.has("exactly_at")), "article", "at"))
        if second is not None:
            last = line[second.end - 1]
            of_24 = second.hour > 12 and not (last.has("half_of_day") or last.suffix)
            return _minutes(first, second, of_24=of_24), second.end + (line[second.end].word == "часами")
    return None


def _plain(line: Line, at: int) -> Clock | None:
    """The hour in a plain number. In `entre 9 y 15`, the words after `9` look like minutes, but `9` is a plain
    number."""
    value = line[at].value if line[at].kind == "number" and not line[at].suffix else None
    return Clock(at + 1, value, half=value > 12) if value is not None and value < 24 else None


def _minutes(first: Clock, second: Clock, *, of_24: bool) -> tuple[int, int]:
    """Convert two times to minutes of the day. Without AM or PM, the second time is after the first. Both are at hours
    when people are awake, unless the text uses the 24-hour clock."""
    begin, end = first.hour * 60 + first.minute, second.hour * 60 + second.minute
    noon = _DAY // 2
    latest = end if second.half else end % noon + noon
    if not of_24 and not first.half and first.hour <= 6 and begin + noon < latest:
        begin += noon
    return begin, end if second.half or end > begin else latest


def _endless(minutes: int, local: datetime, first: Clock | None) -> str | None:
    """The interval, which has no end. The interval begins at the first time that the text gives; without such a time,
    it begins `minutes` after `local`."""
    hours = minutes // _HOUR if minutes % _HOUR == 0 else 0
    if minutes < LEAST or (hours or minutes) > MOST:
        return None
    start = (local.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(local.tzinfo)
    start = start.replace(second=0, microsecond=0, tzinfo=None)
    if first is not None:
        said = local.replace(tzinfo=None)
        start = datetime.combine(said.date(), time(awake(first) % 24, first.minute))
        start += DAY if start <= said else 0 * DAY
    return str(Interval(start, hours or minutes, "hour" if hours else "minute"))


def _cron(minutes: int, hours: tuple[int, int], days: str) -> str | None:
    """The cron expression; None if the times do not have the same minutes in each hour. If no expression covers all
    times, the last time is left out."""
    times = list(range(hours[0], hours[1] + 1, minutes)) if minutes >= LEAST else []
    for due in (times, times[:-1]):
        of_hour, of_day = sorted({at % _HOUR for at in due}), sorted({at // _HOUR for at in due})
        if due and due == [hour * _HOUR + minute for hour, minute in product(of_day, of_hour)]:
            return f"{_field(of_hour)} {'*' if len(of_day) == 24 else _field(of_day)} {days}"
    return None


def _field(values: list[int]) -> str:
    """The values as a field of a cron expression, as a range if they are evenly spaced."""
    steps = {after - before for before, after in pairwise(values)}
    if len(values) < 3 or len(steps) > 1:
        return ",".join(map(str, values))
    step = steps.pop()
    return f"{values[0]}-{values[-1]}" + (f"/{step}" if step > 1 else "")
