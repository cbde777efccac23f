"""Grammar rules for calendar dates: `2026-03-15`, `March 3rd`, `the 15th`."""

from collections.abc import Callable
from datetime import date
from typing import Final

from tellonce_text.dates.calendar_spans import in_month, stepped_year, which_month
from tellonce_text.dates.lexicon import endings, english
from tellonce_text.dates.phrases import (
    FIRST_YEAR,
    Phrase,
    choose,
    comma,
    day_number,
    skip,
    tens_before,
    trailing_year,
)
from tellonce_text.dates.readings import DAY, Days, Meaning, Scene, add_months, one_day
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.yearly import yearly, yearly_on_weekday
from tellonce_text.dates.zones import zone_at


def stamp(line: Line, index: int) -> Phrase | None:
    """Parse `2026-03-15`. If a time of day follows, the resolver parses it."""
    token = line[index]
    if token.kind == "stamp":
        year, month, day = (int(part or 0) for part in token.parts[:3])
        zone = zone_at(line, index + 1) if token.parts[3] else None
        return Phrase(
            zone[1] if zone else index + 1, on_day(year, month, day), single=True, absolute=True, form="stamp"
        )
    if token.kind == "han" and token.parts[1]:
        return _han(token.parts, index)
    return None


def _han(parts: tuple[str | None, ...], index: int) -> Phrase | None:
    year, month, day = (int(part) if part else None for part in parts)
    if month is None or not 1 <= month <= 12:
        return None
    if day is None:
        return Phrase(index + 1, in_month(year, month), absolute=year is not None)
    return Phrase(index + 1, day_of_year(year, month, day, None), single=True, absolute=year is not None)


def month_day(line: Line, index: int) -> Phrase | None:
    """Parse `March 3rd, 2026`, `the 3rd of March`, `Tuesday, March 3`, `June 3–5`."""
    weekday, at = leading_weekday(line, index)
    found = _month_first(line, at) or _day_first(line, at)
    if found is None:
        return None
    month, day, last, end = found
    year, end = trailing_year(line, end)
    if year is None and last is None:
        year, end = stepped_year(line, end)
    weekday, end = trailing_weekday(line, end) if weekday is None else (weekday, end)
    absolute = last is None and year is not None and year > FIRST_YEAR
    meaning = day_of_year(None if last else year, month, day, weekday, last)
    return Phrase(end, meaning, single=last is None, absolute=absolute, form="date")


def leading_weekday(line: Line, index: int) -> tuple[int | None, int]:
    index = _at_weekday(line, index)
    stepped = line[index].has("step") and line[index + 1].has("weekday")
    index += stepped
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
    return line.language in {"es", "pt"} and line[index].get("unit") == "day" and line[index].word not in PLURAL_DAYS


def trailing_weekday(line: Line, end: int) -> tuple[int | None, int]:
    """Parse a weekday after a date: `March 3 (Tuesday)`, or between commas `March 3, Tuesday, at nine`."""
    closing = _CLOSING_MARKS.get(line[end].word)
    enclosed = closing is not None and line[end + 1].has("weekday") and line[end + 2].word == closing
    return (line[end + 1].get("weekday"), end + 2 + (closing == ")")) if enclosed else (None, end)


_CLOSING_MARKS: Final = {"(": ")", ",": ","}


def _month_first(line: Line, index: int) -> tuple[int, int, int | None, int] | None:
    month = line[index].get("month")
    if month is None:
        return None
    at = index + 2 if line[index + 1].word == "." else index + 1
    at = skip(line, at, "article")
    at += line[at].has("number") and tens_before(line, at + 1) > 0 and line[at + 1].has("ordinal")
    day = day_number(line, at)
    if day is None or _is_clock(line, at):
        return None
    last, end = _last_day(line, at + 1)
    return month, day, last, end


