"""Grammar rules for calendar dates: `2026-03-15`, `March 3rd`, `the 15th`."""

from collections.abc import Callable
from datetime import date
from typing import Final

from tellonce_text.dates.calendar_spans import which_month
from tellonce_text.dates.lexicon import endings, english
from tellonce_text.dates.phrases import (
    FIRST_YEAR,
    Phrase,
    choose,
    comma,
    day_number,
    day_phrase,
    skip,
    tens_before,
    trailing_year,
    yearly,
    yearly_on_weekday,
)
from tellonce_text.dates.readings import DAY, Days, Meaning, Scene, add_months
from tellonce_text.dates.tokens import Line, ends_sentence
from tellonce_text.dates.zones import zone_at

ORDINAL_ENDINGS: Final = frozenset({"st", "nd", "rd", "th"})
AMOUNT: Final = frozenset("-–%€$:/")
"""A number next to one of these signs is an amount."""
_MORE: Final = frozenset({"o_clock", "half_of_day", "hour_h", "unit", "of", "month"})
"""If the word after a number has one of these tags, the number alone is not a day."""
_CLOSING_MARKS: Final = {"(": ")", ",": ","}
_LONGEST_MONTH: Final = 31
_MONTHS: Final = 12
_BESIDE: Final = 4  # tokens: `between November 26 and`
_LONGEST_MOVE: Final = 8  # tokens: `moved the talk from the 3rd to`
_NEAR: Final = 30  # tokens
_SOON: Final = 31  # days
_ON: Final = frozenset({"on", "contracted"})
_RUSSIAN_ENDINGS: Final = frozenset({"го", "ого", "е", "ое", "му", "ому"})
_NOT: Final = frozenset({"no", "non", "ne", "n", "não", "не"})
_PUNCTUATION: Final = frozenset({"", *".,;!?…)"})
_AFTER_DAY: Final = frozenset("clause subordinate and or at exactly_at part part_lead since".split())
_PLURAL_DAYS: Final = frozenset({"dias", "días"})
_CORNERS: Final = frozenset({"and", "&", "between", "at"})


def stamp(line: Line, index: int) -> Phrase | None:
    """Parse `2026-03-15`. If a time of day follows, the resolver parses it."""
    token = line[index]
    if token.kind != "stamp":
        return None
    year, month, day = (int(part or 0) for part in token.parts[:3])
    zone = zone_at(line, index + 1) if token.parts[3] else None
    meaning = day_of_year(year, month, day)
    return Phrase(zone[1] if zone else index + 1, meaning, single=True, absolute=True, form="stamp")


def month_day(line: Line, index: int) -> Phrase | None:
    """Parse `March 3rd, 2026`, `the 3rd of March`, `Tuesday, March 3`, `June 3–5`, `the 28th until the 5th of May`."""
    weekday, at = leading_weekday(line, index)
    found = _month_first(line, at) or _day_first(line, at)
    if found is None:
        return None
    month, day, last, end = found
    year, end = trailing_year(line, end)
    weekday, end = trailing_weekday(line, end) if weekday is None else (weekday, end)
    if last is not None and last < day and not _begins_before(line, at, end):
        return None
    absolute = year is not None and year > FIRST_YEAR
    meaning = day_of_year(year, month, day, weekday, last)
    return Phrase(end, meaning, single=last is None, absolute=absolute, form="date")


def leading_weekday(line: Line, index: int) -> tuple[int | None, int]:
    index = _at_weekday(line, index)
    index += line[index].has("step") and line[index + 1].has("weekday")
    weekday = line[index].get("weekday")
    if weekday is None:
        at = skip(line, index, "article")
        return None, at + _is_day_noun(line, at)
    at = index + 2 if line[index + 1].word == "." else index + 1
    return weekday, skip(line, comma(line, at), "article", "on")


def _at_weekday(line: Line, index: int) -> int:
    """The index of the weekday in `el viernes`; `index` if no weekday follows an article."""
    named = skip(line, index, "article")
    return named if line[named].has("weekday") else index


def _is_day_noun(line: Line, index: int) -> bool:
    """Whether the token is `dia` in `dia 7 de setembro`."""
    return line.language in {"es", "pt"} and line[index].get("unit") == "day" and line[index].word not in _PLURAL_DAYS


