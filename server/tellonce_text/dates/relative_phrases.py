"""Grammar rules for days that are counted from a day that the text names earlier: `two days before`, `the following
Monday`, `am Tag darauf`, `le lendemain`."""

from collections.abc import Callable
from datetime import date
from typing import Final, NamedTuple

from tellonce_text.dates.counted_phrases import distance_at
from tellonce_text.dates.lexicon import english
from tellonce_text.dates.neighbor_phrases import counted_from, unit_from, weekday_from
from tellonce_text.dates.phrases import skip
from tellonce_text.dates.readings import Days
from tellonce_text.dates.tokens import Line, Token


class Step(NamedTuple):
    """A distance from the named day; `end` is the index after its last token. `sign` is -1 for an earlier day and 1 for
    a later day. `part` is the part of the day, as in `the night before`. `quoted` means that the words were said on the
    named day. The tense of their verbs is therefore relative to that day."""

    end: int
    sign: int
    move: Callable[[date, date], Days]
    sure: bool = True
    part: str | None = None
    quoted: bool = False


def step_at(line: Line, index: int) -> Step | None:
    """Parse `two days before`, `the day after`, `the following Monday`; None if the words count from something else, as
    in `the day after the wedding`."""
    if "beside" not in line.tags and "beside_day" not in line.tags and "step" not in line.tags:
        return None
    counted = _counted(line, index)
    if counted:
        return counted
    at = skip(line, index, "article", "on", "in", "contracted", "to", "for")
    days = line[at].get("beside_day")
    if days is not None:
        return _by(at + 1, "day", days, sure=line[at + 1].has("part") or not _has_object(line, at + 1))
    if _LEADS.isdisjoint(line[at - 1].tags):
        return None
    return _named(line, index, at)


_LEADS: Final = frozenset({"article", "on", "contracted", "to", "for", "inside"})


def quoted_step(line: Line, index: int, named_end: int) -> Step | None:
    """Parse a day such as `tomorrow` in a quotation, if the day of the quotation is named before it: `On Sunday he
    wrote: "I'll come tomorrow"`."""
    at = skip(line, index, "article")
    days = line[at].get("day")
    opened = line.openings.get(index) if days is not None else None
    if days is None or opened is None or not named_end <= opened <= named_end + _INTRODUCTION:
        return None
    return _by(at + 1, "day", days, sure=True)._replace(quoted=True)


_INTRODUCTION: Final = 12  # tokens: `on Sunday he wrote in the family chat:`


def sign_at(line: Line, index: int) -> int:
    """The sign of a word such as `before` or `afterwards` that has no object: -1 or 1; 0 if the word has an object or
    is another word."""
    sign: int = line[index].get("beside") or 0
    if line[index + 1].word in _THAN or line[index + 1].has("of"):  # `two days earlier than planned`
        return 0
    if " " in line[index].word:  # `before that meeting`
        return 0 if line.language == "en" and _is_noun(line[index + 1]) else sign
    return 0 if sign and _is_preposition(line, index) and _has_object(line, index + 1) else sign


_THAN: Final = frozenset({"than", "als", "que", "qu", "che", "чем"})


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


_LONG: Final = frozenset({"month", "quarter", "half_year", "year"})


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
        return Step(end, sign, lambda first, last: weekday_from(Days(first, _after(last)), number, sign), sure)
    if part:
        return _by(end, "day", sign, sure=sure)._replace(part=part)
    if unit == "day":
        return _by(end, "day", sign, sure=sure)
    if unit not in _LONG | {"week", "weekend"}:
        return None
    return Step(end, sign, lambda first, last: unit_from(Days(first, _after(last)), unit, sign), sure)


def _by(end: int, unit: str, offset: int, *, sure: bool) -> Step:
    sign = 1 if offset > 0 else -1
    return Step(
        end, sign, lambda first, last: counted_from(Days(last if sign > 0 else first, last), unit, offset), sure
    )


def _after(day: date) -> date:
    return counted_from(Days(day, day), "day", 1).first


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
    """Whether the word may be a noun, because it is not one of the frequent English words."""
    return token.kind == "word" and not token.tags and token.word not in english()


_OBJECTS: Final = frozenset(
    "article one own noon routine number month weekday feast day unit season ordinal part step vague".split()
)


def _opens_clause(line: Line, index: int, at: int) -> bool:
    """Whether an independent clause follows `before` or `after`, as in `and the day after I tested positive`. In `the
    day before I flew, I …`, the clause is not independent: it says which day is meant."""
    joined = line[index - 1].has("clause") or line[index - 1].word in {",", ";"}
    if not (line.language == "en" and joined and line[at].has("beside") and line[at + 1].has("tense_subject")):
        return False
    until = min(line.sentences[at][1], at + _FAR)
    return all(line[n].word != "," for n in range(at, until))


_FAR: Final = 30  # tokens


def _may_have_object(line: Line, index: int, at: int) -> bool:
    """Whether an unknown word follows a preposition in a language other than English. The word may be a noun without an
    article. False if a conjunction before the words shows that the unknown word is a verb."""
    before, following = line[index - 1], line[at + 1]
    joined = before.has("clause") or before.has("and") or before.word == "," or line[index - 2].has("clause")
    unknown = following.kind == "word" and not following.tags
    genitive = (
        line.language == "ru" and " " not in line[at].word and line[at].word != "спустя"
    )  # `на неделю раньше срока`
    return line.language != "en" and unknown and (genitive or (not joined and _is_preposition(line, at)))
