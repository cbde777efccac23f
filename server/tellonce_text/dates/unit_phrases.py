"""Grammar rules for days and calendar units around today: `yesterday`, `last week`, `this weekend`, `the week after
next`."""

from datetime import time
from typing import Final

from tellonce_text.dates.counted_phrases import distance_at, exactly_from, weeks_by_days
from tellonce_text.dates.day_arithmetic import DAY_UNITS, SATURDAY, SUNDAY, unit_days, weekday_in
from tellonce_text.dates.lexicon import english
from tellonce_text.dates.phrases import TODAY, Phrase, choose, day_phrase, days_phrase, skip
from tellonce_text.dates.readings import DAY, WEEK, Meaning, Scene, month_of, one_day
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.weekday_phrases import WEEK_HENCE, steps

PLURAL: Final = frozenset("days weeks weekends months quarters years wks yrs".split())
_SMALL_HOURS: Final = time(4)
_THURSDAY: Final = 3
_ARTICLES: Final = frozenset({"article", "contracted", "part_lead", "own", "every", "one", "indefinite", "exactly_at"})
_WEEKEND_LEADS: Final = frozenset({"on", "inside", "at", "contracted", "own"})
_MONDAY_FIRST: Final = frozenset(
    "GB IE DE AT CH FR BE NL LU ES IT PL CZ SK HU SI HR RO BG GR DK SE NO FI IS EE LV LT RU UA BY TR AU NZ".split()
)


def day_word(line: Line, index: int) -> Phrase | None:
    """Parse `yesterday`, `the day after tomorrow`. Shortly after midnight, "tomorrow" may mean the day that has just
    begun, so it is not certain."""
    at = skip(line, index, "article")
    token, after = line[at], line[at + 1]
    offset = token.get("day")
    if offset is None or (token.has("part") and token.has("day_only") and _is_morning(line, at)):
        return None
    if after.word == "week" and line.language == "en" and line[at + 2].kind != "number":  # `today week`
        shift = offset + (7 if offset >= 0 else -7)
        found = day_phrase(at + 2, lambda today: today + shift * DAY)
        return found.changed(lambda meaning, scene: meaning.only_if(scene.region in WEEK_HENCE))
    weeks = weeks_by_days(line, at + 1)
    if weeks and offset >= 0:
        return day_phrase(weeks[1], lambda today: today + offset * DAY + weeks[0] * WEEK)
    back = after.has("ago_before")
    distance = distance_at(line, at + 2) if line.language != "en" and (after.has("in") or back) else None
    if distance:
        count, unit, end = distance
        away = -count.value if back else count.value
        return Phrase(end, lambda s: exactly_from(s, unit, away, offset, sure=count.exact), single=True)
    found = day_phrase(
        at + 1,
        lambda today: today + offset * DAY,
        not (_is_titled(line, at) or _is_noun(line, at)),
        "" if offset else TODAY,
    )
    return found.changed(lambda meaning, s: meaning.only_if(offset != 1 or not time(0) < s.said.time() < _SMALL_HOURS))


def _is_morning(line: Line, index: int) -> bool:
    """Whether `mañana` or `morgen` means the morning and not tomorrow: `por la mañana`, `am Morgen`, `heute morgen`."""
    before = line[index - 1]
    adjective = line[index].capital and before.word.endswith("en") and line.language == "de"
    return before.has("day") or adjective or not _ARTICLES.isdisjoint(before.tags)


def _is_noun(line: Line, index: int) -> bool:
    """Whether a word for a day is a noun, because of the word before it: `like there's no tomorrow`, `un domani`."""
    return line[index - 1].has("none") or (line.language in {"it", "pt"} and line[index - 1].has("one"))


def _is_titled(line: Line, index: int) -> bool:
    """Whether the words are probably a title: `the chords for Yesterday`, `USA Today`, `The Day After Tomorrow`."""
    token, before = line[index], line[index - 1]
    whole = line.text[token.start : token.end]
    if not token.capital or whole.isupper():
        return False
    name = before.capital and not before.tags and before.word not in english()
    return (before.kind == "word" and (name or not before.capital)) or (
        " " in whole and whole.istitle() and line.language == "en"
    )


