"""Grammar rules for days next to another day: in the same phrase (`end of March`, `the day after Thanksgiving`, `the
week of March 3`), or named earlier in the text (`two days before`, `the following Monday`, `am Tag darauf`, `le
lendemain`)."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tellonce_text.dates.calendar_days import day_of_week
from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.day_arithmetic import DAY_UNITS, SATURDAY, counted_day, unit_days
from tellonce_text.dates.lexicon import english
from tellonce_text.dates.phrases import Phrase, Rule, days_phrase, longer, skip
from tellonce_text.dates.readings import DAY, WEEK, Days, Meaning, Scene, add_months, one_day, week_of, weekday_from
from tellonce_text.dates.tokens import Line, Token
from tellonce_text.dates.unit_phrases import PLURAL
from tellonce_text.dates.years import bare_year

_QUARTER: Final = 3  # months
_MOST_WEEKS_ON: Final = 3
"""Maximum number of weeks in an expression for a day, such as `a week on Friday`. `fourteen weeks on Friday` is an age.
"""
_LONGEST_NOUN: Final = 4  # tokens
_LEADS: Final = frozenset({"article", "on", "contracted", "to", "for", "inside"})
_INTRODUCTION: Final = 12  # tokens: `on Sunday he wrote in the family chat:`
_THAN: Final = frozenset({"than", "als", "que", "qu", "che", "чем"})
_LONG: Final = frozenset({"month", "quarter", "half_year", "year"})
_OBJECTS: Final = frozenset(
    "article one own noon routine number month weekday feast day unit season ordinal part step vague".split()
)
_FAR: Final = 30  # tokens


def edge(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `end of March`, `mid-June`, `early next week`, `the beginning of 2026`, `by the end of the month`."""
    at = skip(line, index, "article")
    where = line[at].get("edge")
    if where is None:
        return None
    after = at + 2 if line[at + 1].word == "-" else skip(line, at + 1, "of")
    found = longer(_current_unit(line, after), parent(line, after))
    if found is None or (found.single and found.form != "unit"):
        return None
    whole = found._replace(single=False, form="")
    if where == "rest":  # `the rest of July` begins today
        return whole.changed(
            lambda meaning, s: meaning.moved(
                lambda days: Days(min(max(days.first, s.today), days.end - DAY), days.end)
            ).only_if(False)
        )
    limit = line[index - 1].has("by") or line[index - 1].word == "due"
    if where == "last" or (where == "end" and (limit or at > index)):
        month = found.form == "unit" and not any(line[before].has("weekday") for before in (index - 1, index - 2))
        last = whole.changed(lambda meaning, _scene: _last_day(meaning, sure=limit, month=month))
        return last._replace(single=True, absolute=False)
    return whole.changed(lambda meaning, _scene: _edge_of(meaning, where))


