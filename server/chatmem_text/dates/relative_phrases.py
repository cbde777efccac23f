"""Days counted from the day it was said: `yesterday`, `next Friday`, `three weeks ago`, `in two weeks on Tuesday`."""

from collections.abc import Callable
from datetime import date, time
from typing import Final

from chatmem_text.dates.phrases import Count, Phrase, Rule, choose, comma, count_at, shifted, skip
from chatmem_text.dates.readings import (
    DAY,
    WEEK,
    Days,
    Meaning,
    Precision,
    Scene,
    add_months,
    monday_of,
    month_of,
    one_day,
    week_of,
    year_of,
)
from chatmem_text.dates.tokens import Line

_DAY_UNITS: Final = frozenset({"day", "week", "fortnight", "month", "quarter", "year", "weekend"})
_SMALL_HOURS: Final = time(4)


def day_word(line: Line, index: int) -> Phrase | None:
    """`yesterday`, `the day after tomorrow`; after midnight "tomorrow" may be the day that has begun."""
    at = skip(line, index, "article")
    token = line[at]
    if token.kind == "han":
        return _han_word(token.word, index)
    offset = token.get("day")
    if offset is None or (token.has("part") and token.word == "morgen" and line[index - 1].has("day")):
        return None
    distance = _distance(line, at + 2) if line[at + 1].has("in") else None
    if distance and line.language != "en":
        count, unit, end = distance
        return Phrase(end, lambda s: _exactly(s, unit, count.value, offset, sure=count.exact), single=True)
    tonight = token.has("part")
    return Phrase(
        at + 1, lambda s: Meaning((one_day(s.today + offset * DAY),), _clear(s, offset, tonight=tonight)), single=True
    )


def _clear(scene: Scene, offset: int, *, tonight: bool) -> bool:
    """After midnight "tomorrow" may be the day that has begun; a night slept badly is "tonight" as well."""
    if tonight:
        return scene.direction != "past" or scene.said.hour >= 18
    return not (offset == 1 and time(0) < scene.said.time() < _SMALL_HOURS)


_HAN_DAYS: Final = {
    "今天": 0,
    "今日": 0,
    "昨天": -1,
    "昨日": -1,
    "明天": 1,
    "明日": 1,
    "前天": -2,
    "后天": 2,
    "後天": 2,
}
_HAN_UNITS: Final = {"上周": ("week", -1), "下周": ("week", 1), "上个月": ("month", -1), "下个月": ("month", 1),
                     "去年": ("year", -1), "明年": ("year", 1)}  # fmt: skip


def _han_word(word: str, index: int) -> Phrase | None:
    if word in _HAN_DAYS:
        return Phrase(index + 1, lambda scene: Meaning((one_day(scene.today + _HAN_DAYS[word] * DAY),)), single=True)
    if word not in _HAN_UNITS:
        return None
    unit, step = _HAN_UNITS[word]
    return Phrase(index + 1, lambda scene: Meaning((unit_days(scene.today, unit, step),)))


def weekday(line: Line, index: int) -> Phrase | None:
    """`Friday`, `next Friday`, `this past Friday`, `lunes pasado`, `the Friday before last`, `Friday in two weeks`."""
    at = skip(line, index, "article")
    step, nearest, at = _steps(line, at)
    number = line[at].get("weekday")
    if number is None or (step is None and not _is_weekday(line, at)):
        return None
    after = at + 2 if line[at + 1].word == "." and len(line[at].word) <= 5 else at + 1
    if step is None and line[after].has("step") and line.language != "en":
        step, after = line[after].get("step"), after + 1
    special = _weekday_of_week(line, after, number) if step is None else None
    if special:
        return special
    if step is None:
        doubtful = line.language == "en" and _is_doubtful(line, index, after)
        return Phrase(after, lambda scene: _bare(scene, number, sure=not doubtful), single=True, form="weekday")
    if nearest or (line.language != "en" and step != 0):
        return Phrase(after, lambda scene: _nearest(scene, number, step, sure=nearest), single=True, form="weekday")
    return Phrase(after, lambda scene: _stepped(scene, number, step), single=True, form="weekday")