def trailing_weekday(line: Line, end: int) -> tuple[int | None, int]:
    """Parse a weekday after a date: `March 3 (Tuesday)`, between commas `March 3, Tuesday, at nine`, or after a comma at the
    end of a sentence."""
    closing, after = _CLOSING_MARKS.get(line[end].word), line[end + 2]
    ends = line[end].word == "," and (after.kind == "end" or ends_sentence(line, end + 2))
    enclosed = closing is not None and line[end + 1].has("weekday") and (ends or after.word == closing)
    return (line[end + 1].get("weekday"), end + 2 + (closing == ")")) if enclosed else (None, end)


def _month_first(line: Line, index: int) -> tuple[int, int, int | None, int] | None:
    month = line[index].get("month")
    at = _at_day(line, skip(line, index + 1 + (line[index + 1].word == "."), "article"))
    day = day_number(line, at)
    if month is None or day is None or _is_clock(line, at):
        return None
    last, end = _last_day(line, at + 1)
    return month, day, last, end


def _at_day(line: Line, index: int) -> int:
    """The index of the ordinal in `двадцать первого`; `index` if there are no tens before an ordinal."""
    return index + (tens_before(line, index + 1) > 0 and line[index + 1].has("ordinal"))


def _day_first(line: Line, index: int) -> tuple[int, int, int | None, int] | None:
    day = day_number(line, index) or _spelled(line, index)
    if day is None:
        return None
    hyphen = line[index + 1].word == "-" and line[index + 2].has("month")  # 13-Nov-2026
    at = index + 2 if hyphen or line[index + 1].word in {".", "º", "ª", "°"} else index + 1
    last, at = _last_day(line, at)
    at = skip(line, at + (last is not None and line[at].word == "."), "of")
    month, after = line[at].get("month"), line[at + 1]
    if month is None or (line[at].word == "may" and not line[at].capital and at == index + 1):
        return None
    abbreviated = after.word == "." and len(line[at].word) <= 4 and not line[at + 2].capital
    return month, day, last, at + 1 + (abbreviated or (hyphen and after.word == "-"))


def _spelled(line: Line, index: int) -> int | None:
    """Parse a number word that names the day before a month, as in `el trece de mayo`."""
    named = line.language != "en" and not line[index].has("one")  # `un mars` is not a day
    number = line[index].get("number") if named else None
    return number if number and number <= _LONGEST_MONTH else None


def _last_day(line: Line, index: int) -> tuple[int | None, int]:
    """The last day of a range such as `3–5` or `3 to 5`."""
    token = line[index]
    if token.word not in {"-", "–", "—"} and not token.has("to") and not token.has("and"):
        return None, index
    at = comma(line, skip(line, index + 1, "article", "contracted", "weekday"))
    last = day_number(line, at)
    if last is None or line[at].kind != "number" or _is_clock(line, at):
        return None, index
    named = line[at].suffix or line[at + 1].has("month") or line[at + 2].has("month")
    if token.has("and") and not (named or any(line[n].has("between") for n in range(index - _BESIDE, index))):
        return None, index
    if _is_move(line, index):
        return None, index
    return last, at + 1


def _begins_before(line: Line, index: int, end: int) -> bool:
    """Whether a range begins in the month before, as in `the 28th until the 5th of May`, but not `May 28-5`."""
    between = any(line[at].has("between") for at in range(index - 2, index + 1))
    joined = any(line[at].has("and") for at in range(index, end))
    return not line[index].has("month") and (between or not joined)


def _is_move(line: Line, index: int) -> bool:
    """Whether something moved from one day to another, as in `moved from the 3rd to the 5th`. Such days are not a
    range."""
    return "tense_moved" in line.tags or any(line[at].has("shifted") for at in range(index - _LONGEST_MOVE, index))


def _is_clock(line: Line, index: int) -> bool:
    return line[index + 1].has("half_of_day") or line[index + 1].has("o_clock")


