"""Grammar rules for months, seasons, quarters and feasts: `May 2026`, `last summer`, `the first Monday of
October`."""

from collections.abc import Callable
from datetime import date
from typing import Final

from tellonce_text.dates.day_arithmetic import counted_day
from tellonce_text.dates.feasts import HOLY_WEEK, feast_in, nth_weekday
from tellonce_text.dates.phrases import (
    FIRST_YEAR,
    Phrase,
    doubtful,
    fixed,
    skip,
    trailing_year,
)
from tellonce_text.dates.readings import DAY, Days, Meaning, Scene, add_months, month_of, one_day
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.yearly import stepped_yearly, yearless, yearly


def which_month(line: Line, index: int) -> tuple[int, int] | None:
    """Parse `of next month` or `of the month`. Returns the number of months from the current month, and the index after
    the phrase."""
    at = skip(line, index, "inside")
    if at == index:
        return None
    step = line[at].get("step")
    at += step is not None or line[at].has("article")
    return (step or 0, at + 1) if line[at].get("unit") == "month" and at > index + 1 else None


def nth_of_month(line: Line, index: int) -> Phrase | None:
    """Parse `the first Monday of October`, `last Friday in May`, `second week of June`, `first Sunday of each
    month`."""
    at = skip(line, index, "article")
    nth = line[at].get("ordinal")
    nth = line[at].value if nth is None and line[at].suffix in {"st", "nd", "rd", "th"} else nth
    weekday, unit = line[at + 1].get("weekday"), line[at + 1].get("unit")
    of = skip(line, at + 2, "inside")
    bare = line.language != "en" and line[of].has("month")
    if (
        nth is None
        or (of == at + 2 and not bare)
        or (weekday is None and unit not in {"week", "day", "weekend", "workday"})
    ):
        return None
    if line[of].has("every") and line[of + 1].has("unit"):
        return Phrase(of + 2, lambda _scene: None, form="repeats")
    parent = _stepped_month(line, of) or month(line, skip(line, of, "article"), led=True)
    if parent is None:
        return None
    end, single = parent.end, unit not in {"week", "weekend"}
    return Phrase(end, lambda s: _nth_meaning(parent.meaning(s), nth, weekday, unit, vague=unit == "week"), single)


def _stepped_month(line: Line, index: int) -> Phrase | None:
    month = which_month(line, index - 1)
    if month is None:
        return None
    step, end = month
    return Phrase(end, lambda s: Meaning((_month_from(s, step),)))


def _month_from(scene: Scene, step: int) -> Days:
    first = add_months(scene.today.replace(day=1), step)
    return month_of(first.year, first.month)


def _nth_meaning(
    parent: Meaning | None, nth: int, weekday: int | None, unit: str | None, *, vague: bool
) -> Meaning | None:
    if parent is None:
        return None
    try:
        choices = tuple(_nth_in(days, nth, weekday, unit) for days in parent.choices)
    except ValueError:
        return None
    return Meaning(choices, parent.certain and not vague, vague)


def _nth_in(days: Days, nth: int, weekday: int | None, unit: str | None) -> Days:
    if weekday is not None:
        return one_day(nth_weekday(days.first.year, days.first.month, nth, weekday))
    if unit == "weekend":
        saturday = nth_weekday(days.first.year, days.first.month, nth, 5)
        return Days(saturday, saturday + 2 * DAY, "week")
    if unit == "workday":
        return one_day(counted_day(days.end if nth < 0 else days.first - DAY, unit, nth))
    if unit == "day":
        return one_day(days.end - DAY if nth < 0 else days.first + (nth - 1) * DAY)
    if nth < 0:
        return Days(days.end - 7 * DAY, days.end, "week")
    return Days(days.first + 7 * (nth - 1) * DAY, days.first + 7 * nth * DAY, "week")


def month(line: Line, index: int, *, led: bool = False) -> Phrase | None:
    """Parse `May 2026`, `next March`, `in June`. The name of a month that is also another word, such as `may`, is
    accepted only after a word such as `in`."""
    step = line[index].get("step")
    at = index + 1 if step is not None else index
    token = line[at]
    number = token.get("month")
    if number is None:
        return None
    after = at + 2 if line[at + 1].word == "." and len(token.word) <= 4 else at + 1
    year, end = trailing_year(line, after)
    if year is None:
        year, end = stepped_year(line, after)
    if year is not None and step is None:
        return Phrase(end, in_month(year, number), absolute=year > FIRST_YEAR)
    if not (led or step is not None or _is_month(line, at)):
        return None
    if step is None:
        named = not (led or _is_led(line, at) or _begins_range(line, at))
        return Phrase(at + 1, doubtful(in_month(None, number)) if named else in_month(None, number))
    nearest = line[index].word == "past"
    return Phrase(
        at + 1, lambda s: stepped_yearly(s, step, lambda y: month_of(y, number), nearest=nearest), form=STEPPED
    )


