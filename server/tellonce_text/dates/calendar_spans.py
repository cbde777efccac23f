"""Grammar rules for months, seasons, quarters and feasts: `May 2026`, `last summer`, `the first Monday of
October`."""

from collections.abc import Callable
from datetime import date
from typing import Final

from tellonce_text.dates.day_arithmetic import counted_day, unit_days
from tellonce_text.dates.feasts import HOLY_WEEK, feast_in, nth_weekday
from tellonce_text.dates.phrases import (
    DASHES,
    FIRST_YEAR,
    Phrase,
    days_phrase,
    skip,
    stepped_yearly,
    trailing_year,
    yearless,
    yearly,
)
from tellonce_text.dates.readings import DAY, WEEK, Days, Meaning, Scene, month_of, one_day
from tellonce_text.dates.tokens import Line

STEPPED: Final = "stepped"
"""The form of phrases such as `last June` or `next summer`. The year of such a phrase does not depend on a verb."""
_SOUTHERN: Final = frozenset({"AU", "NZ", "ZA", "AR", "CL", "UY", "PY", "BR", "BO", "NA", "BW", "LS", "SZ"})
_LAST_WEEK: Final = 53
_SATURDAY: Final = 5
_SMALL: Final = frozenset({"article", "on", "at", "contracted", "in"})


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
    named = of > at + 2 or (line.language != "en" and line[of].has("month"))
    if nth is None or not named or (weekday is None and unit not in {"week", "day", "weekend", "workday"}):
        return None
    if line[of].has("every") and line[of + 1].has("unit"):
        return Phrase(of + 2, lambda _scene: None, form="repeats")
    stepped = which_month(line, of - 1)
    if stepped:
        parent: Phrase | None = days_phrase(stepped[1], lambda s: unit_days(s.today, "month", stepped[0]))
    else:
        parent = month(line, skip(line, of, "article"), led=True)
    vague = unit == "week"

    def meaning(scene: Scene) -> Meaning | None:
        found = parent and parent.meaning(scene)
        try:
            choices = tuple(_nth_in(days, nth, weekday, unit) for days in found.choices) if found else ()
        except ValueError:  # raised for the fifth Monday of a month with four Mondays
            return None
        return Meaning(choices, found.certain and not vague, vague) if found else None

    return parent and Phrase(parent.end, meaning, single=unit not in {"week", "weekend"})


def _nth_in(days: Days, nth: int, weekday: int | None, unit: str | None) -> Days:
    if weekday is not None or unit == "weekend":
        first = nth_weekday(days.first.year, days.first.month, nth, _SATURDAY if weekday is None else weekday)
        return one_day(first) if weekday is not None else Days(first, first + 2 * DAY, "week")
    if unit == "week":
        first = days.end - WEEK if nth < 0 else days.first + (nth - 1) * WEEK
        return Days(first, first + WEEK, "week")
    return one_day(counted_day(days.end if nth < 0 else days.first - DAY, unit or "day", nth))


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
    if year is not None and step is None:
        return Phrase(end, in_month(year, number), absolute=year > FIRST_YEAR)
    if step is not None:
        return _stepped(line, index, step, lambda scene, year: month_of(year, number))
    led = led or _is_led(line, at) or _begins_range(line, at)
    return Phrase(at + 1, in_month(None, number)).only_if(led) if led or _is_month(line, at) else None


def _stepped(line: Line, index: int, step: int, days: Callable[[Scene, int], Days]) -> Phrase:
    """The meaning of `next March` or `last summer`. The token `index` is a word such as `next`."""
    nearest = line[index].word == "past"
    return Phrase(index + 2, lambda s: stepped_yearly(s, step, lambda y: days(s, y), nearest=nearest), form=STEPPED)


def _is_led(line: Line, index: int) -> bool:
    before = line[index - 1]
    hyphenated = before.word == "-" and line[index - 2].has("edge")
    may_lead = any(before.has(tag) for tag in ("month_lead", "of", "edge", "inside"))
    plain = line[index].capital or not line[index].has("vague_word")
    return (may_lead and (plain or before.word in {"in", "by", "since", "of", "until"})) or hyphenated


def _begins_range(line: Line, index: int) -> bool:
    """Whether a range of months begins with the token, as in `May to July`."""
    joint = line[index + 1]
    joined = joint.word in DASHES or (joint.has("to") and not joint.has("and"))
    return line[index].capital and joined and line[index + 2].has("month")


def _is_month(line: Line, index: int) -> bool:
    """Whether the word is a month although no word such as `in` comes before it: `December`, but not `March`, which has
    another meaning."""
    token = line[index]
    plain = token.capital and not token.has("vague_word")
    return len(token.word) > 3 and (plain or (line.language != "en" and token.word not in {"marzo", "mars", "mai"}))


def in_month(year: int | None, number: int) -> Callable[[Scene], Meaning | None]:
    if year is None:
        return lambda scene: yearless(scene, lambda y: month_of(y, number))
    return lambda scene: Meaning((month_of(_whole_year(year, scene), number),))


def _whole_year(year: int, scene: Scene) -> int:
    """A year such as 2026 stays the same. A small number is a distance from the current year."""
    return year if year > FIRST_YEAR else scene.today.year + year


