"""Resolves every time expression of a text: its place in the text, the spans that the expression can mean, and whether
its meaning is certain. Pure.

A day without a year has two readings, past and future; the tense of the sentence decides which reading comes first. The
run time is linear in the length of the text.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final

from tellonce_text.caches import of_texts
from tellonce_text.dates.calendar_spans import STEPPED
from tellonce_text.dates.clock_phrases import PARTS, Clock
from tellonce_text.dates.grammar import may_begin
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.names import is_named
from tellonce_text.dates.neighbor_phrases import sign_at
from tellonce_text.dates.phrases import CLOSE, DISTANT, LAST_NIGHT, TODAY, Phrase, skip
from tellonce_text.dates.readings import (
    DAY,
    Days,
    Direction,
    Expression,
    Meaning,
    Precision,
    Reading,
    Said,
    Scene,
    wall_time,
)
from tellonce_text.dates.tense import Look, direction_at
from tellonce_text.dates.tokens import Line, Token, line_of
from tellonce_text.dates.zones import zone_at
from tellonce_text.own_words import forwarded_words, is_forwarded, written_at

_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_SHORT: Final = 500
"""Maximum number of characters of a text whose expressions are cached. A question is read when it is recorded, when a
context is built for it, and again in each search."""
_LONGEST_ANCHOR: Final = 10 * DAY
_LASTING: Final = frozenset({"date", "feast"})
"""The forms of days that depend only on the year. The day on which the text was said does not change them."""
_BEFORE: Final = 6
"""Number of tokens before a quotation. A year among these tokens applies to the days in the quotation."""
_YEARS: Final = range(1900, 2100)
_NAMED: Final = frozenset({"month", "feast", "unit", "season"})
_BESIDE: Final = 3  # tokens: `your time on`
_USUAL_HOURS: Final = frozenset({1, 2, 3, 4, 5, 6, 10, 11, 12})
"""Hours that have a usual meaning without AM or PM: 10 and 11 in the morning, 12 at noon, 1 to 6 in the afternoon."""
_LATE: Final = 17
"""From this hour on, a time without AM or PM can mean a time on the next morning."""
_NEAR: Final = timedelta(hours=12)
_SMALL: Final = frozenset({"article", "of", "contracted", "on"})
_LEADS: Final = frozenset({"on", "at", "in", "by", "to", "contracted", "before", "after", "for"})
_ONSETS: Final = ("から", "起", "开始", "開始", "以降", "以后", "以後", "之后", "之後")
"""Chinese and Japanese words after a day. They say that something begins on this day."""
_SMALL_HOURS, _MORNING, _NOON = 4, 5, 12
"""Hours. A night ends at `_MORNING`. Before `_SMALL_HOURS`, "today" can mean the previous day."""


def expressions(text: str, said: Said, direction: Direction | None = None) -> list[Expression]:
    """The expressions of the text in order, without overlap.

    `direction` is given if the whole text is known to be about the past or the future, for example a question about the
    past, or a plan.
    """
    return list(_expressions(text, said, direction))


@of_texts
@lru_cache(maxsize=8)
def _expressions(text: str, said: Said, direction: Direction | None) -> tuple[Expression, ...]:
    """Cached, because the check of a claim with several days reads the same texts several times."""
    if is_forwarded(text):
        return _forwarded(text, said, direction)
    line, unresolved = _remembered(text) if len(text) <= _SHORT else _items(text)
    if line is None:
        return ()
    local = said.at.astimezone(said.zone)
    found = (resolved(line, first, item, local, said.region, direction) for first, item in unresolved)
    return tuple(expression for expression in found if expression)


def _forwarded(text: str, said: Said, direction: Direction | None) -> tuple[Expression, ...]:
    """The days count from the day on which the forwarded words were written. If this day is unknown, only a full date is
    certain. The person's own words after the forwarded ones count from `said`."""
    written, words = written_at(text, said.at, said.zone), forwarded_words(text)
    found = _expressions(words, replace(said, at=written or said.at), direction)
    if written is None:
        found = tuple(replace(one, certain=one.certain and one.absolute, approximate=False) for one in found)
    own, start = text[len(words) :].lstrip("\n"), len(text) - len(text[len(words) :].lstrip("\n"))
    after = _expressions(own, said, direction) if own else ()
    return (*found, *(replace(one, start=one.start + start, end=one.end + start) for one in after))