def _steps(line: Line, index: int) -> tuple[int | None, bool, int]:
    """The step before a weekday or a unit, and whether it is the nearest one that is meant (`this coming Friday`)."""
    step, nearest = None, False
    for _ in range(2):
        verb = line[index].word == "coming" and line[index - 1].has("tense_be")
        if line[index].has("step") and not verb:
            step, nearest = line[index].get("step"), nearest or line[index].has("past_step")
            index += 1
    return step, nearest, index


def _is_weekday(line: Line, index: int) -> bool:
    """An abbreviation or a lower-case word that is also another word needs something before it."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    if line.language != "en":
        return True
    led = before.has("on") or before.has("by") or before.has("every") or before.has("from") or before.has("to")
    if token.has("vague_word"):
        return (led and not before.has("to")) or (
            token.capital
            and (after.kind in {"clock", "number"} or after.has("part") or after.has("at") or after.word == "-")
        )
    return len(token.word) > 5 or token.capital or led


def _is_doubtful(line: Line, index: int, end: int) -> bool:
    """`Wednesday Addams`, `Crusoe's Friday`, `have you seen Friday?`, `that Tuesday`: a name, or a day known to both."""
    before, after = line[index - 1], line[end]
    named = after.kind == "word" and after.capital and not after.tags and line[index].capital
    owned = before.word.endswith("'s") and before.capital
    return named or owned or before.has("only_titles") or before.has("that")


def _bare(scene: Scene, number: int, *, sure: bool) -> Meaning | None:
    today = scene.today
    back = one_day(today - ((today.weekday() - number - 1) % 7 + 1) * DAY)
    ahead = one_day(today + ((number - today.weekday() - 1) % 7 + 1) * DAY)
    found = choose(scene, back, ahead)
    if found and not sure:
        return Meaning(found.choices, False)
    if found and scene.direction is None:
        return Meaning((ahead, back), False)
    if found and today.weekday() == number:
        return Meaning((*found.choices[:1], one_day(today), *found.choices[1:]), False)
    return found


def _nearest(scene: Scene, number: int, step: int, *, sure: bool) -> Meaning:
    today = scene.today
    if step < 0:
        return Meaning((one_day(today - ((today.weekday() - number - 1) % 7 + 1) * DAY),))
    ahead = today + ((number - today.weekday() - 1) % 7 + 1) * DAY
    agreed = sure or ahead >= monday_of(today) + WEEK
    return Meaning((one_day(ahead), one_day(ahead + WEEK)) if not agreed else (one_day(ahead),), agreed)


def _stepped(scene: Scene, number: int, step: int) -> Meaning:
    """Certain only where those who count days and those who count calendar weeks mean the same."""
    today, monday = scene.today, monday_of(scene.today)
    here = one_day(monday + number * DAY)
    if step == 0:
        return _this(scene, here)
    if step < 0:
        recent = one_day(today - ((today.weekday() - number - 1) % 7 + 1) * DAY)
        clear = recent.first < monday and recent.first < today - DAY
        return Meaning((recent, shifted(recent, -7)), clear)
    ahead, by_week = one_day(today + ((number - today.weekday() - 1) % 7 + 1) * DAY), shifted(here, 7)
    if ahead == by_week:
        return Meaning((ahead,))
    return Meaning((by_week, ahead), ahead.first == today + DAY)


def _this(scene: Scene, here: Days) -> Meaning:
    today = scene.today
    if here.first > today and scene.direction == "past":
        return Meaning((shifted(here, -7), here), False)
    if here.first < today and scene.direction != "past":
        ahead = shifted(here, 7)
        soon = (ahead.first - today).days <= 3 or today.weekday() >= 5
        return Meaning((ahead, here), scene.direction == "future" and soon)
    return Meaning((here,))


def _weekday_of_week(line: Line, index: int, number: int) -> Phrase | None:
    """`Friday before last`, `Friday after next`, `Tuesday next week`, `Friday in two weeks`, the British `Friday week`."""
    if line[index].has("before_last") or line[index].has("after_next"):
        weeks = -2 if line[index].has("before_last") else 2
        return Phrase(index + 1, lambda s: _second(s, number, weeks), single=True)
    at = skip(line, comma(line, index), "of")
    if line[at].has("step") and line[at + 1].get("unit") == "week":
        weeks = line[at].get("step")
        return Phrase(at + 2, lambda s: Meaning((_weekday_in(s, number, weeks),)), single=True)
    if line[at].has("step") and line[at].kind == "word" and line[at + 1].get("unit") == "month":
        return None
    distance = ahead(line, index) or ago(line, index)
    if distance and distance.form == "week":
        return Phrase(distance.end, _on_weekday(distance, number), single=True)
    if line[index].get("unit") == "week" and line[index].word == "week" and line[index + 1].kind != "number":
        return Phrase(index + 1, lambda s: _friday_week(s, number), single=True)
    return None


def _second(scene: Scene, number: int, weeks: int) -> Meaning:
    """The one before last or after next: certain where counting days and counting weeks give the same."""
    today = scene.today
    near = (number - today.weekday() - 1) % 7 + 1 if weeks > 0 else -((today.weekday() - number - 1) % 7 + 1)
    counted = one_day(today + (near + (7 if weeks > 0 else -7)) * DAY)
    by_week = _weekday_in(scene, number, weeks)
    return Meaning((by_week,)) if counted == by_week else Meaning((counted, by_week), False)


def _friday_week(scene: Scene, number: int) -> Meaning:
    ahead_day = scene.today + ((number - scene.today.weekday() - 1) % 7 + 1) * DAY
    return Meaning((one_day(ahead_day + WEEK),), scene.region in {"GB", "IE", "AU", "NZ"})


def _weekday_in(scene: Scene, number: int, weeks: int) -> Days:
    return one_day(monday_of(scene.today) + weeks * WEEK + number * DAY)


def unit_step(line: Line, index: int) -> Phrase | None:
    """`last week`, `this month`, `the week after next`, `semana pasada`, `the weekend`."""
    at = skip(line, index, "article")
    step, nearest, after = _steps(line, at)
    unit = line[after].get("unit")
    if unit not in _DAY_UNITS or unit == "fortnight" or line[after].word in _PLURAL:
        return None
    end = after + 1
    if step is None:
        return _unit_alone(line, index, end, unit, articled=at > index)
    if unit == "day":
        return None
    if line[after].word == "weekend":
        return Phrase(end, lambda scene: _weekend(scene, step))
    if unit == "week" and line[end].has("weekday") and line[end + 1].kind != "number":
        number = line[end].get("weekday")
        return Phrase(end + 1, lambda scene: Meaning((_weekday_in(scene, number, step),)), single=True)
    if unit == "week" and line[end].has("on") and line[end + 1].has("weekday"):
        number = line[end + 1].get("weekday")
        return Phrase(end + 2, lambda scene: Meaning((_weekday_in(scene, number, step),)), single=True)
    sure = not (nearest and step < 0)
    return Phrase(end, lambda scene: _unit(scene, unit, step, sure=sure), form="unit")


def _unit(scene: Scene, unit: str, step: int, *, sure: bool) -> Meaning:
    """On a Sunday "next week" may begin today or tomorrow, unless it is known on which day weeks begin."""
    by_custom = unit != "week" or scene.today.weekday() != 6 or scene.region in _MONDAY_FIRST
    return Meaning((unit_days(scene.today, unit, step),), sure and by_custom)


_MONDAY_FIRST: Final = frozenset(
    "GB IE DE AT CH FR BE NL LU ES IT PL CZ SK HU SI HR RO BG GR DK SE NO FI IS EE LV LT RU UA BY TR AU NZ".split()
)
_PLURAL: Final = frozenset("days weeks weekends months quarters years wks yrs".split())


def _unit_alone(line: Line, index: int, end: int, unit: str, *, articled: bool) -> Phrase | None:
    """`the week before last`, `week after next`, `semana pasada`, `the weekend`."""
    if line[end].has("before_last") or line[end].has("after_next"):
        step = -2 if line[end].has("before_last") else 2
        return Phrase(end + 1, lambda scene: Meaning((unit_days(scene.today, unit, step),)), form="unit")
    if line.language != "en" and line[end].has("step"):
        step = line[end].get("step")
        return Phrase(end + 1, lambda scene: Meaning((unit_days(scene.today, unit, step),)), form="unit")
    if unit == "weekend" and (
        articled or line[index - 1].has("on") or line[index - 1].has("at") or line[index - 1].has("own")
    ):
        return Phrase(end, _the_weekend)
    return None


def _weekend(scene: Scene, step: int) -> Meaning:
    here, today = unit_days(scene.today, "weekend", 0), scene.today
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
    return found and Meaning(found.choices, found.certain and scene.direction is not None)


def unit_days(today: date, unit: str, step: int) -> Days:
    """The calendar unit `step` units away."""
    match unit:
        case "day":
            return one_day(today + step * DAY)
        case "week":
            return week_of(today + step * WEEK)
        case "weekend":
            saturday = monday_of(today) + 5 * DAY + step * WEEK
            return Days(saturday, saturday + 2 * DAY, "week")
        case "month":
            first = add_months(today.replace(day=1), step)
            return month_of(first.year, first.month)
        case "quarter":
            first = add_months(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * step)
            return month_of(first.year, first.month, 3)
        case "decade":
            return year_of((today.year // 10 + step) * 10, 10)
        case _:
            return year_of(today.year + step)


def window(line: Line, index: int) -> Phrase | None:
    """`the past 3 days`, `the next two weeks`, `within a month`: up to or from today, today included."""
    at = skip(line, index, "article")
    token = line[at]
    step = 1 if token.has("within") else token.get("step")
    count = count_at(line, at + 1) if step else None
    if count is None or not step or line[count.end].get("unit") not in _DAY_UNITS:
        return None
    unit = line[count.end].get("unit")
    return Phrase(count.end + 1, lambda scene: _window(scene.today, unit, step * count.value, sure=count.exact))


def _window(today: date, unit: str, offset: int, *, sure: bool) -> Meaning:
    far = counted_day(today, unit, offset)
    days = Days(far, today + DAY, "ongoing") if far <= today else Days(today, far + DAY, "ongoing")
    return Meaning((days,), False, sure)


def ago(line: Line, index: int) -> Phrase | None:
    """`3 days ago`, `a week ago Friday`, `two weeks ago on Tuesday`, `vor drei Tagen`, `hace una semana`."""
    at = index + 1 if line[index].has("ago_before") else index
    found = _distance(line, at)
    if found is None:
        return None
    count, unit, end = found
    if at == index and not line[end].has("ago"):
        return None
    end = end if at > index else end + 1
    exactly = line[index - 1].has("exactly")
    return _counted(line, end, unit, -count.value, sure=count.exact, exactly=exactly)


def ahead(line: Line, index: int) -> Phrase | None:
    """`in two weeks`, `in two weeks on Tuesday`, `a week from Friday`, `two days from now`."""
    led = line[index].has("in") and not line[index].has("within")
    found = _distance(line, index + 1 if led else index)
    if found is None:
        return None
    count, unit, end = found
    if led:
        time_word = line[end].word == "'" and line[end + 1].has("time")
        end = end + 2 if time_word else end + 1 if line[end].has("time") else end
        if line[end].has("of") or line[end].has("ago"):
            return None
        return _unless_past(_counted(line, end, unit, count.value, sure=count.exact))
    exactly = line[index - 1].has("exactly")
    if line[end].has("hence"):
        return _counted(line, end + 1, unit, count.value, sure=count.exact, exactly=exactly)
    if line[end].word == "from" and line[end + 1].has("day"):
        return _counted(line, end + 1, unit, count.value, sure=count.exact)
    return None


def _unless_past(phrase: Phrase) -> Phrase:
    """`I read it in two days` tells how long it took."""

    def meaning(scene: Scene) -> Meaning | None:
        found = phrase.meaning(scene)
        return found and found._replace(certain=found.certain and scene.direction != "past")

    return phrase._replace(meaning=meaning)


def _distance(line: Line, index: int) -> tuple[Count, str, int] | None:
    count = count_at(line, index)
    if count is None:
        return None
    unit = line[count.end].get("unit")
    return (count, unit, count.end + 1) if unit in _DAY_UNITS else None


def _counted(line: Line, end: int, unit: str, offset: int, *, sure: bool, exactly: bool = False) -> Phrase:
    beside = line[end].get("day")
    if exactly or beside is not None:
        at = end if beside is None else end + 1
        return Phrase(at, lambda s: _exactly(s, unit, offset, beside or 0, sure=sure), single=True, form="count")
    if unit in {"week", "fortnight"}:
        weeks = offset * (2 if unit == "fortnight" else 1)
        anchored = _weekday_beside(line, end, weeks, sure=sure)
        if anchored:
            return anchored
        return Phrase(end, lambda s: Meaning((_around(s.today + weeks * WEEK),), False, sure), form="week")
    if unit == "day":
        return Phrase(end, lambda s: Meaning((one_day(s.today + offset * DAY),), sure), single=True, form="count")
    if unit == "weekend":
        return Phrase(end, lambda s: Meaning((unit_days(s.today, unit, offset),), sure))
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    return Phrase(end, lambda s: Meaning((_month_or_year(s.today, offset * months, unit),), False, sure), form="count")


def _exactly(scene: Scene, unit: str, offset: int, days: int, *, sure: bool) -> Meaning:
    """`a year ago today`, `exactly two weeks ago`; on 29 February a year away there is no such day."""
    from_day = scene.today + days * DAY
    found = counted_day(from_day, unit, offset)
    clipped = unit not in {"day", "week", "fortnight"} and from_day.day != found.day
    return Meaning((one_day(found),), sure and not (clipped and days))


def _around(day: date) -> Days:
    """A week said in passing: three days either side of the day it counts to."""
    return Days(day - 3 * DAY, day + 4 * DAY, "week")


def _month_or_year(today: date, months: int, unit: str) -> Days:
    day = add_months(today, months)
    return year_of(day.year) if unit == "year" else month_of(day.year, day.month)


def counted_day(today: date, unit: str, offset: int) -> date:
    """The very day `offset` units away."""
    match unit:
        case "day":
            return today + offset * DAY
        case "week" | "weekend":
            return today + offset * WEEK
        case "fortnight":
            return today + 2 * offset * WEEK
        case _:
            return add_months(today, offset * {"month": 1, "quarter": 3}.get(unit, 12))


def _weekday_beside(line: Line, end: int, weeks: int, *, sure: bool) -> Phrase | None:
    """`two weeks ago on Tuesday`, `a week ago today`."""
    on = line[end].has("on")
    at = end + 1 if on else end
    if line[at].has("weekday"):
        number = line[at].get("weekday")
        return Phrase(at + 1, lambda s: _in_counted_week(s, number, weeks, sure=sure and on), single=True)
    return None


def _in_counted_week(scene: Scene, number: int, weeks: int, *, sure: bool) -> Meaning:
    """The weekday of that calendar week, or counted from the nearest such day; certain where both are the same."""
    by_week = _weekday_in(scene, number, weeks)
    today = scene.today
    near = (number - today.weekday()) % 7 if weeks > 0 else -((today.weekday() - number) % 7)
    counted = one_day(today + near * DAY + weeks * WEEK)
    if by_week == counted:
        return Meaning((by_week,))
    return Meaning((by_week, counted) if sure else (counted, by_week), sure)


def _on_weekday(distance: Phrase, number: int) -> Callable[[Scene], Meaning | None]:
    def meaning(scene: Scene) -> Meaning | None:
        found = distance.meaning(scene)
        if found is None:
            return None
        monday = monday_of(found.choices[0].first + 3 * DAY)
        return Meaning((one_day(monday + number * DAY),), found.certain)

    return meaning


def edge(line: Line, index: int, parent: Rule) -> Phrase | None:
    """`end of March`, `mid-June`, `early next week`, `the beginning of 2026`, `by the end of the month`."""
    at = skip(line, index, "article")
    where = line[at].get("edge")
    if where is None:
        return None
    after = at + 2 if line[at + 1].word == "-" else skip(line, at + 1, "of")
    found = _current_unit(line, after) or parent(line, after)
    if found is None or (found.single and found.form != "unit"):
        return None
    if where == "end" and (line[index - 1].has("by") or line[index - 1].word == "due"):
        return Phrase(found.end, lambda scene: _each(found.meaning(scene), lambda d: one_day(d.end - DAY)), single=True)
    return Phrase(found.end, lambda scene: _edge_of(found.meaning(scene), where), absolute=found.absolute)


def _current_unit(line: Line, index: int) -> Phrase | None:
    """`the week`, `the year`, said of the one that runs."""
    at = skip(line, index, "article")
    unit = line[at].get("unit")
    if unit in _DAY_UNITS and line[at].word not in _PLURAL and unit != "weekend":
        return Phrase(at + 1, lambda scene: Meaning((unit_days(scene.today, unit, 0),)), form="unit")
    return None


def _edge_of(meaning: Meaning | None, where: str) -> Meaning | None:
    if meaning is None:
        return None
    whole = all(days.end - days.first == DAY for days in meaning.choices)
    choices = tuple(_part_of(days, where) for days in meaning.choices)
    return Meaning(choices, meaning.certain and whole, meaning.certain)


def _part_of(days: Days, where: str) -> Days:
    """The first, middle, or last third: ten days of a month, four months of a year."""
    length = (days.end - days.first).days
    if length <= 1:
        return days
    if length > 31:
        months = round(length / 30.4) // 3
        first = days.first if where == "start" else add_months(days.first, months if where == "middle" else 2 * months)
        return Days(first, days.end if where == "end" else add_months(first, months), days.precision)
    cut = 10 if length >= 28 else 3
    tail = days.first + (2 * cut if length >= 28 else length - cut) * DAY
    if where == "start":
        return Days(days.first, days.first + cut * DAY, days.precision)
    if where == "end":
        return Days(tail, days.end, days.precision)
    return Days(
        days.first + (cut if length >= 28 else 2) * DAY, tail if length >= 28 else days.first + 5 * DAY, days.precision
    )


def anchored(line: Line, index: int, parent: Rule) -> Phrase | None:
    """`the day after Thanksgiving`, `two days before Christmas`, `the Monday after Easter`, `the week of March 3`."""
    at = skip(line, index, "article")
    step_weekday, unit = line[at].get("weekday"), line[at].get("unit")
    if step_weekday is not None:
        return _beside(line, at + 1, parent, lambda days, sign: _weekday_from(days, step_weekday, sign))
    if unit == "week" and line[at + 1].word == "of":
        found = parent(line, at + 2)
        return found and Phrase(found.end, lambda scene: _each(found.meaning(scene), lambda d: week_of(d.first)))
    if unit in _DAY_UNITS and at > index:
        return _beside(line, at + 1, parent, lambda days, sign: _unit_from(days, unit, sign))
    distance = _distance(line, index)
    if distance is None:
        return None
    count, of, end = distance
    return _beside(line, end, parent, lambda days, sign: _counted_from(days, of, sign * count.value), sure=count.exact)


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


def _ahead_of(found: Phrase, scene: Scene, word: str) -> Meaning | None:
    """`a week from Friday` counts from the coming Friday whatever the verbs."""
    return found.meaning(Scene(scene.said, "future", scene.region) if word in {"from", "on"} else scene)


def _each(meaning: Meaning | None, move: Callable[[Days], Days], sure: bool = True) -> Meaning | None:
    return meaning and Meaning(tuple(move(days) for days in meaning.choices), meaning.certain and sure)


def _weekday_from(days: Days, number: int, sign: int) -> Days:
    anchor = days.end - DAY if sign > 0 else days.first
    distance = (sign * (number - anchor.weekday()) - 1) % 7 + 1
    return one_day(anchor + sign * distance * DAY)


def _unit_from(days: Days, unit: str, sign: int) -> Days:
    if unit == "day":
        return one_day(days.end if sign > 0 else days.first - DAY)
    if unit == "weekend":
        saturday = _weekday_from(days, 5, sign).first
        return Days(saturday, saturday + 2 * DAY, "week")
    return unit_days(days.first, unit, sign)


def _counted_from(days: Days, unit: str, offset: int) -> Days:
    precision: Precision = "day"
    return Days(first := counted_day(days.first, unit, offset), first + DAY, precision)


_COUNTS: Final = frozenset({"number", "one", "vague"})
RELATIVE_RULES: Final[tuple[tuple[Rule, frozenset[str]], ...]] = (
    (day_word, frozenset({"article", "day", "han"})),
    (ago, _COUNTS | {"ago_before"}),
    (ahead, _COUNTS | {"in"}),
    (window, frozenset({"article", "step", "within"})),
    (unit_step, frozenset({"article", "step", "unit"})),
    (weekday, frozenset({"article", "step", "weekday"})),
)
"""Each rule with the kinds and tags of the token it can begin with."""
NESTING_RULES: Final[tuple[tuple[Callable[[Line, int, Rule], Phrase | None], frozenset[str]], ...]] = (
    (edge, frozenset({"article", "edge"})),
    (anchored, _COUNTS | {"article", "weekday", "unit"}),
)
