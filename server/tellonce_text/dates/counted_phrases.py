"""Grammar rules for days counted from the day of the text: `three weeks ago`, `in two weeks on Tuesday`, `the past 3
days`."""

from typing import Final

from tellonce_text.dates.day_arithmetic import DAY_UNITS, counted_day, unit_days, weekday_in
from tellonce_text.dates.phrases import Count, Phrase, count_at, day_phrase, days_phrase, skip
from tellonce_text.dates.readings import (
    DAY,
    WEEK,
    Days,
    Meaning,
    Scene,
    month_of,
    one_day,
    weekday_from,
    year_of,
)
from tellonce_text.dates.tokens import Line

_COUNT_BOTH_ENDS: Final = frozenset({"de", "fr", "it", "es", "pt"})
"""Languages in which a week is `eight days`, because the first day is counted, too."""
_EIGHT: Final = 8
_SHORT: Final = frozenset({"day", "week"})
_WEEKS_BY_DAYS: Final = {8: 1, 14: 2, 15: 2}
_TO_THE_DAY: Final = ("to", "the", "day")
"""The words after `two years ago` in `two years ago to the day`. They are not a phrase of the lexicon, because `to the
day after tomorrow` begins with the same words."""


def window(line: Line, index: int) -> Phrase | None:
    """Parse `the past 3 days`, `the next two weeks`, `within a month`. Today is the last day of a span in the past.
    Today is the first day of a span in the future. A span that has lasted until today is certain: `for the past two
    weeks`."""
    at = skip(line, index, "article")
    last = -1 if line[at].get("ordinal") == -1 else None
    step = 1 if line[at].has("within") else line[at].get("step") or last
    distance = distance_at(line, at + 1) if step else None
    if distance is None or not step or line[at + 1].has("one") or distance[0].end == at + 1:
        return None
    count, unit, end = distance
    sure = step < 0 and line[index - 1].has("for") and count.exact and unit in _SHORT

    def meaning(scene: Scene) -> Meaning:
        far = counted_day(scene.today, unit, step * count.value)
        days = Days(min(far, scene.today), max(far, scene.today) + DAY, "ongoing")
        return Meaning((days,), sure, count.exact and not sure)

    return Phrase(end, meaning)


def since(line: Line, index: int) -> Phrase | None:
    """Parse the days or weeks in `seit drei Tagen` or `depuis une semaine`. The meaning is the first of these days. In
    Italian, such words can also give the length of a thing: `un viaggio da tre giorni`."""
    found = distance_at(line, index)
    noun = line.language == "it" and any(line[index - 3].has(tag) for tag in ("one", "article"))
    if found is None or found[1] not in _SHORT or noun:
        return None
    return _counted(line, found[2], found[1], -found[0].value, sure=found[0].exact)


def ago(line: Line, index: int) -> Phrase | None:
    """Parse `3 days ago`, `a week ago Friday`, `two weeks ago on Tuesday`, `vor drei Tagen`, `hace una semana`."""
    that = line[index].has("ago_that")
    at = index + 1 if that or line[index].has("ago_before") else index
    at += at > index and line[at].has("exactly")
    day = line[at].get("day") if at > index else None
    found = distance_at(line, at if day is None else at + 1)
    if found is None or (that and not line[found[2]].has("that")):
        return None
    count, unit, end = found
    if day is not None:  # `faz hoje um mês que`
        return Phrase(end, lambda s: exactly_from(s, unit, -count.value, day, sure=count.exact), single=True)
    if at == index and not line[end].has("ago"):
        return None
    exactly = line[index - 1].has("exactly") or line[at - 1].has("exactly")
    return _counted(line, end + (at == index), unit, -count.value, sure=count.exact, exactly=exactly)


def ahead(line: Line, index: int) -> Phrase | None:
    """Parse `in two weeks`, `in two weeks on Tuesday`, `a week from Friday`, `two days from now`."""
    led = line[index].has("in") and not line[index].has("within")
    at = index + 1 + line[index + 1].has("exactly") if led else index
    found = distance_at(line, at)
    if found is None:
        return None
    count, unit, end = found
    exactly, sure = line[index - 1].has("exactly") or line[at - 1].has("exactly"), count.exact
    if led:
        end += 2 if line[end].word == "'" and line[end + 1].has("time") else line[end].has("time")
        if line[end].has("of") or line[end].has("ago"):
            return None
        counted = _counted(line, end, unit, count.value, sure=sure, exactly=exactly)
        if exactly or counted.end > end:
            return counted
        # In a sentence in the past tense, such as `I read it in two days`, the phrase is a duration.
        return counted.changed(lambda meaning, scene: meaning.only_if(scene.direction != "past"))
    if line[end].has("hence"):
        return _counted(line, end + 1, unit, count.value, sure=sure, exactly=exactly)
    if line[end].word == "from" and line[end + 1].has("day"):
        return _counted(line, end + 1, unit, count.value, sure=sure)
    if unit in {"week", "fortnight"} and line[end].has("day") and line[end].get("day") >= 0:
        return _counted(line, end, unit, count.value, sure=sure)
    return None


