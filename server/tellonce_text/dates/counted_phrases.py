"""Grammar rules for days counted from the day of the text: `three weeks ago`, `in two weeks on Tuesday`, `the past 3
days`."""

from datetime import date
from typing import Final

from tellonce_text.dates.day_arithmetic import DAY_UNITS, counted_day, unit_days, weekday_in
from tellonce_text.dates.phrases import Count, Phrase, count_at, skip
from tellonce_text.dates.readings import (
    DAY,
    WEEK,
    Days,
    Meaning,
    Scene,
    add_months,
    month_of,
    one_day,
    year_of,
)
from tellonce_text.dates.tokens import Line


def window(line: Line, index: int) -> Phrase | None:
    """Parse `the past 3 days`, `the next two weeks`, `within a month`. The span ends or begins with today."""
    at = skip(line, index, "article")
    token = line[at]
    step = 1 if token.has("within") else token.get("step")
    count = count_at(line, at + 1) if step else None
    if count is None or not step or line[at + 1].has("one") or line[count.end].get("unit") not in DAY_UNITS:
        return None
    unit = line[count.end].get("unit")
    return Phrase(count.end + 1, lambda scene: _window(scene.today, unit, step * count.value, sure=count.exact))


def _window(today: date, unit: str, offset: int, *, sure: bool) -> Meaning:
    far = counted_day(today, unit, offset)
    days = Days(far, today + DAY, "ongoing") if far <= today else Days(today, far + DAY, "ongoing")
    return Meaning((days,), False, sure)


def ago(line: Line, index: int) -> Phrase | None:
    """Parse `3 days ago`, `a week ago Friday`, `two weeks ago on Tuesday`, `vor drei Tagen`, `hace una semana`."""
    that = line[index].has("ago_that")
    at = index + 1 if that or line[index].has("ago_before") else index
    day = line[at].get("day") if at > index else None
    found = distance_at(line, at if day is None else at + 1)
    if found is None or (that and not line[found[2]].has("that")):
        return None
    count, unit, end = found
    if day is not None:  # `faz hoje um mês que`
        return Phrase(end, lambda s: exactly_from(s, unit, -count.value, day, sure=count.exact), single=True)
    if at == index and not line[end].has("ago"):
        return None
    end = end if at > index else end + 1
    exactly = line[index - 1].has("exactly")
    return _counted(line, end, unit, -count.value, sure=count.exact, exactly=exactly)


def ahead(line: Line, index: int) -> Phrase | None:
    """Parse `in two weeks`, `in two weeks on Tuesday`, `a week from Friday`, `two days from now`."""
    led = line[index].has("in") and not line[index].has("within")
    found = distance_at(line, index + 1 if led else index)
    if found is None:
        return None
    count, unit, end = found
    exactly = line[index - 1].has("exactly")
    if led:
        time_word = line[end].word == "'" and line[end + 1].has("time")
        end = end + 2 if time_word else end + 1 if line[end].has("time") else end
        if line[end].has("of") or line[end].has("ago"):
            return None
        counted = _counted(line, end, unit, count.value, sure=count.exact, exactly=exactly)
        return counted if exactly or counted.end > end else _unless_past(counted)
    if line[end].has("hence"):
        return _counted(line, end + 1, unit, count.value, sure=count.exact, exactly=exactly)
    if line[end].word == "from" and line[end + 1].has("day"):
        return _counted(line, end + 1, unit, count.value, sure=count.exact)
    if unit in {"week", "fortnight"} and line[end].has("day") and line[end].get("day") >= 0:
        return _counted(line, end, unit, count.value, sure=count.exact)
    return None


def fridays_ago(line: Line, index: int) -> Phrase | None:
    """Parse `two Fridays ago`. One Friday ago is the last Friday before today."""
    count = count_at(line, index)
    number = line[count.end].get("weekdays") if count else None
    if count is None or number is None or not line[count.end + 1].has("ago"):
        return None
    weeks = count.value - 1
    return Phrase(count.end + 2, lambda s: _fridays_back(s, number, weeks, sure=count.exact), single=True)


def _fridays_back(scene: Scene, number: int, weeks: int, *, sure: bool) -> Meaning:
    today = scene.today
    return Meaning((one_day(today - ((today.weekday() - number - 1) % 7 + 1) * DAY - weeks * WEEK),), sure)


def _unless_past(phrase: Phrase) -> Phrase:
    """Mark the phrase as uncertain if the sentence is in the past tense: in `I read it in two days`, the phrase is a
    duration."""

    def meaning(scene: Scene) -> Meaning | None:
        found = phrase.meaning(scene)
        return found and found._replace(certain=found.certain and scene.direction != "past")

    return phrase._replace(meaning=meaning)


def distance_at(line: Line, index: int) -> tuple[Count, str, int] | None:
    count = count_at(line, index)
    if count is None and line.language == "ru" and line[index].has("unit"):
        count = Count(1, True, index)
    if count is None:
        return None
    unit = line[count.end].get("unit")
    return (count, unit, count.end + 1) if unit in DAY_UNITS else None


