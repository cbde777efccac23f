"""Grammar rules for weekdays: `Friday`, `next Friday`, `the Friday before last`, `Tuesday in two weeks`."""

from typing import Final

from tellonce_text.dates.counted_phrases import ago, ahead, weeks_by_days
from tellonce_text.dates.day_arithmetic import SUNDAY, weekday_in
from tellonce_text.dates.phrases import DASHES, Phrase, choose, comma, day_phrase, days_phrase, skip
from tellonce_text.dates.readings import DAY, WEEK, Meaning, Scene, monday_of, one_day, weekday_from
from tellonce_text.dates.tokens import Line, Token

WEEK_HENCE: Final = frozenset({"GB", "IE", "AU", "NZ", "ZA", "MT", "SG", "MY", "HK", "KE"})
"""Regions where `Friday week` is used."""
_HABITS: Final = frozenset({"fr", "it"})
"""Languages in which a weekday with an article, as in `le mardi`, may be every such day."""
_ENDS: Final = frozenset({"", *",.!?;)"})
_HOLIDAY: Final = frozenset({"holiday", "hol"})
"""After these words, as in `bank holiday Monday`, the weekday may be weeks away."""


def weekday(line: Line, index: int) -> Phrase | None:
    """Parse `Friday`, `next Friday`, `this past Friday`, `the Friday before last`, `Friday in two weeks`."""
    step, nearest, at = steps(line, skip(line, index, "article"))
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
    sure = line.language != "en" or not (step is None and _is_doubtful(line, index, after))
    habit = line.language in _HABITS and line[index].has("article")
    sure = sure and not (step is None and (habit or line[index - 1].has("other")))

    def meaning(scene: Scene) -> Meaning | None:
        if step is None:
            return _bare(scene, number, sure=sure)
        if abs(step) > 1:
            return _second(scene, number, step)
        if nearest or (line.language != "en" and step != 0):
            return _nearest(scene, number, step, sure=nearest)
        return _stepped(scene, number, step)

    return Phrase(after, meaning, single=True, form="weekday")


def steps(line: Line, index: int) -> tuple[int | None, bool, int]:
    """Parse the words before a weekday or unit. Returns the step (1 for `next`), whether the nearest day is meant, and
    the index after the words. The nearest day is meant in `this coming Friday`, but not in `coming this Friday`."""
    step, nearest = None, False
    for _ in range(2):
        verb = line[index].word == "coming" and line[index - 1].has("tense_be")
        if line[index].has("step") and not verb:
            step, nearest = line[index].get("step"), line[index].has("past_step")
            index += 1
    return step, nearest, index


def _is_weekday(line: Line, index: int) -> bool:
    """Whether the token is a weekday. A lower-case abbreviation, or a word such as `sun`, needs a word such as `on`
    before it."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    if line.language != "en" or (before.word in DASHES and line[index - 2].has("weekday")):  # `Mon-Wed`
        return True
    led = any(before.has(tag) for tag in ("on", "by", "every", "from"))
    if not token.has("vague_word"):
        return (
            len(token.word) > 5 or token.capital or led or before.has("to") or after.has("at") or after.kind == "clock"
        )
    timed = after.suffix in {"am", "pm"} or line[index + 2].has("half_of_day")
    timed = timed or (after.has("at") and before.has("tense_present"))  # `arrives sat at noon`
    apart = after.kind in {"clock", "number"} or after.has("part") or after.has("at") or after.word in DASHES
    return timed or (led and not before.has("to")) or (token.capital and (apart or _ends_clause(line, index)))


def _ends_clause(line: Line, index: int) -> bool:
    """Whether an abbreviation such as `Wed` follows an ordinary word and ends a clause: `bins go out Wed, it's
    recycling`."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    plain = before.kind == "word" and not before.capital and not before.has("article") and not before.has("own")
    return plain and not line.text[token.start : token.end].isupper() and after.word in _ENDS


def _is_doubtful(line: Line, index: int, end: int) -> bool:
    """Whether the weekday may be a name (`Wednesday Addams`), a habit (`my Sunday roast`) or a day that only the
    speakers know (`that Tuesday`)."""
    before, after = line[index - 1], line[end]
    named = after.kind == "word" and after.capital and len(after.word) > 3 and not after.tags and line[index].capital
    owned = (before.word.endswith("'s") and before.capital) or (before.has("own") and _is_noun(after))
    titled = before.capital and before.kind == "word" and not before.tags and index > line.sentences[index][0] + 1
    dated = line[index].has("article") and (after.has("after") or after.has("before") or after.has("clause"))
    listed = before.has("only_titles") or before.has("that") or before.word in _HOLIDAY
    return named or owned or titled or dated or listed


def _is_noun(token: Token) -> bool:
    return token.kind == "word" and not token.tags


