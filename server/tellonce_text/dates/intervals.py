"""Repetitions that cron cannot express: every few minutes, hours, days or months, counted from the first time. Pure.

An interval is written as a repeating interval of ISO 8601 without a zone: `R/2026-02-16T08:00/P2D`.
"""

import re
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Self
from zoneinfo import ZoneInfo

from tellonce_text.dates.readings import DAY, add_months, wall_time

UTC: Final = ZoneInfo("UTC")

UNTIL: Final = " until "
"""Joins a cron expression or an interval and its last possible time in the user's zone:
`0 8 * * * until 2026-02-20T23:59`."""

_TEXT: Final = re.compile(r"R/(\d{4}-\d\d-\d\dT\d\d:\d\d)/P(T?)(\d{1,3})([MHD])")

_Unit = Literal["minute", "hour", "day", "month"]
_LETTERS: Final[dict[str, _Unit]] = {"TM": "minute", "TH": "hour", "D": "day", "M": "month"}
_LENGTHS: Final[dict[_Unit, timedelta]] = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
"""The units that do not depend on the calendar."""


class Interval(NamedTuple):
    """A time that repeats every `number` units. The first time is `start`, a local time without a zone. Days and months
    keep the time of day when the clocks change; minutes and hours do not."""

    start: datetime
    number: int
    unit: _Unit

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The interval that a text expresses; None if the text is something else, such as a cron expression. Raises
        ValueError for a day or a time that does not exist, for a year before 1900 or after 2199, and for a number 0."""
        found = _TEXT.fullmatch(text)
        if found is None:
            return None
        start, time_mark, number, letter = found.groups()
        unit = _LETTERS.get(time_mark + letter)
        if unit is None or not int(number) or not 1900 <= int(start[:4]) < 2200:
            raise ValueError(f"{text!r} repeats after no time, or begins in a year nobody lives in")
        return cls(datetime.fromisoformat(start), int(number), unit)

    def after(self, moment: datetime, zone: ZoneInfo) -> datetime:
        """The first time after `moment`, in the zone."""
        step = self._steps_until(moment.astimezone(zone), zone)
        while (due := self._at(step, zone)) <= moment:
            step += 1
        return due

    def _steps_until(self, local: datetime, zone: ZoneInfo) -> int:
        """A number of steps after which the time is not later than `local`. It may be too small."""
        if self.unit in _LENGTHS:
            passed = (local.astimezone(UTC) - self._at(0, zone).astimezone(UTC)) // _LENGTHS[self.unit]
        elif self.unit == "day":
            passed = (local.date() - self.start.date()).days - 1
        else:
            passed = (local.year - self.start.year) * 12 + local.month - self.start.month - 1
        return max(0, passed // self.number)

    def _at(self, step: int, zone: ZoneInfo) -> datetime:
        day, hour, minute, passed = self.start.date(), self.start.hour, self.start.minute, step * self.number
        if self.unit in _LENGTHS:
            first = wall_time(day, hour, minute, zone).astimezone(UTC)
            return (first + passed * _LENGTHS[self.unit]).astimezone(zone)
        return wall_time(day + passed * DAY if self.unit == "day" else add_months(day, passed), hour, minute, zone)