def season(line: Line, index: int) -> Phrase | None:
    """Parse `last summer`, `in the spring`, `fall 2025`. The year of a winter is the year in which it begins."""
    step = line[index].get("step")
    at = index + 1 if step is not None else skip(line, index, "article")
    start, lead = line[at].get("season"), line[index - 1]
    if start is None or line[at - 1].has("tense_perfect"):  # `a été` is a verb, not `été` (summer)
        return None

    def days(scene: Scene, year: int) -> Days:
        return month_of(year, (start + 5) % 12 + 1 if scene.region in _SOUTHERN else start, 3)

    year, end = trailing_year(line, at + 1)
    if step is not None:
        return _stepped(line, index, step, days)
    if year is not None:
        return days_phrase(end, lambda scene: days(scene, _whole_year(year, scene)))
    led = any(lead.has(tag) for tag in ("in", "since", "edge", "by")) or lead.word in {"over", "during", "through"}
    if line.language == "en" and not led:
        return None
    named = line.language == "en" and line[at + 1].kind == "word" and not line[at + 1].tags  # `spring break`
    return Phrase(at + 1, lambda scene: yearless(scene, lambda y: days(scene, y))).only_if(not named)


def week_number(line: Line, index: int) -> Phrase | None:
    """Parse `KW 23`, the ISO 8601 week of that number."""
    number = line[index + 1].value or 0
    if not line[index].has("week_number") or line[index + 1].suffix or not 1 <= number <= _LAST_WEEK:
        return None
    year, end = trailing_year(line, index + 2)

    def days(of: int) -> Days | None:
        try:
            monday = date.fromisocalendar(of, number, 1)
        except ValueError:  # raised for week 53 of a year with 52 weeks
            return None
        return Days(monday, monday + WEEK, "week")

    def meaning(scene: Scene) -> Meaning | None:
        if year is None:
            return yearly(scene, days)
        found = days(_whole_year(year, scene))
        return Meaning((found,)) if found else None

    return Phrase(end, meaning)


def quarter(line: Line, index: int) -> Phrase | None:
    """Parse `Q2 2026`, `the third quarter of 2025`, `H1 2026`. Without a year, `H1` may be a heading or a visa."""
    token, at = line[index], skip(line, index, "article")
    if len(token.word) == 2 and token.word[0] in "qh" and token.word[1].isdigit():
        number, end = int(token.word[1]), index + 1
    elif line[at].has("ordinal") and line[at + 1].get("unit") == "quarter":
        number, end = line[at].get("ordinal"), at + 2
    else:
        return None
    count = 6 if token.word[0] == "h" and end == index + 1 else 3
    year, after = trailing_year(line, end + (line[end].word in {"/", "-"}))
    first = count * (number - 1) + 1
    if not 1 <= first <= 12 or (year is None and count == 6):
        return None
    if year is None:
        return Phrase(end, lambda scene: yearless(scene, lambda y: month_of(y, first, count)))
    found = days_phrase(after, lambda scene: month_of(_whole_year(year, scene), first, count))
    return found._replace(absolute=year > FIRST_YEAR)


def feast(line: Line, index: int) -> Phrase | None:
    """Parse `Christmas`, `last Easter`, `Thanksgiving 2025`, `Spring Bank Holiday Monday`."""
    step = line[index].get("step")
    at = index + 1 if step is not None else index
    rule = line[at].get("feast")
    lead = next((n for n in range(index - 1, index - 3, -1) if _SMALL.isdisjoint(line[n].tags)), index)
    simile = line[lead].has("simile")  # `it was like Christmas`, `comme à Noël`
    ends_range = line[at - 1].word == "and" and line[at - 3].word == "between"  # `between Christmas and New Year`
    if rule is None or simile or (line[at].word == "new year" and not ends_range):
        return None
    after = at + 1 + (line[at + 1].word == "long")
    if step is None and (line[after].word == "weekend" or rule.endswith("weekend")):
        found = Phrase(after + (line[after].word == "weekend"), _feast_meaning(rule, None, None))
        return found.moved(_with_weekend)
    year, end = trailing_year(line, at + 1)
    absolute = bool(year and year > FIRST_YEAR)
    found = Phrase(end, _feast_meaning(rule, year, step), single=rule != HOLY_WEEK, absolute=absolute, form="feast")
    weekday = line[end].get("weekday")
    if weekday is None or line.language != "en":
        return found
    found = found._replace(end=end + 1)
    return found.changed(lambda meaning, _scene: meaning.only_if(meaning.choices[0].first.weekday() == weekday))


def _with_weekend(days: Days) -> Days:
    """The days of `Labor Day weekend`: the feast together with the Saturday and the Sunday next to the feast."""
    day = days.first
    saturday = day + ((_SATURDAY - day.weekday()) % 7 - (7 if day.weekday() in {0, 1, 6} else 0)) * DAY
    return Days(min(day, saturday), max(day, saturday + DAY) + DAY, "week")


def _feast_meaning(name: str, year: int | None, step: int | None) -> Callable[[Scene], Meaning | None]:
    def meaning(scene: Scene) -> Meaning | None:
        there = feast_in(name, scene.region)
        if there is None:
            return None
        if year is not None:
            found: Meaning | None = Meaning((there.days(_whole_year(year, scene)),))
        elif step is not None:
            found = stepped_yearly(scene, step, there.days)
        else:
            found = yearly(scene, there.days)
        return found and found.only_if(there.certain)

    return meaning