def half(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `the second half of August`, `im ersten Halbjahr`, `primera quincena de marzo`."""
    at = skip(line, index, "article")
    nth, unit = line[at].get("ordinal"), line[at + 1].get("unit")
    if nth not in {-1, 1, 2} or not (line[at + 1].has("half_span") or unit in {"half_year", "fortnight"}):
        return None
    after = skip(line, at + 2, "inside")
    found = longer(_current_unit(line, after), parent(line, after), bare_year(line, after))
    if found is None or found.single:
        return None
    return found.moved(lambda days: _half_of(days, nth))


def _half_of(days: Days, nth: int) -> Days:
    """The first or second half of a span. A month is divided after its fifteenth day, a year after six months."""
    months = round((days.end - days.first).days / 30.4)
    middle = days.first + 15 * DAY if months <= 1 else add_months(days.first, months // 2)
    return days._replace(end=middle) if nth == 1 else days._replace(first=middle)


def _last_day(meaning: Meaning, *, sure: bool, month: bool) -> Meaning:
    """The meaning of the end of a span. The last day is certain after `by`, and in `the end of the month`. The end of a
    week is Friday for some people and Sunday for others, so it is never certain."""
    span = meaning.choices[0].precision
    if span == "week" and meaning.choices[0].end - meaning.choices[0].first == WEEK:
        return _edge_of(meaning, "end")
    vague = span in {"week", "season"}
    last = meaning.moved(lambda days: one_day(days.end - DAY))
    certain = (sure or (month and span == "month")) and not vague
    return last.only_if(certain)._replace(approximate=not sure and not vague)


def _current_unit(line: Line, index: int) -> Phrase | None:
    """Parse `the week` or `the year`, which means the current week or year."""
    at = skip(line, index, "article")
    unit = line[at].get("unit")
    if unit in DAY_UNITS and line[at].word not in PLURAL and unit != "weekend":
        return days_phrase(at + 1, lambda scene: unit_days(scene.today, unit, 0), form="unit")
    return None


def _edge_of(meaning: Meaning, where: str) -> Meaning:
    known = all(days.end - days.first == DAY for days in meaning.choices)
    parts = meaning.moved(lambda days: _part_of(days, where))
    return Meaning(parts.choices, meaning.certain and known, meaning.certain)


def _part_of(days: Days, where: str) -> Days:
    """The first, middle or last third of a month. For a year, the first part is a quarter."""
    length = (days.end - days.first).days
    if length > 31:
        months = round(length / 30.4) // 3
        first = days.first if where == "start" else add_months(days.first, months if where == "middle" else 2 * months)
        early = min(months, _QUARTER) if where == "start" else months
        return Days(first, days.end if where == "end" else add_months(first, early), days.precision)
    start, middle, end = (10, 9, 20) if length >= 28 else (3, 2, length - 3)
    if where == "start":
        return Days(days.first, days.first + start * DAY)
    if where == "end":
        return Days(days.first + end * DAY, days.end)
    return Days(days.first + middle * DAY, days.first + (end if length >= 28 else 5) * DAY)


def anchored(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse `the day after Thanksgiving`, `two days before Christmas`, `the Monday after Easter`, `the week of March
    3`, `la veille de Noël`."""
    at = skip(line, index, "article")
    if line[at].has("eve") or line[at].has("morrow"):
        day, shift = parent(line, skip(line, at + 1, "article")), 1 if line[at].has("morrow") else -1
        return day.moved(lambda days: days.shifted(shift)) if day and day.single else None
    weekday, unit = line[at].get("weekday"), line[at].get("unit")
    if weekday is not None:
        return _beside(line, at + 1, parent, lambda days, sign: weekday_beside(days, weekday, sign))
    if unit == "weekend" and line[at + 1].has("of"):
        day = parent(line, at + 2)
        return day and day.changed(_weekend_of)._replace(single=False, absolute=False, form="")
    named = at + 1 if line[at].word == "w / c" else at + 2 if line[at + 1].has("week_lead") else 0
    if unit == "week" and named:
        found = longer(day_of_week(line, named), parent(line, skip(line, named, "article")))
        return found and found.moved(lambda days: week_of(days.first), single=False)
    if unit in DAY_UNITS and (at > index or line[index - 1].has("on")):
        return _beside(line, at + 1, parent, lambda days, sign: unit_beside(days, unit, sign))
    distance = distance_at(line, index + (line.language == "en" and line[index].word == "in"))
    if distance is None:
        return None
    count, of, end = distance
    if line[end].word == "on" and (of not in {"week", "fortnight"} or count.value > _MOST_WEEKS_ON):
        return None

    def or_event(at_line: Line, at: int) -> Phrase | None:
        return parent(at_line, at) or _of_event(at_line, at, parent)

    return _beside(line, end, or_event, lambda days, sign: counted_beside(days, of, sign * count.value), count.exact)


def _weekend_of(meaning: Meaning, _scene: Scene) -> Meaning:
    """The weekend of a named Saturday or Sunday. Any other day stays but becomes uncertain."""
    named = [days for days in meaning.choices if days.first.weekday() >= SATURDAY and days.end - days.first == DAY]
    weekends = tuple(unit_days(days.first, "weekend", 0) for days in named)
    return Meaning(weekends, meaning.certain or len(named) == 1) if named else meaning.only_if(False)


def _beside(
    line: Line, index: int, parent: Rule, move: Callable[[Days, int], Days], sure: bool = True
) -> Phrase | None:
    sign = 1 if line[index].has("from_day") else -1 if line[index].has("before") else 0
    found = parent(line, index + 1) if sign else None
    if found is None:
        return None
    meaning = found.meaning
    if line[index].word in {"from", "on"}:  # `a week from Friday` counts from the next Friday in any tense
        found = found._replace(meaning=lambda scene: meaning(Scene(scene.said, "future", scene.region)))
        found = found.changed(lambda ahead, _scene: ahead._replace(choices=ahead.choices[:1]))
    return found.only_if(sure).moved(lambda days: move(days, sign))


def _of_event(line: Line, index: int, parent: Rule) -> Phrase | None:
    """Parse the day of an event that the text names before it: `the wedding on June 6`, `der Hochzeit am 6. Juni`."""
    at = skip(line, index, "article", "own", "contracted")
    joint = next((n for n in range(at, at + _LONGEST_NOUN) if line[n].kind != "word" or line[n].tags), at)
    led = line[joint].has("on") or line[joint].has("contracted") or line[joint].kind == "number"
    found = (parent(line, joint) or parent(line, joint + 1)) if joint > at and led else None
    return found if found and found.single and found.form == "date" else None


def weekday_beside(days: Days, number: int, sign: int) -> Days:
    return one_day(weekday_from(days.end - DAY if sign > 0 else days.first, number, sign))


def unit_beside(days: Days, unit: str, sign: int) -> Days:
    if unit == "weekend":
        saturday = weekday_beside(days, SATURDAY, sign).first
        return Days(saturday, saturday + 2 * DAY, "week")
    return unit_days(days.first, unit, sign)


def counted_beside(days: Days, unit: str, offset: int) -> Days:
    return one_day(counted_day(days.end - DAY if offset > 0 else days.first, unit, offset))


class Step(NamedTuple):
    """A distance from the named day; `end` is the index after its last token. `sign` is -1 for an earlier day and 1 for
    a later day. `part` is the part of the day, as in `the night before`. `quoted` means that the words were said on the
    named day. The tense of their verbs is therefore relative to that day."""

    end: int
    sign: int
    move: Callable[[Days], Days]
    sure: bool = True
    part: str | None = None
    quoted: bool = False


def step_at(line: Line, index: int) -> Step | None:
    """Parse `two days before`, `the day after`, `the following Monday`. None if the words are counted from something
    else, as in `the day after the wedding`."""
    if "beside" not in line.tags and "beside_day" not in line.tags and "step" not in line.tags:
        return None
    counted = _counted(line, index)
    if counted:
        return counted
    at = skip(line, index, "article", "on", "in", "contracted", "to", "for")
    days = line[at].get("beside_day")
    if days is not None:
        return _by(at + 1, "day", days, sure=line[at + 1].has("part") or not _has_object(line, at + 1))
    return _named(line, index, at) if not _LEADS.isdisjoint(line[at - 1].tags) else None


def quoted_step(line: Line, index: int, named_end: int) -> Step | None:
    """Parse a day such as `tomorrow` in a quotation, if the day of the quotation is named before it: `On Sunday he
    wrote: "I'll come tomorrow"`."""
    at = skip(line, index, "article")
    days = line[at].get("day")
    opened = line.openings.get(index) if days is not None else None
    if days is None or opened is None or not named_end <= opened <= named_end + _INTRODUCTION:
        return None
    return _by(at + 1, "day", days, sure=True)._replace(quoted=True)


def sign_at(line: Line, index: int) -> int:
    """The direction of a word without an object: -1 for `before`, 1 for `afterwards`. The result is 0 if the word has
    an object (`two days before lunch`) or is another word."""
    sign: int = line[index].get("beside") or 0
    if line[index + 1].word in _THAN or line[index + 1].has("of"):  # `two days earlier than planned`
        return 0
    if " " in line[index].word:  # `before that meeting`
        return 0 if line.language == "en" and _is_noun(line[index + 1]) else sign
    return 0 if sign and _is_preposition(line, index) and _has_object(line, index + 1) else sign


def _counted(line: Line, index: int) -> Step | None:
    """Parse `two days before`, `drei Wochen später`, `спустя неделю`, `через неделю после этого`."""
    led = line.language == "ru" and line[index].has("beside")
    through = line.language == "ru" and line[index].has("in")  # `через неделю после этого`
    distance = distance_at(line, index + (led or through))
    if distance is None:
        return None
    count, unit, end = distance
    at = index if led else end
    sign = sign_at(line, at) if led or not _opens_clause(line, index, at) else line[at].get("beside")
    if not sign or unit == "weekend":
        return None
    spanned = line[index - 1].has("article")  # `the two weeks before`
    sure = count.exact and unit not in _LONG and not spanned and not _may_have_object(line, index, at)
    return _by(end if led else at + 1, unit, sign * count.value, sure=sure)


def _named(line: Line, index: int, at: int) -> Step | None:
    """Parse `the day after`, `the night before`, `le lundi d'après`, `the following week`, `на следующий день`."""
    after = at + 2 if line[at + 1].word == "d" else at + 1
    sign = sign_at(line, after) if not _opens_clause(line, index, after) else line[after].get("beside")
    noun, end, sure = line[at], after + 1, not _may_have_object(line, index, after)
    if not sign:
        sign = line[at].get("beside") or (1 if line[at].get("step") == 1 and not line[at].has("past_step") else 0)
        noun, end, sure = line[at + 1], at + 2, True
        if sign and not line[at].has("beside") and noun.get("unit") != "day" and not noun.has("part"):
            return None
    number, unit, part = noun.get("weekday"), noun.get("unit"), noun.get("part")
    if not sign:
        return None
    if number is not None:
        return Step(end, sign, lambda days: weekday_beside(days, number, sign), sure)
    if part or unit == "day":
        return _by(end, "day", sign, sure=sure)._replace(part=part)
    if unit not in _LONG | {"week", "weekend"}:
        return None
    return Step(end, sign, lambda days: unit_beside(days, unit, sign), sure)


def _by(end: int, unit: str, offset: int, *, sure: bool) -> Step:
    return Step(end, 1 if offset > 0 else -1, lambda days: counted_beside(days, unit, offset), sure)


def _is_preposition(line: Line, index: int) -> bool:
    token = line[index]
    return token.has("before") or token.has("from_day") or token.has("after")


def _has_object(line: Line, index: int) -> bool:
    """Whether the token begins the object of the preposition before it: `the wedding`, `my exam`, `3 June`."""
    token = line[index]
    if token.kind in {"mark", "end"}:
        return False
    if token.kind != "word" or not _OBJECTS.isdisjoint(token.tags):
        return True
    if line.language == "en":
        return token.has("tense_subject") or _is_noun(token) or token.word in {"it", "you"}
    return not token.tags and token.capital


def _is_noun(token: Token) -> bool:
    """Whether the word is none of the frequent English words."""
    return token.kind == "word" and not token.tags and token.word not in english()


def _opens_clause(line: Line, index: int, at: int) -> bool:
    """Whether an independent clause follows: `and the day after I tested positive`, but not `the day before I flew, I
    …`."""
    joined = line[index - 1].has("clause") or line[index - 1].word in {",", ";"}
    if not (line.language == "en" and joined and line[at].has("beside") and line[at + 1].has("tense_subject")):
        return False
    until = min(line.sentences[at][1], at + _FAR)
    return all(line[n].word != "," for n in range(at, until))


def _may_have_object(line: Line, index: int, at: int) -> bool:
    """Whether an unknown word, perhaps a noun, follows a preposition in a language other than English. After a
    conjunction, it is a verb."""
    before, following = line[index - 1], line[at + 1]
    joined = before.has("clause") or before.has("and") or before.word == "," or line[index - 2].has("clause")
    unknown = following.kind == "word" and not following.tags
    genitive = line.language == "ru" and " " not in line[at].word and line[at].word != "спустя"  # `раньше срока`
    return line.language != "en" and unknown and (genitive or (not joined and _is_preposition(line, at)))
