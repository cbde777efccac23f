"""Reads the times that a query names, and separates their words from its other words. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_text.dates.meanings import QueryTime, Span, query_times

LONGEST_MENTIONED: Final = timedelta(days=32)
"""Maximum length of a period that words such as "last month" can mean. It is also the maximum time between this period
and the message with these words. Vaguer words such as "last year" are ignored."""

WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class AskedTimes:
    """The times that a query names.

    - `spans`: the past periods in which an answer was probably said.
    - `told`: the periods of which an answer may speak. They include `spans` and future periods.
    - `exact`: the words of the times that are certain and not long, such as "last week" or "26 October".
    - `names`: the words of the other times, such as "Tuesday", "this year" or "at 9am". The query may mean every
      Tuesday, so these words may be words of an answer.
    - `rest`: the query without the words of `exact`.
    - `is_clear`: whether the query certainly means `told`.
    - `is_timed`: whether a time of day is in `exact`.
    """

    spans: Sequence[Span] = ()
    told: Sequence[Span] = ()
    exact: str = ""
    names: str = ""
    rest: str = ""
    is_clear: bool = False
    is_timed: bool = False


def asked_times(text: str, now: datetime, zone: ZoneInfo) -> AskedTimes:
    """The times that a query names, seen from `now`."""
    times = query_times(text, now, zone)
    if not times:
        return AskedTimes(rest=text)
    today = now.astimezone(zone).date()
    unsure = [time for time in times if time.recurs or (time.timed and time.past[0].date() >= today)]
    exact = [time for time in times if time not in unsure and _length(time) <= LONGEST_MENTIONED]
    spans = [time.past for time in times if time.past[0] < now]
    return AskedTimes(
        spans=spans,
        told=list(dict.fromkeys([*spans, *(span for time in times for span in time.others)])),
        exact=_words(text, exact),
        names=_words(text, [time for time in times if time not in exact]),
        rest=_without(text, exact),
        is_clear=all(_length(time) <= WEEK for time in unsure),
        is_timed=any(time.timed for time in exact),
    )


def seen_from(times: AskedTimes, text: str, last: datetime, zone: ZoneInfo) -> AskedTimes:
    """The same times, but relative to the day after `last`, the time of an old conversation's last message."""
    earlier = asked_times(text, last + timedelta(days=1), zone)
    return replace(times, spans=earlier.spans, told=earlier.told)


def _length(time: QueryTime) -> timedelta:
    return time.past[1] - time.past[0]


def _without(text: str, times: Sequence[QueryTime]) -> str:
    pieces, written = [], 0
    for time in times:
        pieces.append(text[written : time.start])
        written = time.end
    return " ".join([*pieces, text[written:]]) if times else text


def _words(text: str, times: Sequence[QueryTime]) -> str:
    return " ".join(text[time.start : time.end] for time in times)
