"""Uses the time expressions of a text for three purposes: time spans to search, the days that the text can mean, and a
goal's due time."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce_text.dates.readings import Expression, Reading, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of

Span = tuple[datetime, datetime]
"""A half-open span of time: the first moment of the span, and the first moment after the span."""


LONGEST_QUESTION: Final = 2_000

_SEASONS_DIFFER: Final = timedelta(days=22)
"""The time between the first day of a month and the equinox or the solstice in that month. A season can begin on the
first of the month, or at the equinox or the solstice."""
_SLACK: Final = {"month": timedelta(days=10), "year": timedelta(days=92)}
"""The tolerance of an approximate count in months or years, such as "two months ago"."""
_EVENTS: Final = frozenset({"instant", "day", "week"})
"""The precisions that the time of an event can have."""
_TWO_WEEKS: Final = 14
_HALF_YEAR: Final = 183


class QueryTime(NamedTuple):
    """A time expression of a query.

    - `start` and `end`: its place in the query.
    - `past`: the span that a question about the past means.
    - `others`: other spans that it can mean. The first is the span that the tense of the query suggests.
    - `timed`: the expression gives a time of day.
    - `recurs`: the expression is only a name, such as a weekday, a month or a feast, and the tense of the query does not
      say that a past one is meant.
    """

    start: int
    end: int
    past: Span
    others: Sequence[Span]
    timed: bool
    recurs: bool


def query_times(text: str, now: datetime, zone: ZoneInfo) -> list[QueryTime]:
    """The time expressions of a query, in order. Expressions whose days are not known are left out. The tense of a text
    with more than LONGEST_QUESTION characters is not considered, because it would be read twice."""
    said = Said(now, zone, region_of(zone))
    passed = expressions(text, said, "past")
    tensed = expressions(text, said) if passed and len(text) <= LONGEST_QUESTION else ()
    meant = {found.start: _span(found, said) for found in tensed}
    times = []
    for found in passed:
        past = _span(found, said)
        if past is not None:
            coming, named = past[0] > now, _is_name(found, now)
            others = [meant.get(found.start) or past]
            others += [(other.start, other.end) for other in found.readings[1:] if coming and other.start < other.end]
            recurs = named and (coming or others[0] != past)
            times.append(QueryTime(found.start, found.end, past, others, found.timed, recurs))
    return times


def _is_name(found: Expression, now: datetime) -> bool:
    """Whether an expression is only a name, such as "Tuesday", which can be past or coming."""
    passed = [reading.start <= now for reading in found.readings]
    return any(passed) and not all(passed) and not any(map(str.isdigit, found.text))


def message_spans(text: str, sent_at: datetime, zone: ZoneInfo) -> list[Span]:
    """The spans that a message means. The tense of the message's verbs decides whether the spans are past or future."""
    said = Said(sent_at, zone, region_of(zone))
    spans = (_span(found, said) for found in expressions(text, said))
    return [span for span in spans if span is not None]


def _span(found: Expression, said: Said) -> Span | None:
    """The most probable span of an expression; None if its days are not known, or if the span is empty."""
    if found.best is None:
        return None
    end = max(found.best.end, said.at.astimezone(said.zone)) if found.since else found.best.end
    span = (found.best.start - found.best.slack, end + found.best.slack)
    return span if span[0] < span[1] else None


def admits(text: str, day: date, said: Said) -> bool:
    """Whether an expression of the text can mean the day: the day is in the span of a possible reading."""
    return any(_covers(found, day, said) for found in expressions(text, said))


def possible(found: Expression, said: Said) -> list[Reading]:
    """The readings of an expression that a careful reader would accept.

    If the first reading is certain, another reading is accepted in two cases. The first case: the other reading
    contains the first reading. For example, the second reading of `in three weeks` includes the days around it. The
    second case: the other reading is more than two weeks from the first reading and at most half a year from today. For
    example, the same weekday of the next week is not accepted.
    """
    today = said.at.astimezone(said.zone).date()
    first, *others = found.readings or (None,)
    if first is None:
        return []

    def is_accepted(other: Reading) -> bool:
        # A reading can be far from the first reading: one is the last 20th, and the other is the next 20th.
        apart = abs((other.days[0] - first.days[0]).days) > _TWO_WEEKS
        another = apart and abs((other.days[0] - today).days) <= _HALF_YEAR
        return not found.certain or another or (other.start <= first.start and first.end <= other.end)

    return [first, *filter(is_accepted, others)]


