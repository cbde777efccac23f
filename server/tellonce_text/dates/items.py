"""Finds the expressions of time in a text (days with their time of day, ranges, repetitions and durations) without
resolving them to dates."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from tellonce_text.dates.clock_phrases import Clock, clock_at, in_part, part_at
from tellonce_text.dates.counted_phrases import since
from tellonce_text.dates.durations import duration
from tellonce_text.dates.grammar import may_begin, phrase_at
from tellonce_text.dates.names import is_compound
from tellonce_text.dates.neighbor_phrases import Step, quoted_step, step_at
from tellonce_text.dates.phrases import DASHES, LAST_NIGHT, TODAY, Phrase, comma, count_at, day_phrase, skip
from tellonce_text.dates.readings import DAY
from tellonce_text.dates.tokens import Line

MOST_TRIED: Final = 2_000
"""Maximum number of tokens that are tried as the beginning of an expression. About 30,000 characters of prose contain
this many such tokens."""
_FAR: Final = 60  # tokens
_NEAR: Final = 12  # tokens
_SATURDAY: Final = 5
_AMOUNTS: Final = frozenset("number one vague fraction span_minutes one_and_half unit half".split())
_REPEATED: Final = frozenset("weekday unit part every_part month season weekdays feast".split())


class Item(NamedTuple):
    """One expression before resolution. `elapsed` is a distance from now, together with the tolerance of this distance.
    `counted` is false for vague counts such as `a couple of hours`. `repeats` is true for `every …`, and `since` is
    true for `since …`."""

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

    def in_part(self, part: str | None) -> "Item":
        """The item with this part of the day. This part decides AM or PM of the time, unless the text gives AM or
        PM."""
        return self._replace(part=part, clock=self.clock and in_part(self.clock, part))


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

    The day is certain only if the count cannot start from another day. This is so in three cases:

    - The sentence names only one other day.
    - The text before the sentence names only one day.
    - The previous item starts from the same day and counts in the other direction: `the day before … and the day
      after`.
    """
    last = named[-1][1]
    quoted = quoted_step(line, index, last.end)
    step = quoted or step_at(line, index)
    if step is None or (item and item.end > step.end and quoted is None) or index - last.end > _FAR:
        return item
    anchor = last.anchor or named[-1]
    here = [other for other in named if line.sentences[other[0]] == line.sentences[index]]
    rival = None if last.step or len(here) == 1 or len(named) == 1 else named[0]
    phrase = Phrase(step.end, lambda _scene: None, single=True, form="step")
    found = _with_time(line, Item(step.end, phrase, step=step, anchor=anchor, rival=rival))
    return found.in_part(step.part) if step.part else found


def _anchored(line: Line, item: Item, index: int, first: int, named: Item) -> Item:
    """Join a time of day with the day named earlier in the clause, as in `Friday I have the dentist at 3pm`."""
    near = index - named.end <= _NEAR and line.sentences[first] == line.sentences[index]
    apart = any(line[at].has("clause") for at in range(named.end, index))
    if not near or apart or named.clock or named.until:
        return item
    return named._replace(end=item.end, clock=item.clock, since=False).in_part(named.part)


def _item(line: Line, index: int) -> Item | None:
    token = line[index]
    if token.has("every"):
        repeating = _repeating(line, index + 1)
        if repeating:
            return repeating
    los = token.word == "los" and line[index + 1].has("weekday")
    if token.has("daily") or token.has("weekdays") or los:
        end = _after_clock(line, index + 1 + los)
        return None if token.has("daily") and end == index + 1 else Item(end, repeats=True)
    if token.has("for"):
        lasting = _duration(line, index + 1)
        if lasting:
            return Item(lasting)
    if token.has("since") and token.word != "с":
        length = since(line, index + 1)
        found = _dated(line, index + 1) or (Item(length.end, length) if length else None)
        if found:  # `dal 12 al 18 ottobre` has an end
            dated = found.phrase is not None and found.phrase.form == "date" and not found.phrase.single
            return found._replace(since=found.until is None and not dated)
    return _elapsed(line, index) or _dated(line, index) or _clocked(line, index) or _part_of_day(line, index)


def _repeating(line: Line, index: int) -> Item | None:
    """Parse `every Tuesday at 9`, `every other week`, `each morning`, `every two weeks`."""
    at = skip(line, index, "other")
    at += line.language != "en" and line[at + 1].has("weekday")
    count = count_at(line, at)
    at = count.end if count and line[count.end].has("unit") else at
    if _REPEATED.isdisjoint(line[at].tags):
        return None
    found = phrase_at(line, at) if line[at].has("month") or line[at].has("feast") else None
    return Item(_after_clock(line, found.end if found else at + 1), repeats=True)


def _after_clock(line: Line, index: int) -> int:
    part = part_at(line, index)
    index = part[1] if part else index
    clock = clock_at(line, index, beside_day=True)
    return clock.end if clock else index


def _duration(line: Line, index: int) -> int | None:
    """The index after a duration such as `for two weeks`. After a verb of arranging, such as `set`, the words name a
    day and not a duration: `set it for two weeks from now`."""
    count = count_at(line, index)
    end = count.end + 1 if count else index
    if count is None or not line[count.end].has("unit") or line[end].has("ago") or line[end].has("hence"):
        return None
    before = (line[at] for at in range(index - _NEAR, index))
    arranged = any(token.has("tense_order") or token.has("tense_arranged") for token in before)
    return None if arranged and line[end].word == "from" and line[end + 1].has("day") else end


