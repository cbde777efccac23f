"""Resolves a person's words to days and times, and computes the numbers that follow from the words."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice, pairwise
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_server.domain.memory import literals
from tellonce_text.dates import meanings
from tellonce_text.dates.alarms import rings
from tellonce_text.dates.calendar_days import ORDINAL_ENDINGS
from tellonce_text.dates.clock_phrases import clocks
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import counted_day
from tellonce_text.dates.phrases import Count, count_at
from tellonce_text.dates.readings import Expression, Reading, Said, add_months
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.tokens import Line, language_of, line_of
from tellonce_text.dates.zones import region_of

Span = tuple[date, date]
"""The first and the last day of a period."""


@dataclass(frozen=True, slots=True)
class Following:
    """Facts that follow from the user's words but are not written in them. `numbers` are the digits of number words and
    dates. `counted` are only the numbers that the words give. `named` are the days that the words name.

    `begun` are the possible starts of something that still lasts: `for nine years` gives 2017. `ended` are the possible
    last days of something with a first day and a length: `on the 8th for three days` gives the 10th and the 11th.
    """

    numbers: frozenset[str] = frozenset()
    named: frozenset[date] = frozenset()
    begun: frozenset[Span] = frozenset()
    ended: frozenset[date] = frozenset()
    counted: frozenset[str] = frozenset()

    def joined(self, other: "Following") -> "Following":
        return Following(
            *(self.numbers | other.numbers, self.named | other.named, self.begun | other.begun),
            *(self.ended | other.ended, self.counted | other.counted),
        )


_DAY_ENDS = ((0, 0), (23, 59))
"""In a claim, these times stand for a whole day, so the user's words need not contain them."""


def admits(text: str, said_at: datetime, zone: ZoneInfo, moment: date | datetime, /) -> bool:
    """Whether the words, said at `said_at`, can mean this day or time. A day without a year can be past or future,
    unless the words show which one is meant."""
    said = Said(said_at, zone, region_of(zone))
    if not isinstance(moment, datetime):
        return meanings.admits(text, moment, said)
    local = moment.astimezone(zone)
    if (local.hour, local.minute) in _DAY_ENDS and meanings.admits(text, local.date(), said):
        return True
    if local.minute and _is_another_time(text, local):
        return False
    readings = (reading for found in expressions(text, said) for reading in meanings.possible(found, said))
    return any(reading.start <= moment < reading.end for reading in readings) or rings(text, said, moment)


def _is_another_time(text: str, local: datetime) -> bool:
    """Whether the text gives times in words, such as `half past nine`, and none of them can be `local`."""
    times = clocks(text)
    named = {(time.hour % 12, time.minute) for time in times}
    here = all(time.zone is None for time in times)
    return here and any(time.spoken for time in times) and (local.hour % 12, local.minute) not in named


try:
    from text_to_num import alpha2digit
except ImportError:
    # The library is not installed on Intel Macs, because PyPI has no binary package for these computers. On these Macs,
    # the word "three" in the user's words does not support the digit 3 in a statement.
    def alpha2digit(text: str, lang: str, threshold: float = 3.0) -> str:
        return text


LANGUAGES: Final = ("en", "de", "fr", "es", "pt", "it", "nl", "da")
"""The languages whose number words the library reads. All are tried, because the language of a text is unknown."""

MOST: Final = 2_000
"""Maximum characters of a text that are searched for numbers, which takes at most 30 ms. The contract limits quotes to
the same length."""

WEEK: Final = 7
"""A claim may name every day of a span of at most this many days. For a longer span, the claim may name only the months
and years of both ends."""


def following(text: str, said_at: datetime, zone: ZoneInfo) -> Following:
    """The numbers and days that follow from the words. The numbers include the year in which the words were said."""
    head = text[:MOST]
    line = line_of(head) or Line(head, (), "")
    counted = frozenset(_spelled(line))
    said = Said(said_at, zone, region_of(zone))
    found = expressions(head, said)
    readings = [reading for expression in found for reading in meanings.possible(expression, said)]
    parts = (part for reading in readings for part in _parts(reading))
    named = {reading.days[0] for reading in readings if reading.days[0] == reading.days[1]}
    lengths = list(islice(dict.fromkeys(_lengths(line, found)), _MOST_LENGTHS))
    today = said_at.astimezone(zone).date()
    named.update(_bare_days(line, found, [today, *sorted(named)[:_MOST_LENGTHS]]))
    return Following(
        counted.union(_fractions(line, counted), parts, (str(today.year),)),
        frozenset(named),
        frozenset(_begun(today, *length) for length in lengths),
        frozenset(
            last for length in lengths for day in sorted(named)[:_MOST_LENGTHS] for last in _last_days(day, *length)
        ),
        counted,
    )