def _covers(found: Expression, day: date, said: Said) -> bool:
    for reading in possible(found, said):
        first, last = reading.days
        slack = _SLACK.get(reading.precision, timedelta()) if found.approximate else timedelta()
        slack = _SEASONS_DIFFER if reading.precision == "season" and first.month % 3 == 0 else slack
        if reading.slack:  # for `10 hours ago`, the tolerance can cross midnight
            first, last = (reading.start - reading.slack).date(), max((reading.end + reading.slack).date(), first)
        if first - slack <= day <= last + slack or (found.since and day >= first):
            return True
    return False


def due_date(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the due time in a text: the time that the text gives, the start of the day that the text names, or the
    last second of a longer span (`Q2 2026`). Certain future days come before other days.

    None if the text names no day or different days, or if the day is not known.
    """
    known = _known_days(text, said_at, zone)
    day = _only_day(_certain_future(known, said_at) or known)
    return _due(day) if day else None


def names_day(text: str, said_at: datetime, zone: ZoneInfo) -> bool:
    """Whether the text of a plan names a known day."""
    return bool(_known_days(text, said_at, zone))


def _known_days(text: str, said_at: datetime, zone: ZoneInfo) -> list[Expression]:
    found = expressions(text, Said(said_at, zone, region_of(zone)), "future")
    return [e for e in found if e.best and not e.since and (e.certain or e.approximate)]


def _only_day(found: Sequence[Expression]) -> Reading | None:
    """The day that all these expressions mean: preferably one with a time, else the shortest span. None for different
    days, because one of them may be denied: "not on Monday but on Tuesday"."""
    best = min(found, key=lambda e: (not e.timed, e.readings[0].end - e.readings[0].start), default=None)
    return None if best is None or any(_are_apart(best.readings[0], e.readings[0]) for e in found) else best.readings[0]


def _are_apart(one: Reading, other: Reading) -> bool:
    return one.days[1] < other.days[0] or other.days[1] < one.days[0]


def _due(reading: Reading) -> datetime:
    """The start of a time or of a single day, or the last second of a longer span. A part of a day is no time."""
    first, last = reading.days
    if first != last:
        return reading.end - timedelta(seconds=1)
    timed = reading.precision == "instant"
    return reading.start if timed else datetime.combine(first, time(), reading.start.tzinfo)


def event_due(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the due time of a future event, if a text names the event's time with certainty. The due time is the named
    time ("Dentist next Tuesday at 3pm"), the start of the named day, or the last second of the last day ("from 10 to 17
    December").

    A time is preferred to a day. None if the text names no such day or different ones. These are not events: a span of
    more than a week, the beginning of something ("from Monday on"), a feast as such, and a day in a text that also
    names a repetition.
    """
    said = Said(said_at, zone, region_of(zone))
    found = [e for e in expressions(text, said) if not e.since and (e.timed or not (e.onset or e.celebrated))]
    sure = [e for e in _certain_future(found, said_at) if e.readings[0].precision in _EVENTS]
    if not any(e.timed for e in sure) and any(e.precision == "recurring" for e in found):
        return None
    day = _only_day(sure)
    return _due(day) if day else None


def coming_day(text: str, said_at: datetime, zone: ZoneInfo) -> Reading | None:
    """The future day that a text names with certainty ("I fly to Rome on Friday"), with its time of day. None if the text
    names no such day or different ones."""
    found = expressions(text, Said(said_at, zone, region_of(zone)))
    coming = _certain_future(found, said_at)
    return _only_day([e for e in coming if e.timed or e.readings[0].precision == "day"])


def _certain_future(found: Sequence[Expression], said_at: datetime) -> list[Expression]:
    return [e for e in found if e.certain and not e.approximate and e.best and e.best.start > said_at]