def _day_first(line: Line, index: int) -> tuple[int, int, int | None, int] | None:
    day = day_number(line, index) or _spelled(line, index)
    if day is None:
        return None
    at = index + 2 if line[index + 1].word in {".", "º", "ª", "°"} else index + 1
    hyphen = line[at].word == "-" and line[at + 1].has("month")
    if hyphen:  # 13-Nov-2026
        return line[at + 1].get("month"), day, None, at + 3 if line[at + 2].word == "-" else at + 2
    last, at = _last_day(line, at)
    at = index_after_period(line, at) if last else at
    at = skip(line, at, "of")
    month = line[at].get("month")
    if month is None or (line[at].word == "may" and not line[at].capital and at == index + 1):
        return None
    return (
        month,
        day,
        last,
        at + 2 if line[at + 1].word == "." and len(line[at].word) <= 4 and not line[at + 2].capital else at + 1,
    )


def _spelled(line: Line, index: int) -> int | None:
    """Parse a number word that names the day before a month, as in `el trece de mayo`."""
    named = line.language != "en" and not line[index].has("one")  # `un mars` is not a day
    number = line[index].get("number") if named else None
    return number if number and number <= _LONGEST_MONTH else None


_LONGEST_MONTH: Final = 31


def index_after_period(line: Line, index: int) -> int:
    return index + 1 if line[index].word == "." else index


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
    return last, at + 1


_BESIDE: Final = 4  # tokens: `between November 26 and`


def _is_clock(line: Line, index: int) -> bool:
    return line[index + 1].has("half_of_day") or line[index + 1].has("o_clock")


def on_day(year: int, month: int, day: int) -> Callable[[Scene], Meaning | None]:
    return day_of_year(year, month, day, None)


def day_of_year(
    year: int | None, month: int, day: int, weekday: int | None, last: int | None = None
) -> Callable[[Scene], Meaning | None]:
    """The meaning of a day of a month. Without a year, it is the last or the next such day. If the text gives a
    weekday, the day must match it."""

    def days(of: int) -> Days | None:
        end = _date(of, month, last) if last and last != day else _date(of, month, day)
        first = _date(of, month, day) if last is None or last >= day else _month_before(of, month, day)
        return Days(first, end + DAY) if first and end else None

    def meaning(scene: Scene) -> Meaning | None:
        if year is not None:
            found = days(year if year > FIRST_YEAR else scene.today.year + year)
            return Meaning((found,), weekday in {None, found.first.weekday()}) if found else None
        if weekday is None:
            return yearly(scene, days)
        return yearly_on_weekday(scene, days, weekday)

    return meaning


def _month_before(year: int, month: int, day: int) -> date | None:
    """The first day of a range such as `the 28th until the 5th of December`, which begins in the previous month."""
    return _date(year, month - 1, day) if month > 1 else _date(year - 1, 12, day)


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
    after += _is_day_noun(line, after)
    after += line[after].has("number") and tens_before(line, after + 1) > 0 and line[after + 1].has("ordinal")
    day, suffix = day_number(line, after), line[after].suffix
    if day is None or (after == at and weekday is None and _ON.isdisjoint(line[after - 1].tags)):
        return None
    if line[after + 1].has("of") and line[after + 2].has("every"):
        return Phrase(after + 4, lambda _scene: None, form="repeats")
    month = which_month(line, after + 1)
    if month:
        step, end = month
        return Phrase(end, lambda scene: _in_stepped_month(scene, step, day), single=True)
    foreign = _is_foreign_day(line, index, after)
    if line[after].word == "fourth" and line[after].capital and after > at and _stands_alone(line, after + 1):
        return Phrase(after + 1, _the_fourth, single=True, form="feast")
    spelled = (
        line.language == "en"
        and line[after].has("ordinal")
        and (line[index - 1].has("on") or line[index - 1].has("by") or _is_told(line, index, after, day))
    )
    if not (suffix in ORDINAL_ENDINGS or foreign or spelled) or not (foreign or _stands_alone(line, after + 1)):
        return None
    if foreign:
        last, end = _end_of_range(line, after + foreign)
        if last is not None and last > day and weekday is None:
            return Phrase(end, lambda s: _soon(s, _nearest_day(s, day, None, last), elsewhere=False))
        return Phrase(after + foreign, lambda s: _soon(s, _nearest_day(s, day, weekday), elsewhere=False), single=True)
    last = (
        day_number(line, after + 2)
        if line[after + 1].has("and") and line[after + 2].suffix in ORDINAL_ENDINGS
        else None
    )
    if last is not None and last > day:
        return Phrase(after + 3, lambda scene: _nearest_day(scene, day, weekday, last))
    if weekday is not None:
        return Phrase(after + 1, lambda scene: _nearest_day(scene, day, weekday), single=True)
    elsewhere = _names_month(line, index)
    return Phrase(after + 1, lambda s: _soon(s, _nearest_day(s, day, None), elsewhere=elsewhere), single=True)


