"""Finds the dates a sentence names and resolves them against the day it was written; guesses nothing ambiguous."""

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

Grain = Literal["day", "week", "month", "quarter", "year"]

_MONTHS = {
    name.lower(): number
    for number in range(1, 13)
    for name in (calendar.month_name[number], calendar.month_abbr[number])
} | {"sept": 9}
_DAYS = {
    name.lower(): number for number in range(7) for name in (calendar.day_name[number], calendar.day_abbr[number])
} | {"tues": 1, "thur": 3, "thurs": 3, "weds": 2}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "couple of": 2, "a couple of": 2,
}  # fmt: skip
_FEASTS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "new year's eve": (12, 31),
    "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip

_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = "(?:" + "|".join(sorted(_DAYS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:19|20)\d\d"
_TH = r"(?:st|nd|rd|th)"
_COUNT = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))

_PATTERN = re.compile(
    rf"""
    (?<![\w/-])(?:
      (?P<iso>(?:19|20)\d\d-\d\d-\d\d)
    | (?P<numeric>\d{{1,2}}[/.]\d{{1,2}}[/.](?:19|20)\d\d)
    | (?:{_DAY},?\ (?:the\ )?)?(?P<month1>{_MONTH})\ (?P<day1>\d{{1,2}}){_TH}?\b(?!:)(?:,?\ (?P<year1>{_YEAR})\b)?
    | (?:{_DAY},?\ (?:the\ )?)?(?P<day2>\d{{1,2}}){_TH}?\ (?:of\ )?(?P<month2>{_MONTH})(?:,?\ (?P<year2>{_YEAR})\b)?
    | (?P<end>(?:the\ )?end\ of\ )?(?P<month3>{_MONTH}),?\ (?P<year3>{_YEAR})\b
    | (?:(?P<end_q>(?:the\ )?end\ of\ ))?Q(?P<quarter>[1-4])(?:[,\ /]+(?P<quarter_year>{_YEAR}))?\b
    | (?P<near>today|tonight|this\ (?:morning|afternoon|evening)|tomorrow|tmrw|tommorr?ow|tomorow|yesterday
      |(?:the\ )?day\ (?:after\ tomorrow|before\ yesterday))\b
    | in\ (?P<ahead>{_COUNT})\ (?P<ahead_unit>day|week|month|year)s?\b(?:'\ time)?
    | (?P<back>{_COUNT})\ (?P<back_unit>day|week|month|year)s?\ (?:ago|back)\b
    | (?P<end_of>(?:the\ )?end\ of\ )?(?P<which>this|next|last|the)\ (?P<span>week|month|quarter|year|weekend)\b
    | (?:(?P<which_day>this|next|last|coming|past)\ )?(?P<weekday>{_DAY})(?!\w)
    | (?P<feast>{"|".join(_FEASTS)})\b
    | (?P<end_month>(?:the\ )?end\ of\ )?(?:(?P<which_month>this|next|last)\ )?(?<!\w)(?P<month4>{_MONTH})(?!\w)
    | (?<=\bthe\ )(?P<day3>\d{{1,2}}){_TH}\b
      (?!\ (?:of|floor|time|grade|place|century|edition|birthday|anniversary|year|one|person))
    | (?<=\bby\ )(?P<year4>20\d\d)\b|(?<=\bin\ )(?P<year5>{_YEAR})\b|(?<=\bsince\ )(?P<year6>{_YEAR})\b
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_TIME = re.compile(
    r"(?<![\w:.])(?:at |@ ?|by |from |um )?(?:(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))? ?(?P<half>[ap])\.?m\b\.?"
    r"|(?P<hour24>[01]?\d|2[0-3]):(?P<minute24>[0-5]\d)(?!\d)|(?P<word>noon|midday|midnight)\b)",
    re.IGNORECASE,
)
# "May", "March", "Mar", "Sun", "Sat" are words and names too: alone they need a preposition, as bare months do.
_LEAD = re.compile(
    r"\b(?:in|on|by|until|till|before|after|since|from|to|of|during|for|around|early|late|mid|next|this|last|"
                   r"due|every|starting|through|is|end|and|between)\s+$|[,(]\s*$", re.IGNORECASE)  # fmt: skip
_LONGEST_LEAD = 20
"""Characters before a date that are looked at."""
_RECURRING = re.compile(r"\b(?:every|each|most|any|some|other)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class When:
    """A resolved date: the first and the last day meant, how fine it was said, and the time of day if any."""

    text: str
    start: int
    end: int
    first: date
    last: date
    grain: Grain
    clock: time | None = None
    said_year: bool = False

    @property
    def bare_weekday(self) -> bool:
        """`Tuesday`, with nothing that tells which."""
        return self.text.rstrip(".").lower() in _DAYS

    @property
    def label(self) -> str:
        """The date written out: `2026-03-15`, `June 2026`, `Q2 2026`, `in 2027`, `week of 2026-03-16`."""
        match self.grain:
            case "day":
                return self.first.isoformat()
            case "week":
                return f"week of {self.first.isoformat()}"
            case "month":
                return f"{calendar.month_name[self.first.month]} {self.first.year}"
            case "quarter":
                return f"Q{(self.first.month + 2) // 3} {self.first.year}"
            case "year":
                return f"in {self.first.year}"

    def moment(self, zone: ZoneInfo) -> datetime:
        """When it begins: the time said, else the start of the first day."""
        return datetime.combine(self.first, self.clock or time(0), zone)

    def deadline(self, zone: ZoneInfo) -> datetime:
        """When it is too late: the time said, else the last minute of the last day."""
        return datetime.combine(self.last, self.clock or time(23, 59), zone)


def find(text: str, written: datetime, *, past: bool = False) -> list[When]:
    """All dates in `text`, in order. `written` is in the writer's zone; `past` takes the last such day."""
    found = [when for match in _PATTERN.finditer(text) if (when := _resolve(match, text, written.date(), past))]
    clock = clock_in(text) if any(when.grain == "day" for when in found) else None
    return [replace(when, clock=clock) if when.grain == "day" else when for when in found]


def _resolve(match: re.Match[str], text: str, today: date, past: bool) -> When | None:
    for group, resolver in _RESOLVERS:
        if match.group(group):
            span = resolver(match, today, past)
            if span is None or not _plausible(match, text):
                return None
            first, last, grain = span
            said_year = bool(re.search(r"(?:19|20)\d\d", match.group()))
            return When(match.group(), match.start(), match.end(), first, last, grain, said_year=said_year)
    return None


def _plausible(match: re.Match[str], text: str) -> bool:
    lead = text[max(0, match.start() - _LONGEST_LEAD) : match.start()]
    if _RECURRING.search(lead):
        return False
    bare: str | None = match["month4"] or (None if match["which_day"] else match["weekday"])
    if bare is None:
        return True
    word = bare.rstrip(".").lower()
    if word in {"may", "march", "mar", "jan", "sun", "sat", "wed", "mon", "fri", "dec", "nov"}:
        return bool(_LEAD.search(lead)) and bare[0].isupper()
    return True


Span = tuple[date, date, Grain]


def _day(value: date | None) -> Span | None:
    return (value, value, "day") if value else None


def _safe(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month_number(name: str) -> int:
    return _MONTHS[name.rstrip(".").lower()]


def _month_span(year: int, month: int) -> Span:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]), "month"