def _items(text: str) -> tuple[Line | None, Sequence[tuple[int, Item]]]:
    line = line_of(text)
    found = tuple(items(line)) if line is not None else ()
    return line if found else None, found


_remembered = of_texts(lru_cache(maxsize=512)(_items))


def resolved(
    line: Line, first: int, item: Item, local: datetime, region: str | None, given: Direction | None
) -> Expression | None:
    """Resolve one item of the text; `local` is the time at which the text was said. None for a day that does not
    exist."""
    start, end = line[first].start, line[item.end - 1].end
    if item.anchor:
        named = resolved(line, *item.anchor, local, region, given)
        if item.step and item.step.quoted and named:
            named = _already_said(named, resolved(line, *item.anchor, local, region, "past"))
        rival = resolved(line, *item.rival, local, region, given) if item.rival else None
        item = _from_named_day(item, named, rival)
    direction, sure, own, inferred = Look(given, sure=True) if given else direction_at(line, first, item.end)
    phrase, english = item.phrase, line.language == "en"
    if item.clock and phrase and direction is None and not english:
        direction = "future"
    scene = Scene(local, direction, region, sure and (phrase is not None or not inferred), inferred)
    try:
        readings, certain, approximate = _readings(item, scene, line, first)
    except (ValueError, OverflowError):  # raised for 30 February, year 0, or 9,999 years ahead
        return None
    if not readings and not item.repeats:
        return None
    absolute = phrase is not None and phrase.absolute
    either = direction is None and english and phrase is not None and not absolute
    stepped = phrase is not None and phrase.form == STEPPED
    clear = stepped or (own and not either) or _is_clear(readings, local.date())
    certain = certain and clear and not _is_in_doubt(line, first, item)
    precision: Precision = "recurring" if item.repeats else readings[0].precision
    timed = precision == "instant" and not item.until
    words, absolute = line.text[start:end], absolute and item.clock is None
    approximate = approximate or line.text.endswith("(about ", 0, start)  # written by `annotated`
    found = Expression(
        start, end, words, readings, certain, precision, timed, phrase is not None, absolute, approximate
    )
    onset, celebrated = _is_onset(line, first, item), _is_celebrated(line, first, item)
    return replace(found, since=item.since, onset=onset, celebrated=celebrated)


def _is_onset(line: Line, first: int, item: Item) -> bool:
    """Whether something lasting begins on the day: `ab dem 1. Dezember`, `as of Monday`, `12月1日から`."""
    before = line[first - 1 - _is_any(line[first - 1], _SMALL)]
    begun = before.has("onset") or (line[first - 1].word == "of" and line[first - 2].word == "as")
    after = line.text.startswith(_ONSETS, line[item.end - 1].end)
    return item.phrase is not None and item.phrase.single and item.until is None and (begun or after)


def _is_celebrated(line: Line, first: int, item: Item) -> bool:
    """Whether the expression is only the name of a feast, without a year or a word such as `on`."""
    feast = item.phrase is not None and item.phrase.form == "feast" and not item.phrase.absolute
    led = _is_any(line[first - 1 - line[first - 1].has("article")], _LEADS)
    return feast and not led


def _is_any(token: Token, tags: frozenset[str]) -> bool:
    return not tags.isdisjoint(token.tags)


def _from_named_day(item: Item, named: Expression | None, rival: Expression | None) -> Item:
    step, phrase = item.step, item.phrase
    if step is None or phrase is None or named is None:
        return item
    known = [Days(r.days[0], r.days[1] + DAY) for r in named.readings[: 1 if named.certain else None]]
    choices = tuple(step.move(days) for days in known if days.end - days.first <= _LONGEST_ANCHOR)
    same = bool(rival and rival.best and named.best and named.best.days == rival.best.days)  # `Easter is on 5 April`
    sure = named.certain and step.sure and (item.rival is None or same)

    def meaning(scene: Scene) -> Meaning | None:
        if not choices:
            return None
        ahead, gone = choices[0].first > scene.today, choices[0].end <= scene.today
        explicit = scene.sure and not scene.inferred and not step.quoted
        against = explicit and (ahead if scene.direction == "past" else gone and scene.direction == "future")
        return Meaning(choices, sure and not against)

    return item._replace(phrase=phrase._replace(meaning=meaning))