_MOST_LENGTHS: Final = 20
"""Maximum number of durations that are read in a text. Each is combined with at most this many days."""


def _bare_days(line: Line, found: Iterable[Expression], anchors: Iterable[date]) -> Iterator[date]:
    """The possible dates of a day without a month, such as `the 1st`. They are at most 31 days from an anchor: the day
    of the message or another named day. The resolver itself reads a bare day only where its number cannot belong to a
    noun."""
    read = [(expression.start, expression.end) for expression in found]
    numbers = {
        line[at].value or 0
        for at in range(len(line))
        if _may_be_a_day(line, at) and not any(first <= line[at].start < last for first, last in read)
    }
    for anchor in anchors if numbers else ():
        for day in (anchor + timedelta(days=distance) for distance in range(-_MONTH, _MONTH + 1)):
            if day.day in numbers:
                yield day


def _may_be_a_day(line: Line, at: int) -> bool:
    """Whether the token is an ordinal, or a number without a word after it. In `20 books`, the number counts the
    books."""
    token, after = line[at], line[at + 1]
    return token.kind == "number" and (token.suffix in ORDINAL_ENDINGS if token.suffix else after.kind != "word")


_MONTH: Final = 31


def _lengths(line: Line, found: Iterable[Expression]) -> Iterator[tuple[int, str]]:
    """The lengths of time that are not part of a date."""
    for index in range(len(line)):
        distance = distance_at(line, index)
        if distance is None or not distance[0].exact or distance[0].value > _LONGEST_STAY:
            continue
        start, end = line[index].start, line[distance[2] - 1].end
        if not any(start < expression.end and expression.start < end for expression in found):
            yield distance[0].value, distance[1]


_LONGEST_STAY: Final = 150


def _begun(today: date, count: int, unit: str) -> Span:
    """The span in which something that has lasted for `count` units began."""
    day = counted_day(today, unit, -count)
    if unit == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    if unit == "month":
        return day.replace(day=1), add_months(day.replace(day=1), 1) - timedelta(days=1)
    slack = timedelta(days=0 if unit == "day" else _ABOUT)
    return day - slack, day + slack


_ABOUT: Final = 3


def _last_days(first: date, count: int, unit: str) -> Iterator[date]:
    """The two possible last days of something that lasts for `count` units from `first`. The first day may count or
    not."""
    with suppress(ValueError, OverflowError):  # Dates after the year 9999 raise these errors.
        end = counted_day(first, unit, count)
        yield from (end - timedelta(days=1), end)


def _spelled(line: Line) -> Iterator[str]:
    """The numbers that the line gives in words. The library reads most of them. `tellonce_text.dates` adds Russian
    numbers and dozens."""
    for language in LANGUAGES:
        digits = alpha2digit(line.text, language, 0)
        yield from literals.said_numbers(digits)
        yield from map(_scaled, _SCALED.finditer(digits))
    for index in range(len(line)):
        count = count_at(line, index)
        if count and count.exact:
            yield str(count.value)
            yield str(count.value * max(1, line[count.end].get("number") or 1))  # 140 тысяч
            yield from _half_more(line, count)
    yield from (first + second for first, second in _PRICE.findall(alpha2digit(line.text, "en", 0)))


def _half_more(line: Line, count: Count) -> Iterator[str]:
    """The number in `два с половиной миллиона`, with and without its scale."""
    if line[count.end].word == "с" and line[count.end + 1].get("fraction") == 2:
        scale = line[count.end + 2].get("number") or 1
        yield from (literals.written((count.value + 0.5) * scale), str(scale))
        yield literals.written(count.value + 0.5)


_PRICE: Final = re.compile(r"(?<![\d.,])([1-9]\d) ([1-9]\d)(?![\d.,])")
"""Matches `23 50`, which the library writes for `twenty-three fifty`. Such words can also mean 2350."""


def timed_numbers(text: str) -> frozenset[tuple[int, str]]:
    """The numbers with a unit of time, each with its unit: `14 months`, or a price such as `310 a day`."""
    line = line_of(text[:MOST]) or Line("", (), "")
    counts = (count_at(line, index) for index in range(len(line)))
    found = ((count.value, _unit_after(line, count.end)) for count in counts if count and count.exact)
    return frozenset((value, unit) for value, unit in found if unit is not None)


