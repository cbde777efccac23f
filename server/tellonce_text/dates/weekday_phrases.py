"""Grammar rules for weekdays: `Friday`, `next Friday`, `the Friday before last`, `Tuesday in two weeks`."""

from collections.abc import Callable
from typing import Final

from tellonce_text.dates.counted_phrases import ago, ahead, weeks_by_days
from tellonce_text.dates.day_arithmetic import weekday_in
from tellonce_text.dates.phrases import Phrase, choose, comma, shifted, skip
from tellonce_text.dates.readings import (
    DAY,
    WEEK,
    Days,
    Meaning,
    Scene,
    monday_of,
    one_day,
)
from tellonce_text.dates.tokens import Line


def weekday(line: Line, index: int) -> Phrase | None:
    """Parse `Friday`, `next Friday`, `this past Friday`, `the Friday before last`, `Friday in two weeks`."""
    at = skip(line, index, "article")
    step, nearest, at = steps(line, at)
    number = line[at].get("weekday")
    if number is None or (step is None and not _is_weekday(line, at)):
        return None
    if line[index - 1].has("indefinite") and not line[index].has("article"):
        return None
    after = at + 2 if line[at + 1].word == "." and len(line[at].word) <= 5 else at + 1
    if step is None and line[after].has("step") and line.language != "en" and not line[after + 1].has("unit"):
        step, after = line[after].get("step"), after + 1
    special = _weekday_of_week(line, after, number) if step is None else None
    if special:
        return special
    if step is None:
        doubtful = line[index - 1].has("other") or (line.language == "en" and _is_doubtful(line, index, after))
        return Phrase(after, lambda scene: _bare(scene, number, sure=not doubtful), single=True, form="weekday")
    if abs(step) > 1:
        return Phrase(after, lambda scene: _second(scene, number, step), single=True, form="weekday")
    if nearest or (line.language != "en" and step != 0):
        return Phrase(after, lambda scene: _nearest(scene, number, step, sure=nearest), single=True, form="weekday")
    return Phrase(after, lambda scene: _stepped(scene, number, step), single=True, form="weekday")


def steps(line: Line, index: int) -> tuple[int | None, bool, int]:
    """Parse the words before a weekday or unit. Returns the step (`next`: 1), whether the nearest day is meant (`this
    coming Friday`), and the index after the words."""
    step, nearest = None, False
    for _ in range(2):
        verb = line[index].word == "coming" and line[index - 1].has("tense_be")
        if line[index].has("step") and not verb:
            step, nearest = line[index].get("step"), nearest or line[index].has("past_step")
            index += 1
    return step, nearest, index


def _is_weekday(line: Line, index: int) -> bool:
    """Whether the token is a weekday. A lower-case abbreviation, or a word with another meaning such as `sun`, needs a
    word such as `on` before it."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    if line.language != "en":
        return True
    if before.word in _DASHES and line[index - 2].has("weekday"):  # `Mon-Wed`
        return True
    led = before.has("on") or before.has("by") or before.has("every") or before.has("from") or before.has("to")
    if token.has("vague_word") and (after.suffix in {"am", "pm"} or line[index + 2].has("half_of_day")):
        return True
    if token.has("vague_word") and after.has("at") and before.has("tense_present"):  # `arrives sat at noon`
        return True
    if token.has("vague_word"):
        apart = after.kind in {"clock", "number"} or after.has("part") or after.has("at") or after.word in _DASHES
        return (led and not before.has("to")) or (token.capital and (apart or _ends_clause(line, index)))
    return len(token.word) > 5 or token.capital or led or after.has("at") or after.kind == "clock"


_DASHES: Final = frozenset("-–—")


def _ends_clause(line: Line, index: int) -> bool:
    """Whether an abbreviation such as `Wed` follows an ordinary word and ends a clause: `bins go out Wed, it's
    recycling`."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    plain = before.kind == "word" and not before.capital and not before.has("article") and not before.has("own")
    return plain and not line.text[token.start : token.end].isupper() and after.word in _ENDS


_ENDS: Final = frozenset({"", *",.!?;)"})


def _is_doubtful(line: Line, index: int, end: int) -> bool:
    """Whether the weekday may be a name (`Wednesday Addams`, `Crusoe's Friday`) or a day that only the speakers know
    (`that Tuesday`, `the Friday after we met`)."""
    before, after = line[index - 1], line[end]
    named = after.kind == "word" and after.capital and len(after.word) > 3 and not after.tags and line[index].capital
    owned = before.word.endswith("'s") and before.capital
    titled = before.capital and before.kind == "word" and not before.tags and index > line.sentences[index][0] + 1
    told = line[index].has("article") and (after.has("after") or after.has("before") or after.has("clause"))
    listed = before.has("only_titles") or before.has("that") or before.word in _HOLIDAY
    return named or owned or titled or told or listed


