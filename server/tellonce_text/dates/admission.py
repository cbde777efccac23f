"""Whether a text said at a given time can mean a day, by any reading of its time expressions."""

from datetime import date, timedelta
from typing import Final

from tellonce_text.dates.readings import DAY, Direction, Expression, Said
from tellonce_text.dates.resolver import expressions

_SLACK: Final = {"month": timedelta(days=10), "year": timedelta(days=92)}
"""How inaccurate a casually mentioned month or year may be."""


def admits(text: str, day: date, said: Said, direction: Direction | None = None) -> bool:
    """Whether any expression of the text can mean the day: any day of its span, in either direction.

    A direction excludes nothing: the tense only puts one reading first, and a check must not reject the other.
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
    """The dates of an elapsed time such as `10 hours ago`, which by its tolerance may be on an adjacent day."""
    best = found.best
    if best is None or not best.slack:
        return first, last
    return (best.start - best.slack).date(), max((best.end + best.slack).date(), first + 0 * DAY)
