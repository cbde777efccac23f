"""Grammar rules for repetitions within a day: `every 30 minutes`, `every two hours between 9 and 17`. Pure."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from itertools import pairwise, product
from typing import Final, NamedTuple, TypeVar

from tellonce_text.dates.clock_phrases import Clock, awake, one_clock
from tellonce_text.dates.intervals import MOST, UTC, Interval
from tellonce_text.dates.phrases import comma, skip
from tellonce_text.dates.readings import DAY
from tellonce_text.dates.repeated_days import every_at, is_adverb, repeated_days, spacing
from tellonce_text.dates.tokens import Line

LEAST: Final = 5
"""Minimum number of minutes between two times."""

_HOUR, _DAY = 60, 24 * 60
_RHYTHMS: Final = {"hour": _HOUR, "half_hour": _HOUR // 2}
_SPOKEN: Final = {"полчаса": 30, "viertelstunde": 15, "dreiviertelstunde": 45, "полтора": 90, "anderthalb": 90}


class Pulse(NamedTuple):
    """A repetition: its tokens from `start` to before `end`. `repeats` is a cron expression or an interval; None if
    neither can express the repetition."""

    start: int
    end: int
    repeats: str | None


def pulse(line: Line, local: datetime) -> Pulse | None:
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
    rhythm = _RHYTHMS.get(line[index].get("rhythm") or "")
    if rhythm is not None and is_adverb(line, index):
        return rhythm, index + 1
    begin = every_at(line, index)
    return _length(line, begin) if begin is not None else None


def _length(line: Line, begin: int) -> tuple[int, int] | None:
    spoken = _SPOKEN.get(line[begin].word)
    if spoken is not None:
        return spoken, begin + 1 + (line[begin + 1].get("unit") == "hour")
    hour = skip(line, begin + 1, "of", "article", "one")
    if line[begin].get("fraction") in (2, 4) and line[hour].get("unit") == "hour":
        return _HOUR // line[begin].get("fraction"), hour + 1
    count, at = spacing(line, begin)
    if line[at].get("unit") == "minute":
        return count, at + 1
    if line[at].get("unit") != "hour":
        return None
    half = skip(line, at + 2, "one") if line[at + 1].has("and") else at
    more = line[half].get("fraction") == 2
    return count * _HOUR + more * 30, (half if more else at) + 1


FoundT = TypeVar("FoundT")


def _within(line: Line, start: int, minutes: int, end: int, local: datetime) -> Pulse:
    """Add the hours and the days in which the repetition is due. The text may name the hours and days before or after
    the repetition."""
    hours: tuple[int, int] | None = None
    days: str | None = None
    for _ in range(2):
        if hours is None and (window := _beside(line, start, end, _window)) is not None:
            start, end, hours = window
        if days is None and (dated := _beside(line, start, end, lambda of, at: _days(of, at, local))) is not None:
            start, end, days = dated
    if hours is None and days is None:
        first = _first(line, end)
        end = first.end if first is not None else end
        return Pulse(start, end, _endless(minutes, local, first))
    return Pulse(start, end, _cron(minutes, hours or (0, _DAY - 1), days or "* * *"))


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


def _days(line: Line, at: int, local: datetime) -> tuple[str, int] | None:
    found = repeated_days(line, skip(line, at, "on"), local.date())
    return (found.days, found.end) if found is not None and found.days else None


def _window(line: Line, at: int) -> tuple[tuple[int, int], int] | None:
    """Parse `between 9 and 17`, `von 9 bis 17 Uhr`, `de 9 a 17`. Returns the first and the last minute of the day at
    which the alarm may be due. The last minute is smaller than the first if the hours cross midnight."""
    if not (line[at].has("between") or line[at].has("from") or line[at].word == "de"):
        return None
    for first in (one_clock(line, _led(line, at + 1)), _plain(line, _led(line, at + 1))):
        joint = line[first.end] if first is not None else None
        if first is None or joint is None or not (joint.has("and") or joint.has("to") or joint.has("exactly_at")):
            continue
        second = one_clock(line, _led(line, first.end + (not joint.has("exactly_at"))))
        if second is not None:
            end = second.end + (line[second.end].word == "часами")
            last = line[second.end - 1]
            of_24 = second.hour > 12 and not (last.has("half_of_day") or last.suffix)
            return _minutes(first, second, of_24=of_24), end
    return None


def _led(line: Line, at: int) -> int:
    return skip(line, at, "article", "at")


def _plain(line: Line, at: int) -> Clock | None:
    """The hour in a plain number. A plain number is tried because the next words may look like minutes but are not:
    `entre 9 y 15`."""
    value = line[at].value if line[at].kind == "number" and not line[at].suffix else None
    return Clock(at + 1, value, half=value > 12) if value is not None and value <= 24 else None


def _minutes(first: Clock, second: Clock, *, of_24: bool) -> tuple[int, int]:
    """Convert two times to minutes of the day. Without AM or PM, the second time is after the first. Both are at hours
    when people are awake, unless the text uses the 24-hour clock."""
    begin, end = first.hour * 60 + first.minute, second.hour * 60 + second.minute
    noon = _DAY // 2
    latest = end if second.half else end % noon + noon
    if not of_24 and not first.half and first.hour <= 6 and begin + noon < latest:
        begin += noon
    return begin, end if second.half or end > begin else latest


def _first(line: Line, end: int) -> Clock | None:
    """Parse the first time, as in `starting at 9` or `ab 9 Uhr`."""
    led = line[end].has("from") or line[end].word == "ab"
    return one_clock(line, skip(line, end + 1, "from", "article", "at")) if led else None


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