def stepped_year(line: Line, index: int) -> tuple[int | None, int]:
    """Parse the year in `March of last year`, `in March this year` or `marzo del año pasado`. Returns the distance of
    that year from the year of the text: -1 for last year, 0 for this year."""
    at = skip(line, index, "of", "article")
    for step, unit in ((at, at + 1), (at + 1, at)):
        if line[step].has("step") and line[unit].get("unit") == "year":
            return line[step].get("step"), at + 2
    return None, index


def _is_led(line: Line, index: int) -> bool:
    before = line[index - 1]
    hyphenated = before.word == "-" and line[index - 2].has("edge")
    return hyphenated or before.has("month_lead") or before.has("of") or before.has("edge") or before.has("inside")


def _begins_range(line: Line, index: int) -> bool:
    """Whether a range of months begins with the token, as in `May to July`."""
    joint = line[index + 1]
    return (
        line[index].capital
        and not joint.has("and")
        and (joint.has("to") or joint.word in _DASHES)
        and line[index + 2].has("month")
    )


_DASHES: Final = frozenset("-–—")


def _is_month(line: Line, index: int) -> bool:
    token, before = line[index], line[index - 1]
    if _begins_range(line, index):
        return True
    if _is_led(line, index):
        return token.capital or not token.has("vague_word") or before.word in {"in", "by", "since", "of", "until"}
    return (token.capital and not token.has("vague_word") and len(token.word) > 3) or (
        line.language != "en" and len(token.word) > 3 and token.word not in {"marzo", "mars", "mai"}
    )


def in_month(year: int | None, number: int) -> Callable[[Scene], Meaning | None]:
    if year is not None and year > FIRST_YEAR:
        return fixed(month_of(year, number))
    if year is not None:
        return lambda scene: Meaning((month_of(scene.today.year + year, number),))
    return lambda scene: yearless(scene, lambda y: month_of(y, number))


def season(line: Line, index: int) -> Phrase | None:
    """Parse `last summer`, `in the spring`, `fall 2025`. The year of a winter is the year in which it begins."""
    step = line[index].get("step")
    at = index + 1 if step is not None else skip(line, index, "article")
    start = line[at].get("season")
    if start is None or line[at - 1].has("tense_perfect"):  # `a été` is a verb, not `été` (summer)
        return None
    year, end = trailing_year(line, at + 1)
    if year is None:
        year, end = stepped_year(line, at + 1)
    if year is not None and step is None:
        return Phrase(
            end,
            lambda scene: Meaning((_season(scene, year if year > FIRST_YEAR else scene.today.year + year, start),)),
        )
    if step is not None:
        nearest = line[index].word == "past"
        return Phrase(
            at + 1, lambda s: stepped_yearly(s, step, lambda y: _season(s, y, start), nearest=nearest), form=STEPPED
        )
    lead = line[index - 1]
    if not (
        lead.has("in")
        or lead.word in {"over", "during", "through"}
        or lead.has("since")
        or lead.has("edge")
        or lead.has("by")
        or line.language != "en"
    ):
        return None
    meaning: Callable[[Scene], Meaning | None] = lambda scene: yearless(scene, lambda y: _season(scene, y, start))  # noqa: E731
    named = line.language == "en" and line[at + 1].kind == "word" and not line[at + 1].tags
    return Phrase(at + 1, doubtful(meaning) if named else meaning)  # `spring break` is not the spring


def _season(scene: Scene, year: int, start: int) -> Days:
    south = scene.region in _SOUTHERN
    return month_of(year, (start + 5) % 12 + 1 if south else start, 3)


_SOUTHERN: Final = frozenset({"AU", "NZ", "ZA", "AR", "CL", "UY", "PY", "BR", "BO", "NA", "BW", "LS", "SZ"})


def week_number(line: Line, index: int) -> Phrase | None:
    """Parse `KW 23`, the ISO 8601 week of that number."""
    number = line[index + 1].value
    if not line[index].has("week_number") or line[index + 1].suffix or not 1 <= (number or 0) <= _LAST_WEEK:
        return None
    year, end = trailing_year(line, index + 2)

    def days(of: int) -> Days | None:
        monday = _monday_of_week(of, number or 1)
        return Days(monday, monday + 7 * DAY, "week") if monday else None

    return (
        Phrase(end, lambda s: Meaning((found,)) if (found := days(year)) else None)
        if year
        else Phrase(end, lambda s: yearly(s, days))
    )


_LAST_WEEK: Final = 53


def _monday_of_week(year: int, number: int) -> date | None:
    try:
        return date.fromisocalendar(year, number, 1)
    except ValueError:
        return None