def _iso(m: re.Match[str], today: date, past: bool) -> Span | None:
    year, month, day = (int(part) for part in m["iso"].split("-"))
    return _day(_safe(year, month, day))


def _numeric(m: re.Match[str], today: date, past: bool) -> Span | None:
    """Only where day and month cannot be taken for each other, or dots say that the day is first."""
    first, second, year = (int(part) for part in re.split(r"[/.]", m["numeric"]))
    if "." in m["numeric"] or first > 12 or first == second:
        return _day(_safe(year, second, first))
    return _day(_safe(year, first, second)) if second > 12 else None


def _month_day(m: re.Match[str], today: date, past: bool) -> Span | None:
    suffix = "1" if m["month1"] else "2"
    month, day, year = _month_number(m[f"month{suffix}"]), int(m[f"day{suffix}"]), m[f"year{suffix}"]
    return _day(_safe(int(year), month, day) if year else _nearest(today, month, day, past))


def _nearest(today: date, month: int, day: int, past: bool) -> date | None:
    years = range(today.year, today.year - 5, -1) if past else range(today.year, today.year + 9)
    candidates = (_safe(year, month, day) for year in years)
    return next((c for c in candidates if c and (c <= today if past else c >= today)), None)


def _month_year(m: re.Match[str], today: date, past: bool) -> Span:
    return _month_span(int(m["year3"]), _month_number(m["month3"]))


def _quarter(m: re.Match[str], today: date, past: bool) -> Span:
    quarter = int(m["quarter"])
    return _quarter_span(int(m["quarter_year"]) if m["quarter_year"] else _quarter_year(today, quarter, past), quarter)


def _quarter_year(today: date, quarter: int, past: bool) -> int:
    now = (today.month + 2) // 3
    if past:
        return today.year - (quarter > now)
    return today.year + (quarter < now)


def _quarter_span(year: int, quarter: int) -> Span:
    last = _month_span(year, quarter * 3)[1]
    return date(year, quarter * 3 - 2, 1), last, "quarter"