def unit_step(line: Line, index: int) -> Phrase | None:
    """Parse `last week`, `this month`, `the week after next`, `semana pasada`, `the weekend`."""
    at = skip(line, index, "article")
    step, nearest, after = steps(line, at)
    unit, before = line[after].get("unit"), line[index - 1]
    if unit not in DAY_UNITS or unit in {"fortnight", "workday"} or line[after].word in PLURAL:
        return None
    end = after + 1
    if step is None and line.language != "en":  # `la semana pasada`
        step, nearest, end = steps(line, end)
    if step is None and (line[end].has("before_last") or line[end].has("after_next")):
        away = -2 if line[end].has("before_last") else 2
        return days_phrase(end + 1, lambda scene: unit_days(scene.today, unit, away), form="unit")
    if step is None:
        led = not _WEEKEND_LEADS.isdisjoint(before.tags) or (line.language == "ru" and before.has("for"))
        return Phrase(end, _the_weekend) if unit == "weekend" and (at > index or led) else None
    if unit == "day":
        return None
    if unit == "weekend":
        return Phrase(end, lambda scene: _weekend(scene, step, nearest=nearest))
    named = end + line[end].has("on")
    number = line[named].get("weekday")
    if unit == "week" and number is not None and line[named + 1].kind != "number":
        return days_phrase(named + 1, lambda scene: weekday_in(scene, number, step))._replace(single=True)
    month = line[end + 1].get("month") if unit == "year" and line[end].has("month_lead") else None
    if month is not None and line[end + 2].kind != "number":  # `letztes Jahr im Mai`
        return days_phrase(end + 2, lambda s: month_of(s.today.year + step, month))
    found = days_phrase(end, lambda s: unit_days(s.today, unit, step), not (nearest and step < 0), form="unit")
    # On a Sunday, "next week" may begin today or tomorrow, except in regions where weeks begin on Monday.
    return found.changed(
        lambda meaning, s: meaning.only_if(unit != "week" or s.today.weekday() != SUNDAY or s.region in _MONDAY_FIRST)
    )


def same_time(line: Line, index: int) -> Phrase | None:
    """Parse `this time next week` or `la semana pasada a esta hora`, which is the same weekday of that week."""
    if "same_time" not in line.tags:
        return None
    led = line[index].has("same_time")
    found = unit_step(line, index + led) or day_word(line, index + led)
    if found is None or not (led or line[found.end].has("same_time")):
        return None

    def today_of(meaning: Meaning, scene: Scene) -> Meaning:
        days = meaning.choices[0]
        if days.end - days.first == WEEK:
            return Meaning((one_day(days.first + scene.today.weekday() * DAY),))
        return meaning.only_if(days.precision == "day")

    return found.changed(today_of)._replace(end=found.end + (not led), single=True, form="")


def _weekend(scene: Scene, step: int, *, nearest: bool) -> Meaning:
    here, weekday, past = unit_days(scene.today, "weekend", 0), scene.today.weekday(), scene.direction == "past"
    if step < 0:
        return Meaning((here.shifted(-7),))
    if step == 0:
        return Meaning((here.shifted(-7) if past and weekday < 3 else here,), not past or weekday != 3)
    if nearest and weekday < SATURDAY:
        return Meaning((here,))
    return Meaning((here.shifted(7), here), weekday >= SATURDAY)


def _the_weekend(scene: Scene) -> Meaning | None:
    """The meaning of `the weekend`. Without a verb, it is uncertain from Monday to Wednesday, because it can be the
    last or the next weekend."""
    here = unit_days(scene.today, "weekend", 0)
    found = choose(scene, here if here.first <= scene.today else here.shifted(-7), here)
    return found and found.only_if(scene.sure and not (scene.inferred and scene.today.weekday() < _THURSDAY))
