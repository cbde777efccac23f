"""Grammar rules for repetitions with their times of day: `every Monday at 8`, `at 8 every Monday`. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, time
from typing import NamedTuple

from tellonce_text.dates.clock_phrases import Clock, awake, clock_at, part_at
from tellonce_text.dates.intervals import Interval
from tellonce_text.dates.items import items
from tellonce_text.dates.phrases import comma, count_at, day_number, skip
from tellonce_text.dates.pulses import pulse
from tellonce_text.dates.readings import DAY, add_months
from tellonce_text.dates.repeated_days import HOURS, RepeatedDays, repeated_days
from tellonce_text.dates.tokens import Line, line_of


class Repetition(NamedTuple):
    """A repetition: its tokens from `start` to before `end`. `repeats` is a cron expression or an interval; None if
    neither can express the repetition. `timed` says whether the text gives a time of day."""

    start: int
    end: int
    repeats: str | None
    timed: bool = True


def repetition(line: Line, local: datetime) -> Repetition | None:
    """The first repetition in a text that was said at `local`; None if there is none."""
    within_day = pulse(line, local)
    if within_day is not None:
        return _unless_limited(line, Repetition(*within_day), by_a_time=True)
    for index in range(len(line)):
        found = repeated_days(line, index, local.date())
        if found is not None:
            return _unless_limited(line, _with_clock(line, index, found, local), by_a_time=False)
    return _inexpressible(line)


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
    return (lasts and counted) or any(_until_at(line, at, by_a_time=False) for at in range(len(line)))


def _unless_limited(line: Line, found: Repetition, *, by_a_time: bool) -> Repetition:
    """The repetition. `repeats` becomes None if the text says when the repetition ends, because neither a cron
    expression nor an interval has an end: `every 8 hours for 5 days`, `every Monday until Christmas`. With `by_a_time`,
    the end may also be a time of day: `every hour until 6 pm`."""
    at = comma(line, found.end)
    if line[at].has("to") and line[at].has("by"):
        limited = _until_at(line, at, by_a_time=by_a_time)
    else:
        length = skip(line, at + 1 + (line[at + 1].word == "течение"), "article", "step")
        count = count_at(line, length)
        lasting = line[at].has("for") or line[at].word == "durante" or line[at + 1].word == "течение"
        limited = lasting and line[count.end if count is not None else length].has("unit")
    return found._replace(repeats=None) if limited else found


def _until_at(line: Line, at: int, *, by_a_time: bool) -> bool:
    """Whether the token is a word such as `until`, and a day or, with `by_a_time`, a time of day follows it."""
    if not (line[at].has("to") and line[at].has("by")):
        return False
    begins = {first for first, item in items(line) if item.phrase is not None or by_a_time}
    return not begins.isdisjoint((at, at + 1, at + 2))


def _inexpressible(line: Line) -> Repetition | None:
    """A repetition that no rule can parse, such as `every minute` or `every 40th day`."""
    repeats = next(((first, item.end) for first, item in items(line) if item.repeats), None)
    place = repeats or next(
        ((at, at + 2) for at in range(len(line)) if line[at].has("every") and day_number(line, at + 1)), None
    )
    return Repetition(*place, None) if place else None


def _with_clock(line: Line, index: int, found: RepeatedDays, local: datetime) -> Repetition:
    """Add the time of day, which may come before or after the days: `every Monday at 8`, `at 8 every Monday`."""
    part = part_at(line, found.end)
    hour, end = (HOURS[part[0]], part[1]) if part else (found.hour, found.end)
    after = clock_at(line, end, beside_day=True)
    if after is not None:
        clocks = [after, *_more_clocks(line, end, after)]
        return Repetition(index, clocks[-1].end, _repeats(clocks, found, local))
    begin = index
    while line[begin - 1].has("on") or line[begin - 1].has("article"):
        begin -= 1
    for at in range(begin):
        before = clock_at(line, at, beside_day=True)
        if before is not None and before.end == begin:
            return Repetition(at, end, _repeats([before], found, local))
    return Repetition(index, end, _repeats([Clock(end, hour)], found, local), timed=part is not None)


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
    """The time of day at a token. A plain number is an hour only if it counts nothing: the text ends after the number,
    or `to`, `for`, `and` or a comma follows the number."""
    clock = clock_at(line, at, beside_day=True)
    value = line[at].value if line[at].kind == "number" and not line[at].suffix else None
    following = line[at + 1]
    ends = at + 1 == len(line) or following.word == "," or any(map(following.has, ("to", "for", "and")))
    return (
        Clock(at + 1, value, half=value > 12) if clock is None and value is not None and value < 24 and ends else clock
    )


def _repeats(clocks: Sequence[Clock], found: RepeatedDays, local: datetime) -> str | None:
    """The repetition at each of the times. A cron expression covers only times with the same minute, and an interval
    only one time; otherwise, the result is None."""
    if found.every is not None:
        return str(_interval(clocks[0], found, local)) if len(clocks) == 1 else None
    hours = ",".join(str(hour) for hour in sorted({awake(clock) % 24 for clock in clocks}))
    minutes = {clock.minute for clock in clocks}
    return f"{minutes.pop()} {hours} {found.days}" if found.days and len(minutes) == 1 else None


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
