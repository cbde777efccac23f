"""Grammar rules for dates in numbers: `3/15/2026`, `3.4.`, `Friday 3/4`. Decides whether numbers are a date at all."""

from collections.abc import Callable
from typing import Final

from tellonce_text.dates.calendar_days import AMOUNT, day_of_year, is_whole, leading_weekday, trailing_weekday
from tellonce_text.dates.phrases import Phrase, skip
from tellonce_text.dates.readings import Meaning, Scene
from tellonce_text.dates.tokens import Line

_NUMBER_SIGNS: Final = frozenset("#№")
_LEADS: Final = frozenset("on by since from to at article weekday month_lead before after".split())
_LEADS_TO_DAY: Final = frozenset("be is was ended until from starting through thru at".split())
_DUE: Final = frozenset({"due", "happened", "occurred"})
_ALWAYS: Final = "24/7"
_DENOMINATORS: Final = frozenset({2, 3, 4, 5, 6, 8, 10, 20})
_BESIDE: Final = 4  # tokens: `the flight is now on`
_DIGITS: Final = 2
_MONTHS: Final = 12
_LONGEST_MONTH: Final = 31
_MONTH_FIRST: Final = frozenset({"US", "PH", "FM", "MH", "PW", "GU", "AS", "PR", "VI"})
_BOTH_WAYS: Final = frozenset({"CA"})
"""Regions where both orders, day first and month first, are common."""


def numeric(line: Line, index: int) -> Phrase | None:
    """Parse `3/15/2026`, `15.3.2026`, `3.4.`, `Friday 3/4`. Without a year, a neighboring word must show that the
    numbers are a date."""
    weekday, at = leading_weekday(line, index)
    index = index if weekday is None else at
    token = line[index]
    if token.kind != "numeric" or line[index - 1].word in _NUMBER_SIGNS:
        return None
    first, mark, second, third, dot = (part or "" for part in token.parts)
    a, b, dotted = int(first), int(second), mark == "."
    if len(first) == 4:
        version = dotted and len(third) == 1
        meaning = day_of_year(a, b, int(third)) if third and len(third) < 4 else None
        return meaning and Phrase(index + 1, meaning, single=True, absolute=True).only_if(not version)
    known = bool(third or dot) or weekday is not None or _dated_before(line, index, mark) or _is_timed(line, index)
    sure = known
    if not known and not (_is_padded_day(line, index, mark, second) or _is_slashed_date(line, index, first, second)):
        return None
    if not known and mark == "/":
        announced = any(
            _announces_day(line, at) or line[at].word in _LEADS_TO_DAY for at in range(index - _BESIDE, index)
        )
        sure = announced or _is_padded_date(line, index, first, second)
    if not third and dotted and (b > _MONTHS or a > _LONGEST_MONTH):
        return None
    year = int(third) + (2000 if len(third) < 4 else 0) if third else None
    weekday, end = trailing_weekday(line, index + 1) if weekday is None else (weekday, index + 1)
    found = Phrase(end, _numeric_meaning(a, b, year, mark, weekday), single=True, absolute=year is not None)
    before = line[index - 1]  # `Kapitel 3.4.` may be a section
    noun = line.language == "de" and before.kind == "word" and before.capital and not before.tags
    section = not third and a <= _MONTHS and noun
    return found.only_if(sure and not section and (not dotted or len(third) != 2 or _is_led_to(line, index)))


def _is_led_to(line: Line, index: int) -> bool:
    """Whether a word shows that dotted numbers such as `10.11.24` are a date. In English, they are versions."""
    before, after = line[index - 1], line[index + 1]
    led = before.kind != "word" or after.has("at") or after.kind == "clock" or not _LEADS.isdisjoint(before.tags)
    return line.language != "en" and led


def _dated_before(line: Line, index: int, mark: str) -> bool:
    if mark == "." and line.language == "en":
        return False
    before, earlier = line[index - 1], line[index - 2]
    moved = before.word == "to" and earlier.has("tense_arranged")  # `the meeting is moved to 3/4`
    ended = before.word == "out" and earlier.has("tense_present")  # `the permit runs out 3/4`
    return before.has("on") or before.has("by") or before.has("since") or before.word in _DUE or moved or ended


def _is_padded_day(line: Line, index: int, mark: str, month: str) -> bool:
    """Whether two-digit numbers look like a day, as in `Приём 14.01, …`. They are not a day if a product name comes
    before them or a unit after them."""
    before, after = line[index - 1], line[index + 1]
    plain = before.kind == "word" and not before.capital and not before.tags
    alone = after.kind in {"mark", "end"} and after.word not in AMOUNT
    return mark == "." and line.language != "en" and len(month) == _DIGITS and plain and alone


def _is_slashed_date(line: Line, index: int, first: str, second: str) -> bool:
    """Whether the numbers are a date as in `the party is 7/11` or `runs out 04/05`, and not a ratio such as `3/4`."""
    if line[index].parts[1] != "/" or line[index].word == _ALWAYS:
        return False
    if first.startswith("0") or second.startswith("0"):
        return len(first) == len(second) == _DIGITS
    if int(first) <= int(second) and int(second) in _DENOMINATORS:
        return False
    whole = is_whole(line, index + 1) or line[index + 1].has("in")
    if _LONGEST_MONTH >= int(first) > _MONTHS >= int(second) and whole:  # `29/1` is no fraction
        return True
    before = line[index - 1].word
    beside = {
        "is" if before.endswith("'s") else before,
        line[index + 1].word if max(int(first), int(second)) > _MONTHS else "",
    }
    return not _LEADS_TO_DAY.isdisjoint(beside) or (whole and _announces_day(line, index - 1))


def _is_padded_date(line: Line, index: int, first: str, second: str) -> bool:
    """Whether numbers such as `14/02` are a date, and not a fraction or a month with its year. One must begin with 0,
    and a known word must come before them. Languages other than English allow any word without a capital letter if the
    first number is too large for a month."""
    before = line[index - 1]
    free = bool(before.tags) or (line.language != "en" and int(first) > _MONTHS and not before.capital)
    return free and "0" in {first[0], second[0]} and int(second) <= _MONTHS


def _announces_day(line: Line, index: int) -> bool:
    token = line[index]
    return (token.has("tense_present") and not token.has("tense_have")) or token.has("tense_future")


def _is_timed(line: Line, index: int) -> bool:
    """Whether a time of day follows the numbers, as in `12/3 at 9am` or `13.11 в 9`."""
    at = skip(line, index + 1, "exactly_at")
    following = line[at]
    if at == index + 1:
        return following.kind == "clock" or following.suffix in {"am", "pm", "h"} or line[at + 1].has("o_clock")
    return following.kind in {"clock", "number"}


def _numeric_meaning(
    a: int, b: int, year: int | None, mark: str, weekday: int | None
) -> Callable[[Scene], Meaning | None]:
    """The date in the region's usual order, and then in the other order if that is possible."""

    def meaning(scene: Scene) -> Meaning | None:
        by_day, by_month = (day_of_year(year, m, d, weekday)(scene) for m, d in ((b, a), (a, b)))
        if by_day is None or by_month is None or by_day.choices == by_month.choices:
            return by_day or by_month
        month_first = scene.region in _MONTH_FIRST
        if mark == "." and not month_first:
            return by_day
        ordered = (by_month, by_day) if month_first and mark != "." else (by_day, by_month)
        sure = scene.region is not None and scene.region not in _BOTH_WAYS and ordered[0].certain and mark != "."
        return Meaning((*ordered[0].choices, *ordered[1].choices), sure)

    return meaning