def day_of_year(
    year: int | None, month: int, day: int, weekday: int | None = None, last: int | None = None
) -> Callable[[Scene], Meaning | None]:
    """The meaning of a day of a month. If the text gives no year, the meaning is the last or the next occurrence of the
    day. If the text gives a weekday, the day must match it. `last` is the last day of a range that begins with `day`.
    If `last` is less than `day`, the range begins in the month before, as in `the 28th until the 5th of May`."""

    def days(of: int) -> Days | None:
        end = _date(of, month, last or day)
        before = end and add_months(end.replace(day=1), -1)
        first = _date(before.year, before.month, day) if before and last and last < day else _date(of, month, day)
        return Days(first, end + DAY) if first and end else None

    def meaning(scene: Scene) -> Meaning | None:
        if year is not None:
            found = days(year if year > FIRST_YEAR else scene.today.year + year)
            return Meaning((found,), weekday in {None, found.first.weekday()}) if found else None
        return yearly(scene, days) if weekday is None else yearly_on_weekday(scene, days, weekday)

    return meaning


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def day_of_month(line: Line, index: int) -> Phrase | None:
    """Parse `the 15th`, `the 3rd of next month`, `Friday the 13th`."""
    index = _at_weekday(line, index)
    weekday = line[index].get("weekday")
    at = comma(line, index + 1) if weekday is not None else index
    after = skip(line, at, "article")
    after = _at_day(line, after + _is_day_noun(line, after))
    day, token, following = day_number(line, after), line[after], line[after + 1]
    if day is None or (after == at and weekday is None and _ON.isdisjoint(line[after - 1].tags)):
        return None
    if following.has("of") and line[after + 2].has("every"):
        return Phrase(after + 4, lambda _scene: None, form="repeats")
    month = which_month(line, after + 1)
    if month:
        step, end = month
        return day_phrase(end, lambda today: add_months(today.replace(day=1), step).replace(day=day))
    length = _length_in_digits(line, index, after)
    if length:
        return _in_digits(line, after, length, day, weekday)
    alone = _stands_alone(line, after + 1)
    if token.word == "fourth" and token.capital and after > at and alone:  # the American holiday
        return Phrase(
            after + 1, lambda s: day_of_year(None, 7, 4)(s) if s.region == "US" else None, single=True, form="feast"
        )
    if not alone or not (token.suffix in ORDINAL_ENDINGS or _is_spelled_day(line, index, after, day)):
        return None
    if following.has("and") and line[after + 2].suffix in ORDINAL_ENDINGS and (line[after + 2].value or 0) > day:
        return Phrase(after + 3, lambda scene: nearest_day(scene, day, weekday, line[after + 2].value))
    if weekday is not None:
        return Phrase(after + 1, lambda scene: nearest_day(scene, day, weekday), single=True)
    return soon(Phrase(after + 1, lambda s: nearest_day(s, day, None), single=True), _names_month(line, index))


def _is_spelled_day(line: Line, index: int, at: int, day: int) -> bool:
    """Whether an ordinal word is a day: after a word such as `on`, or after a verb such as `is`, if no noun follows
    (`the swap is the fourteenth`). After a verb, ordinals up to 12 are often ranks."""
    lead, after = line[index - 1], line[at + 1]
    apart = after.kind in {"mark", "end"} or after.has("at") or after.has("clause") or after.has("in")
    predicate = day > _MONTHS and lead.has("tense_be") and line[index].has("article") and apart
    return line.language == "en" and line[at].has("ordinal") and (lead.has("on") or lead.has("by") or predicate)


def numbered_day(line: Line, index: int) -> Phrase | None:
    """Parse `el 16`, `la fiesta del 28`, `du 3 au 16`, `26-го`, `26 числа`: a day of the month in a language that
    writes this day as a plain number."""
    led = line.language in {"es", "fr", "it"} and (line[index].has("on") or line[index].has("contracted"))
    at = index + led
    day = day_number(line, at) if line[at].kind == "number" and not line[at].suffix else None
    if day is None or not (led or line.language == "ru") or line[index - 1].has("in") or line[index - 1].has("with"):
        return None
    ending = line.language == "ru" and line[at + 1].word == "-" and line[at + 2].word in _RUSSIAN_ENDINGS
    end = at + 1 if led else at + 3 if ending else at + 2
    found = _in_digits(line, at, end - at, day, None)
    if not found.single:
        return found
    opens = line[end].has("tense_present") and index == line.sentences[index][0]
    whole = is_whole(line, end) if led or ending else line[at + 1].has("of")
    return found.only_if(not opens and not _names_month(line, index)) if whole else None


