"""Computes the day of a feast in a year and a country. Some feasts have a fixed day, a day counted from Easter, or the
n-th weekday of a month. For other feasts, `words/feasts.toml` gives the day for each country or each year."""

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from tellonce_text.dates.readings import DAY, WEEK, Days, add_months, one_day, weekday_from

HOLY_WEEK: Final = "holy-week"
_ORTHODOX: Final = frozenset("BG BY CY ET GE GR MD ME MK RO RS RU UA".split())
"""In these countries, Easter and the days counted from Easter usually follow the Julian calendar."""


class Feast(NamedTuple):
    """The rule of a feast in one country. `certain` is false if some people in this country mean another day."""

    rule: str
    certain: bool

    def days(self, year: int) -> Days:
        """The day of the feast. For Holy Week, these are the days from Palm Sunday to Easter Sunday."""
        if self.rule == HOLY_WEEK:
            return Days(easter(year) - WEEK, easter(year) + DAY, "week")
        return one_day(feast_day(self.rule, year))


def feast_in(name: str, region: str | None) -> Feast | None:
    """The feast with this name or rule in the country `region`. None if the country is not known to celebrate it."""
    countries = _by_country().get(name)
    if countries is None:
        return Feast(name, not (name.startswith("easter") and region in _ORTHODOX))
    found = countries.get(region or "any") or countries.get("any")
    return found and found._replace(certain=found.certain and (region is not None or len(countries) == 1))


def feast_day(rule: str, year: int) -> date:
    """The day that is given by a rule such as `12-25`, `easter-2` (two days before), `nth-11-4-3` (the fourth Thursday
    of November) or `before-5-25-0` (the last Monday before May 25). `+4` after a rule means four days later. Raises
    ValueError if no day is known for the year."""
    anchor, _, later = rule.partition("+")
    if later:
        return feast_day(anchor, year) + int(later) * DAY
    kind, _, numbers = rule.partition("-")
    if kind == "orthodox":
        return orthodox_easter(year) - int(numbers or 0) * DAY
    if kind == "easter":
        return easter(year) - int(numbers or 0) * DAY
    if rule in _by_year():
        return date.fromisoformat(_by_year()[rule].get(year, ""))
    if rule == "last-sunday-of-may":  # France; if this Sunday is Pentecost, the feast is a week later
        sunday = nth_weekday(year, 5, -1, 6)
        return sunday + WEEK if sunday == easter(year) + 7 * WEEK else sunday
    if kind == "nth":
        month, rest = numbers.split("-", 1)
        nth, weekday = rest.rsplit("-", 1)
        return nth_weekday(year, int(month), int(nth), int(weekday))
    if kind == "before":
        month, day, weekday = numbers.split("-")
        return weekday_from(date(year, int(month), int(day)), int(weekday), -1)
    return date(year, int(kind), int(numbers))


@cache
def _by_country() -> Mapping[str, Mapping[str, Feast]]:
    """The days of each feast by country. The key `any` stands for all other countries."""
    return {
        name: {
            country.rstrip("?"): Feast(rule, not country.endswith("?"))
            for rule, countries in days.items()
            for country in countries.split()
        }
        for name, days in _table()["by_country"].items()
    }


@cache
def _by_year() -> Mapping[str, Mapping[int, str]]:
    """For each feast that follows the moon, its days by year."""
    return {name: {int(day[:4]): day for day in days.split()} for name, days in _table()["by_year"].items()}


@cache
def _table() -> dict[str, Any]:
    file = resources.files("tellonce_text.dates") / "words" / "feasts.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def nth_weekday(year: int, month: int, nth: int, weekday: int) -> date:
    """The date of the n-th `weekday` of the month (0 is Monday); -1 means the last such weekday. Raises ValueError if
    the month has fewer such weekdays."""
    first = date(year, month, 1)
    if nth < 0:
        return weekday_from(add_months(first, 1), weekday, -1)
    day = weekday_from(first - DAY, weekday, 1) + (nth - 1) * WEEK
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
