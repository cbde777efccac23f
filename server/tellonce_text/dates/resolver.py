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
from tellonce_text.dates.nights import by_waking_day
from tellonce_text.dates.phrases import CLOSE, DISTANT, Phrase, skip
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
)
from tellonce_text.dates.relative_phrases import sign_at
from tellonce_text.dates.tense import Look, direction_at
from tellonce_text.dates.tokens import Line, line_of
from tellonce_text.dates.zones import zone_at

_HOUR: Final = timedelta(hours=1)


def expressions(text: str, said: Said, direction: Direction | None = None) -> list[Expression]:
    """The expressions of the text in order, without overlap.

    `direction` is given if the whole text is known to be about the past or the future, for example a question about the
    past, or a plan.
    """
    return list(_found(text, said, direction))


@of_texts
@lru_cache(maxsize=8)
def _found(text: str, said: Said, direction: Direction | None) -> tuple[Expression, ...]:
    """The result is cached, because the check of a claim reads a message and its quotes once for each day in the
    claim."""
    line, unresolved = _remembered(text) if len(text) <= _SHORT else _items(text)
    if line is None:
        return ()
    local = said.at.astimezone(said.zone)
    found = (resolved(line, first, item, local, said.region, direction) for first, item in unresolved)
    return tuple(expression for expression in found if expression)


def _items(text: str) -> tuple[Line | None, Sequence[tuple[int, Item]]]:
    """The text's tokens and its expressions, which do not depend on the time; None if there are no expressions."""
    line = line_of(text)
    found = tuple(items(line)) if line is not None else ()
    return line if found else None, found


_SHORT: Final = 500
"""Maximum number of characters of a text whose expressions are cached. A question is read when it is recorded, when a
context is built for it, and again in each search."""

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
    if item.clock and item.phrase and direction is None:
        direction = "future" if line.language != "en" else None
    scene = Scene(local, direction, region, sure and (item.phrase is not None or not inferred), inferred)
    try:
        readings, certain, approximate = _readings(item, scene, line, first)
    except (ValueError, OverflowError):  # raised for 30 February, year 0, or 9,999 years ahead
        return None
    if not readings and not item.repeats:
        return None
    either = direction is None and line.language == "en" and item.phrase is not None and not item.phrase.absolute
    stepped = item.phrase is not None and item.phrase.form == STEPPED
    clear = (
        stepped
        or _is_one_time(readings)
        or (own and not either)
        or (bool(readings) and _is_only_near(readings, local.date()))
    )
    certain = certain and clear and not _is_in_doubt(line, first, item)
    precision: Precision = "recurring" if item.repeats else readings[0].precision
    absolute = item.phrase is not None and item.phrase.absolute and item.clock is None
    timed = bool(readings) and readings[0].precision == "instant" and not item.until
    words = line.text[start:end]
    return Expression(start, end, words, readings, certain, precision, timed, absolute, approximate, since=item.since)


def _from_named_day(item: Item, named: Expression | None, rival: Expression | None) -> Item:
    """The item with its day, which is counted from a day that the text names earlier."""
    step, phrase = item.step, item.phrase
    if step is None or phrase is None or named is None or not named.readings:
        return item
    known = tuple(reading.days for reading in named.readings[: 1 if named.certain else None])
    choices = tuple(step.move(first, last) for first, last in known if last - first <= _LONGEST_ANCHOR)
    sure = named.certain and step.sure and (item.rival is None or _are_same_day(named, rival))

    def meaning(scene: Scene) -> Meaning | None:
        other = scene.sure and not scene.inferred and choices
        ahead, gone = (choices[0].first > scene.today, choices[0].end <= scene.today) if choices else (False, False)
        against = (
            other and not step.quoted and (ahead if scene.direction == "past" else gone and scene.direction == "future")
        )
        return Meaning(choices, sure and not against) if choices else None

    return item._replace(phrase=phrase._replace(meaning=meaning))


def _are_same_day(one: Expression, other: Expression | None) -> bool:
    """Whether both expressions mean the same day, as in `Easter is on 5 April`."""
    return bool(other and other.best and one.best and one.best.days == other.best.days)


def _already_said(named: Expression, past: Expression | None) -> Expression:
    """The day on which quoted words were said: the past reading of the day named before the quotation, because the
    words have already been said. The day is not certain if the text outside the quotation says that the day is in the
    future."""
    if past is None or past.best is None or named.best is None:
        return named
    known = not named.certain or named.best.days == past.best.days
    return replace(past, certain=past.certain and known)


