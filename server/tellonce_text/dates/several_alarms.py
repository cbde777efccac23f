"""Finds all alarms in one request: `at 9 and at 15:00`, `tomorrow at 8 and again on Friday`. Pure."""

from collections.abc import Sequence
from datetime import datetime, time
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_text.dates.alarms import MOST_READ, Alarm, alarm, hour_alone
from tellonce_text.dates.intervals import Interval, wall
from tellonce_text.dates.readings import DAY, Said
from tellonce_text.dates.tokens import Line, line_of

MOST: Final = 5
"""Maximum number of alarms of one request."""
_MOST_JOINTS: Final = 20
_FILLERS: Final = 2
"""Maximum number of words between `and` and a time, such as `again` or `noch einmal`."""


def alarms(text: str, said: Said, language: str | None = None) -> tuple[Alarm, ...]:
    """Return the alarms that a text requests, in the order of the text; empty if the text gives no time. The place of
    each later alarm includes the `and` before it. An alarm without a day gets the day of the previous alarm, and an
    alarm without a time gets the time of the next alarm.

    `language` is the language of the request, if known; otherwise it is detected from the words.
    """
    text = text[:MOST_READ]
    line, whole = line_of(text, language), alarm(text, said, language)
    if line is None or whole is None:
        return ()
    cuts = _cuts(line, whole, said)
    parts = [(0, 0), *cuts]
    ends = [*(first for first, _ in cuts), len(text)]
    found = []
    for (first, begin), end in zip(parts, ends, strict=True):
        one = _read(text[begin:end], said, line.language, alone=first > 0)
        if one is None:
            return (whole,)
        start = first or begin + one.start
        found.append(one._replace(start=start, end=begin + one.end, lead=begin + one.start - start))
    return _shared(found, said) if len(found) > 1 else (whole,)


def _read(text: str, said: Said, language: str, *, alone: bool) -> Alarm | None:
    """The alarm of a part of a request. With `alone`, the part may begin with a bare hour."""
    return alarm(text, said, language) or (hour_alone(text, said, language) if alone else None)


def _cuts(line: Line, whole: Alarm, said: Said) -> list[tuple[int, int]]:
    """For each further alarm, the position of its `and` or comma, and the position of its own words."""
    cuts: list[tuple[int, int]] = []
    begun = 0
    for joint in [at for at in range(len(line)) if _is_joint(line, at)][:_MOST_JOINTS]:
        token = line[joint]
        left = _read(line.text[begun : token.start], said, line.language, alone=bool(cuts))
        if left is None or (left.at is None and left.repeats is None) or _is_bound(line, joint, begun, whole):
            continue
        beside = not line.text[begun + left.end : token.start].strip()
        begin = _begin(line, joint, left, said, beside=beside, within=whole.start < token.start < whole.end)
        if begin is not None and len(cuts) < MOST - 1:
            cuts.append((token.start, begin))
            begun = begin
    return cuts


def _is_bound(line: Line, joint: int, begun: int, whole: Alarm) -> bool:
    """Whether the token `joint` (`and` or a comma) joins words of one expression, as in `every Monday and Thursday`,
    `between 8 and 9` or `Friday, March 6`."""
    between = any(line[at].has("between") for at in range(joint) if line[at].start >= begun)
    within = whole.start < line[joint].start < whole.end
    return between or (within and (whole.repeats is not None or line[joint].word == ","))


def _begin(line: Line, joint: int, left: Alarm, said: Said, *, beside: bool, within: bool) -> int | None:
    """The position of the words of the alarm that follows a joint; None if no alarm follows. A comma may join only
    alarms of one kind: `at 8, 12 and 20`, `on Monday, Wednesday and Friday`."""
    comma = line[joint].word == ","
    for at in range(joint + 1, min(joint + 2 + (_FILLERS if beside and not comma else 0), len(line))):
        right = _right(line, at, said, bare=at == joint + 1 and left.timed and not within)
        if right is None:
            continue
        days = (left.dated, left.timed) == (right.dated, right.timed) == (True, False)
        if not comma or days or (left.timed and not right.dated):
            return line[at].start
    return None


def _right(line: Line, at: int, said: Said, *, bare: bool) -> Alarm | None:
    """The alarm that begins at a token. With `bare`, the alarm may be a bare hour. The text up to the next joint is
    tried first. Then the whole rest of the text is tried, because a later alarm of a list may give the time of day."""
    begin = line[at].start
    stop = next((line[n].start for n in range(at, len(line)) if _is_joint(line, n)), len(line.text))
    hour = hour_alone(line.text[begin:], said, line.language) if bare else None
    read = (alarm(text, said, line.language) for text in (line.text[begin:stop], line.text[begin:]))
    return next((found for found in (hour, *read) if found is not None and found.start == 0), None)


def _is_joint(line: Line, at: int) -> bool:
    return line[at].has("and") or line[at].has("or") or line[at].word == ","


def _shared(found: Sequence[Alarm], said: Said) -> tuple[Alarm, ...]:
    """Copy shared days and times to the alarms that do not give them."""
    timed = list(found)
    for at in range(len(timed) - 2, -1, -1):
        if not timed[at].timed and timed[at + 1].timed:
            timed[at] = _at_time_of(timed[at], timed[at + 1], said.zone)
    timed = [*(_before(one, after, said) for one, after in pairwise(timed)), timed[-1]]
    shared = timed[:1]
    for one in timed[1:]:
        if not one.dated and shared[-1].dated:
            moved = _at_time_of(shared[-1], one, said.zone)
            one = moved._replace(start=one.start, end=one.end, lead=one.lead, shares_day=True)
        shared.append(one)
    return tuple(shared)


def _before(one: Alarm, after: Alarm, said: Said) -> Alarm:
    """If the next alarm has an earlier time of day, an alarm without AM or PM moves to the AM hour. In `at 9 and at
    15:00`, the first hour is not 21:00."""
    if one.at is None or after.at is None or one.dated or one.halved or one.at.time() < after.at.time():
        return one
    morning = one.at.time().replace(hour=one.at.hour % 12)
    today = said.at.astimezone(said.zone).date()
    at = next(at for day in (today, today + DAY) if (at := wall(day, morning, said.zone)) > said.at)
    return one._replace(at=at, halved=True)


def _at_time_of(one: Alarm, clock: Alarm, zone: ZoneInfo) -> Alarm:
    """The alarm `one`, moved to the time of day of the alarm `clock`."""
    at, timed = _clock(clock), one._replace(timed=True)
    if at is None:
        return one
    if one.at is not None:
        return timed._replace(at=wall(one.at.date(), at, zone))
    interval = Interval.read(one.repeats or "")
    if interval is not None:
        return timed._replace(repeats=str(interval._replace(start=datetime.combine(interval.start.date(), at))))
    days = (one.repeats or "").split()[2:]
    return timed._replace(repeats=" ".join((str(at.minute), str(at.hour), *days)))


def _clock(one: Alarm) -> time | None:
    """The time of day of an alarm; None if the alarm is due several times a day."""
    interval = Interval.read(one.repeats or "")
    moment = one.at or (interval and interval.start)
    if moment is not None:
        return moment.time()
    minute, hour = (one.repeats or "* *").split()[:2]
    return time(int(hour), int(minute)) if minute.isdecimal() and hour.isdecimal() else None
