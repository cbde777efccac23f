"""Data types for the meaning of a time expression: days while the expression is parsed, times after it is resolved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

Precision = Literal["instant", "day", "week", "month", "season", "year", "ongoing", "recurring"]
Direction = Literal["past", "future"]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


class Days(NamedTuple):
    """A half-open span of days: the first day of the span, and the first day after the span."""

    first: date
    end: date
    precision: Precision = "day"

    def shifted(self, days: int) -> "Days":
        return self._replace(first=self.first + days * DAY, end=self.end + days * DAY)


class Meaning(NamedTuple):
    """The days that an expression can mean, the most likely first. `certain` means that a careful reader would also
    choose the first span."""

    choices: tuple[Days, ...]
    certain: bool = True
    approximate: bool = False

    def only_if(self, certain: bool) -> "Meaning":
        """The same days. If `certain` is false, they are not certain."""
        return self._replace(certain=self.certain and certain)

    def moved(self, move: Callable[[Days], Days]) -> "Meaning":
        """The meaning with each possible span replaced by the result of `move`."""
        return self._replace(choices=tuple(map(move, self.choices)))


@dataclass(frozen=True, slots=True)
class Scene:
    """The facts that decide what an expression means: the time at which it was said (in the speaker's zone), the
    sentence's direction (past or future), and the region."""

    said: datetime
    direction: Direction | None
    region: str | None = None
    sure: bool = True
    """Whether a verb gives the direction. Otherwise, this direction is only the more likely one."""
    inferred: bool = False
    """Whether the direction is assumed only because nothing indicates the past."""

    @property
    def today(self) -> date:
        return self.said.date()


@dataclass(frozen=True, slots=True)
class Reading:
    """A half-open span of time in the speaker's zone. `slack` is the tolerance of an expression such as "2 hours
    ago"."""

    start: datetime
    end: datetime
    precision: Precision
    slack: timedelta = timedelta()

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day of the span. A night belongs to the day on which it begins."""
        if self.precision == "instant" or (self.precision == "day" and self.start.hour):
            return self.start.date(), self.start.date()
        before = self.end.astimezone(UTC) - timedelta(microseconds=1)  # in UTC, because a zone can skip a whole day
        last = before.astimezone(self.end.tzinfo).date() if self.end > self.start else self.start.date()
        return self.start.date(), max(self.start.date(), last)


@dataclass(frozen=True, slots=True)
class Expression:
    """One expression in a text.

    - `readings`: all spans that it can mean, the most likely first; empty for a repetition ("every Tuesday").
    - `certain`: the days are known.
    - `approximate`: the days were counted casually ("three weeks ago").
    - `timed`: the expression gives a time of day.
    - `dated`: the expression names a day, or several. "At 5 pm" names none.
    - `absolute`: the expression gives the year, so its meaning does not depend on the time of the text.
    - `since`: the span has no end ("since March").
    - `celebrated`: a feast that the text names as such and not as the day of something ("Christmas is my favorite day").
    - `onset`: the day is the first of a span whose end the text does not give ("from 1 December on").
    """

    start: int
    end: int
    text: str
    readings: Sequence[Reading]
    certain: bool
    precision: Precision
    timed: bool = False
    dated: bool = False
    absolute: bool = False
    approximate: bool = False
    since: bool = False
    onset: bool = False
    celebrated: bool = False

    @property
    def best(self) -> Reading | None:
        return self.readings[0] if self.readings else None


@dataclass(frozen=True, slots=True)
class Said:
    """When and where a text was said. `region` is an ISO 3166 country code, which determines how 3/4 is read."""

    at: datetime
    zone: ZoneInfo
    region: str | None = None


def wall_time(day: date, hour: int, minute: int, zone: tzinfo | None) -> datetime:
    """The moment at which clocks in the zone show this time. Hour 24 is the first hour of the next day. If the clocks
    skip the time because summer time begins, the result is an hour later."""
    shown = datetime.combine(day + hour // 24 * DAY, time(hour % 24, minute), zone)
    return shown.astimezone(UTC).astimezone(zone)


def one_day(day: date) -> Days:
    return Days(day, day + DAY)


def month_of(year: int, month: int, count: int = 1) -> Days:
    """The days of `count` whole months, beginning with the given month."""
    first = date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
    return Days(first, add_months(first, count), "month" if count == 1 else "season")


def year_of(year: int, count: int = 1) -> Days:
    return Days(date(year, 1, 1), date(year + count, 1, 1), "year")


def week_of(day: date) -> Days:
    """The week of the day, from Monday to Sunday."""
    monday = monday_of(day)
    return Days(monday, monday + WEEK, "week")


def weekday_from(day: date, number: int, sign: int) -> date:
    """The nearest day with the weekday `number`. It is after the given day if `sign` is 1, and before the given day if
    `sign` is -1."""
    return day + sign * ((sign * (number - day.weekday()) - 1) % 7 + 1) * DAY


def monday_of(day: date) -> date:
    return day - day.weekday() * DAY


def add_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of that month if the month is shorter."""
    index = day.year * 12 + day.month - 1 + months
    first = date(index // 12, index % 12 + 1, 1)
    after = date((index + 1) // 12, (index + 1) % 12 + 1, 1)
    return min(first + (day.day - 1) * DAY, after - DAY)