def _bare(scene: Scene, number: int, *, sure: bool) -> Meaning | None:
    today = scene.today
    back, ahead = (one_day(weekday_from(today, number, sign)) for sign in (-1, 1))
    found = choose(scene, back, ahead)
    if found and sure and scene.direction is None:
        return Meaning((ahead, back), False)
    if found and sure and today.weekday() == number:
        return Meaning((*found.choices[:1], one_day(today), *found.choices[1:]), False)
    return found and found.only_if(sure)


def _nearest(scene: Scene, number: int, step: int, *, sure: bool) -> Meaning:
    today = scene.today
    near = one_day(weekday_from(today, number, step))
    if step < 0 or sure or (near.first >= monday_of(today) + WEEK and today.weekday() != SUNDAY):
        return Meaning((near,))
    return Meaning((near, near.shifted(7)), False)


def _stepped(scene: Scene, number: int, step: int) -> Meaning:
    """The meaning of a weekday with a step, such as `next Friday`. It is not certain if people mean different weeks by
    it, as on a Sunday."""
    today, here = scene.today, weekday_in(scene, number, 0)
    if step == 0 and here.first > today and scene.direction == "past":
        return Meaning((here.shifted(-7), here), False)
    if step == 0 and here.first < today and scene.direction != "past":
        ahead = here.shifted(7)
        soon = (ahead.first - today).days <= 3 or today.weekday() >= 5
        return Meaning((ahead, here), scene.direction == "future" and soon)
    if step == 0:
        return Meaning((here,))
    near = one_day(weekday_from(today, number, step))
    if step < 0:
        return Meaning((near, near.shifted(-7)), near.first < monday_of(today) and near.first < today - DAY)
    by_week = here.shifted(7)
    if near == by_week and today.weekday() != SUNDAY:
        return Meaning((near,))
    return Meaning(
        tuple(dict.fromkeys((by_week, near, near.shifted(7)))), near.first == today + DAY and today.weekday() != SUNDAY
    )


def _weekday_of_week(line: Line, index: int, number: int) -> Phrase | None:
    """Parse `Friday before last`, `Tuesday next week`, `Friday in two weeks`, and the British `Friday week`."""
    if line[index].has("before_last") or line[index].has("after_next"):
        weeks = -2 if line[index].has("before_last") else 2
        return Phrase(index + 1, lambda s: _second(s, number, weeks), single=True)
    at = skip(line, comma(line, index), "of", "article", "on", "inside", "part_lead")
    at += line.language == "ru" and line[at].has("for")  # `на прошлой неделе`
    before, after = line[at].has("step"), line.language != "en" and line[at + 1].has("step")  # `semana que viene`
    if (before and line[at + 1].get("unit") == "week") or (after and line[at].get("unit") == "week"):
        step = line[at if before else at + 1].get("step")
        return days_phrase(at + 2, lambda s: weekday_in(s, number, step))._replace(single=True)
    counted = weeks_by_days(line, index)
    if counted:
        return day_phrase(counted[1], lambda today: weekday_from(today, number, 1) + counted[0] * WEEK)
    distance = ahead(line, index) or ago(line, index)
    if distance and distance.form == "week":
        german = line.language == "de"
        counted_weeks = distance.changed(lambda found, scene: _in_weeks(found, scene, number, german=german))
        return counted_weeks._replace(single=True, form="")
    if line[index].word == "week" and line[index + 1].kind != "number":
        found = day_phrase(index + 1, lambda today: weekday_from(today, number, 1) + WEEK)
        return found.changed(lambda meaning, scene: meaning.only_if(scene.region in WEEK_HENCE))
    return None


def _in_weeks(found: Meaning, scene: Scene, number: int, *, german: bool) -> Meaning:
    """The weekday in `Friday in two weeks`: of that calendar week, or two weeks after the next Friday. It is certain if
    both are the same day. `Freitag in einer Woche` is certain, too, except on a Friday."""
    weeks = (found.choices[0].first - scene.today).days // WEEK.days
    by_week = one_day(monday_of(found.choices[-1].first + 3 * DAY) + number * DAY)
    counted = one_day(weekday_from(scene.today, number, 1) + weeks * WEEK)
    if weeks <= 0 or by_week == counted:
        return Meaning((by_week,), found.certain)
    if weeks == 1:
        sure = german and found.certain and scene.today.weekday() != number
        return Meaning((counted,) if sure else (counted, by_week), sure)
    return Meaning((by_week, counted), False)


def _second(scene: Scene, number: int, weeks: int) -> Meaning:
    """The weekday in `Friday before last` or `Friday after next`. It is certain if two ways of counting give the same
    day: counting these weekdays, and counting weeks."""
    sign = 1 if weeks > 0 else -1
    counted = one_day(weekday_from(scene.today, number, sign) + sign * WEEK)
    by_week = weekday_in(scene, number, weeks)
    return Meaning((by_week,)) if counted == by_week else Meaning((counted, by_week), False)
