"""Grammar rules for days and calendar units around today: `yesterday`, `last week`, `this weekend`, `the week after
next`."""

from datetime import time
from typing import Final

from tellonce_text.dates.counted_phrases import distance_at, exactly_from, weeks_by_days
from tellonce_text.dates.day_arithmetic import DAY_UNITS, unit_days, weekday_in
from tellonce_text.dates.lexicon import english
from tellonce_text.dates.nights import TODAY
from tellonce_text.dates.phrases import Phrase, choose, shifted, skip
from tellonce_text.dates.readings import (
    DAY,
    WEEK,
    Meaning,
    Scene,
    month_of,
    one_day,
)
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.weekday_phrases import WEEK_HENCE, steps

_SMALL_HOURS: Final = time(4)


def day_word(line: Line, index: int) -> Phrase | None:
    """Parse `yesterday`, `the day after tomorrow`. Shortly after midnight, "tomorrow" is not certain."""
    at = skip(line, index, "article")
    token = line[at]
    if token.kind == "han":
        return _han_day(token.word, index + 1)
    offset = token.get("day")
    if offset is None or (token.has("part") and token.has("day_only") and _is_morning(line, at)):
        return None
    if line[at + 1].word == "week" and line.language == "en" and line[at + 2].kind != "number":
        shift = offset + (7 if offset >= 0 else -7)
        return Phrase(at + 2, lambda s: Meaning((one_day(s.today + shift * DAY),), s.region in WEEK_HENCE), single=True)
    weeks = weeks_by_days(line, at + 1)
    if weeks and offset >= 0:
        shift = offset + 7 * weeks[0]
        return Phrase(weeks[1], lambda s: Meaning((one_day(s.today + shift * DAY),)), single=True)
    back = line[at + 1].has("ago_before")
    distance = distance_at(line, at + 2) if line[at + 1].has("in") or back else None
    if distance and line.language != "en":
        count, unit, end = distance
        return Phrase(
            end,
            lambda s: exactly_from(s, unit, -count.value if back else count.value, offset, sure=count.exact),
            single=True,
        )
    titled = _is_titled(line, at)
    return Phrase(
        at + 1,
        lambda s: Meaning((one_day(s.today + offset * DAY),), not titled and (offset != 1 or not _is_new_day(s))),
        single=True,
        form="" if offset else TODAY,
    )


def _is_morning(line: Line, index: int) -> bool:
    """Whether a word that can mean either tomorrow or the morning means the morning: `por la mañana`, `am Morgen`,
    `Guten Morgen`, `heute morgen`."""
    before = line[index - 1]
    adjective = line[index].capital and before.word.endswith("en") and line.language == "de"
    return before.has("day") or adjective or not _ARTICLES.isdisjoint(before.tags)


_ARTICLES: Final = frozenset({"article", "contracted", "part_lead", "own", "every", "one", "indefinite", "exactly_at"})


def _is_titled(line: Line, index: int) -> bool:
    """Whether the words are probably a title, because they are capitalized within a sentence or after a name: `the chords for
    Yesterday`, `USA Today`, `The Day After Tomorrow`."""
    token, before = line[index], line[index - 1]
    whole = line.text[token.start : token.end]
    if not token.capital or whole.isupper():
        return False
    name = before.capital and not before.tags and before.word not in english()
    return (before.kind == "word" and (name or not before.capital)) or (
        " " in whole and whole.istitle() and line.language == "en"
    )


def _is_new_day(scene: Scene) -> bool:
    """Whether it is shortly after midnight, when "tomorrow" may mean the day that has just begun."""
    return time(0) < scene.said.time() < _SMALL_HOURS


def _han_day(word: str, end: int) -> Phrase | None:
    """Parse a Chinese or Japanese word such as `昨天` or `先月`, or the weekday of a week, such as `下周三` or `来週の金曜日`."""
    known = _HAN.get(word)
    if known:
        unit, step = known
        return Phrase(end, lambda s: Meaning((unit_days(s.today, unit, step),)), single=unit == "day")
    weekday = next((_HAN_WEEKDAYS[letter] for letter in word[2:] if letter in _HAN_WEEKDAYS), None)
    week = _HAN.get(word[:2])
    if weekday is None or week is None:
        return None
    return Phrase(end, lambda s: Meaning((weekday_in(s, weekday, week[1]),)), single=True, form="weekday")


_HAN: Final = {
    **dict.fromkeys(("今天", "今日"), ("day", 0)), **dict.fromkeys(("昨天", "昨日"), ("day", -1)),
    **dict.fromkeys(("明天", "明日"), ("day", 1)), **dict.fromkeys(("后天", "後天", "明後日"), ("day", 2)),
    "前天": ("day", -2), **dict.fromkeys(("上周", "先週"), ("week", -1)), **dict.fromkeys(("下周", "来週"), ("week", 1)),
    **dict.fromkeys(("上个月", "先月"), ("month", -1)), **dict.fromkeys(("下个月", "来月"), ("month", 1)),
    **dict.fromkeys(("去年", "昨年"), ("year", -1)), **dict.fromkeys(("明年", "来年"), ("year", 1)),
}  # fmt: skip
_HAN_WEEKDAYS: Final = {
    letter: number for days in ("一二三四五六日", "月火水木金土日") for number, letter in enumerate(days)
} | {"天": 6}


