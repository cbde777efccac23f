"""Splits a text into tokens: numbers, stamps, clocks, and words with their tags. Linear in the length of the text."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from tellonce_text.dates.abbreviations import spelled_out
from tellonce_text.dates.lexicon import LANGUAGES, NO_TAGS, Lexicon, Tags, english, lexicon, signs
from tellonce_text.dates.quotations import openings

Kind = Literal["stamp", "numeric", "clock", "han", "number", "word", "mark", "end"]


class Token(NamedTuple):
    """A token. `word` is its text in lower case. `suffix` contains the letters after a number (`3rd`, `3pm`). `parts`
    contains the numbers of a stamp, date or clock time."""

    kind: Kind
    start: int
    end: int
    word: str
    tags: Tags = NO_TAGS
    value: int | None = None
    suffix: str = ""
    parts: tuple[str | None, ...] = ()
    capital: bool = False

    def has(self, tag: str) -> bool:
        return tag in self.tags

    def get(self, tag: str) -> Any:
        return self.tags.get(tag)


END: Final = Token("end", 0, 0, "")
_PAD: Final = 80
"""The number of empty tokens before and after the text. No rule reads more tokens than this beyond the text."""
_PADDING: Final = (END,) * _PAD


class Line:
    """The tokens of a text, with empty tokens before the first and after the last token.

    Expressions may begin before the index `searched`. For a very long text, this index is a little before the last
    token, so that no expression is cut off.
    """

    def __init__(self, text: str, tokens: Sequence[Token], language: str, *, complete: bool = True) -> None:
        self.text = text
        self.language = language
        self._length = len(tokens)
        self.searched = self._length - (0 if complete else _PAD)
        self._padded = [*_PADDING, *tokens, *_PADDING]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Token:
        return self._padded[index + _PAD]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token.word for token in self._padded)

    @cached_property
    def tags(self) -> frozenset[str]:
        """All tags of the line's tokens."""
        return frozenset(tag for token in self._padded for tag in token.tags)

    @cached_property
    def openings(self) -> Mapping[int, int]:
        """For each quoted token, the index of the token that opens its quotation."""
        return openings(self._padded[_PAD : _PAD + self._length], self.text)

    @cached_property
    def verbal(self) -> Sequence[int]:
        """The indexes of the tokens that may show the tense of a sentence."""
        unknown = "having" in self.words
        return [at for at in range(self._length) if unknown or _is_verbal(self[at], self.language)]

    @cached_property
    def sentences(self) -> Sequence[tuple[int, int]]:
        """For each token, return the index of the first token of the token's sentence, and the index after the last
        token of this sentence."""
        bounds: list[tuple[int, int]] = []
        for index in range(self._length):
            if ends_sentence(self, index) or index == self._length - 1:
                bounds += [(len(bounds), index + 1)] * (index + 1 - len(bounds))
        return bounds


def _is_verbal(token: Token, language: str) -> bool:
    if token.kind == "word" and (language != "en" or token.word.endswith("ed")):
        return True
    return token.word in _VERBAL_WORDS or any(tag == "clause" or tag.startswith("tense_") for tag in token.tags)


_VERBAL_WORDS: Final = frozenset({",", "to"})


def ends_sentence(line: Line, index: int) -> bool:
    """Whether a sentence ends with this token, because a line break follows or the token is a mark such as `.` or `?`.
    The period of an abbreviation does not end a sentence."""
    token, following, before = line[index], line[index + 1], line[index - 1]
    if "\n" in line.text[token.end : following.start]:
        return True
    if token.kind != "mark" or token.word not in _ENDS:
        return False
    if before.kind == "number" and following.has("month"):  # `am 28. November`
        return False
    if token.word != "." or following.kind == "end" or following.capital:
        return True
    named = before.has("month") or before.has("weekday")
    abbreviated = len(before.word) <= 2 or (named and len(before.word) <= 4)
    return following.start > token.end and before.kind == "word" and not abbreviated


_ENDS: Final = frozenset("!?;…。！？.")


_MOST_DETECTED: Final = 4_000
"""Number of characters at the start of a text from which the text's language is detected."""


def language_of(text: str) -> str:
    """The language that most words at the start of the text indicate; English if no word indicates a language."""
    return _language([token for match in _TOKEN.finditer(text[:_MOST_DETECTED]) for token in _tokens(match)])


