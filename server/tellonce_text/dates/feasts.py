"""Computes the day of a feast in a year: a fixed day, a day counted from Easter, or the n-th weekday of a month."""

from datetime import date
from typing import Final

from tellonce_text.dates.readings import DAY, WEEK, Days, add_months, one_day

_ABROAD: Final = {
    ("nth-11-4-3", "CA"): "nth-10-2-0",
    ("nth-5-2-6", "GB"): "easter-21",
    ("nth-5-2-6", "IE"): "easter-21",
    ("nth-5-2-6", "ES"): "nth-5-1-6",
    ("nth-5-2-6", "PT"): "nth-5-1-6",
    ("nth-5-2-6", "FR"): "nth-5--1-6",
    ("nth-5-2-6", "MX"): "5-10",
    ("nth-6-3-6", "AU"): "nth-9-1-6",
    ("nth-6-3-6", "NZ"): "nth-9-1-6",
    ("nth-6-3-6", "DE"): "easter+39",
    ("nth-9-1-0", "CA"): "nth-9-1-0",
}
_SAME_ABROAD: Final = frozenset({"nth-5-2-6", "nth-6-3-6"})


def feast_days(rule: str, year: int, region: str | None) -> Days:
    """The day of a feast, or the days of Holy Week, from Palm Sunday to Easter Sunday."""
    if rule == HOLY_WEEK:
        return Days(easter(year) - WEEK, easter(year) + DAY, "week")
    return one_day(feast_day(rule, year, region))


HOLY_WEEK: Final = "holy-week"


def feast_day(rule: str, year: int, region: str | None = None) -> date:
    """The day by a rule such as `12-25`, `easter-2` (two days before) or `nth-11-4-3` (the fourth Thursday of
    November)."""
    rule = _ABROAD.get((rule, region or ""), rule)
    if rule.startswith("orthodox"):
        return orthodox_easter(year) + int(rule[8:] or 0) * DAY
    if rule.startswith("advent"):
        return date(year, 12, 24) - (date(year, 12, 24).weekday() + 1) % 7 * DAY - (4 - int(rule[7:])) * WEEK
    if rule.startswith("easter"):
        return easter(year) + int(rule[6:] or 0) * DAY
    if rule == "election-day":
        return nth_weekday(year, 11, 1, 0) + DAY
    if rule in {"black-friday", "cyber-monday"}:
        return nth_weekday(year, 11, 4, 3) + (1 if rule == "black-friday" else 4) * DAY
    if rule.startswith("nth"):
        month, rest = rule[4:].split("-", 1)
        nth, weekday = rest.rsplit("-", 1)
        return nth_weekday(year, int(month), int(nth), int(weekday))
    month, day = rule.split("-")
    return date(year, int(month), int(day))


def is_local(rule: str, region: str | None) -> bool:
    """Whether the date of the feast depends on the country, and the region is not known."""
    return rule in _SAME_ABROAD and region is None


def nth_weekday(year: int, month: int, nth: int, weekday: int) -> date:
    """The date of the n-th `weekday` of the month (0 is Monday); -1 means the last. Raises ValueError if the month has
    fewer."""
    first = date(year, month, 1)
    if nth < 0:
        last = add_months(first, 1) - DAY
        return last - (last.weekday() - weekday) % 7 * DAY
    day = first + ((weekday - first.weekday()) % 7 + 7 * (nth - 1)) * DAY
    if day.month != month:
        raise ValueError(f"no {nth}. such weekday in month {month}")
    return day


def easter(year: int) -> date:
    """Western Easter Sunday, by the Gregorian computus of Meeus, Jones, and Butcher."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), f = divmod(b, 4), (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    shift = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * shift) // 451
    month, day = divmod(h + shift - 7 * m + 114, 31)
    return date(year, month, day + 1)


def orthodox_easter(year: int) -> date:
    """Orthodox Easter Sunday by the Julian computus, as a Gregorian date, for the years 1900 to 2099."""
    d = (19 * (year % 19) + 15) % 30
    e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7
    month, day = divmod(d + e + 114, 31)
    return date(year, month, day + 1) + 13 * DAY