def unit_step(line: Line, index: int) -> Phrase | None:
    """Parse `last week`, `this month`, `the week after next`, `semana pasada`, `the weekend`."""
    at = skip(line, index, "article")
    step, nearest, after = steps(line, at)
    unit = line[after].get("unit")
    if unit not in DAY_UNITS or unit in {"fortnight", "workday"} or line[after].word in PLURAL:
        return None
    end = after + 1
    if step is None and line.language != "en":  # `la semana pasada`
        step, nearest, end = steps(line, end)
    if step is None:
        return _unit_alone(line, index, end, unit, articled=at > index)
    if unit == "day":
        return None
    if unit == "weekend":
        return Phrase(end, lambda scene: _weekend(scene, step, nearest=nearest))
    named = end + line[end].has("on")
    number = line[named].get("weekday")
    if unit == "week" and number is not None and line[named + 1].kind != "number":
        return Phrase(named + 1, lambda scene: Meaning((weekday_in(scene, number, step),)), single=True)
    if unit == "year" and (month := _month_of_year(line, end, step)):
        return month
    sure = not (nearest and step < 0)
    return Phrase(end, lambda scene: _unit(scene, unit, step, sure=sure), form="unit")


def _month_of_year(line: Line, index: int, step: int) -> Phrase | None:
    """Parse the month in `last year in May` or `в прошлом году в мае`."""
    led = line[index].has("month_lead")
    number = line[index + 1].get("month") if led else None
    if number is None or line[index + 2].kind == "number":
        return None
    return Phrase(index + 2, lambda scene: Meaning((month_of(scene.today.year + step, number),)))


def same_time(line: Line, index: int) -> Phrase | None:
    """Parse `this time next week` or `la semana pasada a esta hora`, which is the same weekday of that week."""
    if "same_time" not in line.tags:
        return None
    led = line[index].has("same_time")
    found = unit_step(line, index + led) or day_word(line, index + led)
    if found is None or not (led or line[found.end].has("same_time")):
        return None
    return Phrase(found.end + (not led), lambda scene: _today_of(found.meaning(scene), scene), single=True)


def _today_of(meaning: Meaning | None, scene: Scene) -> Meaning | None:
    """For a week, the day in that week that has today's weekday. Any other span is unchanged, and certain only if it is
    a single day."""
    if meaning is None or meaning.choices[0].end - meaning.choices[0].first != WEEK:
        single = meaning is not None and meaning.choices[0].precision == "day"
        return meaning and meaning._replace(certain=meaning.certain and single)
    return Meaning((one_day(meaning.choices[0].first + scene.today.weekday() * DAY),))


def _unit(scene: Scene, unit: str, step: int, *, sure: bool) -> Meaning:
    by_custom = unit != "week" or _begins_alike(scene)
    return Meaning((unit_days(scene.today, unit, step),), sure and by_custom)


def _begins_alike(scene: Scene) -> bool:
    """Whether the meaning of a week is certain. On a Sunday, "next week" may begin today or tomorrow, except in regions
    where weeks begin on Monday."""
    return scene.today.weekday() != 6 or scene.region in _MONDAY_FIRST


_MONDAY_FIRST: Final = frozenset(
    "GB IE DE AT CH FR BE NL LU ES IT PL CZ SK HU SI HR RO BG GR DK SE NO FI IS EE LV LT RU UA BY TR AU NZ".split()
)


PLURAL: Final = frozenset("days weeks weekends months quarters years wks yrs".split())


def _unit_alone(line: Line, index: int, end: int, unit: str, *, articled: bool) -> Phrase | None:
    """Parse `the week before last`, `week after next`, `semana pasada`, `the weekend`."""
    if line[end].has("before_last") or line[end].has("after_next"):
        step = -2 if line[end].has("before_last") else 2
        return Phrase(end + 1, lambda scene: Meaning((unit_days(scene.today, unit, step),)), form="unit")
    before = line[index - 1]
    if unit == "weekend" and (
        articled or not _WEEKEND_LEADS.isdisjoint(before.tags) or (line.language == "ru" and before.has("for"))
    ):
        return Phrase(end, _the_weekend)
    return None


_WEEKEND_LEADS: Final = frozenset({"on", "inside", "at", "contracted", "own"})
_SATURDAY: Final = 5


def _weekend(scene: Scene, step: int, *, nearest: bool) -> Meaning:
    here, today = unit_days(scene.today, "weekend", 0), scene.today
    if nearest and step > 0 and today.weekday() < _SATURDAY:
        return Meaning((here,))
    if step < 0:
        return Meaning((shifted(here, -7),))
    if step == 0:
        just_gone = scene.direction == "past" and today.weekday() < 3
        return Meaning(
            (shifted(here, -7),) if just_gone else (here,), scene.direction != "past" or today.weekday() != 3
        )
    return Meaning((shifted(here, 7), here), today.weekday() >= 5)


def _the_weekend(scene: Scene) -> Meaning | None:
    here = unit_days(scene.today, "weekend", 0)
    begun = here.first <= scene.today
    found = choose(scene, here if begun else shifted(here, -7), here)
    return found and Meaning(found.choices, found.certain and scene.sure)
