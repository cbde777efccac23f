"""Recognizes time words that are probably names, titles or other words: `zia Domenica`, `Friday Night Lights`, `heute-show`,
`окружающая среда`. The form of the neighboring words decides."""

from typing import Final

from tellonce_text.dates.grammar import may_begin
from tellonce_text.dates.tokens import Line, Token


def is_compound(line: Line, end: int) -> bool:
    """Whether a hyphen and a word that is not a date follow the expression that ends before `end`, as in
    `heute-show`."""
    hyphen, after = line[end], line[end + 1]
    if hyphen.word != "-" or line[end - 1].end != hyphen.start or hyphen.end != after.start:
        return False
    words = line[end - 1].kind == after.kind == "word"
    return words and not after.has("part") and not may_begin(line, end + 1)


def is_named(line: Line, first: int, end: int) -> bool:
    """Whether the expression from `first` to before `end` may be a name or a word with another meaning."""
    return any(_is_named(line, at) for at in range(first, end)) or (
        line.language == "en" and _is_title(line, first, end)
    )


def _is_named(line: Line, index: int) -> bool:
    token = line[index]
    weekday = token.has("weekday")
    if not (weekday or token.has("month") or token.has("season")):
        return False
    if _is_person(line, index) or (token.has("month") and _is_street(line, index)):
        return True
    match line.language:
        case "en":
            return False
        case "de":
            return (weekday and _is_part_of_noun(line, index)) or (token.has("season") and _is_surname(line, index))
        case "pt" if weekday and _is_ordinal(line, index):
            return True
        case "ru" if weekday and _is_described(line, index):
            return True
        case "es" if weekday and _has_surname(line, index):
            return True
        case _:
            pass
    return _is_proper(line, index)


def _is_described(line: Line, index: int) -> bool:
    """Whether a Russian weekday may be another word or a name. The adjective before it or the noun after it decides:
    `окружающая среда`, `чёрная пятница`, `среда обитания`. The form that ends in -е is a day only after `к`."""
    word, before, after = line[index].word, line[index - 1], line[index + 1]
    described = before.word.endswith(_ADJECTIVE) and not before.tags
    owned = word.startswith("сред") and not word.endswith("у") and after.kind == "word" and not after.tags
    return described or owned or (word.endswith("е") and word[-2:] != "ье" and before.word not in _TOWARDS)


_ADJECTIVE: Final = ("ая", "яя", "ую", "юю", "ой", "ей")  # feminine, as `среда`, `пятница` and `суббота` are
_TOWARDS: Final = frozenset({"к", "ко"})


def _is_person(line: Line, index: int) -> bool:
    """Whether a title such as `Mr.` comes before the word."""
    before = line[index - 1 - (line[index - 1].word == ".")]
    return before.has("title") and line[index].capital


def _is_proper(line: Line, index: int) -> bool:
    """Whether the word has a capital letter within a sentence, although its language writes days and months in lower
    case."""
    inside = line[index - 1].kind in {"word", "number"} and index > line.sentences[index][0]
    return inside and _is_title_case(line, line[index]) and not _is_dated(line, index)


def _is_street(line: Line, index: int) -> bool:
    """Whether a day and its month are the name of a street, as in `Straße des 17. Juni` or `rue du 4 septembre`."""
    near = (line[at] for at in range(index - 1, index - _LONGEST_STREET, -1))
    before = next((token for token in near if token.kind == "word" and not token.has("of")), None)
    return before is not None and before.has("street")


_LONGEST_STREET: Final = 6  # tokens: `Straße des 17. Juni`


def _has_surname(line: Line, index: int) -> bool:
    """Whether a name follows a Spanish weekday that has no article, as in `Domingo Pérez`."""
    token, after = line[index], line[index + 1]
    bare = token.capital and not line[index - 1].has("on")
    return bare and after.kind == "word" and after.capital and not after.tags


def _is_dated(line: Line, index: int) -> bool:
    """Whether the day comes before the month, and a word such as `el` comes before the day: `el 9 de Julio`. Days
    are masculine, so `la` is not such a word: `la 9 de Julio` is a street."""
    number = index - 1 - line[index - 1].has("of")
    lead = line[number - 1]
    masculine = lead.get("unit") == "day" or (lead.has("article") and not lead.word.endswith("a"))
    return line[number].kind == "number" and (masculine or not _LEADS.isdisjoint(lead.tags))


_LEADS: Final = frozenset("on in at contracted since from by to of for before after".split())


def _is_title_case(line: Line, token: Token) -> bool:
    """Whether only the first letter of the word is a capital letter."""
    return token.capital and not line.text[token.start : token.end].isupper()


def _is_part_of_noun(line: Line, index: int) -> bool:
    """Whether the German weekday is the first part of a noun whose article comes before it: `eine alte Freitag Tasche`."""
    after = line[index + 1]
    noun = after.kind == "word" and after.capital and not after.tags
    return noun and any(not _DETERMINERS.isdisjoint(line[at].tags) for at in (index - 1, index - 2))


_DETERMINERS: Final = frozenset({"one", "article", "own"})


def _is_surname(line: Line, index: int) -> bool:
    """Whether the season may be a person's name, because another noun is directly before it: `Frau Sommer`."""
    before = line[index - 1]
    return before.kind == "word" and before.capital and not before.tags


def _is_ordinal(line: Line, index: int) -> bool:
    """Whether a noun follows a Portuguese weekday such as `segunda`, as in `a segunda opinião` or `na segunda reunião`."""
    token, before, after = line[index], line[index - 1], line[index + 1]
    led = before.word in _BARE or not (_DETERMINERS.isdisjoint(before.tags) or before.has("on"))
    unknown = led and after.kind == "word" and not after.tags
    feminine = len(after.word) > _SHORTEST_NAME and after.word.endswith(_FEMININE)
    verb = any(tag.startswith("tense_") for tag in after.tags)
    return (unknown or (feminine and not verb)) and "-" not in token.word and token.word.endswith("a")


_BARE: Final = frozenset({"em", "de"})  # weekdays have an article after these words
_FEMININE: Final = ("ão", "ade", "agem", "ões")  # no verbs have these endings


def _is_title(line: Line, first: int, end: int) -> bool:
    """Whether an English expression such as `Friday Night` or `Christmas` may be part of a title. There are three
    signs: its words and the next word have a capital letter, a number follows a feast, or `the one` follows (`Is
    Independence Day the one where …?`)."""
    after = line[end]
    if after.has("article") and line[end + 1].word == "one":
        return True
    feast = line[end - 1].has("feast")
    if feast and after.kind == "number":
        return not after.suffix and not line[end + 1].has("unit")
    words = [line[at] for at in range(first, end) if line[at].kind == "word" and not line[at].has("article")]
    night = len(words) > 1 and words[-2].has("weekday") and all(_is_title_case(line, word) for word in words)
    paper = line[first].has("article") and line[end - 1].has("weekday")  # `the Sunday Times`
    named = night or paper or (feast and _LEADS.isdisjoint(line[first - 1].tags))
    return named and after.kind == "word" and after.capital and not after.tags and len(after.word) > _SHORTEST_NAME


_SHORTEST_NAME: Final = 3
