"""Building blocks of the grammar: phrases, counts, years, and the choice between the past and the future reading."""

from collections.abc import Callable
from datetime import date
from typing import Final, NamedTuple

from tellonce_text.dates.readings import Days, Meaning, Scene, one_day
from tellonce_text.dates.tokens import Line

FIRST_YEAR: Final = 1000
"""Numbers above this are years. Smaller numbers are distances from the current year."""
TODAY: Final = "today"
LAST_NIGHT: Final = "night"
"""The forms of the phrases `today` and `last night`. At night, it is not clear which day these phrases mean."""
DASHES: Final = frozenset("-–—")
_MOST_SKIPPED: Final = 3
_ORDINAL_ENDINGS: Final = frozenset({"", "st", "nd", "rd", "th", "er", "º", "ª", "°"})
_NEAR: Final = 100  # days; without a verb, a coming day within _NEAR is preferred to a past day beyond 2 * _NEAR
_LONG, _SOON = 180, 120  # days; "on March 3" said in February seldom means the March of last year
_LONGER: Final = 270  # days; until June, "in September" with a past verb means last September
CLOSE, DISTANT = 95, 265  # days; a reading within CLOSE is meant if the other reading is at least DISTANT away
_LONGEST_YEAR: Final = 366


class Phrase(NamedTuple):
    """A phrase that names days; `end` is the index after its last token. With `single`, the phrase names one day."""

    end: int
    meaning: Callable[[Scene], Meaning | None]
    single: bool = False
    absolute: bool = False
    form: str = ""

    def changed(self, change: Callable[[Meaning, Scene], Meaning]) -> "Phrase":
        """The phrase with its meaning replaced by the result of `change`."""
        meaning = self.meaning
        return self._replace(meaning=lambda scene: (found := meaning(scene)) and change(found, scene))

    def moved(self, move: Callable[[Days], Days], single: bool | None = None) -> "Phrase":
        """A copy of the phrase that names other days. `move` computes these days from the days of this phrase."""
        single = self.single if single is None else single
        found = self.changed(lambda meaning, _scene: meaning.moved(move))
        return found._replace(single=single, absolute=False, form="")

    def only_if(self, certain: bool) -> "Phrase":
        """The same phrase. If `certain` is false, its meaning is not certain."""
        return self if certain else self.changed(lambda found, _scene: found.only_if(False))


class Count(NamedTuple):
    value: int
    exact: bool
    end: int


Rule = Callable[[Line, int], Phrase | None]


def days_phrase(end: int, days: Callable[[Scene], Days], certain: bool = True, form: str = "") -> Phrase:
    """A phrase whose only meaning is the days that `days` returns."""
    return Phrase(end, lambda scene: Meaning((days(scene),), certain), form=form)


def day_phrase(end: int, day: Callable[[date], date], certain: bool = True, form: str = "") -> Phrase:
    """The phrase whose only meaning is one day, which `day` computes from today."""
    return days_phrase(end, lambda scene: one_day(day(scene.today)), certain, form)._replace(single=True)


def longer(*phrases: Phrase | None) -> Phrase | None:
    """The longest of the phrases; None if all are None."""
    return max((phrase for phrase in phrases if phrase), key=lambda phrase: phrase.end, default=None)


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
    if token.has("number"):  # `сорок два` is one number
        tens, ones = token.get("number"), line[index + 1].get("number") or 0
        more = tens >= 20 and 0 < ones < 10
        return Count(tens + ones if more else tens, True, index + 1 + more)
    after = index + 1 if token.has("one") else index
    if line[after].has("vague"):
        return Count(line[after].get("vague"), False, after + 1)
    return Count(1, True, index + 1) if token.has("one") else None


def year_at(line: Line, index: int) -> tuple[int, int] | None:
    """Return the year in `2026` or `'26`, and the index after the year; None if there is no year."""
    token, short = line[index], line[index + 1]
    if token.kind == "number" and not token.suffix and token.value is not None and 1900 <= token.value <= 2199:
        return token.value, index + 1
    if token.word == "'" and short.kind == "number" and len(short.word) == 2 and short.value is not None:
        return 2000 + short.value if short.value < 70 else 1900 + short.value, index + 2
    return None