def line_of(text: str, language: str | None = None) -> Line | None:
    """Return the tokens of the text; None if the text cannot contain a time. Without `language`, the language is
    detected."""
    if not _MAYBE.search(text):
        return None
    tokens = (token for match in _TOKEN.finditer(text) for token in _tokens(match))
    raw = list(islice(tokens, MOST_TOKENS))
    language = language or _language(raw)
    return Line(text, _tagged(raw, language, text), language, complete=len(raw) < MOST_TOKENS)


MOST_TOKENS: Final = 8_000
"""Maximum number of tokens of a text that are read. About 40,000 characters of prose contain this many."""


_WORD = r"(?<!\w)(?:[qQ][1-4]|[hH][12])(?!\w)|(?<!\w)[apAP]\.\s?[mM]\b\.?|[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+(?:['’-][^\W\d_]+)*"
_TOKEN: Final = re.compile(
    r"(?P<stamp>(?<![\d.-])(\d{4})-(\d\d?)-(\d\d?)(?:(?:[T ]| at )(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?(?!\d))?(?![\d-]))"
    r"|(?P<numeric>(?<![\w.,/-])(\d{4}|\d\d?)([./-])(?:(?<!-)|(?=\d\d?-\d))(\d\d?)(?:\11(\d{4}|\d\d|(?<=\d{4}.\d.)\d|(?<=\d{4}.\d\d.)\d)(?!\d)|(\.)(?!\d)|(?![\d.]))(?![/%-]\d))"
    r"|(?P<clock>(?<![\d:.,])([01]?\d|2[0-4])[:h]([0-5]\d)(?::([0-5]\d))?(?![\d:]))"
    r"|(?P<han>(?:(\d{4})年)?(\d\d?)月(?:(\d\d?)[日号號])?|[上下]周[一二三四五六日天]?|上个月|下个月|(?:来|先)週(?:の[月火水木金土日]曜日?)?|[先来]月|去年|明年|昨年|来年|今天|昨天|明天|前天|后天|後天|明後日|今日|昨日|明日)"
    r"|(?P<number>(?:(?<!\w)|(?<=[^\W\d]_)(?=\d{8}(?!\w)))\d{1,9})(?P<suffix>[^\W\d_]{1,3}(?![\w]))?(?P<tail>\.m\b\.?)?"
    rf"|(?P<word>{_WORD})"
    r"|(?P<mark>[^\s\w]|_+)|\d+",
)
_ELISION: Final = re.compile(r"([ldjnmtsc]|qu|jusqu|lorsqu|dell|all|nell|dall|sull|quest)'(?=.)")
"""Matches an elided French or Italian word: `l'anno`, `d'octobre`."""
_PART: Final = re.compile(r"[^-]+|-")
_MAYBE: Final = re.compile(r"\d|[^\W\d_]{2}")


def _tokens(match: re.Match[str]) -> Sequence[Token]:
    """The tokens of a match. There are several tokens for an elided word (`l'anno`), and for a compound such as
    `mid-June` if the lexicon does not contain it."""
    token = _token(match)
    if token.kind != "word" or not ("'" in token.word or "-" in token.word):
        return (token,)
    elided = _ELISION.match(token.word)
    if elided:
        end = elided.end()
        short = Token("word", token.start, token.start + end, elided[1], capital=token.capital)
        long = Token("word", short.end, token.end, token.word[end:], capital=match[0][end].isupper())
        return (short, *_split(long, match[0][end:]))
    return _split(token, match[0])


def _split(token: Token, text: str) -> Sequence[Token]:
    if "-" not in token.word or token.word in _compounds():
        return (token,)
    return [
        Token(
            "mark" if part[0] == "-" else "word",
            token.start + part.start(),
            token.start + part.end(),
            _lowered(part[0]),
            capital=part[0][0].isupper(),
        )
        for part in _PART.finditer(text)
    ]


def _lowered(word: str) -> str:
    return word.lower().replace("’", "'")


@cache
def _compounds() -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in lexicon(language).words if "-" in word)


def _token(match: re.Match[str]) -> Token:
    (start, end), text, name = match.span(), match[0], match.lastgroup
    if name == "word":
        return Token("word", start, end, _lowered(text), NO_TAGS, None, "", (), text[0].isupper())
    if name in _OF_NUMBER:
        suffix = (match["suffix"] or "").lower() + (".m" if match["tail"] else "")
        return Token("number", start, end, text.lower(), NO_TAGS, int(match["number"]), suffix)
    if name in _GROUPS:
        parts = tuple(match[group] for group in _GROUPS[name])
        return Token(name, start, end, text, parts=parts)  # type: ignore[arg-type]
    return Token("mark", start, end, _lowered(text))


