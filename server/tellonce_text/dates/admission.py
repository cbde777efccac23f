"""Whether a text, said at a time, admits a day: by any reading of any of its time expressions."""

from datetime import date, timedelta
from typing import Final

from tellonce_text.dates.readings import DAY, Direction, Expression, Said
from tellonce_text.dates.resolver import expressions

_SLACK: Final = {"month": timedelta(days=10), "year": timedelta(days=92)}
"""How far off a month or a year said in passing may be."""


def admits(text: str, day: date, said: Said, direction: Direction | None = None) -> bool:
    """Whether any expression of the text can mean the day: any day of its span, in either direction.

    A direction leaves out nothing: the tense puts one reading first, and what a check must not do is reject the other.
    """
    return any(_covers(found, day) for found in expressions(text, said, direction))


def _covers(found: Expression, day: date) -> bool:
    for reading in found.readings:
        first, last = reading.days
        slack = _SLACK.get(reading.precision, timedelta()) if found.approximate else timedelta()
        early, late = _round_midnight(found, first, last)
        if early - slack <= day <= late + slack or (found.since and day >= first):
            return True
    return False


def _round_midnight(found: Expression, first: date, last: date) -> tuple[date, date]:
    """An elapsed time such as `10 hours ago` may fall on the day before or after by its slack."""
    best = found.best
    if best is None or not best.slack:
        return first, last
    return (best.start - best.slack).date(), max((best.end + best.slack).date(), first + 0 * DAY)