def fridays_ago(line: Line, index: int) -> Phrase | None:
    """Parse `two Fridays ago`. `one Friday ago` is the last Friday before today."""
    count = count_at(line, index)
    number = line[count.end].get("weekdays") if count else None
    if count is None or number is None or not line[count.end + 1].has("ago"):
        return None
    weeks = count.value - 1
    return day_phrase(count.end + 2, lambda today: weekday_from(today, number, -1) - weeks * WEEK, count.exact)


def distance_at(line: Line, index: int) -> tuple[Count, str, int] | None:
    """Parse `two weeks`. Returns the count, the unit, and the index after the words."""
    count = count_at(line, index)
    if count is None and line.language == "ru" and line[index].has("unit"):
        count = Count(1, True, index)
    unit = line[count.end].get("unit") if count else None
    return (count, unit, count.end + 1) if count and unit in DAY_UNITS else None


def _counted(line: Line, end: int, unit: str, offset: int, *, sure: bool, exactly: bool = False) -> Phrase:
    if line[end].has("exactly"):
        end, exactly = end + 1, True
    elif tuple(line[end + n].word for n in range(3)) == _TO_THE_DAY:
        end, exactly = end + 3, True
    beside = line[end].get("day")
    fortnight = unit == "fortnight" and not line[end].has("weekday") and not line[end].has("on")
    if exactly or beside is not None or fortnight:
        at = end if beside is None else end + 1
        return Phrase(at, lambda s: exactly_from(s, unit, offset, beside or 0, sure=sure), single=True, form="count")
    if unit == "day" and line[end - 2].kind == "word" and line.language in _COUNT_BOTH_ENDS and abs(offset) in {8, 15}:
        return _week_of_eight_days(line, end, offset)
    weekly, on = unit in {"week", "fortnight"}, line[end].has("on")
    number = line[end + on].get("weekday") if weekly else None
    if number is not None:
        weeks = offset * (2 if unit == "fortnight" else 1)
        return Phrase(end + on + 1, lambda s: _in_counted_week(s, number, weeks, sure=sure and on), single=True)

    def meaning(scene: Scene) -> Meaning:
        day = counted_day(scene.today, unit, offset)
        if weekly:  # `two weeks ago` can mean the week around the day; `in two weeks` means the day
            return Meaning((one_day(day), Days(day - 3 * DAY, day + 4 * DAY, "week")), sure and offset > 0, sure)
        if unit in {"day", "workday"}:
            return Meaning((one_day(day),), sure)
        if unit == "weekend":
            return Meaning((unit_days(day, unit, 0),), sure)
        return Meaning((year_of(day.year) if unit == "year" else month_of(day.year, day.month),), False, sure)

    form = "week" if weekly else "" if unit == "weekend" else "count"
    return Phrase(end, meaning, single=unit in {"day", "workday"}, form=form)


def _week_of_eight_days(line: Line, end: int, offset: int) -> Phrase:
    """The meaning of `in acht Tagen` or `dans quinze jours`: whole weeks, or the literal number of days."""
    week = abs(offset) == _EIGHT
    fewer = offset // abs(offset) * (abs(offset) - (0 if line.language == "de" and not week else 1))
    days = sorted((fewer, offset))
    found = days_phrase(end, lambda s: Days(s.today + days[0] * DAY, s.today + (days[1] + 1) * DAY), not week)
    return found._replace(single=not week)


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


def exactly_from(scene: Scene, unit: str, offset: int, days: int, *, sure: bool) -> Meaning:
    """The meaning of `a year ago today` or `exactly two weeks ago`. If the month has no such day (29 February), the
    result is the last day of the month."""
    from_day = scene.today + days * DAY
    found = counted_day(from_day, unit, offset)
    clipped = unit not in {"day", "week", "fortnight"} and from_day.day != found.day
    return Meaning((one_day(found),), sure and not (clipped and days))


def _in_counted_week(scene: Scene, number: int, weeks: int, *, sure: bool) -> Meaning:
    """The weekday in `two weeks ago on Tuesday`: in that calendar week, or two weeks before the latest Tuesday. It is
    certain if both are the same day. Phrases about the future count forward."""
    by_week, sign = weekday_in(scene, number, weeks), 1 if weeks > 0 else -1
    counted = one_day(weekday_from(scene.today - sign * DAY, number, sign) + weeks * WEEK)
    if by_week == counted:
        return Meaning((by_week,))
    return Meaning((by_week, counted) if sure else (counted, by_week), False)