_OF_NUMBER: Final = frozenset({"number", "suffix", "tail"})
_GROUPS: Final = {"stamp": range(2, 9), "numeric": range(10, 15), "clock": range(16, 19), "han": range(20, 23)}


def is_read(text: str) -> bool:
    """Whether the resolver supports the text's language. At least one in ten of the words at the start of the text must
    indicate the same language. A text of only a few words in the Latin or Cyrillic script is also accepted."""
    tokens = [token for match in _TOKEN.finditer(text[:_MOST_DETECTED]) for token in _tokens(match)]
    words = [token.word for token in tokens if token.kind == "word"]
    known = max(_votes(tokens).values(), default=0) // _SHARES
    other = sum(letter.isalpha() and letter.lower() == letter.upper() for letter in text[:_MOST_DETECTED])
    return known * 10 > len(words) or (len(words) < _FEW and other < _FEW)


_FEW: Final = 10


def _language(tokens: Sequence[Token]) -> str:
    """The language that the words indicate most; English if no word indicates a language. A letter such as `ñ` counts
    like a word."""
    votes = _votes(tokens)
    for token in tokens:
        if token.kind == "word":
            for letter in _LETTERS.keys() & set(token.word):
                votes[_LETTERS[letter]] += _SHARES
    return max(LANGUAGES, key=lambda language: votes[language])


def _votes(tokens: Sequence[Token]) -> Counter[str]:
    """How many words indicate each language, in units of 1 / _SHARES of a word. A word that exists in several languages
    counts less for each of these languages."""
    votes: Counter[str] = Counter()
    known, foreign = english(), signs()
    for token in tokens:
        if token.kind != "word":
            continue
        languages = (*foreign.get(token.word, ()), *(("en",) if token.word in known else ()))
        for language in languages:
            votes[language] += _SHARES // len(languages)
    return votes


_SHARES: Final = 420
"""A number that is divisible by every number of languages from 1 to 7."""
_LETTERS: Final = {
    **dict.fromkeys("äöüß", "de"),
    **dict.fromkeys("ñ", "es"),
    **dict.fromkeys("êîœ", "fr"),
    **dict.fromkeys("ìò", "it"),
    **dict.fromkeys("ãõ", "pt"),
    **dict.fromkeys("абвгдежзийклмнопрстуфхцчшщъыьэюя", "ru"),
}
"""Letters that usually indicate a language."""


def _tagged(raw: Sequence[Token], language: str, text: str) -> list[Token]:
    known = lexicon(language)
    tokens: list[Token] = []
    index = 0
    while index < len(raw):
        token = raw[index]
        if token.kind == "word" or token.word in known.phrases:
            length = _phrase(raw, index, known)
            if length > 1:
                token = _joined(raw[index : index + length], text)
            token = _with_tags(token, known)
            index += length - 1
        elif token.kind == "mark":
            token = _with_tags(token, known)
        tokens.append(token)
        index += 1
    return [
        spelled_out(tokens, at, language) if _ABBREVIATED & token.tags.keys() else token
        for at, token in enumerate(tokens)
    ]


_ABBREVIATED: Final = frozenset({"short_month", "short_weekday"})


def _phrase(raw: Sequence[Token], index: int, known: Lexicon) -> int:
    for parts in known.phrases.get(raw[index].word, ()):
        last = index + len(parts) - 1
        if last >= len(raw) or any(raw[index + n].word != part for n, part in enumerate(parts[:-1])):
            continue
        if raw[last].word in {parts[-1], f"{parts[-1]}'s"}:
            return len(parts)
    return 1


def _joined(tokens: Sequence[Token], text: str) -> Token:
    start, end = tokens[0].start, tokens[-1].end
    word = " ".join(token.word for token in tokens)
    return Token("word", start, end, word, capital=text[start].isupper())


def _with_tags(token: Token, known: Lexicon) -> Token:
    """The token with the tags of its word. A possessive such as `yesterday's` gets the tags of `yesterday`."""
    word = token.word
    tags = known.words.get(word)
    if tags is None and word.endswith("'s"):
        tags = known.words.get(word[:-2])
    if tags is None:
        return token
    return Token(token.kind, token.start, token.end, word, tags, capital=token.capital)
