"""Determines the year of a date that is given without a year, and whether that year is certain."""

from collections.abc import Callable
from typing import Final

from tellonce_text.dates.phrases import CLOSE, choose
from tellonce_text.dates.readings import Days, Meaning, Scene


def yearly(scene: Scene, days: Callable[[int], Days | None]) -> Meaning | None:
    """The readings of a day or span that occurs every year: the last occurrence that has begun, and the next occurrence
    that has not ended."""
    now = scene.today.year
    back = next((d for y in range(now, now - 9, -1) if (d := days(y)) and d.first <= scene.today), None)
    ahead = next((d for y in range(now - 1, now + 9) if (d := days(y)) and d.end > scene.today), None)
    return choose(scene, back, ahead)


def yearly_on_weekday(scene: Scene, days: Callable[[int], Days | None], weekday: int) -> Meaning | None:
    """The readings of a day in the years when it has the given weekday. The meaning is not certain in two cases: all
    such years are distant, or the date is near in a year in which it has another weekday. In these cases, the date or
    the weekday may be wrong."""
    now = scene.today.year

    def distance(span: Days) -> int:
        return abs((span.first - scene.today).days)

    near = sorted((d for y in range(now - 6, now + 7) if (d := days(y))), key=distance)
    agreeing = [span for span in near if span.first.weekday() == weekday]
    doubtful = not agreeing or distance(agreeing[0]) > _LONGEST_YEAR
    if near and (doubtful or (agreeing[0] != near[0] and distance(near[0]) <= CLOSE)):
        return Meaning(tuple(near[:2]), False)
    return Meaning(tuple(agreeing[:2])) if agreeing else None


_LONGEST_YEAR: Final = 366


def yearless(scene: Scene, days: Callable[[int], Days]) -> Meaning | None:
    """The readings of a month or season without a year. If the text was said in that month or season, another year may
    be meant."""
    found = yearly(scene, days)
    if found and not scene.sure and not 0 < (found.choices[0].first - scene.today).days <= _SOON:
        found = Meaning(found.choices, False)
    running = days(scene.today.year)
    if found and running.first <= scene.today < running.end:
        return Meaning(found.choices, scene.direction is not None)
    return found


_SOON: Final = 100
"""Number of days. Without a verb that shows the past or the future, a month or season without a year is certain only if
it begins within this time."""


def stepped_yearly(scene: Scene, step: int, days: Callable[[int], Days], *, nearest: bool = False) -> Meaning:
    """The meaning of `last March`, `next summer` or `this Easter`. The meaning is certain if only one year can be
    meant. With `nearest` (`this past summer`), the text always means the most recent one."""
    now = scene.today.year
    begun = next(d for y in range(now, now - 3, -1) if (d := days(y)).first <= scene.today)
    coming = next(d for y in range(now - 1, now + 3) if (d := days(y)).first > scene.today)
    if step == 0:
        return _this(scene, begun, coming, days(now))
    if step < 0:
        running = begun.end > scene.today
        back = days(begun.first.year - 1) if running else begun
        season_runs = running and begun.precision == "season"
        clear = nearest or back.first.year < now
        return Meaning((back, days(back.first.year - 1)), clear and not season_runs)
    return Meaning((coming, days(coming.first.year + 1)), coming.first.year > now)


def _this(scene: Scene, begun: Days, coming: Days, this_year: Days) -> Meaning:
    if begun.end > scene.today:
        return Meaning((begun,))
    if scene.direction == "past":
        return Meaning((begun, coming), True)
    if this_year.first > scene.today or scene.direction == "future":
        return Meaning((coming, begun), this_year.first > scene.today)
    return Meaning((this_year, coming), False)
