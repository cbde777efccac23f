"""Every time expression of a text, resolved: where it stands, which spans of time it can mean, and whether that is sure.

Pure and linear in the length of the text.  A yearless day has both readings; the sentence's tense puts one first.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

from chatmem_text.dates.calendar_phrases import CALENDAR_RULES
from chatmem_text.dates.clock_phrases import PARTS, Clock, clock_at, hour_in_part, part_at
from chatmem_text.dates.phrases import Phrase, comma, count_at, skip
from chatmem_text.dates.readings import (
    DAY,
    Days,
    Direction,
    Expression,
    Meaning,
    Precision,
    Reading,
    Said,
    Scene,
    one_day,
)
from chatmem_text.dates.relative_phrases import NESTING_RULES, RELATIVE_RULES
from chatmem_text.dates.tense import direction_at
from chatmem_text.dates.tokens import Line, Token, line_of

_HOUR: Final = timedelta(hours=1)
_DEEPEST: Final = 3
"""How many expressions may hold one another: the week after the first Monday of March."""


class Item(NamedTuple):
    """One expression before it is resolved. `elapsed` counts seconds; `repeats` and `since` say how the days are meant."""

    end: int
    phrase: Phrase | None = None
    clock: Clock | None = None
    part: str | None = None
    until: Phrase | None = None
    elapsed: tuple[timedelta, timedelta] | None = None
    repeats: bool = False
    since: bool = False
    named_clock: bool = True
    """Whether something says that this is a time of day: `3:15` may be a ratio."""


def expressions(text: str, said: Said, direction: Direction | None = None) -> list[Expression]:
    """The expressions of the text in order, none overlapping.

    `direction` is given where the whole text is known to look one way (a question about the past, a plan).
    """
    line = line_of(text)
    if line is None:
        return []
    local = said.at.astimezone(said.zone)
    found = (_resolve(line, first, item, local, said.region, direction) for first, item in _items(line))
    return [expression for expression in found if expression]


def _items(line: Line) -> Iterator[tuple[int, Item]]:
    index = 0
    while index < len(line):
        item = _item(line, index) if _may_begin(line, index) else None
        if item is None:
            index += 1
            continue
        if item != Item(item.end) and (item.phrase is None or item.phrase.form != "repeats"):
            yield index, item
        index = max(item.end, index + 1)


def _may_begin(line: Line, index: int) -> bool:
    token = line[index]
    if token.kind == "number":
        following = line[index + 1]
        alone = not following.tags and following.kind != "mark" and not token.suffix
        return not alone or (token.value or 0) >= _FIRST_YEAR
    if token.kind == "word":
        return not _BEGINNINGS.isdisjoint(token.tags) or token.word in _OTHER_BEGINNINGS
    return token.kind != "mark" or token.word in _MARKS


_FIRST_YEAR: Final = 1900
_BEGINNINGS: Final = frozenset(
    "weekday weekdays month day unit season feast step ordinal number vague one article edge ago_before in within every"
    " daily for since at from between half half_before quarter_hour noon part".split()
)
_OTHER_BEGINNINGS: Final = frozenset({"q1", "q2", "q3", "q4", "during", "between"})
_MARKS: Final = frozenset("'’@")


def _item(line: Line, index: int) -> Item | None:
    token = line[index]
    if token.has("every"):
        repeating = _repeating(line, index + 1)
        if repeating:
            return repeating
    if token.has("daily"):
        end = _after_clock(line, index + 1)
        return Item(end, repeats=True) if end > index + 1 else None
    if token.has("weekdays"):
        return Item(_after_clock(line, index + 1), repeats=True)
    if token.has("for"):
        lasting = _duration(line, index + 1)
        if lasting:
            return Item(lasting)
    if token.has("since") and token.word != "с":
        found = _dated(line, index + 1)
        return found._replace(since=True) if found else None
    return _elapsed(line, index) or _dated(line, index) or _clocked(line, index) or _part_of_day(line, index)


def _repeating(line: Line, index: int) -> Item | None:
    """`every Tuesday at 9`, `every other week`, `each morning`, `every two weeks`."""
    at = skip(line, index, "other")
    if line.language != "en" and line[at + 1].has("weekday"):
        at += 1
    count = count_at(line, at)
    at = count.end if count and line[count.end].has("unit") else at
    token = line[at]
    if not any(token.has(tag) for tag in ("weekday", "unit", "part", "month", "season", "weekdays", "feast")):
        return None
    found = _phrase(line, at) if token.has("month") or token.has("feast") else None
    return Item(_after_clock(line, found.end if found else at + 1), repeats=True)


def _after_clock(line: Line, index: int) -> int:
    part = part_at(line, index)
    index = part[1] if part else index
    clock = clock_at(line, index, beside_day=True)
    return clock.end if clock else index


def _duration(line: Line, index: int) -> int | None:
    """`for two weeks`: a length of time and no date."""
    count = count_at(line, index)
    return count.end + 1 if count and line[count.end].has("unit") and not line[count.end + 1].has("ago") else None


_SECONDS: Final = {"minute": 60, "hour": 3600}


def _elapsed(line: Line, index: int) -> Item | None:
    """`2 hours ago`, `in half an hour`, `20 minutes ago`: give or take a quarter, at least half a unit."""
    led = line[index].has("in") or line[index].has("within")
    before = line[index].has("ago_before")
    at = index + 1 if led or before else index
    half = line[at].has("half")
    count = count_at(line, at + 1 if half else at)
    if count is None or line[count.end].get("unit") not in _SECONDS:
        return None
    sign = _sign_of_elapsed(line, count.end + 1, led=led, before=before)
    if not sign:
        return None
    unit = timedelta(seconds=_SECONDS[line[count.end].get("unit")] / (2 if half else 1))
    end = count.end + (1 if led or before else 2)
    return Item(end, elapsed=(sign * count.value * unit, max(unit / 2, count.value * unit / 4)))


def _sign_of_elapsed(line: Line, end: int, *, led: bool, before: bool) -> int:
    if before or line[end].has("ago"):
        return -1
    return 1 if led or line[end].has("hence") else 0


def _dated(line: Line, index: int) -> Item | None:
    """A day or a longer span, with the time of day that belongs to it, up to another where it is a range."""
    phrase = _phrase(line, index)
    if phrase is None:
        return _ranged(line, index) or _part_before_day(line, index)
    item = _with_range(line, index, Item(phrase.end, phrase))
    return item if item.until else _with_time(line, item)


def _ranged(line: Line, index: int) -> Item | None:
    """`from Monday to Wednesday`, `between March 3 and March 7`."""
    if line[index].word not in {"from", "between"} and not (line[index].has("from") and line.language != "en"):
        return None
    phrase = _phrase(line, index + 1)
    item = phrase and _with_range(line, index + 1, Item(phrase.end, phrase))
    return item if item and item.until else None


def _with_range(line: Line, index: int, item: Item) -> Item:
    mark = line[item.end]
    if mark.word == "and" and line[index - 1].word != "between":
        return item
    if mark.word not in {"-", "–", "—"} and not mark.has("to"):
        return item
    phrase = item.phrase
    other = _phrase(line, item.end + 1)
    if other is None or phrase is None or not _pair(line, index, phrase, item.end + 1, other):
        return item
    return item._replace(end=other.end, until=other)


def _pair(line: Line, index: int, one: Phrase, at: int, other: Phrase) -> bool:
    """Whether both ends of a range are of one form."""
    if one.form == other.form and one.single == other.single:
        return not (one.form == "" and line[index].has("day"))
    return one.single and other.single and line[at].has("weekday") == line[index].has("weekday")


def _phrase(line: Line, index: int, depth: int = 0) -> Phrase | None:
    """The longest phrase that names days from here on."""
    if depth > _DEEPEST or not _may_begin(line, index):
        return None

    def parent(of: Line, at: int) -> Phrase | None:
        return _phrase(of, at, depth + 1)

    token = line[index]
    found = [rule(line, index) for rule, begins in _RULES if _begins(token, begins)]
    found += [rule(line, index, parent) for rule, begins in NESTING_RULES if _begins(token, begins)]
    return max((phrase for phrase in found if phrase), key=lambda phrase: phrase.end, default=None)


_RULES: Final = (*CALENDAR_RULES, *RELATIVE_RULES)


def _begins(token: Token, begins: frozenset[str]) -> bool:
    return token.kind in begins or not begins.isdisjoint(token.tags)


def _with_time(line: Line, item: Item) -> Item:
    """`Friday evening`, `tomorrow at 9`, `March 3, 3pm`, `Friday night around 8`."""
    if item.phrase is None or not (item.phrase.single or item.phrase.form == "stamp"):
        return item
    part = line[item.end - 1].get("part") if line[item.end - 1].has("day") else None
    end = item.end
    if part is None and (found := part_at(line, end)):
        part, end = found
    clock = clock_at(line, comma(line, end), beside_day=True)
    return item._replace(end=clock.end if clock else end, part=part, clock=clock and _in_part(clock, part))


def _in_part(clock: Clock, part: str | None) -> Clock:
    """The clock in the half of the day that the part says, where it does not say itself."""
    if part is None or clock.half or not 1 <= clock.hour <= 12:
        return clock
    return clock._replace(hour=hour_in_part(clock.hour, part), half=True)


def _part_before_day(line: Line, index: int) -> Item | None:
    """`this morning`, `last night`, `the evening of March 3`, `morning of the 5th`."""
    step = line[index].get("step")
    if step in {-1, 0} and line[index + 1].has("part") and not line[index + 1].has("day"):
        offset = step if line[index].word != "past" else -1
        form = "night" if step else "count"
        phrase = Phrase(
            index + 2, lambda scene: Meaning((one_day(scene.today + offset * DAY),)), single=True, form=form
        )
        item = _with_time(line, Item(index + 2, phrase))
        part = line[index + 1].get("part")
        return item._replace(part=part, clock=item.clock and _in_part(item.clock, part))
    at = skip(line, index, "article")
    if not line[at].has("part") or line[at + 1].word not in {"of", "on"}:
        return None
    day = _phrase(line, at + 2)
    return Item(day.end, day, part=line[at].get("part")) if day and day.single else None


def _clocked(line: Line, index: int) -> Item | None:
    """`3pm`, `at 15:00 UTC on Friday`."""
    clock = clock_at(line, index)
    if clock is None:
        bare = clock_at(line, index, beside_day=True)
        phrase = _phrase(line, skip(line, bare.end, "on")) if bare else None
        clock = bare if phrase and phrase.single else None
    if clock is None:
        return None
    at = skip(line, comma(line, clock.end), "on")
    phrase = _phrase(line, at)
    if phrase is None or not phrase.single:
        named = _part_before_day(line, at)
        if named is None or named.clock:
            said = line[index].has("at") or clock.half or line[index].kind != "clock"
            return Item(clock.end, clock=clock, named_clock=said)
        return named._replace(clock=_in_part(clock, named.part))
    part = line[phrase.end - 1].get("part") if line[phrase.end - 1].has("day") else None
    end = phrase.end
    if part is None and (found := part_at(line, end)):
        part, end = found
    return Item(end, phrase, _in_part(clock, part), part)


def _part_of_day(line: Line, index: int) -> Item | None:
    """`in the evening`, `at night`."""
    token = line[index]
    if token.word in {"in", "during"} and line[index + 1].has("article") and line[index + 2].has("part"):
        return Item(index + 3, part=line[index + 2].get("part"))
    if token.word == "at" and line[index + 1].word == "night":
        return Item(index + 2, part="night")
    return None


def _resolve(
    line: Line, first: int, item: Item, local: datetime, region: str | None, given: Direction | None
) -> Expression | None:
    start, end = line[first].start, line[item.end - 1].end
    direction, sure = (given, True) if given else direction_at(line, first, item.end)
    if item.clock and item.phrase and direction is None:
        direction = "future" if line.language != "en" else None
    scene = Scene(local, direction, region, sure)
    try:
        readings, certain, approximate = _readings(item, scene, line, first)
    except (ValueError, OverflowError):  # 30 February, year 0, 9,999 years ahead
        return None
    if not readings and not item.repeats:
        return None
    precision: Precision = "recurring" if item.repeats else readings[0].precision
    absolute = item.phrase is not None and item.phrase.absolute and item.clock is None
    timed = bool(readings) and readings[0].precision == "instant" and not item.until
    words = line.text[start:end]
    return Expression(start, end, words, readings, certain, precision, timed, absolute, approximate, since=item.since)


_Found = tuple[tuple[Reading, ...], bool, bool]
"""The readings, whether they are certain, whether they are approximate."""


def _readings(item: Item, scene: Scene, line: Line, first: int) -> _Found:
    if item.repeats:
        return (), False, False
    if item.elapsed:
        lasting = item.elapsed[0] > timedelta() and scene.direction == "past"
        return (_elapsed_reading(*item.elapsed, scene),), not lasting, False
    meaning = item.phrase.meaning(scene) if item.phrase else None
    if item.phrase and meaning is None:
        return (), False, False
    if meaning is None:
        return (*_timed_today(item, scene), False)
    if item.until:
        return (*_range(item.until, meaning, scene), False)
    if item.since:
        begun = tuple(days for days in meaning.choices if days.first <= scene.today) or meaning.choices
        meaning = Meaning(begun, meaning.certain or len(begun) == 1, meaning.approximate)
    certain = meaning.certain and _same_day_there(item.clock, scene, item)
    stamp = _stamp(line, item, scene)
    if stamp:
        return (stamp,), True, False
    readings = tuple(_reading(days, item, scene) for days in meaning.choices)
    certain = certain and not _is_alternative(line, item, first)
    if item.part == "night" and item.phrase and item.phrase.form == "night" and scene.said.hour < _MORNING:
        certain = False
    return readings, certain, meaning.approximate


def _is_alternative(line: Line, item: Item, first: int) -> bool:
    """`Tuesday or Wednesday`."""
    return "or" in {
        line[item.end].word,
        line[first - 1].word,
        line[first - 2].word if line[first - 1].has("on") else "",
    }


def _stamp(line: Line, item: Item, scene: Scene) -> Reading | None:
    """The moment of `2026-03-15T10:00:00Z`, where the stamp has a time of day."""
    token = line[item.phrase.end - 1] if item.phrase and item.phrase.form == "stamp" else None
    if token is None or token.kind != "stamp" or token.parts[3] is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in token.parts[:6])
    offset = token.parts[6]
    moment = datetime(year, month, day, hour % 24, minute, second, tzinfo=scene.said.tzinfo)
    if offset:
        moment = datetime.fromisoformat(f"{moment:%Y-%m-%dT%H:%M:%S}{'+00:00' if offset == 'Z' else offset}")
    start = moment.astimezone(UTC).astimezone(scene.said.tzinfo)
    return Reading(start, start + timedelta(minutes=1), "instant")


def _elapsed_reading(offset: timedelta, slack: timedelta, scene: Scene) -> Reading:
    here = scene.said.astimezone(UTC) + offset
    zone = scene.said.tzinfo
    return Reading(here.astimezone(zone), (here + timedelta(minutes=1)).astimezone(zone), "instant", slack)


def _range(other: Phrase, meaning: Meaning, scene: Scene) -> tuple[tuple[Reading, ...], bool]:
    """From the first day of the one to the last day of the other, which comes after it."""
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
    if item.clock and (item.clock.half or item.clock.minute or _guessed(item.clock)):
        return _clock_reading(days.first, _sure(item.clock), scene)
    if item.part:
        return _part_reading(days.first, item.part, scene)
    return Reading(_at(days.first, 0, 0, scene), _at(days.end, 0, 0, scene), days.precision)


def _guessed(clock: Clock) -> bool:
    """Whether an hour without its half of the day has a usual one: 1 to 6 in the afternoon, 10 and 11 in the morning."""
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
    """The moment on the wall clock; one that the change to summer time skips becomes the one an hour later."""
    zone = clock.zone if clock and clock.zone else scene.said.tzinfo
    shift = DAY if hour == 24 else timedelta()
    moment = datetime.combine(day + shift, time(hour % 24, minute), zone)
    return moment.astimezone(UTC).astimezone(scene.said.tzinfo)


def _same_day_there(clock: Clock | None, scene: Scene, item: Item) -> bool:
    """Whether "tomorrow" is the same day where the clock hangs, for a time of day in another zone."""
    if clock is None or clock.zone is None or item.phrase is None or item.phrase.form in {"date", "feast", "weekday"}:
        return True
    return scene.said.astimezone(clock.zone).date() == scene.today


def _timed_today(item: Item, scene: Scene) -> tuple[tuple[Reading, ...], bool]:
    """A time of day without a day: the last one or the coming one."""
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
    two_days = not clock.half and scene.direction == "future" and ordered[0].start.hour >= 12
    return ordered, scene.direction is not None and near and item.named_clock and not two_days


_MORNING: Final = 5
_NEAR: Final = timedelta(hours=12)