def trailing_year(line: Line, index: int) -> tuple[int | None, int]:
    """Parse the year after a day, a month, a season or a feast: `, 2026`, `of 2026`, `of last year`, `del año pasado`.
    Returns the year, or the distance from the current year, such as -1 for last year, and the index after the words.
    Returns None and `index` if no year follows."""
    after = comma(line, index)
    found = year_at(line, after) or year_at(line, skip(line, after, "inside"))
    if found is not None:
        return found[0], skip(line, found[1], "year_word")
    at = skip(line, index, "of", "article")
    for step, unit in ((at, at + 1), (at + 1, at)):
        if line[step].has("step") and line[unit].get("unit") == "year":
            return line[step].get("step"), at + 2
    return None, index


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


def choose(scene: Scene, back: Days | None, ahead: Days | None) -> Meaning | None:
    """Order two readings. If the sentence is about the past or the future, the reading in this direction is first.
    Without a direction, the nearer reading is first and not certain."""
    if back is None or ahead is None or back == ahead:
        only = back or ahead
        return Meaning((only,)) if only else None
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


def yearly(scene: Scene, days: Callable[[int], Days | None]) -> Meaning | None:
    """The readings of a day or span that occurs every year: the last occurrence that has begun, and the next occurrence
    that has not ended."""
    now = scene.today.year
    back = next((d for y in range(now, now - 9, -1) if (d := days(y)) and d.first <= scene.today), None)
    ahead = next((d for y in range(now - 1, now + 9) if (d := days(y)) and d.end > scene.today), None)
    return choose(scene, back, ahead)


def yearly_on_weekday(scene: Scene, days: Callable[[int], Days | None], weekday: int) -> Meaning | None:
    """The readings of a date with a weekday. The date falls on this weekday only in some years. The readings are from
    such years. The meaning is not certain in two cases: all such years are distant, or the nearest date has another
    weekday and is close to today. In these cases, the date or the weekday may be wrong."""
    now = scene.today.year

    def distance(span: Days) -> int:
        return abs((span.first - scene.today).days)

    near = sorted((d for y in range(now - 6, now + 7) if (d := days(y))), key=distance)
    agreeing = [span for span in near if span.first.weekday() == weekday]
    doubtful = not agreeing or distance(agreeing[0]) > _LONGEST_YEAR
    if near and (doubtful or (agreeing[0] != near[0] and distance(near[0]) <= CLOSE)):
        return Meaning(tuple(near[:2]), False)
    return Meaning(tuple(agreeing[:2])) if agreeing else None


def yearless(scene: Scene, days: Callable[[int], Days]) -> Meaning | None:
    """The readings of a month or season without a year. If the text was said in that month or season, the text can mean
    another year. Without a verb that shows the past or the future, the meaning is certain only if the month or season
    begins within 100 days."""
    found, running = yearly(scene, days), days(scene.today.year)
    if found and running.first <= scene.today < running.end:
        return found._replace(certain=scene.direction is not None)
    return found and found.only_if(scene.sure or 0 < (found.choices[0].first - scene.today).days <= _NEAR)


def stepped_yearly(scene: Scene, step: int, days: Callable[[int], Days], *, nearest: bool = False) -> Meaning:
    """The meaning of `last March`, `next summer` or `this Easter`. The meaning is certain if only one year can be
    meant. With `nearest` (`this past summer`), the text always means the most recent one."""
    now = scene.today.year
    begun = next(d for y in range(now, now - 3, -1) if (d := days(y)).first <= scene.today)
    coming = next(d for y in range(now - 1, now + 3) if (d := days(y)).first > scene.today)
    running = begun.end > scene.today
    if step == 0 and running:
        return Meaning((begun,))
    if step == 0 and scene.direction == "past":
        return Meaning((begun, coming))
    if step == 0:
        return Meaning((coming, begun), coming.first.year == now)
    if step < 0:
        back = days(begun.first.year - 1) if running else begun
        clear = nearest or back.first.year < now
        return Meaning((back, days(back.first.year - 1)), clear and not (running and begun.precision == "season"))
    return Meaning((coming, days(coming.first.year + 1)), coming.first.year > now)