def equal_lengths(count: int, unit: str) -> Iterator[tuple[int, str]]:
    """The same length of time in the next smaller and larger units: two weeks are 14 days and one fortnight."""
    for large, size, small in _LENGTHS:
        if unit == large and count:
            yield count * size, small
        elif unit == small and count and count % size == 0:
            yield count // size, large


_LENGTHS: Final = (
    ("week", 7, "day"), ("fortnight", 2, "week"), ("fortnight", 14, "day"), ("year", 12, "month"), ("decade", 10, "year")
)  # fmt: skip


def _unit_after(line: Line, index: int) -> str | None:
    """The first unit of time among three tokens, beginning with `index`. Only words or marks such as `€ a`, `-` or
    `por` may precede it."""
    for at in range(index, index + 3):
        token = line[at]
        if token.has("unit"):
            unit: str = token.get("unit")
            return {"workday": "day"}.get(unit, unit)
        if token.kind not in ("word", "mark") or token.word in _ENDS:
            return None
    return None


_ENDS: Final = frozenset(",.;:!?")


def calendar_names(text: str) -> frozenset[tuple[str, int]]:
    """The months and weekdays that the text names in its language, also abbreviated."""
    line = line_of(text) or Line(text, (), "")
    tags = (("month", "month"), ("weekday", "weekday"), ("weekdays", "weekday"))
    tokens = (line[at] for at in range(len(line)))
    return frozenset((name, token.get(tag)) for token in tokens for tag, name in tags if token.has(tag))


def in_digits(statement: str) -> str:
    """The statement with digits for number words from `three` upward, so that its numbers can be compared."""
    language = language_of(statement)
    head, rest = statement[:MOST], statement[MOST:]
    line = line_of(head)
    if line is None:
        return statement
    if language not in LANGUAGES:
        return _numerals_in_digits(line) + rest
    vague = [line[at] for at in range(len(line)) if line[at].has("vague")]  # `unos dos años` is not 1 2
    bounds = [0, *(edge for token in vague for edge in (token.start, token.end)), len(head)]
    pieces = [head[start:end] for start, end in pairwise(bounds)]
    digits = "".join(p if n % 2 else _converted(p, language) for n, p in enumerate(pieces))
    return _SCALED.sub(_scaled, digits) + rest


def _scaled(match: re.Match[str]) -> str:
    return literals.written(float(match[1].replace(",", ".")) * int(match[2]))


def _converted(text: str, language: str) -> str:
    """The text with digits for number words. The library would drop the spaces around it."""
    inner = text.strip(" ")
    return text.replace(inner, alpha2digit(inner, language)) if inner else text


def _numerals_in_digits(line: Line) -> str:
    """A text in a language that the library does not know, with digits for the numbers that the resolver knows."""
    text = line.text
    for at in reversed(range(len(line))):
        number = line[at].get("number")
        if number and number >= _LEAST:
            text = f"{text[: line[at].start]}{number}{text[line[at].end :]}"
    return text


_LEAST: Final = 3
"""The smallest number that is read if a statement writes it as a word. The words `one` and `two` often mean no number.
"""


_SCALED: Final = re.compile(r"(?<![\d.,])(\d{1,9}(?:[.,]\d{1,3})?) (1000(?:000){0,2})(?!\d)")
"""Matches `1.2 1000000`, which the library writes for `1.2 million`."""


def _fractions(line: Line, counted: Iterable[str]) -> Iterator[str]:
    """The numbers that follow from words such as `half`. `half of 80` gives `0.5`, `50` (percent), `30` (minutes) and
    `40`."""
    parts = {line[at].get("fraction") for at in range(len(line))} - {None}
    wholes = {1, *(int(number) for number in counted if number.isdigit() and len(number) <= _LONGEST)}
    for part in parts:
        shares = [100 / part, 60 / part]
        shares += [value for whole in wholes for value in (whole / part, whole + 1 / part, 60 * whole + 60 / part)]
        yield from (literals.written(round(share, 2)) for share in shares)


_LONGEST: Final = 9
"""Maximum digits of a number from which fractions, such as its half, are computed."""


def _parts(reading: Reading) -> Iterator[str]:
    first, last = reading.days
    length = (last - first).days + 1
    named = [first + timedelta(days=number) for number in range(length)] if length <= WEEK else [first, last]
    for day in named:
        yield from (str(day.year), str(day.month), *((str(day.day),) if length <= WEEK else ()))
    if reading.precision == "instant":
        at = reading.start
        yield from (str(at.hour), str(at.hour % 12 or 12), str(at.minute))