def _elapsed(line: Line, index: int) -> Item | None:
    """Parse `2 hours ago` or `in half an hour`. The tolerance is a quarter of the time, but at least half a unit."""
    led = line[index].has("in") or line[index].has("within")
    before = line[index].has("ago_before")
    amount = led or before or line[index].kind in {"number", "numeric"} or not _AMOUNTS.isdisjoint(line[index].tags)
    found = duration(line, index + (led or before)) if amount else None
    if found is None or (led and line[found.end].has("of")):
        return None
    after = line[found.end]
    sign = -1 if before or after.has("ago") else 1 if led or after.has("hence") else 0
    slack = max(min(found.unit, found.length) / 2, found.length / 4)
    end = found.end + (not led and not before)
    return Item(end, elapsed=(sign * found.length, slack), counted=found.exact) if sign else None


def _dated(line: Line, index: int) -> Item | None:
    """Parse a day, a longer span or a range of days. A single day may have a time of day."""
    phrase = phrase_at(line, index)
    if phrase is None:
        return _ranged(line, index) or _part_before_day(line, index)
    item = _with_range(line, index, Item(phrase.end, phrase))
    item = item if item.until else _with_time(line, item)
    yearly = line[item.end].has("every") and line[item.end + 1].has("unit")  # `Good Friday every year`
    habit = _end_of_habit(line, index, item.end)
    return Item(item.end + 2 if yearly else habit, repeats=True) if yearly or habit else item


def _end_of_habit(line: Line, index: int, end: int) -> int:
    """The index after a habit such as `Monday and Wednesday mornings` or `las mañanas de domingo`; 0 for other days."""
    if line[end - 1].has("parts") or (line[index - 1].has("of") and line[index - 2].has("parts")):
        return end
    while line[end].has("weekday") or line[end].has("and") or line[end].word == ",":
        end += 1
    return end + 1 if line[end].has("parts") and line[end - 1].has("weekday") else 0


def _ranged(line: Line, index: int) -> Item | None:
    """Parse `from Monday to Wednesday`, `between March 3 and March 7`."""
    begun = line[index].has("from") if line.language != "en" else line[index].word == "from"
    if not (begun or line[index].has("between")):
        return None
    at = skip(line, index + 1, "article")
    phrase = phrase_at(line, at) or phrase_at(line, index + 1)
    item = phrase and _with_range(line, at, Item(phrase.end, phrase))
    return item if item and item.until else None


def _with_range(line: Line, index: int, item: Item) -> Item:
    end = _after_clock(line, item.end)  # `from Friday night to Sunday morning`
    mark, phrase = line[end], item.phrase
    before = line[index - 1 - line[index - 1].has("article")]
    if before.word == "from" and any(line[at].has("tense_arranged") for at in range(index - 5, index)):
        return item
    weekend = (line[index].get("weekday"), line[end + 1].get("weekday")) == (_SATURDAY, _SATURDAY + 1)
    joined = mark.has("and") and (before.has("between") or line[index - 1].has("between") or weekend)
    if not joined and (mark.has("and") or (mark.word not in DASHES and not mark.has("to"))):
        return item
    at = skip(line, end + 1, "article", "contracted")
    other = phrase_at(line, at) or phrase_at(line, end + 1)
    if other is None or phrase is None or not _pair(line, index, phrase, at, other):
        return item
    return item._replace(end=_after_clock(line, other.end), until=other)


def _pair(line: Line, index: int, one: Phrase, at: int, other: Phrase) -> bool:
    """Whether both phrases have the same form and can be the two ends of a range."""
    if one.form == other.form and one.single == other.single:
        return not (one.form == "" and line[index].has("day"))
    return one.single and other.single and line[at].has("weekday") == line[index].has("weekday")


def _with_time(line: Line, item: Item) -> Item:
    """Add the time of day after a day, as in `Friday evening`, `tomorrow at 9` or `March 3, 3pm`."""
    if item.phrase is None or not (item.phrase.single or item.phrase.form == "stamp"):
        return item
    part, end = _part_after(line, item.end)
    clock = clock_at(line, comma(line, end), beside_day=True)
    return item._replace(end=clock.end if clock else end, clock=clock).in_part(part)


def _part_after(line: Line, end: int) -> tuple[str | None, int]:
    """The part of the day that ends before `end`, and the index after it. `tonight` implies the part."""
    day = line[end - 1]
    implied = (day.has("day") and not day.has("day_only")) or day.has("weekday")  # `tonight`, `Montagabend`
    part = day.get("part") if implied else None
    return (part, end) if part else part_at(line, end) or (None, end)


def _part_before_day(line: Line, index: int) -> Item | None:
    """Parse `this morning`, `last night`, `the evening of March 3`, `morning of the 5th`."""
    step, following = line[index].get("step"), line[index + 1]
    if step in {-1, 0} and following.has("part") and following.get("day") in {None, step + 1}:
        phrase = day_phrase(index + 2, lambda today: today + step * DAY, form=LAST_NIGHT if step else TODAY)
        return _with_time(line, Item(index + 2, phrase)).in_part(following.get("part"))
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
    if phrase and phrase.single:
        part, end = _part_after(line, phrase.end)
        return Item(end, phrase, clock).in_part(part)
    named = _part_before_day(line, at)
    if named and not named.clock:
        return named._replace(clock=clock).in_part(named.part)
    said = line[index].has("at") or clock.half or line[index].kind != "clock"
    return Item(clock.end, clock=clock, named_clock=said)


def _part_of_day(line: Line, index: int) -> Item | None:
    """Parse `in the evening`."""
    token = line[index]
    if token.word in {"in", "during"} and line[index + 1].has("article") and line[index + 2].has("part"):
        return Item(index + 3, part=line[index + 2].get("part"))
    return None
