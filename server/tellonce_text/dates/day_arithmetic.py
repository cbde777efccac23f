"""Counts calendar units and weekdays from a day."""

from datetime import date
from typing import Final

from tellonce_text.dates.readings import (
    DAY,
    WEEK,
    Days,
    Scene,
    add_months,
    monday_of,
    month_of,
    one_day,
    week_of,
    year_of,
)

_MONTHS: Final = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}
"""The calendar units that consist of months, with their lengths."""
DAY_UNITS: Final = frozenset({"day", "week", "fortnight", "weekend", "workday", *_MONTHS})
SATURDAY, SUNDAY = 5, 6
_MOST_WORKDAYS: Final = 500


def weekday_in(scene: Scene, number: int, weeks: int) -> Days:
    return one_day(monday_of(scene.today) + weeks * WEEK + number * DAY)


def unit_days(today: date, unit: str, step: int) -> Days:
    """The days of the calendar unit that is `step` units away, such as next week for ("week", 1)."""
    match unit:
        case "day":
            return one_day(today + step * DAY)
        case "week":
            return week_of(today + step * WEEK)
        case "weekend":
            saturday = monday_of(today) + SATURDAY * DAY + step * WEEK
            return Days(saturday, saturday + 2 * DAY, "week")
        case "month" | "quarter" | "half_year":
            count = _MONTHS[unit]
            first = add_months(today.replace(month=(today.month - 1) // count * count + 1, day=1), count * step)
            return month_of(first.year, first.month, count)
        case _:
            return year_of(today.year + step)


def counted_day(today: date, unit: str, offset: int) -> date:
    """The day that is `offset` units away from today."""
    match unit:
        case "day":
            return today + offset * DAY
        case "week" | "weekend":
            return today + offset * WEEK
        case "workday":
            return _workday(today, offset)
        case "fortnight":
            return today + 2 * offset * WEEK
        case _:
            return add_months(today, offset * _MONTHS.get(unit, 12))


def _workday(today: date, offset: int) -> date:
    """The day that is `offset` working days away. Monday to Friday are working days, including public holidays."""
    sign = 1 if offset > 0 else -1
    for _ in range(min(abs(offset), _MOST_WORKDAYS)):
        today += sign * DAY
        while today.weekday() >= SATURDAY:
            today += sign * DAY
    return today