def _in_digits(line: Line, at: int, length: int, day: int, weekday: int | None) -> Phrase:
    """The day of the month at `at`, or the range in `vom 16. bis zum 20.` or `do dia 16 ao dia 20`."""
    end = at + length
    to = skip(line, end + 1, "article", "contracted")
    to += _is_day_noun(line, to)
    after = to + 1 + (line.language == "de" and line[to + 1].word == ".")
    last = day_number(line, to) if line[end].has("to") and line[to].kind == "number" else None
    more = line[after].word in AMOUNT or not _MORE.isdisjoint(line[after].tags)
    if last is None or last <= day or more or _is_move(line, end) or weekday is not None:
        return soon(Phrase(end, lambda s: nearest_day(s, day, weekday), single=True))
    return soon(Phrase(after, lambda s: nearest_day(s, day, None, last)), day == 1)  # `del 1 al 10` can be grades


def is_whole(line: Line, index: int) -> bool:
    """Whether the number before this token is complete. The number is not complete if the token is the number's unit or
    noun, as in `le 12 rue Monge`."""
    token, following = line[index], line[index + 1]
    if token.kind in {"end", "mark"}:
        return token.word in _PUNCTUATION and not (token.word == "," and following.kind == "number")
    if token.word in _NOT or (not token.tags and token.word.endswith(endings(line.language, "plural"))):
        return True
    return not _AFTER_DAY.isdisjoint(token.tags) or any(tag.startswith("tense_") for tag in token.tags)


def day_of_week(line: Line, index: int) -> Phrase | None:
    """Parse the day in the name of a week, as in `week commencing 14th` or `la semana del 14`."""
    at = skip(line, index, "article")
    day = day_number(line, at) if line[at].kind == "number" else None
    end = at + 1 + (line.language == "de" and line[at + 1].word == ".")
    return None if day is None else soon(Phrase(end, lambda s: nearest_day(s, day, None), single=True))


def _length_in_digits(line: Line, index: int, at: int) -> int:
    """The number of tokens of a day in digits, as in `am 15.`, `dia 15` or `samedi 29`; 0 if there is none."""
    if line[at].kind != "number" or line[at].suffix:
        return 0
    dotted = line.language == "de" and line[at + 1].word == "." and not line[at + 2].capital
    if line[index].has("weekday") and line.language != "en":
        following = line[at + 1 + dotted]
        more = following.word in AMOUNT or not _MORE.isdisjoint(following.tags)
        return 0 if more or line[skip(line, at + 1 + dotted, "of")].has("month") else 1 + dotted
    if line.language == "de":
        article = any(line[at - 2].has(tag) for tag in ("since", "at", "for"))  # `seit dem 8.`
        return 2 * (dotted and (article or not _ON.isdisjoint(line[at - 1].tags)))
    return int(_is_day_noun(line, at - 1))


def _stands_alone(line: Line, index: int) -> bool:
    """Whether an ordinal such as `the 15th` is used alone, and not as in `the 15th floor`."""
    token, following = line[index], line[index + 1]
    named = following.capital and not following.tags and not following.word.endswith("'s")
    street = token.word in _CORNERS and named  # a street in `on 3rd and Main`, a day in `on the 3rd at Linda's`
    if token.kind != "word" or street:
        return not street
    return not (token.has("unit") or token.has("time")) and (bool(token.tags) or token.word in english())


def _names_month(line: Line, index: int) -> bool:
    """Whether the neighboring text names a month or a feast, to which the day may belong."""
    near = range(max(0, index - _NEAR), min(len(line), index + _NEAR))
    return any((line[at].has("month") and line[at].capital) or line[at].has("feast") for at in near)


def soon(phrase: Phrase, elsewhere: bool = False) -> Phrase:
    """Mark a day without a month as uncertain, because the text can mean this day in another month. A near day stays
    certain."""
    return phrase.changed(
        lambda found, scene: found.only_if(not elsewhere and abs((found.choices[0].first - scene.today).days) <= _SOON)
    )


def nearest_day(scene: Scene, day: int, weekday: int | None, last: int | None = None) -> Meaning | None:
    months = (add_months(scene.today.replace(day=1), n) for n in range(-14, 15))
    days = [d for m in months if (d := _date(m.year, m.month, day)) and (weekday is None or d.weekday() == weekday)]
    length = ((last or day) - day + 1) * DAY
    back = next((Days(d, d + length) for d in reversed(days) if d <= scene.today), None)
    ahead = next((Days(d, d + length) for d in days if d >= scene.today), None)
    found = choose(scene, back, ahead)
    plain = nearest_day(scene, day, None, last) if found and weekday is not None else None
    if plain is None or found is None or found.choices[0] in plain.choices:
        return found
    return Meaning((*plain.choices, *found.choices), False)
