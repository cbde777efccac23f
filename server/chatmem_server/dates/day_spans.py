"""Which calendar days a time expression means, seen from a given day: plain date arithmetic, no zones and no clock.

A span is half-open: first day, first day after.  Where English leaves the choice open (a day without its year, a bare
weekday), the caller says whether the talk looks back or ahead.
"""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Final, Literal

from chatmem_server.dates.date_mentions import Mention

Direction = Literal["past", "future"]
Days = tuple[date, date]

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)


def days_of(mention: Mention, today: date, direction: Direction) -> Days | None:
    """The days the mention covers; None for a mere time of day and for days that do not exist."""
    resolve = _RESOLVERS.get(mention.form)
    try:
        return resolve(mention, today, direction) if resolve else None
    except (ValueError, OverflowError):  # 30 February, year 0, 9,999 years ahead
        return None


def readings_of(mention: Mention, today: date, directions: Sequence[Direction] = ("past", "future")) -> list[Days]:
    """Every reading a reasonable person could choose: back and ahead, and `next Friday` in either week."""
    found = [days_of(mention, today, direction) for direction in directions]
    found += [days_of(mention, today - _DAY, direction) for direction in directions if mention.form == "weekday"]
    if mention.form == "weekday" and mention.offset in (-1, 0, 1):
        found += [(day, day + _DAY) for day in _nearest_weekdays(mention, today)]
    return [days for days in dict.fromkeys(found) if days]


def add_months(day: date, months: int) -> date:
    """The same day of another month, or that month's last day when it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    first = date(index // 12, index % 12 + 1, 1)
    return min(first + (day.day - 1) * _DAY, _next_month(first) - _DAY)


def _calendar_day(mention: Mention, today: date, direction: Direction) -> Days | None:
    if mention.month is None or mention.day is None:
        return None
    for year in [mention.year] if mention.year else _years(today, direction):
        try:
            first = date(year, mention.month, mention.day)
        except ValueError:
            continue  # 29 February of a common year
        if mention.year or (first <= today if direction == "past" else first >= today):
            last = mention.last_day or 0
            return first, (first.replace(day=last) if last > first.day else first) + _DAY
    return None


def _years(today: date, direction: Direction) -> range:
    """Enough years to meet a 29 February, across a century that skips one."""
    return range(today.year, today.year - 9, -1) if direction == "past" else range(today.year, today.year + 9)


def _month(mention: Mention, today: date, direction: Direction) -> Days:
    return _block(mention, today, direction, months=1)


def _three_months(mention: Mention, today: date, direction: Direction) -> Days:
    return _block(mention, today, direction, months=3)


def _block(mention: Mention, today: date, direction: Direction, *, months: int) -> Days:
    """A run of months that returns every year: the named one, or the one before, around, or after today."""
    start = date(mention.year or today.year, mention.month or 1, 1)
    if mention.year:
        return start, add_months(start, months)
    while start > today:
        start = add_months(start, -12)  # now the latest one that has begun
    running = today < add_months(start, months)
    shift = _shift(mention.offset, direction, running=running, same_year=start.year == today.year)
    start = add_months(start, shift * 12)
    return start, add_months(start, months)


def _shift(offset: int | None, direction: Direction, *, running: bool, same_year: bool) -> int:
    if offset == -1:
        return -1 if running else 0
    if offset == 1:
        return 1
    if offset == 0:
        return 0 if running or (direction == "past" and same_year) else 1
    return 0 if running or direction == "past" else 1


def _year(mention: Mention, _today: date, _direction: Direction) -> Days:
    year = mention.year or 1
    return date(year, 1, 1), date(year + 1, 1, 1)


def _weekday(mention: Mention, today: date, direction: Direction) -> Days:
    weekday, offset = mention.weekday or 0, mention.offset
    if offset == -1 or (offset is None and direction == "past"):
        day = today - ((today.weekday() - weekday - 1) % 7 + 1) * _DAY
    elif offset is None:
        day = today + ((weekday - today.weekday() - 1) % 7 + 1) * _DAY
    else:
        day = _monday(today) + offset * _WEEK + weekday * _DAY
    return day, day + _DAY


def _nearest_weekdays(mention: Mention, today: date) -> list[date]:
    weekday, offset = mention.weekday or 0, mention.offset or 0
    after = today + (weekday - today.weekday()) % 7 * _DAY
    return [
        _monday(today) + offset * _WEEK + weekday * _DAY,
        *((after, after + _WEEK) if offset >= 0 else (after - _WEEK,)),
    ]


def _relative(mention: Mention, today: date, _direction: Direction) -> Days | None:
    """`last month`, `next year`: whole calendar units."""
    offset = mention.offset or 0
    match mention.unit:
        case "day":
            return today + offset * _DAY, today + (offset + 1) * _DAY
        case "week":
            monday = _monday(today) + offset * _WEEK
            return monday, monday + _WEEK
        case "weekend":
            saturday = _monday(today) + 5 * _DAY + offset * _WEEK
            return saturday, saturday + 2 * _DAY
        case "month":
            first = add_months(today.replace(day=1), offset)
            return first, _next_month(first)
        case "quarter":
            first = add_months(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * offset)
            return first, add_months(first, 3)
        case "year":
            return date(today.year + offset, 1, 1), date(today.year + offset + 1, 1, 1)
        case _:
            return None


def _distance(mention: Mention, today: date, direction: Direction) -> Days | None:
    """`3 weeks ago`: the day counted back, with the slack such talk has: some days for weeks, the month for months."""
    offset = mention.offset or 0
    match mention.unit:
        case "week":
            day = today + offset * _WEEK
            return day - 3 * _DAY, day + 4 * _DAY
        case "month":
            day = add_months(today, offset)
            return day - 10 * _DAY, day + 11 * _DAY
        case _:
            return _relative(mention, today, direction)


def exact_day(mention: Mention, today: date) -> date | None:
    """The very day `3 weeks ago` counts to."""
    offset = mention.offset or 0
    match mention.unit:
        case "day" | "week":
            return today + offset * (_DAY if mention.unit == "day" else _WEEK)
        case "month":
            return add_months(today, offset)
        case "year":
            return add_months(today, 12 * offset)
        case _:
            return None


def _window(mention: Mention, today: date, _direction: Direction) -> Days | None:
    """`past 3 days`, `next two weeks`: up to or from today, today included."""
    far = exact_day(mention, today)
    if far is None:
        return None
    return (far, today + _DAY) if far <= today else (today, far + _DAY)


def _monday(day: date) -> date:
    return day - day.weekday() * _DAY


def _next_month(first: date) -> date:
    return (first.replace(day=28) + 4 * _DAY).replace(day=1)


_RESOLVERS: Final[dict[str, Callable[[Mention, date, Direction], Days | None]]] = {
    "day": _calendar_day,
    "month": _month,
    "year": _year,
    "quarter": _three_months,
    "season": _three_months,
    "weekday": _weekday,
    "relative": _relative,
    "distance": _distance,
    "window": _window,
}