def quarter(line: Line, index: int) -> Phrase | None:
    """Parse `Q2 2026`, `the third quarter of 2025`, `H1 2026`."""
    token = line[index]
    if token.word in {"h1", "h2"}:
        return _half_year(line, index, int(token.word[1]))
    at = skip(line, index, "article")
    if len(token.word) == 2 and token.word[0] == "q" and token.word[1].isdigit():
        number, end = int(token.word[1]), index + 1
    elif line[at].has("ordinal") and line[at + 1].get("unit") == "quarter":
        number, end = line[at].get("ordinal"), at + 2
    else:
        return None
    if number is None or not 1 <= number <= 4:
        return None
    after = end + 1 if line[end].word in {"/", "-"} else end
    year, after = trailing_year(line, after)
    months = 3 * number - 2
    if year is None:
        year, after = stepped_year(line, end)
    if year is not None and year < FIRST_YEAR:
        return Phrase(after, lambda scene: Meaning((month_of(scene.today.year + year, months, 3),)))
    if year is None:
        return Phrase(end, lambda scene: yearless(scene, lambda y: month_of(y, months, 3)))
    return Phrase(after, fixed(month_of(year, months, 3)), absolute=True)


def _half_year(line: Line, index: int, number: int) -> Phrase | None:
    """Parse the year after `H1`. Without a year, `H1` may be a heading or a visa."""
    year, end = trailing_year(line, index + 1)
    return None if year is None else Phrase(end, fixed(month_of(year, 6 * number - 5, 6)), absolute=True)


STEPPED: Final = "stepped"
"""The form of phrases such as `last June` or `next summer`. The year of such a phrase does not depend on a verb."""


def feast(line: Line, index: int) -> Phrase | None:
    """Parse `Christmas`, `last Easter`, `Thanksgiving 2025`, `Spring Bank Holiday Monday`."""
    step = line[index].get("step")
    at = index + 1 if step is not None else index
    rule = line[at].get("feast")
    lead = next((n for n in range(index - 1, index - 3, -1) if _SMALL.isdisjoint(line[n].tags)), index)
    simile = line[lead].has("simile")  # `it was like Christmas`, `comme à Noël`
    if rule is None or simile or (line[at].word == "new year" and not _ends_range(line, at)):
        return None
    after = at + 1 + (line[at + 1].word == "long")
    if step is None and (line[after].word == "weekend" or rule.endswith("weekend")):
        return Phrase(after + (line[after].word == "weekend"), _long_weekend(_feast_meaning(rule, None, None)))
    year, end = trailing_year(line, at + 1)
    if year is None:
        year, end = stepped_year(line, at + 1)
    meaning, absolute = _feast_meaning(rule, year, step), bool(year and year > FIRST_YEAR)
    weekday = line[end].get("weekday")
    if weekday is not None and line.language == "en":
        meaning, end = _on_weekday(meaning, weekday), end + 1
    return Phrase(end, meaning, single=rule != HOLY_WEEK, absolute=absolute, form="feast")


_SMALL: Final = frozenset({"article", "on", "at", "contracted", "in"})


def _on_weekday(meaning: Callable[[Scene], Meaning | None], weekday: int) -> Callable[[Scene], Meaning | None]:
    """Return the same meaning, marked as uncertain if the feast is not on the weekday that the text gives."""

    def named(scene: Scene) -> Meaning | None:
        found = meaning(scene)
        return found and Meaning(found.choices, found.certain and found.choices[0].first.weekday() == weekday)

    return named


def _ends_range(line: Line, index: int) -> bool:
    """Whether the feast ends a range, as in `between Christmas and New Year`. Elsewhere, `new year` may mean more than
    the first day of the year."""
    return line[index - 1].word == "and" and line[index - 3].word == "between"


def _long_weekend(meaning: Callable[[Scene], Meaning | None]) -> Callable[[Scene], Meaning | None]:
    """Return the meaning of `Labor Day weekend`: the feast together with the Saturday and the Sunday next to the
    feast."""

    def weekend(scene: Scene) -> Meaning | None:
        found = meaning(scene)
        if found is None:
            return None
        return Meaning(tuple(_with_weekend(days.first) for days in found.choices), found.certain)

    return weekend


def _with_weekend(day: date) -> Days:
    saturday = day + ((5 - day.weekday()) % 7 - (7 if day.weekday() in {0, 1, 6} else 0)) * DAY
    return Days(min(day, saturday), max(day, saturday + DAY) + DAY, "week")


def _feast_meaning(name: str, year: int | None, step: int | None) -> Callable[[Scene], Meaning | None]:
    def meaning(scene: Scene) -> Meaning | None:
        there = feast_in(name, scene.region)
        if there is None:
            return None
        if year is not None:
            found: Meaning | None = Meaning((there.days(year if year > FIRST_YEAR else scene.today.year + year),))
        elif step is not None:
            found = stepped_yearly(scene, step, there.days)
        else:
            found = yearly(scene, there.days)
        return found and Meaning(found.choices, found.certain and there.certain)

    return meaning