_NEAR = {
    "tomorrow": 1,
    "tmrw": 1,
    "tommorow": 1,
    "tommorrow": 1,
    "tomorow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}


def _near(m: re.Match[str], today: date, past: bool) -> Span | None:
    return _day(today + timedelta(_NEAR.get(m["near"].lower().removeprefix("the "), 0)))


def _ahead(m: re.Match[str], today: date, past: bool) -> Span | None:
    return _shifted(today, _count(m["ahead"]), m["ahead_unit"].lower())


def _back(m: re.Match[str], today: date, past: bool) -> Span | None:
    return _shifted(today, -_count(m["back"]), m["back_unit"].lower())


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _shifted(today: date, count: int, unit: str) -> Span | None:
    if unit in {"day", "week"}:
        return _day(today + timedelta(count * (7 if unit == "week" else 1)))
    months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        return None
    return (date(year, 1, 1), date(year, 12, 31), "year") if unit == "year" else _month_span(year, month + 1)


def _span(m: re.Match[str], today: date, past: bool) -> Span | None:
    step = {"this": 0, "the": 0, "next": 1, "last": -1}[m["which"].lower()]
    unit = m["span"].lower()
    if m["which"].lower() == "the" and not m["end_of"]:
        return None  # "the week", "the weekend" alone name no date
    monday = today - timedelta(today.weekday()) + timedelta(7 * step)
    if unit == "weekend":
        return monday + timedelta(5), monday + timedelta(6), "week"
    if unit == "week":
        return monday, monday + timedelta(6), "week"
    return _long_span(today, step, unit)


def _long_span(today: date, step: int, unit: str) -> Span:
    if unit == "quarter":
        index = today.year * 4 + (today.month - 1) // 3 + step
        return _quarter_span(index // 4, index % 4 + 1)
    if unit == "year":
        return date(today.year + step, 1, 1), date(today.year + step, 12, 31), "year"
    index = today.year * 12 + today.month - 1 + step
    return _month_span(index // 12, index % 12 + 1)


def _weekday(m: re.Match[str], today: date, past: bool) -> Span | None:
    number = _DAYS[m["weekday"].rstrip(".").lower()]
    which = (m["which_day"] or "").lower()
    monday = today - timedelta(today.weekday())
    if which == "next":
        return _day(monday + timedelta(7 + number))
    if which in {"last", "past"} or (past and not which):
        return _day(today - timedelta((today.weekday() - number - 1) % 7 + 1))
    ahead = (number - today.weekday()) % 7
    return _day(today + timedelta(ahead if ahead or which == "this" else 7))


def _feast(m: re.Match[str], today: date, past: bool) -> Span | None:
    return _day(_nearest(today, *_FEASTS[m["feast"].lower()], past))


def _bare_month(m: re.Match[str], today: date, past: bool) -> Span | None:
    month, which = _month_number(m["month4"]), (m["which_month"] or "").lower()
    year = today.year
    if past or which == "last":
        year -= month > today.month or (which == "last" and month == today.month)
    else:
        year += month < today.month or (which == "next" and month == today.month)
    return _month_span(year, month)


def _day_of_month(m: re.Match[str], today: date, past: bool) -> Span | None:
    number = int(m["day3"])
    step = -1 if past else 1
    for offset in range(3):
        index = today.year * 12 + today.month - 1 + offset * step
        found = _safe(index // 12, index % 12 + 1, number)
        if found and (found <= today if past else found >= today):
            return _day(found)
    return None


def _year(m: re.Match[str], today: date, past: bool) -> Span | None:
    year = int(m["year4"] or m["year5"] or m["year6"])
    return date(year, 1, 1), date(year, 12, 31), "year"


_RESOLVERS = (
    ("iso", _iso), ("numeric", _numeric), ("month1", _month_day), ("month2", _month_day), ("month3", _month_year),
    ("quarter", _quarter), ("near", _near), ("ahead", _ahead), ("back", _back), ("span", _span), ("weekday", _weekday),
    ("feast", _feast), ("month4", _bare_month), ("day3", _day_of_month), ("year4", _year), ("year5", _year),
    ("year6", _year),
)  # fmt: skip


def clock_in(text: str) -> time | None:
    """The first time of day a text names."""
    match = _TIME.search(text)
    if match is None:
        return None
    if match["word"]:
        return time(0) if match["word"].lower() == "midnight" else time(12)
    if match["hour24"]:
        if match["hour24"] in "123456":
            return None  # `4:30` of which half of the day
        return time(int(match["hour24"]), int(match["minute24"]))
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if not (1 <= hour <= 12 and minute < 60):
        return None
    return time(hour % 12 + (12 if match["half"].lower() == "p" else 0), minute)