def _already_said(named: Expression, past: Expression | None) -> Expression:
    """The day on which quoted words were said, read as a past day. It is not certain if the text outside the quotation
    puts the day in the future."""
    if past is None or past.best is None or named.best is None:
        return named
    known = not named.certain or named.best.days == past.best.days
    return replace(past, certain=past.certain and known)


def _is_clear(readings: tuple[Reading, ...], today: date) -> bool:
    """Whether the preferred reading needs no verb. This is so if every other reading contains the preferred one, or if
    only the preferred one is near."""
    if not readings:
        return False
    best, others = readings[0], readings[1:]
    near, *far = (min(abs((day - today).days) for day in reading.days) for reading in readings)
    alone = near <= CLOSE and all(distance >= DISTANT for distance in far)
    return alone or all(other.start <= best.start and best.end <= other.end for other in others)


def _is_in_doubt(line: Line, first: int, item: Item) -> bool:
    """Whether the neighboring words quote the expression, form a name with it, or belong to it."""
    absolute = item.phrase is not None and item.phrase.absolute
    lasting = item.phrase is not None and (absolute or item.phrase.form in _LASTING)
    opening = line.openings.get(first)
    # In `On Oct 2, 2025: "Back on 2 May"`, the quoted day depends on the year before the quotation.
    led = range(max(0, (opening or 0) - _BEFORE), opening or 0)
    of_a_year = not absolute and any(line[at].kind == "number" and line[at].value in _YEARS for at in led)
    quoted = opening is not None and item.anchor is None and (not lasting or of_a_year)
    return quoted or _is_part_of_more(line, first, item) or is_named(line, first, item.end)


def _is_part_of_more(line: Line, first: int, item: Item) -> bool:
    """Whether a neighboring time word, as in `Freitag im Mai`, belongs to the expression but was not understood."""
    before, earlier, after, later = line[first - 1], line[first - 2], line[item.end], line[item.end + 1]
    if item.phrase is None or item.phrase.absolute:
        return item.phrase is None and before.has("weekday")
    weekday = item.phrase.form == "weekday"
    if weekday and (
        before.get("ordinal")
        or before.has("edge")
        or before.has("after")
        or (before.word == "с" and not item.until)  # `с понедельника` began last Monday or begins next Monday
        or (later.has("step") and line[item.end + 2].get("unit") == "week")  # `off next week`
        or sign_at(line, item.end)
    ):
        return True
    if before.word == "to" and earlier.has("step"):  # `next to next week`
        return True
    if before.has("inside") and (earlier.has("unit") or earlier.has("number")):
        return True
    if line.language != "en" and weekday and (after.has("from_day") or after.has("before")):
        return _is_after_event(line, first, item.end + 1)
    if not (after.has("of") or after.has("inside")):
        return not _NAMED.isdisjoint(after.tags) and weekday
    named = line[skip(line, item.end + 1, "article", "of")]
    romance = line.language not in {"en", "de"} and weekday and after.has("of")
    return named.has("from_day") or not _NAMED.isdisjoint(named.tags) or (romance and named.capital and not named.tags)


def _is_after_event(line: Line, first: int, index: int) -> bool:
    """Whether the token begins a day, as in `am Freitag nach Ostern`: the weekday can be the first one after that day.
    False for `am Freitag nach der Arbeit`."""
    at = skip(line, index, "article", "own")
    bare = line.language in {"fr", "it", "pt"} and line[first].has("weekday") and not line[first - 1].has("article")
    named = line[at].kind == "number" or not _NAMED.isdisjoint(line[at].tags)
    return named or not (bare or line[at].has("routine"))


_Found = tuple[tuple[Reading, ...], bool, bool]
"""The readings, whether the first reading is certain, and whether the readings are approximate."""