_ON: Final = frozenset({"on", "contracted"})


def _is_told(line: Line, index: int, at: int, day: int) -> bool:
    """Whether a verb such as `is` comes before the ordinal and no noun follows it: `the swap is the fourteenth at
    Linda's`. Ordinals up to 12 are not accepted, because they are often ranks."""
    lead, after = line[index - 1], line[at + 1]
    apart = after.kind in {"mark", "end"} or after.has("at") or after.has("clause") or after.has("in")
    return day > _MONTHS and lead.has("tense_be") and line[index].has("article") and apart


_MONTHS: Final = 12


def _the_fourth(scene: Scene) -> Meaning | None:
    """The American holiday, Independence Day."""
    return day_of_year(None, 7, 4, None)(scene) if scene.region == "US" else None


def _end_of_range(line: Line, index: int) -> tuple[int | None, int]:
    """The last day in `vom 16. bis zum 20.` or `do dia 16 ao dia 20`, and the index after it."""
    at = skip(line, index + 1, "article", "contracted")
    at += _is_day_noun(line, at)
    dotted = line.language != "de" or line[at + 1].word == "."
    last = day_number(line, at) if line[index].has("to") and dotted and line[at].kind == "number" else None
    return last, at + 1 + (line.language == "de")


def numbered_day(line: Line, index: int) -> Phrase | None:
    """Parse `el 16`, `la fiesta del 28`, `du 3 au 16`, `26-го`, `26 числа`: a day of the month in a language that
    writes this day as a plain number."""
    moved = "tense_moved" in line.tags  # `se ha movido del 16 al 23` is not a range
    led = line.language in {"es", "fr", "it"} and (line[index].has("on") or line[index].has("contracted"))
    at = index + led
    day = day_number(line, at) if line[at].kind == "number" and not line[at].suffix else None
    if day is None or not (led or line.language == "ru") or line[index - 1].has("in") or line[index - 1].has("with"):
        return None
    last = day_number(line, at + 2) if led and line[at + 1].has("to") and not moved else None
    if last is not None and last > day and line[at + 3].word not in AMOUNT and _MORE.isdisjoint(line[at + 3].tags):
        scale = day == 1  # `del 1 al 10` may be a scale
        return Phrase(at + 3, lambda s: _soon(s, _nearest_day(s, day, None, last), elsewhere=scale))
    if led:
        end, whole = at + 1, is_whole(line, at + 1)
    elif line[at + 1].word == "-" and line[at + 2].word in _RUSSIAN_ENDINGS:
        end, whole = at + 3, is_whole(line, at + 3)
    else:
        end, whole = at + 2, line[at + 1].has("of")
    sure = not (line[end].has("tense_present") and index == line.sentences[index][0])
    elsewhere = not sure or _names_month(line, index)
    found = Phrase(end, lambda s: _soon(s, _nearest_day(s, day, None), elsewhere=elsewhere), single=True)
    return found if whole else None


_RUSSIAN_ENDINGS: Final = frozenset({"го", "ого", "е", "ое", "му", "ому"})


def is_whole(line: Line, index: int) -> bool:
    """Whether the number before this token is complete. The number is not complete if the token is the number's unit or
    noun, as in `le 12 rue Monge`."""
    token, following = line[index], line[index + 1]
    if token.kind in {"end", "mark"}:
        return token.word in _PUNCTUATION and not (token.word == "," and following.kind == "number")
    if token.word in _NOT or (not token.tags and token.word.endswith(endings(line.language, "plural"))):
        return True
    return not _AFTER_DAY.isdisjoint(token.tags) or any(tag.startswith("tense_") for tag in token.tags)


_NOT: Final = frozenset({"no", "non", "ne", "n", "não", "не"})
_PUNCTUATION: Final = frozenset({"", *".,;!?…)"})
_AFTER_DAY: Final = frozenset("clause subordinate and or at exactly_at part part_lead since".split())