_HOLIDAY: Final = frozenset({"holiday", "hol"})
"""After these words, as in `bank holiday Monday`, the weekday may be weeks away."""


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
    agreed = sure or (ahead >= monday_of(today) + WEEK and today.weekday() != _SUNDAY)
    return Meaning((one_day(ahead), one_day(ahead + WEEK)) if not agreed else (one_day(ahead),), agreed)


def _stepped(scene: Scene, number: int, step: int) -> Meaning:
    """The meaning of a weekday with a step, such as `next Friday`. The meaning is not certain if some people mean the
    Friday of this week and others the Friday of another week."""
    today, monday = scene.today, monday_of(scene.today)
    here = one_day(monday + number * DAY)
    if step == 0:
        return _this(scene, here)
    if step < 0:
        recent = one_day(today - ((today.weekday() - number - 1) % 7 + 1) * DAY)
        clear = recent.first < monday and recent.first < today - DAY
        return Meaning((recent, shifted(recent, -7)), clear)
    ahead, by_week = one_day(today + ((number - today.weekday() - 1) % 7 + 1) * DAY), shifted(here, 7)
    if ahead == by_week and today.weekday() != _SUNDAY:
        return Meaning((ahead,))
    return Meaning(tuple(dict.fromkeys((by_week, ahead, shifted(ahead, 7)))), ahead.first == today + DAY)


_SUNDAY: Final = 6
"""On a Sunday, the next week may begin today or tomorrow, so `next Friday` is not certain."""


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
    """Parse `Friday before last`, `Tuesday next week`, `Friday in two weeks`, and the British `Friday week`."""
    if line[index].has("before_last") or line[index].has("after_next"):
        weeks = -2 if line[index].has("before_last") else 2
        return Phrase(index + 1, lambda s: _second(s, number, weeks), single=True)
    at = skip(line, comma(line, index), "of", "article", "on", "inside", "part_lead")
    at += line.language == "ru" and line[at].has("for")  # `на прошлой неделе`
    stepped = _stepped_week(line, at)
    if stepped:
        step, end = stepped
        return Phrase(end, lambda s: Meaning((weekday_in(s, number, step),)), single=True)
    counted = weeks_by_days(line, index)
    if counted:
        days, end = 7 * counted[0], counted[1]
        return Phrase(end, lambda s: Meaning((shifted(_coming(s, number), days),)), single=True)
    if line[at].has("step") and line[at].kind == "word" and line[at + 1].get("unit") == "month":
        return None
    distance = ahead(line, index) or ago(line, index)
    if distance and distance.form == "week":
        return Phrase(distance.end, _on_weekday(distance, number), single=True)
    if line[index].get("unit") == "week" and line[index].word == "week" and line[index + 1].kind != "number":
        return Phrase(index + 1, lambda s: _friday_week(s, number), single=True)
    return None


def _stepped_week(line: Line, index: int) -> tuple[int, int] | None:
    """Parse `next week` or `semana que viene`. Returns the step and the index after the words."""
    if line[index].has("step") and line[index + 1].get("unit") == "week":
        return line[index].get("step"), index + 2
    if line.language != "en" and line[index].get("unit") == "week" and line[index + 1].has("step"):
        return line[index + 1].get("step"), index + 2
    return None


def _coming(scene: Scene, number: int) -> Days:
    return one_day(scene.today + ((number - scene.today.weekday() - 1) % 7 + 1) * DAY)


def _second(scene: Scene, number: int, weeks: int) -> Meaning:
    """The weekday in `Friday before last` or `Friday after next`. The meaning is certain if counting days and counting
    weeks give the same day."""
    today = scene.today
    near = (number - today.weekday() - 1) % 7 + 1 if weeks > 0 else -((today.weekday() - number - 1) % 7 + 1)
    counted = one_day(today + (near + (7 if weeks > 0 else -7)) * DAY)
    by_week = weekday_in(scene, number, weeks)
    return Meaning((by_week,)) if counted == by_week else Meaning((counted, by_week), False)


def _friday_week(scene: Scene, number: int) -> Meaning:
    return Meaning((shifted(_coming(scene, number), 7),), scene.region in WEEK_HENCE)


WEEK_HENCE: Final = frozenset({"GB", "IE", "AU", "NZ"})
"""Regions where `Friday week` is used."""


def _on_weekday(distance: Phrase, number: int) -> Callable[[Scene], Meaning | None]:
    def meaning(scene: Scene) -> Meaning | None:
        found = distance.meaning(scene)
        if found is None:
            return None
        monday = monday_of(found.choices[-1].first + 3 * DAY)
        return Meaning((one_day(monday + number * DAY),), found.certain)

    return meaning