def _counted(line: Line, end: int, unit: str, offset: int, *, sure: bool, exactly: bool = False) -> Phrase:
    if line[end].has("exactly"):
        end, exactly = end + 1, True
    beside = line[end].get("day")
    if exactly or beside is not None:
        at = end if beside is None else end + 1
        return Phrase(at, lambda s: exactly_from(s, unit, offset, beside or 0, sure=sure), single=True, form="count")
    if unit == "day" and line[end - 2].kind == "word" and line.language in _COUNT_BOTH_ENDS and abs(offset) in {8, 15}:
        return _week_of_eight_days(line, end, offset)
    if unit == "fortnight" and not line[end].has("weekday") and not line[end].has("on"):
        return Phrase(end, lambda s: exactly_from(s, unit, offset, 0, sure=sure), single=True, form="count")
    if unit in {"week", "fortnight"}:
        weeks = offset * (2 if unit == "fortnight" else 1)
        anchored = _weekday_beside(line, end, weeks, sure=sure)
        if anchored:
            return anchored
        return Phrase(end, lambda s: _weeks_away(s.today + weeks * WEEK, s.today, sure=sure), form="week")
    if unit in {"day", "workday"}:
        return Phrase(
            end, lambda s: Meaning((one_day(counted_day(s.today, unit, offset)),), sure), single=True, form="count"
        )
    if unit == "weekend":
        return Phrase(end, lambda s: Meaning((unit_days(s.today, unit, offset),), sure))
    months = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}[unit]
    return Phrase(end, lambda s: Meaning((_month_or_year(s.today, offset * months, unit),), False, sure), form="count")


_COUNT_BOTH_ENDS: Final = frozenset({"de", "fr", "it", "es", "pt"})


def _week_of_eight_days(line: Line, end: int, offset: int) -> Phrase:
    """The meaning of `in acht Tagen` or `dans quinze jours`. Such a phrase means either whole weeks, because these
    languages also count the first day, or the literal number of days."""
    fewer = offset // abs(offset) * (abs(offset) - (0 if line.language == "de" and abs(offset) != _EIGHT else 1))
    days = sorted((fewer, offset))
    return Phrase(
        end,
        lambda s: Meaning((Days(s.today + days[0] * DAY, s.today + (days[1] + 1) * DAY),), abs(offset) != _EIGHT),
        single=abs(offset) != _EIGHT,
    )


_EIGHT: Final = 8


def weeks_by_days(line: Line, index: int) -> tuple[int, int] | None:
    """Parse `in acht Tagen` or `en huit` after a named day. Returns the number of weeks, and the index after the
    words."""
    led = line[index].has("in") or (line[index].word in {"en", "a", "in"} and line.language != "en")
    count = count_at(line, index + 1) if led else None
    weeks = _WEEKS_BY_DAYS.get(count.value) if count and line[count.end - 1].kind == "word" else None
    if count is None or weeks is None:
        return None
    named = line[count.end].get("unit")
    if named == "day":
        return weeks, count.end + 1
    return (weeks, count.end) if named is None and line.language in {"fr", "it", "es"} else None


_WEEKS_BY_DAYS: Final = {8: 1, 14: 2, 15: 2}


def exactly_from(scene: Scene, unit: str, offset: int, days: int, *, sure: bool) -> Meaning:
    """The meaning of `a year ago today` or `exactly two weeks ago`. If the month has no such day (29 February), the
    result is the last day of the month."""
    from_day = scene.today + days * DAY
    found = counted_day(from_day, unit, offset)
    clipped = unit not in {"day", "week", "fortnight"} and from_day.day != found.day
    return Meaning((one_day(found),), sure and not (clipped and days))


def _weeks_away(day: date, today: date, *, sure: bool) -> Meaning:
    """The meaning of `two weeks ago` or `in two weeks`: approximately that day. In the future, the exact day is usually
    meant. In the past, writers may mean the exact day or the week around it, so the meaning is uncertain."""
    around = Days(day - 3 * DAY, day + 4 * DAY, "week")
    return Meaning((one_day(day), around), sure and day > today, sure)


def _month_or_year(today: date, months: int, unit: str) -> Days:
    day = add_months(today, months)
    return year_of(day.year) if unit == "year" else month_of(day.year, day.month)


def _weekday_beside(line: Line, end: int, weeks: int, *, sure: bool) -> Phrase | None:
    """Parse the weekday after a count of weeks, as in `two weeks ago on Tuesday`."""
    on = line[end].has("on")
    at = end + 1 if on else end
    if line[at].has("weekday"):
        number = line[at].get("weekday")
        return Phrase(at + 1, lambda s: _in_counted_week(s, number, weeks, sure=sure and on), single=True)
    return None


def _in_counted_week(scene: Scene, number: int, weeks: int, *, sure: bool) -> Meaning:
    """Return two days: the weekday in the counted calendar week, and the weekday counted from the nearest such weekday.
    The meaning is certain if both are the same day."""
    by_week = weekday_in(scene, number, weeks)
    today = scene.today
    near = (number - today.weekday()) % 7 if weeks > 0 else -((today.weekday() - number) % 7)
    counted = one_day(today + near * DAY + weeks * WEEK)
    if by_week == counted:
        return Meaning((by_week,))
    return Meaning((by_week, counted) if sure else (counted, by_week), False)
