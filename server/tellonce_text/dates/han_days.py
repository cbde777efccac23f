"""Grammar rules for dates and relative days in Chinese and Japanese: `下周三`, `来週の金曜日`, `去年5月3日`, `15日`.

These languages have no spaces between words, so a word such as `来週` may be part of a longer word with another meaning.
A day is therefore certain only if the characters beside its word show that the word is whole.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, time
from functools import cache
from typing import Final

from tellonce_text.dates.calendar_days import day_of_year, nearest_day, soon
from tellonce_text.dates.calendar_spans import in_month
from tellonce_text.dates.day_arithmetic import SUNDAY, unit_days, weekday_in
from tellonce_text.dates.han_words import (
    is_alternative,
    is_date,
    is_repeated,
    is_weekday,
    is_whole,
    pattern,
    steps,
    weekday_after,
    weekdays,
)
from tellonce_text.dates.phrases import TODAY, Phrase, day_phrase, days_phrase
from tellonce_text.dates.readings import DAY, Days, Meaning, Scene, month_of
from tellonce_text.dates.tokens import Line

_SMALL_HOURS: Final = time(4)
_MONTHS: Final = 12
_TEN: Final = "十"
_DIGITS: Final = "一二三四五六七八九"


def han_day(line: Line, index: int) -> Phrase | None:
    """Parse a date or a relative day or span. A repetition such as `每月15日` is no date."""
    token = line[index]
    found = _pattern().fullmatch(token.word) if token.kind == "han" else None
    if found is None:
        return None
    rules = {"day": _day, "week": _week, "month": _month, "year": _year}
    rule = next((rule for unit, rule in rules.items() if found[unit]), _numbered)
    phrase = rule(line, index, found)
    return phrase and phrase.only_if(not is_alternative(line.text, token.start, token.end))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(pattern(named=True))


def _day(line: Line, index: int, found: re.Match[str]) -> Phrase:
    """The day of `明天` or `一昨日`. Shortly after midnight, "tomorrow" may be the day that has just begun."""
    offset, token = steps("day")[found["day"]], line[index]
    whole = is_whole(line.text, token.start, token.end, "day")
    phrase = day_phrase(index + 1, lambda today: today + offset * DAY, whole, "" if offset else TODAY)
    return phrase.changed(
        lambda meaning, s: meaning.only_if(abs(offset) != 1 or not time(0) < s.said.time() < _SMALL_HOURS)
    )


def _week(line: Line, index: int, found: re.Match[str]) -> Phrase:
    """The days of `下周`, `下周三`, `来週末`. In Japanese, the week of a Sunday is not certain, because a week may begin on
    Sunday."""
    step, token, number = steps("week")[found["week"]], line[index], weekdays().get(found["weekday"] or "")
    end = token.start + found.end("week")
    whole = is_whole(line.text, token.start, end, "week")
    from_sunday = found["week"].endswith("週")
    if number is None:
        unit = "weekend" if found["weekend"] else "week"
        phrase = days_phrase(
            index + 1, lambda s: unit_days(s.today, unit, step), whole, "" if found["weekend"] else "unit"
        )
        return phrase.changed(lambda meaning, s: meaning.only_if(not from_sunday or s.today.weekday() != SUNDAY))
    whole = whole and is_weekday(line.text, token.start + found.start("weekday"), token.end)
    phrase = days_phrase(index + 1, lambda s: weekday_in(s, number, step), whole)._replace(single=True)
    return phrase.changed(
        lambda meaning, s: meaning.only_if(not from_sunday or SUNDAY not in (s.today.weekday(), number))
    )


def _month(line: Line, index: int, found: re.Match[str]) -> Phrase:
    """The days of `下个月` or `来月の3日`."""
    step, token, day = steps("month")[found["month"]], line[index], _number(found["d"])
    whole = is_whole(line.text, token.start, token.start + found.end("month"), "month")
    if day is None:
        return days_phrase(index + 1, lambda s: unit_days(s.today, "month", step), whole, "unit")
    return day_phrase(index + 1, lambda today: unit_days(today, "month", step).first.replace(day=day), whole, "date")


def _year(line: Line, index: int, found: re.Match[str]) -> Phrase | None:
    """The days of `去年`, `来年の4月` or `去年5月3日`."""
    step, token, month, day = steps("year")[found["year"]], line[index], _number(found["m"]), _number(found["md"])
    whole = is_whole(line.text, token.start, token.start + found.end("year"), "year")
    if month is None:
        return days_phrase(index + 1, lambda s: unit_days(s.today, "year", step), whole, "unit")
    if not 1 <= month <= _MONTHS:
        return None
    if day is None:
        return days_phrase(index + 1, lambda s: month_of(s.today.year + step, month), whole)
    return day_phrase(index + 1, lambda today: date(today.year + step, month, day), whole, "date")


def _numbered(line: Line, index: int, found: re.Match[str]) -> Phrase | None:
    """The days of `2026年3月15日`, `3月15日`, `3月` or `15日`. Without a year, only a near day is certain, because the
    resolver knows no verbs of these languages."""
    token = line[index]
    year, month, day, alone = (int(found[name]) if found[name] else None for name in ("y", "nm", "nd", "alone"))
    if (month is not None and not 1 <= month <= _MONTHS) or (year is None and is_repeated(line.text, token.start)):
        return None
    meaning = _without_verb(_dates(year, month, day or alone))
    form = "date" if day or alone else ""
    phrase = Phrase(index + 1, meaning, single=bool(form), absolute=year is not None, form=form)
    phrase = _on_weekday(phrase, weekday_after(line.text, token.end)) if day else phrase
    phrase = _lasting(phrase, _number(found["um"]), int(found["ud"])) if found["ud"] else phrase
    if year is not None:
        return phrase
    return soon(phrase).only_if(is_date(line.text, token.start, token.end, bare=month is None))


def _on_weekday(phrase: Phrase, weekday: int | None) -> Phrase:
    """Make the phrase uncertain if its day does not fall on the weekday that the text gives."""
    if weekday is None:
        return phrase
    return phrase.changed(lambda meaning, _scene: meaning.only_if(meaning.choices[0].first.weekday() == weekday))


def _lasting(phrase: Phrase, month: int | None, day: int) -> Phrase:
    """The days from the phrase's day to a later day of its month, or to a day of another month."""

    def until(days: Days) -> Days:
        last = days.first.replace(month=month or days.first.month, day=day)
        if last <= days.first and month in {None, days.first.month}:
            raise ValueError("The last day is before the first day.")
        return days._replace(end=(last if last > days.first else last.replace(year=last.year + 1)) + DAY)

    return phrase.changed(lambda meaning, _scene: meaning.moved(until))._replace(single=False)


def _dates(year: int | None, month: int | None, day: int | None) -> Callable[[Scene], Meaning | None]:
    if month is not None:
        return day_of_year(year, month, day) if day else in_month(year, month)
    return lambda scene: nearest_day(scene, day or 0, None)


def _without_verb(meaning: Callable[[Scene], Meaning | None]) -> Callable[[Scene], Meaning | None]:
    return lambda scene: meaning(scene if scene.sure else replace(scene, direction=None))


def _number(text: str | None) -> int | None:
    if not text or text.isdecimal():
        return int(text) if text else None
    tens, ten, ones = text.rpartition(_TEN)
    return (10 * (_DIGITS.index(tens) + 1 if tens else 1) if ten else 0) + (_DIGITS.index(ones) + 1 if ones else 0)