_LONGEST_ANCHOR: Final = 10 * DAY


def _is_one_time(readings: tuple[Reading, ...]) -> bool:
    """Whether every other reading contains the first reading, so that no verb is needed to choose between them."""
    return bool(readings) and all(r.start <= readings[0].start and readings[0].end <= r.end for r in readings[1:])


def _is_only_near(readings: tuple[Reading, ...], today: date) -> bool:
    """Whether only the preferred reading is near. In this case, no verb is needed to choose between the readings."""
    first, *others = (min(abs((day - today).days) for day in reading.days) for reading in readings)
    return first <= CLOSE and all(distance >= DISTANT for distance in others)


def _is_in_doubt(line: Line, first: int, item: Item) -> bool:
    """Whether the neighboring words make the expression's meaning uncertain: they quote the expression, form a name
    with it, or belong to it."""
    absolute = item.phrase is not None and item.phrase.absolute
    lasting = item.phrase is not None and (absolute or item.phrase.form in _LASTING)
    opening = line.openings.get(first)
    quoted = (
        opening is not None
        and item.anchor is None
        and (not lasting or (not absolute and _is_after_a_year(line, opening)))
    )
    return quoted or _is_part_of_more(line, first, item) or is_named(line, first, item.end)


_LASTING: Final = frozenset({"date", "feast"})
"""The forms of days that depend only on the year, and not on the day on which they are said."""


def _is_after_a_year(line: Line, opening: int) -> bool:
    """Whether a year is named directly before a quotation: `On Oct 2, 2025: "Back on 2 May"`. In this case, the quoted
    days count from that year, and not from the year of the text."""
    before = (line[at] for at in range(max(0, opening - _BEFORE), opening))
    return any(token.kind == "number" and token.value in _YEARS for token in before)


_BEFORE: Final = 6
"""Number of tokens before a quotation that may give its day."""

_YEARS: Final = range(1900, 2100)


def _is_part_of_more(line: Line, first: int, item: Item) -> bool:
    """Whether a neighboring time word, as in `Freitag im Mai`, belongs to the expression but was not understood. If so,
    the meaning is not certain."""
    before, after = line[first - 1], line[item.end]
    if item.phrase is None or item.phrase.absolute:
        return item.phrase is None and before.has("weekday")
    weekday = item.phrase.form == "weekday"
    if (
        weekday
        and after.kind == "number"
        and item.clock is None
        and not after.suffix
        and not line[item.end + 1].has("unit")
    ):
        return True
    if weekday and line[item.end + 1].has("step") and line[item.end + 2].get("unit") == "week":  # `off next week`
        return True
    if before.word == "to" and line[first - 2].has("step"):  # `next to next week`
        return True
    if weekday and before.word == "с" and not item.until:  # `с понедельника` began last Monday or begins next Monday
        return True
    if weekday and (before.get("ordinal") or before.has("edge") or sign_at(line, item.end) or before.has("after")):
        return True
    if weekday and after.has("at") and line[skip(line, item.end + 1, "article")].has("edge"):
        return True
    if before.has("inside") and (line[first - 2].has("unit") or line[first - 2].has("number")):
        return True
    if line.language != "en" and weekday and (after.has("from_day") or after.has("before")):
        return _is_after_event(line, first, item.end + 1)
    if not (after.has("of") or after.has("inside")):
        return not _NAMED.isdisjoint(after.tags) and weekday
    named = line[skip(line, item.end + 1, "article", "of")]
    return (
        named.has("from_day")
        or not _NAMED.isdisjoint(named.tags)
        or (line.language not in {"en", "de"} and weekday and after.has("of") and named.capital and not named.tags)
    )


def _is_after_event(line: Line, first: int, index: int) -> bool:
    """Whether the token begins a day. In this case, the weekday may be the next such weekday after this day: `am
    Freitag nach Ostern`, but not `am Freitag nach der Arbeit` or `vendredi après le mariage`."""
    at = skip(line, index, "article", "own")
    bare = line.language in {"fr", "it", "pt"} and line[first].has("weekday") and not line[first - 1].has("article")
    named = line[at].kind == "number" or not _NAMED.isdisjoint(line[at].tags)
    return named or not (bare or line[at].has("routine"))