def _readings(item: Item, scene: Scene, line: Line, first: int) -> _Found:
    if item.repeats:
        return (), False, False
    if item.elapsed:
        length, slack = item.elapsed
        start = scene.said.astimezone(UTC) + length
        lasting = length > timedelta() and scene.direction == "past"
        return (_span(start, start + _MINUTE, scene, "instant", slack),), item.counted and not lasting, False
    if item.phrase is None:
        return (*_timed_today(item, scene), False)
    meaning = item.phrase.meaning(scene)
    if meaning is None:
        return (), False, False
    if item.until:
        return (*_range(item.until, meaning, scene), False)
    if item.since:
        begun = tuple(days for days in meaning.choices if days.first <= scene.today) or meaning.choices
        ahead_too = line.language == "it" and scene.direction != "past" and len(begun) < len(meaning.choices)
        meaning = Meaning(
            begun, (meaning.certain or 1 == len(begun) < len(meaning.choices)) and not ahead_too, meaning.approximate
        )
    meaning = _by_waking_day(meaning, scene, item.phrase.form, item.part, item.clock)
    stamp = _stamp(line, item.phrase, scene)
    if stamp:
        return (stamp,), True, False
    readings = tuple(_reading(days, item, scene) for days in meaning.choices)
    vague = _is_alternative(line, item, first) or _is_vague_time(line, item, first)
    return readings, meaning.certain and not vague and _is_same_day_there(item, scene), meaning.approximate


def _by_waking_day(meaning: Meaning, scene: Scene, form: str, part: str | None, clock: Clock | None) -> Meaning:
    """The meaning of a day for a person awake at night, for whom the day does not end at midnight."""
    hour, past = scene.said.hour, scene.direction == "past"
    if clock and part in {"night", "evening"} and clock.half and clock.hour < _MORNING:
        known = form in {TODAY, LAST_NIGHT, ""} and hour >= _MORNING and bool(clock.hour or clock.minute)
        ahead = (meaning.choices[0].end, clock.hour) > (scene.today, hour)
        # An hour after midnight is on the next calendar day, because the night began on the day before.
        return (meaning if past and ahead else meaning.moved(lambda days: days.shifted(1))).only_if(known)
    if part == "night" and form == LAST_NIGHT and hour < _MORNING:
        return meaning.only_if(False)
    if form != TODAY or hour >= (_NOON if part == "night" else _SMALL_HOURS):
        return meaning
    later = part in {"afternoon", "evening"} or (clock is not None and clock.half and clock.hour >= _NOON)
    if past:
        return meaning.moved(lambda days: days.shifted(-1))._replace(certain=later and hour < _SMALL_HOURS)
    return meaning.only_if(hour >= _SMALL_HOURS or (later and scene.direction is not None))


def _is_vague_time(line: Line, item: Item, first: int) -> bool:
    """Whether the time is ambiguous, as in `midnight on Friday` (Friday may begin or end at this time) or `4pm your
    time`."""
    if any(line[at].has("own") and line[at + 1].has("time") for at in range(first - _BESIDE, item.end + 1)):
        return True
    return item.clock is not None and any(line[at].get("noon") == 0 for at in range(first, item.end))


def _is_alternative(line: Line, item: Item, first: int) -> bool:
    """Whether the expression is one of two days joined by `or`, as in `Tuesday or Wednesday` (but not in `today or
    never`)."""
    led = line[first - 1].has("on") or line[first - 1].has("article")
    before = line[first - 1].has("or") or (line[first - 2].has("or") and led)
    return before or (line[item.end].has("or") and may_begin(line, skip(line, item.end + 1, "article", "on")))


def _is_same_day_there(item: Item, scene: Scene) -> bool:
    """Whether a relative day such as "tomorrow" is the same day in the user's zone and in the zone of the time of
    day."""
    zone = item.clock.zone if item.clock else None
    relative = item.phrase is not None and item.phrase.form not in {*_LASTING, "weekday"}
    return zone is None or not relative or scene.said.astimezone(zone).date() == scene.today


