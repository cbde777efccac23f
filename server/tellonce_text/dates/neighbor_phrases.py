"""Grammar rules for days next to or within another phrase: `end of March`, `the day after Thanksgiving`, `the week of
March 3`."""

from collections.abc import Callable
from typing import Final

from tellonce_text.dates.calendar_days import day_of_week
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import DAY_UNITS, counted_day, unit_days
from tellonce_text.dates.phrases import Phrase, Rule, skip
from tellonce_text.dates.readings import (
    DAY,
    Days,
    Meaning,
    Precision,
    Scene,
    add_months,
    one_day,
    week_of,
)
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.unit_phrases import PLURAL
from tellonce_text.dates.years import bare_year


def edge(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `end of March`, `mid-June`, `early next week`, `the beginning of 2026`, `by the end of the month`."""
    at = skip(line, index, "article")
    where = line[at].get("edge")
    if where is None:
        return None
    after = at + 2 if line[at + 1].word == "-" else skip(line, at + 1, "of")
    found = _longer(_current_unit(line, after), parent(line, after))
    if found is None or (found.single and found.form != "unit"):
        return None
    if where == "rest":
        return Phrase(found.end, lambda scene: _rest_of(found.meaning(scene), scene))
    limit = line[index - 1].has("by") or line[index - 1].word == "due"
    if where == "last" or (where == "end" and (limit or at > index)):
        month = found.form == "unit" and not any(line[before].has("weekday") for before in (index - 1, index - 2))
        return Phrase(found.end, lambda scene: _last_day(found.meaning(scene), sure=limit, month=month), single=True)
    return Phrase(found.end, lambda scene: _edge_of(found.meaning(scene), where), absolute=found.absolute)


def _rest_of(meaning: Meaning | None, scene: Scene) -> Meaning | None:
    """The meaning of `the rest of July`: from today, or from tomorrow."""
    today = scene.today
    return _each(
        meaning, lambda days: days if days.end <= today else Days(max(days.first, today), days.end), sure=False
    )


def _longer(one: Phrase | None, other: Phrase | None) -> Phrase | None:
    return max((found for found in (one, other) if found), key=lambda found: found.end, default=None)


def half(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `the second half of August`, `im ersten Halbjahr`, `primera quincena de marzo`."""
    at = skip(line, index, "article")
    nth, unit = line[at].get("ordinal"), line[at + 1].get("unit")
    if nth not in {-1, 1, 2} or not (line[at + 1].has("half_span") or unit in {"half_year", "fortnight"}):
        return None
    after = skip(line, at + 2, "inside")
    found = _longer(_longer(_current_unit(line, after), parent(line, after)), bare_year(line, after))
    if found is None or found.single:
        return None
    return Phrase(found.end, lambda scene: _each(found.meaning(scene), lambda days: _half_of(days, nth)))


def _half_of(days: Days, nth: int) -> Days:
    """The first or second half of a span. A month is divided after its fifteenth day, a year after six months."""
    length = (days.end - days.first).days
    months = round(length / 30.4)
    middle = days.first + 15 * DAY if months <= 1 else add_months(days.first, months // 2)
    return Days(days.first, middle, days.precision) if nth == 1 else Days(middle, days.end, days.precision)


def _last_day(meaning: Meaning | None, *, sure: bool, month: bool) -> Meaning | None:
    """The meaning of the end of a span. The last day is certain in a limit (`by the end of May`) and in `the end of the
    month`; otherwise, the text may mean any of the last days. The end of a week is never certain: it is Friday for some
    people and Sunday for others."""
    span = meaning.choices[0].precision if meaning else "day"
    vague = span in {"week", "season"}
    last = _each(meaning, lambda days: one_day(days.end - DAY), (sure or (month and span == "month")) and not vague)
    return last and last._replace(approximate=not sure and not vague)


def _current_unit(line: Line, index: int) -> Phrase | None:
    """Parse `the week` or `the year`, which means the current week or year."""
    at = skip(line, index, "article")
    unit = line[at].get("unit")
    if unit in DAY_UNITS and line[at].word not in PLURAL and unit != "weekend":
        return Phrase(at + 1, lambda scene: Meaning((unit_days(scene.today, unit, 0),)), form="unit")
    return None


def _edge_of(meaning: Meaning | None, where: str) -> Meaning | None:
    if meaning is None:
        return None
    known = all(days.end - days.first == DAY for days in meaning.choices)
    choices = tuple(_part_of(days, where) for days in meaning.choices)
    return Meaning(choices, meaning.certain and known, meaning.certain)


def _part_of(days: Days, where: str) -> Days:
    """A part of a span. For a month: the first, middle or last third. For a year: the first three months, the middle
    third or the last third."""
    length = (days.end - days.first).days
    if length <= 1:
        return days
    if length > 31:
        months = round(length / 30.4) // 3
        first = days.first if where == "start" else add_months(days.first, months if where == "middle" else 2 * months)
        early = min(months, _QUARTER) if where == "start" else months
        return Days(first, days.end if where == "end" else add_months(first, early), days.precision)
    cut = 10 if length >= 28 else 3
    tail = days.first + (2 * cut if length >= 28 else length - cut) * DAY
    if where == "start":
        return Days(days.first, days.first + cut * DAY)
    if where == "end":
        return Days(tail, days.end)
    return Days(days.first + (9 if length >= 28 else 2) * DAY, tail if length >= 28 else days.first + 5 * DAY)


_QUARTER: Final = 3  # months


def anchored(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `the day after Thanksgiving`, `two days before Christmas`, `the Monday after Easter`, `the week of March
    3`."""
    at = skip(line, index, "article")
    if line[at].has("eve") or line[at].has("morrow"):
        return _next_to(line, at, parent)
    step_weekday, unit = line[at].get("weekday"), line[at].get("unit")
    if step_weekday is not None:
        return _beside(line, at + 1, parent, lambda days, sign: weekday_from(days, step_weekday, sign))
    if unit == "weekend" and line[at + 1].has("of"):
        day = parent(line, at + 2)
        return day and Phrase(day.end, lambda scene: _weekend_of(day.meaning(scene)))
    named = at + 1 if line[at].word == "w / c" else at + 2 if line[at + 1].has("week_lead") else 0
    if unit == "week" and named:
        found = _longer(day_of_week(line, named), parent(line, skip(line, named, "article")))
        return found and Phrase(found.end, lambda scene: _each(found.meaning(scene), lambda d: week_of(d.first)))
    if unit in DAY_UNITS and (at > index or line[index - 1].has("on")):
        return _beside(line, at + 1, parent, lambda days, sign: unit_from(days, unit, sign))
    led = line.language == "en" and line[index].word == "in"
    distance = distance_at(line, index + led)
    if distance is None:
        return None
    count, of, end = distance
    if line[end].word == "on" and (of not in {"week", "fortnight"} or count.value > _MOST_WEEKS_ON):
        return None

    def or_event(at_line: Line, at: int) -> Phrase | None:
        return parent(at_line, at) or _of_event(at_line, at, parent)

    return _beside(line, end, or_event, lambda days, sign: counted_from(days, of, sign * count.value), sure=count.exact)


def _next_to(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `la veille de Noël`, `le lendemain de Noël`."""
    day = parent(line, skip(line, index + 1, "article"))
    if day is None or not day.single:
        return None
    move = DAY if line[index].has("morrow") else -DAY
    meaning = lambda scene: _each(day.meaning(scene), lambda days: Days(days.first + move, days.end + move))  # noqa: E731
    return Phrase(day.end, meaning, single=True, form=day.form)


_MOST_WEEKS_ON: Final = 3
"""Maximum number of weeks in a day such as `a week on Friday`. `fourteen weeks on Friday` is an age."""


def _weekend_of(meaning: Meaning | None) -> Meaning | None:
    """The weekend that contains a named Saturday or Sunday. Other days, such as the day of a feast, are returned
    unchanged but uncertain."""
    if meaning is None:
        return None
    named = [days for days in meaning.choices if days.first.weekday() >= _SATURDAY and days.end - days.first == DAY]
    if not named:
        return Meaning(meaning.choices, False)
    weekends = (week_of(days.first) for days in named)
    choices = tuple(Days(week.end - 2 * DAY, week.end, "week") for week in weekends)
    return Meaning(choices, meaning.certain or len(named) == 1)


_SATURDAY: Final = 5


def _beside(
    line: Line, index: int, parent: Rule, move: Callable[[Days, int], Days], *, sure: bool = True
) -> Phrase | None:
    sign = 1 if line[index].has("from_day") else -1 if line[index].has("before") else 0
    if not sign:
        return None
    found = parent(line, index + 1)
    if found is None:
        return None
    single = found.single
    return Phrase(
        found.end, lambda s: _each(_ahead_of(found, s, line[index].word), lambda d: move(d, sign), sure), single
    )


def _of_event(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse the day of an event that the text names before it: `the wedding on June 6`, `der Hochzeit am 6. Juni`."""
    at = skip(line, index, "article", "own", "contracted")
    joint = next((n for n in range(at, at + _LONGEST_NOUN) if line[n].kind != "word" or line[n].tags), at)
    led = line[joint].has("on") or line[joint].has("contracted") or line[joint].kind == "number"
    found = (parent(line, joint) or parent(line, joint + 1)) if joint > at and led else None
    return found if found and found.single and found.form == "date" else None


_LONGEST_NOUN: Final = 4  # tokens


def _ahead_of(found: Phrase, scene: Scene, word: str) -> Meaning | None:
    """The meaning of the day from which a phrase counts. `a week from Friday` counts from the next Friday in any
    tense."""
    if word not in {"from", "on"}:
        return found.meaning(scene)
    ahead = found.meaning(Scene(scene.said, "future", scene.region))
    return ahead and Meaning(ahead.choices[:1], ahead.certain)


def _each(meaning: Meaning | None, move: Callable[[Days], Days], sure: bool = True) -> Meaning | None:
    return meaning and Meaning(tuple(move(days) for days in meaning.choices), meaning.certain and sure)


def weekday_from(days: Days, number: int, sign: int) -> Days:
    anchor = days.end - DAY if sign > 0 else days.first
    distance = (sign * (number - anchor.weekday()) - 1) % 7 + 1
    return one_day(anchor + sign * distance * DAY)


def unit_from(days: Days, unit: str, sign: int) -> Days:
    if unit == "weekend":
        saturday = weekday_from(days, 5, sign).first
        return Days(saturday, saturday + 2 * DAY, "week")
    return unit_days(days.first, unit, sign)


def counted_from(days: Days, unit: str, offset: int) -> Days:
    precision: Precision = "day"
    return Days(first := counted_day(days.first, unit, offset), first + DAY, precision)
