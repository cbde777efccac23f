"""Building blocks of the grammar: phrases, counts, years, and the choice between the past and the future reading."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tellonce_text.dates.readings import DAY, Days, Meaning, Scene
from tellonce_text.dates.tokens import Line


class Phrase(NamedTuple):
    """A phrase that names days; `end` is the index after its last token. With `single`, the phrase names one day."""

    end: int
    meaning: Callable[[Scene], Meaning | None]
    single: bool = False
    absolute: bool = False
    form: str = ""


FIRST_YEAR: Final = 1000
"""Numbers above this are years. Smaller numbers are distances from the current year."""


class Count(NamedTuple):
    value: int
    exact: bool
    end: int


_MOST_SKIPPED: Final = 3

Rule = Callable[[Line, int], Phrase | None]


def skip(line: Line, index: int, *tags: str) -> int:
    """Skip at most three tokens that have one of the tags, and return the index after these tokens."""
    for at in range(index, index + _MOST_SKIPPED):
        found = line[at].tags
        if not found or found.keys().isdisjoint(tags):
            return at
    return index + _MOST_SKIPPED


def comma(line: Line, index: int) -> int:
    return index + 1 if line[index].word == "," else index


def count_at(line: Line, index: int) -> Count | None:
    """The count in `3`, `three`, `a`, `a couple of` or `a few`; None for `half a`."""
    token = line[index]
    if token.kind == "number" and not token.suffix and token.value is not None and token.value <= 9_999:
        return Count(token.value, True, index + 1)
    if token.has("number"):
        tens, ones = token.get("number"), line[index + 1].get("number")
        if tens >= 20 and ones and ones < 10:
            return Count(tens + ones, True, index + 2)
        return Count(tens, True, index + 1)
    after = index + 1 if token.has("one") else index
    if line[after].has("vague"):
        return Count(line[after].get("vague"), False, after + 1)
    return Count(1, True, index + 1) if token.has("one") else None


def year_at(line: Line, index: int) -> tuple[int, int] | None:
    """Return the year in `2026` or `'26`, and the index after the year; None if there is no year."""
    token = line[index]
    if token.kind == "number" and not token.suffix and token.value is not None and 1900 <= token.value <= 2199:
        return token.value, index + 1
    short = line[index + 1]
    if token.word == "'" and short.kind == "number" and len(short.word) == 2 and short.value is not None:
        return 2000 + short.value if short.value < 70 else 1900 + short.value, index + 2
    return None


def trailing_year(line: Line, index: int) -> tuple[int | None, int]:
    """Parse the year after a day or a month, as in `, 2026` or `of 2026`. Returns the year and the index after the
    year, or None and `index` if no year follows."""
    after = comma(line, index)
    found = year_at(line, after) or year_at(line, skip(line, after, "inside"))
    if found is None:
        return None, index
    return found[0], skip(line, found[1], "year_word")


def day_number(line: Line, index: int) -> int | None:
    """The day of a month as a number or an ordinal word."""
    token = line[index]
    if token.kind == "number" and token.value is not None and token.suffix in _ORDINAL_ENDINGS:
        return token.value if 1 <= token.value <= 31 else None
    ordinal: int | None = token.get("ordinal")
    if not ordinal or ordinal < 0:
        return None
    return ordinal + tens_before(line, index) if ordinal < 10 else ordinal


def tens_before(line: Line, index: int) -> int:
    """The tens before an ordinal, as in `двадцать первого` or `twenty first`; 0 if there are none."""
    tens: int | None = line[index - 1].get("number")
    return tens if tens in {20, 30} else 0


_ORDINAL_ENDINGS = frozenset({"", "st", "nd", "rd", "th", "er", "º", "ª", "°"})


def choose(scene: Scene, back: Days | None, ahead: Days | None) -> Meaning | None:
    """Put first the reading in the direction (past or future) of the sentence. Without a direction, the nearer reading
    is first and not certain."""
    if back is None or ahead is None:
        only = back or ahead
        return Meaning((only,)) if only else None
    if back == ahead:
        return Meaning((back,))
    gone, to_come = (scene.today - back.end).days, (ahead.first - scene.today).days
    if (not scene.sure or scene.inferred) and min(gone, to_come) <= CLOSE and max(gone, to_come) >= DISTANT:
        return Meaning((back, ahead) if gone < to_come else (ahead, back))
    if not scene.sure and to_come <= _NEAR and gone >= 2 * _NEAR:
        return Meaning((ahead, back))
    if not scene.sure and to_come > _SOON and to_come > 3 * gone:
        return Meaning((back, ahead), False)
    if scene.direction == "past":
        daily = back.precision == "day"
        if daily and gone > _LONG and to_come <= CLOSE:
            return Meaning((ahead, back), False)
        return Meaning((back, ahead), gone <= (_LONG if daily or not scene.sure else _LONGER))
    if scene.direction == "future":
        return Meaning((ahead, back), not (to_come > _LONG and gone <= (_SOON if scene.sure else _LONG)))
    return Meaning((ahead, back) if to_come <= 2 * gone else (back, ahead), False)


_NEAR = 100  # days; without a verb, a day at most _NEAR ahead is preferred to a day at least 2 * _NEAR ago
_LONG, _SOON = 180, 120  # days; "on March 3" said in February seldom means the March of last year
_LONGER = 270  # days; until June, "in September" with a past verb means last September
CLOSE, DISTANT = 95, 265  # days; if one reading is within CLOSE and the other at least DISTANT away, the first is meant


def fixed(days: Days) -> Callable[[Scene], Meaning | None]:
    return lambda _scene: Meaning((days,))


def doubtful(meaning: Callable[[Scene], Meaning | None]) -> Callable[[Scene], Meaning | None]:
    """Return the same meaning, marked as uncertain, because the words may mean something else: June is also a name."""

    def doubted(scene: Scene) -> Meaning | None:
        found = meaning(scene)
        return found and Meaning(found.choices, False)

    return doubted


def shifted(days: Days, count: int) -> Days:
    return Days(days.first + count * DAY, days.end + count * DAY, days.precision)