def day_of_week(line: Line, index: int) -> Phrase | None:
    """Parse the day that names a week, as in `week commencing 14th` or `la semana del 14`."""
    at = skip(line, index, "article")
    day = day_number(line, at) if line[at].kind == "number" else None
    end = at + 1 + (line.language == "de" and line[at + 1].word == ".")
    return None if day is None else Phrase(end, lambda s: _soon(s, _nearest_day(s, day, None), elsewhere=False), True)


def _is_foreign_day(line: Line, index: int, at: int) -> int:
    """The number of tokens of a day of the month in German (`am 15.`), Spanish or Portuguese (`dia 15`), or after a
    weekday (`samedi 29`); 0 if there is no such day."""
    if line[at].kind != "number" or line[at].suffix:
        return 0
    if line[index].has("weekday") and line.language != "en":
        dotted = line.language == "de" and line[at + 1].word == "." and not line[at + 2].capital
        following = line[at + 1 + dotted]
        more = following.word in AMOUNT or not _MORE.isdisjoint(following.tags)
        return 0 if more or line[skip(line, at + 1 + dotted, "of")].has("month") else 1 + dotted
    if line.language == "de":
        before = line[at - 1]
        article = any(line[at - 2].has(tag) for tag in ("since", "at", "for"))  # `seit dem 8.`
        led = before.has("on") or before.has("contracted") or article
        return 2 * (led and line[at + 1].word == "." and not line[at + 2].capital)
    return int(_is_day_noun(line, at - 1))


_MORE: Final = frozenset({"o_clock", "half_of_day", "hour_h", "unit", "of", "month"})
AMOUNT: Final = frozenset("-–%€$:/")
PLURAL_DAYS: Final = frozenset({"dias", "días"})
ORDINAL_ENDINGS: Final = frozenset({"st", "nd", "rd", "th"})


def _stands_alone(line: Line, index: int) -> bool:
    """Whether an ordinal such as `the 15th` is used alone, and does not number the next word as in `the 15th floor`."""
    token, following = line[index], line[index + 1]
    named = following.capital and not following.tags and not following.word.endswith("'s")
    street = token.word in _CORNERS and named  # `on 3rd and Main`, but not `on the 3rd at Linda's`
    if token.kind != "word" or street:
        return not street
    return not (token.has("unit") or token.has("time")) and (bool(token.tags) or token.word in english())


_CORNERS: Final = frozenset({"and", "&", "between", "at"})


def _in_stepped_month(scene: Scene, step: int, day: int) -> Meaning | None:
    first = add_months(scene.today.replace(day=1), step)
    found = _date(first.year, first.month, day)
    return Meaning((one_day(found),)) if found else None


def _names_month(line: Line, index: int) -> bool:
    """Whether the neighboring text names a month or a feast. In that case, the day may belong to that month."""
    near = range(max(0, index - _NEAR), min(len(line), index + _NEAR))
    return any((line[at].has("month") and line[at].capital) or line[at].has("feast") for at in near)


def _soon(scene: Scene, found: Meaning | None, *, elsewhere: bool) -> Meaning | None:
    """Mark a day without a month as uncertain unless the day is near, because the text may mean this day in another
    month."""
    if found is None:
        return None
    distance = abs((found.choices[0].first - scene.today).days)
    return Meaning(found.choices, found.certain and not elsewhere and distance <= _SOON)


_NEAR: Final = 30  # tokens
_SOON: Final = 31  # days


def _nearest_day(scene: Scene, day: int, weekday: int | None, last: int | None = None) -> Meaning | None:
    first = scene.today.replace(day=1)
    months = (add_months(first, n) for n in range(-14, 15))
    days = [d for m in months if (d := _date(m.year, m.month, day)) and (weekday is None or d.weekday() == weekday)]
    length = (last - day + 1) if last else 1
    back = next((Days(d, d + length * DAY) for d in reversed(days) if d <= scene.today), None)
    ahead = next((Days(d, d + length * DAY) for d in days if d >= scene.today), None)
    found = choose(scene, back, ahead)
    plain = _nearest_day(scene, day, None, last) if found and weekday is not None else None
    if plain is None or found is None or found.choices[0] in plain.choices:
        return found
    return Meaning((*plain.choices, *found.choices), False)
