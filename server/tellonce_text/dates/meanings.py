"""Uses the time expressions of a text for three purposes: time spans to search, the days that the text can mean, and a
goal's due time."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_text.dates.readings import Direction, Expression, Reading, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of

Span = tuple[datetime, datetime]
"""A half-open span of time: the first moment of the span, and the first moment after the span."""


def query_spans(text: str, now: datetime, zone: ZoneInfo) -> list[Span]:
    """The spans that a question about the past means. For "on March 15", this is the most recent March 15."""
    return _spans(text, Said(now, zone, region_of(zone)), "past")


def message_spans(text: str, sent_at: datetime, zone: ZoneInfo) -> list[Span]:
    """The spans that a message means. The tense of the message's verbs decides whether the spans are past or future."""
    return _spans(text, Said(sent_at, zone, region_of(zone)), None)


def _spans(text: str, said: Said, direction: Direction | None) -> list[Span]:
    """For each time expression, the span of time that it most probably means."""
    spans = (_span(found, said) for found in expressions(text, said, direction))
    return [span for span in spans if span and span[0] < span[1]]


def _span(found: Expression, said: Said) -> Span | None:
    best = found.best
    if best is None:
        return None
    end = max(best.end, said.at.astimezone(said.zone)) if found.since else best.end
    slack = max(best.slack, timedelta())
    return best.start - slack, end + slack


_SEASONS_DIFFER: Final = timedelta(days=22)
"""The time between the first day of a month and the equinox or the solstice in that month. A season may begin on either
day."""

_SLACK: Final = {"month": timedelta(days=10), "year": timedelta(days=92)}
"""The tolerance of an approximate count in months or years, such as "two months ago"."""


def admits(text: str, day: date, said: Said, direction: Direction | None = None) -> bool:
    """Whether an expression of the text can mean the day: the day is in the span of a possible reading.

    `direction` does not exclude a reading. The direction only changes the order of the readings.
    """
    return any(_covers(found, day, said) for found in expressions(text, said, direction))


def possible(found: Expression, said: Said) -> list[Reading]:
    """The readings of an expression that a careful reader would accept.

    If the first reading is certain, another reading is accepted in two cases: it contains the first reading (the days
    around `in three weeks`), or it is more than two weeks and at most half a year away from the first reading. For
    example, the same weekday of the next week is not accepted.
    """
    today = said.at.astimezone(said.zone).date()
    first, *others = found.readings or (None,)
    if first is None:
        return []
    return [first, *(r for r in others if not found.certain or _contains(r, first) or _is_another(r, first, today))]


def _contains(reading: Reading, other: Reading) -> bool:
    return reading.start <= other.start and other.end <= reading.end


def _is_another(reading: Reading, first: Reading, today: date) -> bool:
    """Whether the reading is the same day or month in the other direction (past or future): for `the 20th`, the last
    and the next 20th."""
    apart = abs((reading.days[0] - first.days[0]).days)
    return apart > _TWO_WEEKS and abs((reading.days[0] - today).days) <= _HALF_YEAR


_TWO_WEEKS: Final = 14
_HALF_YEAR: Final = 183


def _covers(found: Expression, day: date, said: Said) -> bool:
    for reading in possible(found, said):
        first, last = reading.days
        slack = _SLACK.get(reading.precision, timedelta()) if found.approximate else timedelta()
        slack = _SEASONS_DIFFER if reading.precision == "season" and first.month % 3 == 0 else slack
        early, late = _round_midnight(found, first, last)
        if early - slack <= day <= late + slack or (found.since and day >= first):
            return True
    return False


def _round_midnight(found: Expression, first: date, last: date) -> tuple[date, date]:
    """Return the first and last day that a time such as `10 hours ago` can mean. The tolerance of such a time may cross
    midnight."""
    best = found.best
    if best is None or not best.slack:
        return first, last
    return (best.start - best.slack).date(), max((best.end + best.slack).date(), first)


def due_date(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the due time in a text: the time that the text gives, the start of the day that the text names, or the
    last second of a longer span (`Q2 2026`).

    None if the text names no day, or if the day is not known.
    """
    said = Said(said_at, zone, region_of(zone))
    sure = [found for found in expressions(text, said, "future") if found.best and not found.since]
    sure = [found for found in sure if found.certain or found.approximate]
    if not sure:
        return None
    return _moment(next((found for found in sure if found.timed), sure[0]))


def appointment(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The future day and time that a text certainly names ("Dentist next Tuesday at 3pm"), or None."""
    coming = _coming(text, said_at, zone)
    return next((best.start for best, found in coming if found.certain and found.timed), None)


def coming_day(text: str, said_at: datetime, zone: ZoneInfo) -> Reading | None:
    """The first future day, or day and time, that a text certainly names ("I fly to Rome on Friday"), or None."""
    coming = _coming(text, said_at, zone)
    return next((best for best, found in coming if found.certain and _is_day(found)), None)


def proposed_day(text: str, said_at: datetime, zone: ZoneInfo) -> Reading | None:
    """Like `coming_day`, but also accepts an uncertain day that has only one reading, such as "tomorrow" after
    midnight."""
    coming = _coming(text, said_at, zone)
    sole = (best for best, found in coming if (found.certain or len(found.readings) == 1) and _is_day(found))
    return next(sole, None)


def _coming(text: str, said_at: datetime, zone: ZoneInfo) -> Iterator[tuple[Reading, Expression]]:
    """Yield the future spans that a text names, each with its expression."""
    for found in expressions(text, Said(said_at, zone, region_of(zone))):
        if found.best and found.best.start > said_at:
            yield found.best, found


def _is_day(found: Expression) -> bool:
    return found.timed or (found.best is not None and found.best.precision == "day")


def _moment(found: Expression) -> datetime | None:
    best = found.best
    if best is None:
        return None
    first, last = best.days
    return best.start if first == last else best.end - timedelta(seconds=1)
