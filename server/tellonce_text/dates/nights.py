"""Chooses the day that people mean by an hour of the night (`tonight at 1`), and by `today` shortly after midnight."""

from typing import Final

from tellonce_text.dates.clock_phrases import Clock
from tellonce_text.dates.phrases import shifted
from tellonce_text.dates.readings import Meaning, Scene

TODAY: Final = "today"
LAST_NIGHT: Final = "night"
_SMALL_HOURS: Final = 4
_MORNING: Final = 5
_NOON: Final = 12


def by_waking_day(meaning: Meaning, scene: Scene, form: str, part: str | None, clock: Clock | None) -> Meaning:
    """The meaning of a day with its part of the day and its time, for a person who is awake at night. For such a
    person, the day does not end at midnight."""
    if clock and part in {"night", "evening"} and clock.half and clock.hour < _MORNING:
        return _early(meaning, scene, clock, relative=form in {TODAY, LAST_NIGHT, ""})
    hour = scene.said.hour
    if part == "night" and form == LAST_NIGHT and hour < _MORNING:
        return meaning._replace(certain=False)
    if form != TODAY or hour >= (_NOON if part == "night" else _SMALL_HOURS):
        return meaning
    later = part in {"afternoon", "evening"} or (clock is not None and clock.half and clock.hour >= _NOON)
    if scene.direction == "past":
        return Meaning(tuple(shifted(days, -1) for days in meaning.choices), later and hour < _SMALL_HOURS)
    return meaning._replace(
        certain=meaning.certain and (hour >= _SMALL_HOURS or (later and scene.direction is not None))
    )


def _early(meaning: Meaning, scene: Scene, clock: Clock, *, relative: bool) -> Meaning:
    """The meaning of an hour after midnight. The hour is on the calendar day after the day on which the night
    begins."""
    choices = tuple(shifted(days, 1) for days in meaning.choices)
    ahead = (choices[0].first, clock.hour) > (scene.today, scene.said.hour)
    if scene.direction == "past" and ahead:
        choices = tuple(shifted(days, -1) for days in choices)
    known = relative and scene.said.hour >= _MORNING and bool(clock.hour or clock.minute)
    return meaning._replace(choices=choices, certain=known and meaning.certain)
