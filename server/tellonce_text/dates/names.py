"""Recognizes time words that are probably names, titles or other words: `zia Domenica`, `Friday Night Lights`, `heute-show`,
`окружающая среда`. The form of the neighboring words decides."""

from typing import Final

from tellonce_text.dates.grammar import may_begin
from tellonce_text.dates.tokens import Line, Token

_ADJECTIVE: Final = ("ая", "яя", "ую", "юю", "ой", "ей")  # feminine endings; `среда`, `пятница`, `суббота` are feminine
_TOWARDS: Final = frozenset({"к", "ко"})
_LONGEST_STREET: Final = 6  # tokens: `Straße des 17. Juni`
_LEADS: Final = frozenset("on in at contracted since from by to of for before after".split())
_DETERMINERS: Final = frozenset({"one", "article", "own"})
_BARE: Final = frozenset({"em", "de"})  # weekdays have an article after these words
_FEMININE: Final = ("ão", "ade", "agem", "ões", "érie")  # no verbs have these endings
_SHORTEST_NAME: Final = 3
_LONGEST_THING: Final = 4  # tokens: `a very small cat called`


def is_compound(line: Line, end: int) -> bool:
    """Whether the expression before `end` is the first part of a compound such as `heute-show`. A hyphen and a word
    that is not a date follow it."""
    before, hyphen, after = line[end - 1], line[end], line[end + 1]
    if hyphen.word != "-" or before.end != hyphen.start or hyphen.end != after.start:
        return False
    return before.kind == after.kind == "word" and not after.has("part") and not may_begin(line, end + 1)


def is_named(line: Line, first: int, end: int) -> bool:
    """Whether the expression in the tokens `first:end` can be a name or a word with another meaning."""
    title = line.language == "en" and _is_title(line, first, end)
    return title or any(_is_named(line, at) for at in range(first, end))


def _is_named(line: Line, index: int) -> bool:
    token = line[index]
    weekday, month, season = (token.has(tag) for tag in ("weekday", "month", "season"))
    if not (weekday or month or season):
        return False
    before, after = line[index - 1], line[index + 1]
    person = token.capital and line[index - 1 - (before.word == ".")].has("title")  # `Mr. May`
    if person or (month and _is_street(line, index)):
        return True
    match line.language:
        case "en":
            return before.has("naming") and _names_thing(line, index - 1)
        case "de" if before.has("naming"):
            return True
        case "de":
            surname = season and _is_unknown(before) and before.capital  # `Frau Sommer`
            led = any(not _DETERMINERS.isdisjoint(line[at].tags) for at in (index - 1, index - 2))
            noun = weekday and led and _is_unknown(after) and after.capital  # `eine alte Freitag Tasche`
            return surname or noun
        case "pt" if weekday and _is_ordinal(line, index):
            return True
        case "ru" if weekday and _is_described(line, index):
            return True
        case "es" if weekday and token.capital and not before.has("on"):  # `Domingo Pérez`
            return (_is_unknown(after) and after.capital) or _is_proper(line, index)
        case _:
            return _is_proper(line, index)


def _is_unknown(token: Token) -> bool:
    return token.kind == "word" and not token.tags


def _names_thing(line: Line, index: int) -> bool:
    """Whether an English word introduces a name: `a cat called Wednesday`, but not `the vet called Wednesday`."""
    return line[index].word != "called" or any(line[at].has("one") for at in range(index - _LONGEST_THING, index))


def _is_described(line: Line, index: int) -> bool:
    """Whether a Russian weekday is another word or a name: `окружающая среда`, `чёрная пятница`. A form in -е, except
    `воскресенье`, is a day only after `к`."""
    word, before, after = line[index].word, line[index - 1], line[index + 1]
    described = before.word.endswith(_ADJECTIVE) and not before.tags
    owned = word.startswith("сред") and not word.endswith("у") and _is_unknown(after)
    return described or owned or (word.endswith("е") and word[-2:] != "ье" and before.word not in _TOWARDS)


def _is_proper(line: Line, index: int) -> bool:
    """Whether the word has a capital letter although its language writes days and months in lower case."""
    inside = line[index - 1].kind in {"word", "number"} and index > line.sentences[index][0]
    return inside and _is_title_case(line, line[index]) and not _is_dated(line, index)


def _is_street(line: Line, index: int) -> bool:
    """Whether a day and its month are the name of a street, as in `Straße des 17. Juni` or `rue du 4 septembre`."""
    near = (line[at] for at in range(index - 1, index - _LONGEST_STREET, -1))
    before = next((token for token in near if token.kind == "word" and not token.has("of")), None)
    return before is not None and before.has("street")


def _is_dated(line: Line, index: int) -> bool:
    """Whether the day comes before the month after a word such as `el`: `el 9 de Julio`. With `la`, it is a street."""
    number = index - 1 - line[index - 1].has("of")
    lead = line[number - 1]
    masculine = lead.get("unit") == "day" or (lead.has("article") and not lead.word.endswith("a"))
    return line[number].kind == "number" and (masculine or not _LEADS.isdisjoint(lead.tags))


def _is_title_case(line: Line, token: Token) -> bool:
    return token.capital and not line.text[token.start : token.end].isupper()


def _is_ordinal(line: Line, index: int) -> bool:
    """Whether a noun follows a Portuguese weekday such as `segunda`, as in `a segunda opinião` or `na segunda reunião`."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    led = before.word in _BARE or not (_DETERMINERS.isdisjoint(before.tags) or before.has("on"))
    feminine = len(after.word) > _SHORTEST_NAME and after.word.endswith(_FEMININE)
    verb = any(tag.startswith("tense_") for tag in after.tags)
    noun = (led and _is_unknown(after)) or (feminine and not verb)
    return noun and "-" not in token.word and token.word.endswith("a")


def _is_title(line: Line, first: int, end: int) -> bool:
    """Whether an English expression such as `Friday Night` may be part of a title: it and the next word have capital
    letters, a number follows a feast, or `the one` follows."""
    after, feast = line[end], line[end - 1].has("feast")
    if after.has("article") and line[end + 1].word == "one":
        return True
    if feast and after.kind == "number":
        return not after.suffix and not line[end + 1].has("unit")
    words = [line[at] for at in range(first, end) if line[at].kind == "word" and not line[at].has("article")]
    night = len(words) > 1 and words[-2].has("weekday") and all(_is_title_case(line, word) for word in words)
    paper = line[first].has("article") and line[end - 1].has("weekday")  # `the Sunday Times`
    named = night or paper or (feast and _LEADS.isdisjoint(line[first - 1].tags))
    return named and _is_unknown(after) and after.capital and len(after.word) > _SHORTEST_NAME