_NAMED: Final = frozenset({"month", "feast", "unit", "season"})

_Found = tuple[tuple[Reading, ...], bool, bool]
"""The readings, whether the first reading is certain, and whether the readings are approximate."""


def _readings(item: Item, scene: Scene, line: Line, first: int) -> _Found:
    if item.repeats:
        return (), False, False
    if item.elapsed:
        lasting = item.elapsed[0] > timedelta() and scene.direction == "past"
        return (_elapsed_reading(*item.elapsed, scene),), item.counted and not lasting, False
    meaning = item.phrase.meaning(scene) if item.phrase else None
    if item.phrase and meaning is None:
        return (), False, False
    if meaning is None:
        return (*_timed_today(item, scene), False)
    if item.until:
        return (*_range(item.until, meaning, scene), False)
    if item.since:
        begun = tuple(days for days in meaning.choices if days.first <= scene.today) or meaning.choices
        ahead_too = line.language == "it" and scene.direction != "past" and len(begun) < len(meaning.choices)
        meaning = Meaning(begun, (meaning.certain or len(begun) == 1) and not ahead_too, meaning.approximate)
    if item.phrase:
        meaning = by_waking_day(meaning, scene, item.phrase.form, item.part, item.clock)
    certain = meaning.certain and _same_day_there(item.clock, scene, item)
    stamp = _stamp(line, item, scene)
    if stamp:
        return (stamp,), True, False
    readings = tuple(_reading(days, item, scene) for days in meaning.choices)
    certain = certain and not _is_alternative(line, item, first) and not _is_vague_time(line, item, first)
    return readings, certain, meaning.approximate


def _is_vague_time(line: Line, item: Item, first: int) -> bool:
    """Whether the time is ambiguous, as in `midnight on Friday` (Friday may begin or end at this time) or `4pm your
    time`."""
    if any(line[at].has("own") and line[at + 1].has("time") for at in range(first - _BESIDE, item.end + 1)):
        return True
    return item.clock is not None and any(line[at].get("noon") == 0 for at in range(first, item.end))


_BESIDE: Final = 3  # tokens: `your time on`


def _is_alternative(line: Line, item: Item, first: int) -> bool:
    """Whether the expression is one of two days joined by `or`, as in `Tuesday or Wednesday` (but not in `today or
    never`)."""
    return (
        (line[item.end].has("or") and may_begin(line, skip(line, item.end + 1, "article", "on")))
        or line[first - 1].has("or")
        or (line[first - 2].has("or") and (line[first - 1].has("on") or line[first - 1].has("article")))
    )


def _stamp(line: Line, item: Item, scene: Scene) -> Reading | None:
    """Return the time of a stamp such as `2026-03-15T10:00:00Z`; None if the stamp has no time of day."""
    if item.phrase is None or item.phrase.form != "stamp":
        return None
    at = next(at for at in range(item.phrase.end - 1, -1, -1) if line[at].kind == "stamp")
    token, zone = line[at], zone_at(line, at + 1)
    if token.parts[3] is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in token.parts[:6])
    offset = token.parts[6]
    moment = datetime(year, month, day, hour % 24, minute, second, tzinfo=zone[0] if zone else scene.said.tzinfo)
    if offset:
        moment = datetime.fromisoformat(f"{moment:%Y-%m-%dT%H:%M:%S}{'+00:00' if offset == 'Z' else offset}")
    start = moment.astimezone(UTC).astimezone(scene.said.tzinfo)
    return Reading(start, start + timedelta(minutes=1), "instant")


def _elapsed_reading(offset: timedelta, slack: timedelta, scene: Scene) -> Reading:
    here = scene.said.astimezone(UTC) + offset
    zone = scene.said.tzinfo
    return Reading(here.astimezone(zone), (here + timedelta(minutes=1)).astimezone(zone), "instant", slack)


def _range(other: Phrase, meaning: Meaning, scene: Scene) -> tuple[tuple[Reading, ...], bool]:
    """Return the range from the first day of `meaning` to the last day of the phrase `other`, and whether this range is
    certain."""
    found: list[Reading] = []
    certain = meaning.certain
    for days in meaning.choices:
        seen_from = datetime.combine(days.first, time(12), scene.said.tzinfo)
        last = other.meaning(Scene(seen_from, "future", scene.region))
        if last is None or last.choices[0].end <= days.first:
            return (), False
        certain = certain and (last.certain or other.form in {"weekday", "date"})
        end = last.choices[0].end
        precision: Precision = "day" if other.single else last.choices[0].precision
        found.append(Reading(_at(days.first, 0, 0, scene), _at(end, 0, 0, scene), precision))
    return tuple(found), certain


