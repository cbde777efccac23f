"""Grammar rules for years and decades: `in 2024`, `2019 bis 2021`, `the 1990s`, `los ochenta`."""

from typing import Final

from tellonce_text.dates.phrases import FIRST_YEAR, Phrase, days_phrase, skip, year_at
from tellonce_text.dates.readings import year_of
from tellonce_text.dates.tokens import Line

_FIRST_OLD_YEAR: Final = 1500
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2050
_SIGNS_OF_AMOUNTS: Final = frozenset("€$£%")
_FAR: Final = 30  # tokens


def year(line: Line, index: int) -> Phrase | None:
    """Parse `in 2024`, `2019 bis 2021`, `the 1990s`, `the 90s`, `the nineties`."""
    decade = _decade(line, index)
    if decade:
        return decade
    found = year_at(line, index) or _old_year(line, index)
    until = year_at(line, found[1] + 1) if found and line[found[1]].word in {"-", "–"} else None
    if found and until and found[0] < until[0]:
        return _years(until[1], found[0], until[0] + 1 - found[0])
    led = line[index - 1].has("year_lead") or _is_german_year(line, index) or _is_of_a_group(line, index)
    if found is None or not led:
        return None
    amount = line[index - 1].has("tense_perfect")  # `ich habe 1950 bezahlt`
    return _years(skip(line, found[1], "year_word"), found[0]).only_if(not amount)


def _years(end: int, first: int, count: int = 1) -> Phrase:
    return days_phrase(end, lambda _scene: year_of(first, count))._replace(absolute=True)


def _old_year(line: Line, index: int) -> tuple[int, int] | None:
    """Parse a year before 1900 after a word such as `in`, as in `in 1776`. None if the next word can be a noun that
    belongs to the number."""
    value, lead, after = line[index].value or 0, line[index - 1], line[index + 1]
    alone = after.kind in {"mark", "end"} or after.has("clause") or after.has("year_word")
    led = (lead.has("year_lead") and (lead.has("in") or lead.has("inside"))) or after.has("year_word")
    plain = line[index].kind == "number" and not line[index].suffix
    return (value, index + 1) if plain and alone and led and _FIRST_OLD_YEAR <= value < _FIRST_YEAR else None


def bare_year(line: Line, index: int) -> Phrase | None:
    """Parse a year such as `2024` or `'24`, with a word such as `году` after it."""
    found = year_at(line, index)
    return found and _years(skip(line, found[1], "year_word"), found[0])


def _is_german_year(line: Line, index: int) -> bool:
    """Whether a German number without a preposition is a year: `2019 sind wir umgezogen`. Round numbers, and numbers
    before a noun or a sign, are often amounts."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    if line.language != "de" or token.word.endswith("00") or after.capital or after.word in _SIGNS_OF_AMOUNTS:
        return False
    opens = before.word.endswith("jahr") or (index == line.sentences[index][0] and after.kind == "word")
    return opens or any(before.has(tag) for tag in ("tense_past", "tense_perfect", "tense_present", "month", "season"))


def _is_of_a_group(line: Line, index: int) -> bool:
    """Whether the number is the year of something, as in `the 2014 batch`, and not a count (`the 2014 tokens`)."""
    token, after = line[index], line[index + 1]
    noun = after.kind == "word" and not after.tags and not after.word.endswith("s")
    recent = token.kind == "number" and not token.word.endswith("00") and token.value and token.value < _LAST_YEAR
    return line.language == "en" and line[index - 1].has("article") and bool(recent) and noun


def _decade(line: Line, index: int) -> Phrase | None:
    """Parse `the 90s`, `the nineties`, `80er Jahre`, `années 80`, `anni '80`, `80-х`."""
    quoted = line[index].word == "'"
    before, token = line[index - 1], line[index + quoted]
    value = token.value if token.kind == "number" else token.get("tens") or token.get("number")
    end = index + quoted + 1
    if value in {18, 19} and line[end].has("tens"):  # `the nineteen seventies`
        return _years(end + 1, 100 * value + line[end].get("tens"), 10)
    if value is None or value % 10 or value < 10:
        return None
    if token.suffix == "s" or (token.has("tens") and line.language == "en"):
        led = before.has("decade_lead") or value > FIRST_YEAR
    elif token.suffix in {"er", "ern"} or token.has("tens"):  # `80er Jahre`, `in den 80ern`, `восьмидесятые`
        decades = line[end].get("unit") == "year" or (before.word == "den" and token.word.endswith("ern"))
        led = line.language == "ru" or (line.language == "de" and decades)
    elif line[end].word == "-" and line[end + 1].word in {"х", "е"}:
        led, end = True, end + 2
    else:
        led = (before.has("years") or _is_spanish_decade(line, index)) and not token.suffix
    first = value if value > FIRST_YEAR else (1900 + value if value >= 30 else 2000 + value)
    if not led or not 1800 <= first <= 2100:
        return None
    end += (token.suffix != "s") and (line[end].get("unit") == "year" or line[end].has("year_word"))
    return _years(end, first, 10).only_if(not _may_be_degrees(line, index, value))


def _is_spanish_decade(line: Line, index: int) -> bool:
    """Whether the number word names a decade, as in `los ochenta`, and not a number of things."""
    token, after = line[index], line[index + 1]
    alone = after.kind in {"mark", "end"} or any(tag.startswith("tense_") for tag in after.tags)
    return token.kind == "word" and line[index - 1].word == "los" and alone


def _may_be_degrees(line: Line, index: int, value: int) -> bool:
    """Whether `in the 90s` can be a temperature, as in `it's in the 90s here`. A past verb makes it a decade."""
    if value > FIRST_YEAR or line[index - 2].word != "in" or line.language != "en":
        return False
    begin, end = line.sentences[index]
    near = range(max(begin, index - _FAR), min(end, index + _FAR))
    return not any(line[at].has("tense_past") or line[at].word.endswith("ed") for at in near)
