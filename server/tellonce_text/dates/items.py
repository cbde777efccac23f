"""Finds the expressions of time in a text (days with their time of day, ranges, repetitions and durations) without
resolving them to dates."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from tellonce_text.dates.clock_phrases import Clock, clock_at, hour_in_part, part_at
from tellonce_text.dates.grammar import may_begin, phrase_at
from tellonce_text.dates.names import is_compound
from tellonce_text.dates.nights import LAST_NIGHT, TODAY
from tellonce_text.dates.phrases import Phrase, comma, count_at, skip
from tellonce_text.dates.readings import (
    DAY,
    Meaning,
    one_day,
)
from tellonce_text.dates.relative_phrases import Step, quoted_step, step_at
from tellonce_text.dates.tokens import Line


class Item(NamedTuple):
    """One expression before resolution. `elapsed` is a distance from now, together with the tolerance of this distance.
    `counted` is false for vague counts such as `a couple of hours`. `repeats` is true for `every …`, `since` for `since
    …`."""

    end: int
    phrase: Phrase | None = None
    clock: Clock | None = None
    part: str | None = None
    until: Phrase | None = None
    elapsed: tuple[timedelta, timedelta] | None = None
    counted: bool = True
    repeats: bool = False
    since: bool = False
    step: Step | None = None
    anchor: "tuple[int, Item] | None" = None
    rival: "tuple[int, Item] | None" = None
    """`step`, `anchor` and `rival` are set for a day such as `two days later`. `step` is the distance. The day is
    counted from the earlier item `anchor`, or perhaps from another item, `rival`. `anchor` and `rival` are each given
    with the index of their first token."""
    named_clock: bool = True
    """Whether a neighboring word shows that a number such as `3:15` is a time of day and not a ratio."""


MOST_TRIED: Final = 2_000
"""Maximum number of tokens that are tried as the beginning of an expression. About 30,000 characters of prose contain
this many such tokens."""


def items(line: Line) -> Iterator[tuple[int, Item]]:
    """Yield the expressions in order, each with the index of its first token. No expressions overlap."""
    index = tried = 0
    anchor: tuple[int, Item] | None = None
    named: list[tuple[int, Item]] = []
    while index < line.searched and tried < MOST_TRIED:
        begins = may_begin(line, index)
        tried += begins
        item = _item(line, index) if begins else None
        item = _from_named_day(line, index, item, named) if begins and named else item
        if item is None or is_compound(line, item.end):
            index = max(item.end if item else 0, index + 1)
            continue
        if item != Item(item.end) and (item.phrase is None or item.phrase.form != "repeats"):
            if item.phrase is None and item.clock and anchor:
                item = _anchored(line, item, index, *anchor)
                item = item._replace(named_clock=item.phrase is not None)
            anchor = (index, item) if item.phrase and item.phrase.single and not item.repeats else anchor
            yield index, item
            if item.phrase and not item.repeats and (item.phrase.single or item.until or item.phrase.form == "date"):
                named = [*named[-1:], (index, item)]
        index = max(item.end, index + 1)


def _from_named_day(line: Line, index: int, item: Item | None, named: Sequence[tuple[int, Item]]) -> Item | None:
    """Parse a day that is counted from one of the last two items of the text. Returns `item` if there is no such day or
    if `item` is longer.

    The day is certain only if the count cannot start from another day. This is so in three cases: the sentence names
    only one other day; the text before the sentence names only one day; the previous item was counted from the same day
    in the other direction (`the day before … and the day after`).
    """
    quoted = quoted_step(line, index, named[-1][1].end)
    step = quoted or step_at(line, index)
    longer = item is not None and step is not None and item.end > step.end and quoted is None
    if step is None or longer or index - named[-1][1].end > _FAR:
        return item
    last = named[-1][1]
    anchor = last.anchor or named[-1]
    here = [other for other in named if line.sentences[other[0]] == line.sentences[index]]
    rival = None if last.step or len(here) == 1 or len(named) == 1 else named[0]
    if last.step and (last.step.sign == step.sign or " " in line[step.end - 1].word):
        step = step._replace(sure=False)
    phrase = Phrase(step.end, lambda _scene: None, single=True, form="step")
    found = _with_time(line, Item(step.end, phrase, step=step, anchor=anchor, rival=rival))
    return (
        found._replace(part=step.part, clock=found.clock and _in_part(found.clock, step.part)) if step.part else found
    )


_FAR: Final = 60  # tokens


def _anchored(line: Line, item: Item, index: int, first: int, named: Item) -> Item:
    """Join a time of day with the day named earlier in the clause, as in `Friday I have the dentist at 3pm`."""
    near = index - named.end <= _NEAR and line.sentences[first] == line.sentences[index]
    apart = any(line[at].has("clause") for at in range(named.end, index))
    if not near or apart or named.clock or named.until:
        return item
    return item._replace(
        phrase=named.phrase,
        step=named.step,
        anchor=named.anchor,
        rival=named.rival,
        part=named.part,
        clock=item.clock and _in_part(item.clock, named.part),
    )


_NEAR: Final = 12  # tokens


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
    if token.word == "los" and line[index + 1].has("weekday"):
        return Item(_after_clock(line, index + 2), repeats=True)
    if token.has("for"):
        lasting = _duration(line, index + 1)
        if lasting:
            return Item(lasting)
    if token.has("since") and token.word != "с":
        found = _dated(line, index + 1)
        if found:
            return found._replace(since=not _is_range(found))
    return _elapsed(line, index) or _dated(line, index) or _clocked(line, index) or _part_of_day(line, index)


def _is_range(item: Item) -> bool:
    """Whether the item itself gives an end, as in `dal 12 al 18 ottobre`."""
    return item.until is not None or (item.phrase is not None and item.phrase.form == "date" and not item.phrase.single)


def _repeating(line: Line, index: int) -> Item | None:
    """Parse `every Tuesday at 9`, `every other week`, `each morning`, `every two weeks`."""
    at = skip(line, index, "other")
    if line.language != "en" and line[at + 1].has("weekday"):
        at += 1
    count = count_at(line, at)
    at = count.end if count and line[count.end].has("unit") else at
    token = line[at]
    if not any(token.has(tag) for tag in ("weekday", "unit", "part", "month", "season", "weekdays", "feast")):
        return None
    found = phrase_at(line, at) if token.has("month") or token.has("feast") else None
    return Item(_after_clock(line, found.end if found else at + 1), repeats=True)


def _after_clock(line: Line, index: int) -> int:
    part = part_at(line, index)
    index = part[1] if part else index
    clock = clock_at(line, index, beside_day=True)
    return clock.end if clock else index


def _duration(line: Line, index: int) -> int | None:
    """The index after a duration such as `for two weeks`, which is not a date."""
    count = count_at(line, index)
    if count is None or not line[count.end].has("unit") or line[count.end + 1].has("ago"):
        return None
    return None if _is_distance(line, index, count.end + 1) else count.end + 1


def _is_distance(line: Line, index: int, end: int) -> bool:
    """Whether the words after `for` are a day, as in `set it for two weeks from now`. If something is arranged, this
    also applies to `two weeks from today`."""
    if line[end].word != "from" or not line[end + 1].has("day"):
        return line[end].has("hence")
    return any(line[at].has(tag) for at in range(index - _NEAR, index) for tag in ("tense_order", "tense_arranged"))


_SECONDS: Final = {"minute": 60, "hour": 3600}


def _elapsed(line: Line, index: int) -> Item | None:
    """Parse `2 hours ago` or `in half an hour`. The tolerance is a quarter of the time, but at least half a unit."""
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
    return Item(end, elapsed=(sign * count.value * unit, max(unit / 2, count.value * unit / 4)), counted=count.exact)


def _sign_of_elapsed(line: Line, end: int, *, led: bool, before: bool) -> int:
    if before or line[end].has("ago"):
        return -1
    return 1 if led or line[end].has("hence") else 0


def _dated(line: Line, index: int) -> Item | None:
    """Parse a day, a longer span or a range of days. A single day may have a time of day."""
    phrase = phrase_at(line, index)
    if phrase is None:
        return _ranged(line, index) or _part_before_day(line, index)
    item = _with_range(line, index, Item(phrase.end, phrase))
    return item if item.until else _every_year(line, _with_time(line, item))


def _ranged(line: Line, index: int) -> Item | None:
    """Parse `from Monday to Wednesday`, `between March 3 and March 7`."""
    begun = line[index].has("from") if line.language != "en" else line[index].word == "from"
    if not (begun or line[index].has("between")):
        return None
    at = skip(line, index + 1, "article")
    phrase = phrase_at(line, at) or phrase_at(line, index + 1)
    item = phrase and _with_range(line, at, Item(phrase.end, phrase))
    return item if item and item.until else None


def _every_year(line: Line, item: Item) -> Item:
    """Make a day repeat if `every` and a unit follow, as in `Good Friday every year`."""
    if line[item.end].has("every") and line[item.end + 1].has("unit"):
        return Item(item.end + 2, repeats=True)
    return item


def _with_range(line: Line, index: int, item: Item) -> Item:
    end = _after_clock(line, item.end)  # `from Friday night to Sunday morning`
    mark = line[end]
    before = line[index - 1 - line[index - 1].has("article")]
    if before.word == "from" and any(line[at].has("tense_arranged") for at in range(index - 5, index)):
        return item
    joined = mark.has("and") and (is_between(line, index) or _is_weekend(line, index, end + 1))
    if not joined and (mark.has("and") or (mark.word not in {"-", "–", "—"} and not mark.has("to"))):
        return item
    phrase = item.phrase
    at = skip(line, end + 1, "article", "contracted")
    other = phrase_at(line, at) or phrase_at(line, end + 1)
    if other is None or phrase is None or not _pair(line, index, phrase, at, other):
        return item
    return item._replace(end=_after_clock(line, other.end), until=other)


def _is_weekend(line: Line, index: int, at: int) -> bool:
    """Whether the tokens are the two days of `Saturday and Sunday`. These two days are one span."""
    return (line[index].get("weekday"), line[at].get("weekday")) == (_SATURDAY, _SATURDAY + 1)


_SATURDAY: Final = 5


def is_between(line: Line, index: int) -> bool:
    """Whether `between` comes before the token, with at most an article between them."""
    return line[index - 1].has("between") or (line[index - 1].has("article") and line[index - 2].has("between"))


def _pair(line: Line, index: int, one: Phrase, at: int, other: Phrase) -> bool:
    """Whether both phrases have the same form and can be the two ends of a range."""
    if one.form == other.form and one.single == other.single:
        return not (one.form == "" and line[index].has("day"))
    return one.single and other.single and line[at].has("weekday") == line[index].has("weekday")


def _with_time(line: Line, item: Item) -> Item:
    """Add the time of day after a day, as in `Friday evening`, `tomorrow at 9` or `March 3, 3pm`."""
    if item.phrase is None or not (item.phrase.single or item.phrase.form == "stamp"):
        return item
    part = _own_part(line, item.end - 1)
    end = item.end
    if part is None and (found := part_at(line, end)):
        part, end = found
    clock = clock_at(line, comma(line, end), beside_day=True)
    return item._replace(end=clock.end if clock else end, part=part, clock=clock and _in_part(clock, part))


def _own_part(line: Line, index: int) -> str | None:
    """The part of the day that a word for a day implies: `tonight` implies the night."""
    token = line[index]
    return token.get("part") if token.has("day") and not token.has("day_only") else None


def _in_part(clock: Clock, part: str | None) -> Clock:
    """Set AM or PM of a clock time from the part of the day, unless the text gives AM or PM."""
    if part is None or clock.half or not 1 <= clock.hour <= 12:
        return clock
    return clock._replace(hour=hour_in_part(clock.hour, part), half=True)


def _part_before_day(line: Line, index: int) -> Item | None:
    """Parse `this morning`, `last night`, `the evening of March 3`, `morning of the 5th`."""
    step = line[index].get("step")
    if step in {-1, 0} and line[index + 1].has("part") and line[index + 1].get("day") in {None, step + 1}:
        offset = step if line[index].word != "past" else -1
        form = LAST_NIGHT if step else TODAY
        phrase = Phrase(index + 2, lambda s: Meaning((one_day(s.today + offset * DAY),)), single=True, form=form)
        item = _with_time(line, Item(index + 2, phrase))
        part = line[index + 1].get("part")
        return item._replace(part=part, clock=item.clock and _in_part(item.clock, part))
    at = skip(line, index, "article")
    if not line[at].has("part") or line[at + 1].word not in {"of", "on"}:
        return None
    day = phrase_at(line, at + 2)
    return Item(day.end, day, part=line[at].get("part")) if day and day.single else None


def _clocked(line: Line, index: int) -> Item | None:
    """Parse `3pm`, `at 15:00 UTC on Friday`."""
    clock = clock_at(line, index)
    if clock is None:
        bare = clock_at(line, index, beside_day=True)
        phrase = phrase_at(line, skip(line, bare.end, "on")) if bare else None
        clock = bare if phrase and phrase.single else None
    if clock is None:
        return None
    at = skip(line, comma(line, clock.end), "on" if line.language == "en" else "of", "on")
    phrase = phrase_at(line, at)
    if phrase is None or not phrase.single:
        named = _part_before_day(line, at)
        if named is None or named.clock:
            said = line[index].has("at") or clock.half or line[index].kind != "clock"
            return Item(clock.end, clock=clock, named_clock=said)
        return named._replace(clock=_in_part(clock, named.part))
    part = _own_part(line, phrase.end - 1)
    end = phrase.end
    if part is None and (found := part_at(line, end)):
        part, end = found
    return Item(end, phrase, _in_part(clock, part), part)


def _part_of_day(line: Line, index: int) -> Item | None:
    """Parse `in the evening`."""
    token = line[index]
    if token.word in {"in", "during"} and line[index + 1].has("article") and line[index + 2].has("part"):
        return Item(index + 3, part=line[index + 2].get("part"))
    return None