def _reading(days: Days, item: Item, scene: Scene) -> Reading:
    if item.clock and _has_hour(item.clock):
        return _clock_reading(days.first, _sure(item.clock), scene)
    if item.part:
        return _part_reading(days.first, item.part, scene)
    return Reading(_at(days.first, 0, 0, scene), _at(days.end, 0, 0, scene), days.precision)


def _has_hour(clock: Clock) -> bool:
    return clock.half or (clock.minute > 0 and not clock.spoken) or _guessed(clock)


def _guessed(clock: Clock) -> bool:
    """Whether an hour without AM or PM has a usual meaning: 10 and 11 in the morning, 12 at noon, 1 to 6 in the
    afternoon."""
    return clock.hour in {1, 2, 3, 4, 5, 6, 10, 11, 12}


def _sure(clock: Clock) -> Clock:
    return clock if clock.half or clock.hour >= 7 else clock._replace(hour=clock.hour + 12)


def _clock_reading(day: date, clock: Clock, scene: Scene) -> Reading:
    start = _at(day, clock.hour, clock.minute, scene, clock)
    length = timedelta(minutes=1) if clock.minute else _HOUR
    end = start.astimezone(UTC) + length
    if clock.until:
        until = _at(day, *clock.until, scene, clock).astimezone(UTC)
        end = until if until > start.astimezone(UTC) else until + DAY
    return Reading(start, end.astimezone(scene.said.tzinfo), "instant")


def _part_reading(day: date, part: str, scene: Scene) -> Reading:
    hour, length = PARTS[part]
    start = _at(day, hour, 0, scene)
    return Reading(start, (start.astimezone(UTC) + length * _HOUR).astimezone(scene.said.tzinfo), "day")


def _at(day: date, hour: int, minute: int, scene: Scene, clock: Clock | None = None) -> datetime:
    """The time on a day at which the wall clock shows `hour` and `minute`. A time that does not exist because summer
    time begins becomes the time an hour later."""
    zone = clock.zone if clock and clock.zone else scene.said.tzinfo
    shift = DAY if hour == 24 else timedelta()
    moment = datetime.combine(day + shift, time(hour % 24, minute), zone)
    return moment.astimezone(UTC).astimezone(scene.said.tzinfo)


def _same_day_there(clock: Clock | None, scene: Scene, item: Item) -> bool:
    """Whether a relative day such as "tomorrow" is the same day in the zone given with the time of day."""
    if clock is None or clock.zone is None or item.phrase is None or item.phrase.form in {"date", "feast", "weekday"}:
        return True
    return scene.said.astimezone(clock.zone).date() == scene.today


def _timed_today(item: Item, scene: Scene) -> tuple[tuple[Reading, ...], bool]:
    """The readings of a time of day without a day: the last and the next such time. Also returns whether the first
    reading is certain."""
    days = [scene.today + shift * DAY for shift in (-1, 0, 1)]
    if item.clock is None:
        readings = [_part_reading(day, item.part or "morning", scene) for day in days]
        return (readings[1],), False
    clock = item.clock
    halves = (clock,) if clock.half else (clock, clock._replace(hour=(clock.hour + 12) % 24))
    readings = [_clock_reading(day, half, scene) for day in days for half in halves]
    back = max((r for r in readings if r.start <= scene.said), key=lambda r: r.start)
    ahead = min((r for r in readings if r.start >= scene.said), key=lambda r: r.start)
    ordered = (back, ahead) if scene.direction == "past" else (ahead, back)
    near = abs(ordered[0].start - scene.said) <= _NEAR or ordered[0].start.date() == scene.today
    two_days = not clock.half and scene.direction == "future" and ordered[0].start.hour >= _LATE
    return ordered, scene.direction is not None and scene.sure and near and item.named_clock and not two_days


_LATE: Final = 17
"""From this hour on, a time without AM or PM may also mean the next morning."""


_NEAR: Final = timedelta(hours=12)