def _stamp(line: Line, phrase: Phrase, scene: Scene) -> Reading | None:
    """Return the time of a stamp such as `2026-03-15T10:00:00Z`; None if the stamp has no time of day."""
    if phrase.form != "stamp":
        return None
    at = next(at for at in range(phrase.end - 1, -1, -1) if line[at].kind == "stamp")
    zone, offset = zone_at(line, at + 1), line[at].parts[6]
    if line[at].parts[3] is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in line[at].parts[:6])
    moment = datetime(year, month, day, hour % 24, minute, second, tzinfo=zone[0] if zone else scene.said.tzinfo)
    if offset:
        moment = datetime.fromisoformat(f"{moment:%Y-%m-%dT%H:%M:%S}{offset}")
    return _span(moment, moment.astimezone(UTC) + _MINUTE, scene, "instant")


def _range(other: Phrase, meaning: Meaning, scene: Scene) -> tuple[tuple[Reading, ...], bool]:
    found: list[Reading] = []
    certain = meaning.certain
    for days in meaning.choices:
        seen_from = datetime.combine(days.first, time(12), scene.said.tzinfo)
        last = other.meaning(Scene(seen_from, "future", scene.region))
        if last is None or last.choices[0].end <= days.first:
            return (), False
        certain = certain and (last.certain or other.form in {"weekday", "date"})
        precision: Precision = "day" if other.single else last.choices[0].precision
        found.append(_days_reading(Days(days.first, last.choices[0].end, precision), scene))
    return tuple(found), certain


def _reading(days: Days, item: Item, scene: Scene) -> Reading:
    clock = item.clock
    if clock and (clock.half or (clock.minute > 0 and not clock.spoken) or clock.hour in _USUAL_HOURS):
        afternoon = not clock.half and clock.hour < 7
        return _clock_reading(days.first, clock._replace(hour=clock.hour + 12) if afternoon else clock, scene)
    return _part_reading(days.first, item.part, scene) if item.part else _days_reading(days, scene)


def _days_reading(days: Days, scene: Scene) -> Reading:
    return Reading(_at(days.first, 0, 0, scene), _at(days.end, 0, 0, scene), days.precision)


def _clock_reading(day: date, clock: Clock, scene: Scene) -> Reading:
    start = _at(day, clock.hour, clock.minute, scene, clock).astimezone(UTC)
    end = start + (_MINUTE if clock.minute else _HOUR)
    if clock.until:
        until = _at(day, *clock.until, scene, clock).astimezone(UTC)
        end = until if until > start else until + DAY
    return _span(start, end, scene, "instant")


def _part_reading(day: date, part: str, scene: Scene) -> Reading:
    hour, length = PARTS[part]
    start = _at(day, hour, 0, scene)
    return _span(start, start.astimezone(UTC) + length * _HOUR, scene, "day")


def _span(
    start: datetime, end: datetime, scene: Scene, precision: Precision, slack: timedelta = timedelta()
) -> Reading:
    """The reading in the speaker's zone. Lengths are added in UTC, because Python ignores a zone's clock changes."""
    zone = scene.said.tzinfo
    return Reading(start.astimezone(UTC).astimezone(zone), end.astimezone(zone), precision, slack)


def _at(day: date, hour: int, minute: int, scene: Scene, clock: Clock | None = None) -> datetime:
    zone = clock.zone if clock and clock.zone else scene.said.tzinfo
    return wall_time(day, hour, minute, zone).astimezone(scene.said.tzinfo)


def _timed_today(item: Item, scene: Scene) -> tuple[tuple[Reading, ...], bool]:
    """The last and the next time of a time of day without a day, and whether the first reading is certain."""
    clock = item.clock
    if clock is None:
        return (_part_reading(scene.today, item.part or "morning", scene),), False
    days = [scene.today + shift * DAY for shift in (-1, 0, 1)]
    halves = (clock,) if clock.half else (clock, clock._replace(hour=(clock.hour + 12) % 24))
    readings = [_clock_reading(day, half, scene) for day in days for half in halves]
    back = max((r for r in readings if r.start <= scene.said), key=lambda r: r.start)
    ahead = min((r for r in readings if r.start >= scene.said), key=lambda r: r.start)
    ordered = (back, ahead) if scene.direction == "past" else (ahead, back)
    near = abs(ordered[0].start - scene.said) <= _NEAR or ordered[0].start.date() == scene.today
    two_days = not clock.half and scene.direction == "future" and ordered[0].start.hour >= _LATE
    return ordered, scene.direction is not None and scene.sure and near and item.named_clock and not two_days
