"""Splits a text into tokens: numbers, stamps, clocks, and words with their tags. The time is linear in the length of
the text."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from tellonce_text.dates.han_words import pattern as han_pattern
from tellonce_text.dates.lexicon import LANGUAGES, NO_TAGS, Lexicon, Tags, english, letters, lexicon, signs
from tellonce_text.dates.quotations import openings
from tellonce_text.sentences import goes_on

Kind = Literal["stamp", "numeric", "clock", "han", "number", "word", "mark", "end"]
MOST_TOKENS: Final = 8_000
"""At most this many tokens of a text are read. About 40,000 characters of prose contain this many."""
_MOST_DETECTED: Final = 4_000
"""Number of characters at the start of a text from which the text's language is detected."""
_SHARES: Final = 420
"""A word in several languages gives each of them an equal share. This number is divisible by 1 to 7, the possible
numbers of languages."""
_FEW: Final = 10
_ENDS: Final = frozenset("!?;…。！？.")
_ABBREVIATED: Final = frozenset({"short_month", "short_weekday"})
_DATED: Final = frozenset({"month", "short_month", "o_clock", "hour_h"})
_LONGEST_MONTH: Final = 31
_YEAR: Final = 4  # digits
_WORD = r"(?<!\w)(?:[qQ][1-4]|[hH][12])(?!\w)|(?<!\w)[apAP]\.\s?[mM]\b\.?|[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+(?:['’-][^\W\d_]+)*"
_TOKEN: Final = re.compile(
    r"(?P<stamp>(?<![\d.-])(\d{4})-(\d\d?)-(\d\d?)(?:(?:[T ]| at )(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?(?!\d))?(?![\d-]))"
    r"|(?P<numeric>(?<![\w.,/-])(\d{4}|\d\d?)([./-])(?:(?<!-)|(?=\d\d?-\d))(\d\d?)(?:\11(\d{4}|\d\d|(?<=\d{4}.\d.)\d|(?<=\d{4}.\d\d.)\d)(?!\d)|(\.)(?!\d)|(?![\d.]))(?![/%-]\d))"
    r"|(?P<clock>(?<![\d:.,])([01]?\d|2[0-4])[:h]([0-5]\d)(?::([0-5]\d))?(?![\d:]))"
    rf"|(?P<han>{han_pattern(named=False)})"
    r"|(?P<number>(?<!\w)\d{1,9})(?P<suffix>[^\W\d_]{1,3}(?![\w]))?(?P<tail>\.m\b\.?)?"
    rf"|(?P<word>{_WORD})"
    r"|(?P<mark>[^\s\w]|_+)|\d+"
)
_ELISION: Final = re.compile(r"([ldjnmtsc]|qu|jusqu|lorsqu|dell|all|nell|dall|sull|quest)'(?=.)")
"""Matches an elided French or Italian word: `l'anno`, `d'octobre`."""
_PART: Final = re.compile(r"[^-]+|-")
_MAYBE: Final = re.compile(r"\d|[^\W\d_]{2}")
_OF_NUMBER: Final = frozenset({"number", "suffix", "tail"})
_GROUPS: Final = {"stamp": range(2, 9), "numeric": range(10, 15), "clock": range(16, 19)}


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
_LONGEST: Final = 80
"""Maximum number of tokens that a rule reads after the first token of an expression."""


class Line:
    """The tokens of a text. Before the first and after the last token, there are only empty tokens.

    An expression can begin at any index below `searched`. For a very long text, this index is a little before the last
    token, so that no expression is cut off.
    """

    def __init__(self, text: str, tokens: Sequence[Token], language: str, *, complete: bool = True) -> None:
        self.text = text
        self.language = language
        self._tokens = tuple(tokens)
        self.searched = len(tokens) - (0 if complete else _LONGEST)

    def __len__(self) -> int:
        return len(self._tokens)

    def __getitem__(self, index: int) -> Token:
        if index < 0:
            return END
        try:
            return self._tokens[index]
        except IndexError:
            return END

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """All tags of the line's tokens. A tuple takes less memory than a set, and lines are cached."""
        return tuple({tag: True for token in self._tokens for tag in token.tags})

    @cached_property
    def openings(self) -> Mapping[int, int]:
        """For each quoted token, the index of the token that opens its quotation."""
        return openings(self._tokens, self.text)

    @cached_property
    def sentences(self) -> Sequence[tuple[int, int]]:
        """For each token, return the index of the first token of the token's sentence, and the index after the last
        token of this sentence."""
        bounds: list[tuple[int, int]] = []
        for index in range(len(self)):
            if ends_sentence(self, index) or index == len(self) - 1:
                bounds += [(len(bounds), index + 1)] * (index + 1 - len(bounds))
        return bounds


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
    if token.word == "." and goes_on(line.text, token.end):  # `Dr. Lee`
        return False
    if token.word != "." or following.kind == "end" or following.capital:
        return True
    named = before.has("month") or before.has("weekday")
    abbreviated = len(before.word) <= 2 or (named and len(before.word) <= 4)
    return following.start > token.end and before.kind == "word" and not abbreviated


def language_of(text: str) -> str:
    """The language that most words at the start of the text indicate; English if no word indicates a language."""
    return _language(_raw_tokens(text[:_MOST_DETECTED]))


def line_of(text: str, language: str | None = None) -> Line | None:
    """Return the tokens of the text; None if the text cannot contain a time. Without `language`, the language is
    detected."""
    if not _MAYBE.search(text):
        return None
    raw = _raw_tokens(text)
    language = language or _language(raw)
    return Line(text, _tagged(raw, language, text), language, complete=len(raw) < MOST_TOKENS)


def _raw_tokens(text: str) -> list[Token]:
    return list(islice((token for match in _TOKEN.finditer(text) for token in _tokens(match)), MOST_TOKENS))


def _tokens(match: re.Match[str]) -> Sequence[Token]:
    """The tokens of a match: several for an elided word (`l'anno`) and for a compound such as `mid-June` that the
    lexicon lacks."""
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
    parts = ((part[0], token.start + part.start(), token.start + part.end()) for part in _PART.finditer(text))
    return [
        Token("mark" if part == "-" else "word", start, end, _lowered(part), capital=part[0].isupper())
        for part, start, end in parts
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
    return Token("han" if name == "han" else "mark", start, end, _lowered(text))


def is_read(text: str) -> bool:
    """Whether the resolver supports the text's language. At least one in ten of the words at the start of the text must
    indicate the same language. A text of only a few words in the Latin or Cyrillic script is also accepted."""
    tokens = _raw_tokens(text[:_MOST_DETECTED])
    words = [token.word for token in tokens if token.kind == "word"]
    known = max(_votes(tokens).values(), default=0) // _SHARES
    other = sum(letter.isalpha() and letter.lower() == letter.upper() for letter in text[:_MOST_DETECTED])
    return known * 10 > len(words) or (len(words) < _FEW and other < _FEW)


def _language(tokens: Sequence[Token]) -> str:
    """The language that the words indicate most, or English. A letter such as `ñ` counts like a word."""
    votes = _votes(tokens)
    for token in tokens:
        if token.kind == "word":
            for letter in letters().keys() & set(token.word):
                votes[letters()[letter]] += _SHARES
    return max(LANGUAGES, key=lambda language: votes[language])


def _votes(tokens: Sequence[Token]) -> Counter[str]:
    """How many words indicate each language, multiplied by _SHARES. A word of several languages is shared among them."""
    votes: Counter[str] = Counter()
    known, foreign = english(), signs()
    for token in tokens:
        if token.kind == "word":
            languages = (*foreign.get(token.word, ()), *(("en",) if token.word in known else ()))
            for language in languages:
                votes[language] += _SHARES // len(languages)
    return votes


def _tagged(raw: Sequence[Token], language: str, text: str) -> list[Token]:
    known = lexicon(language)
    tokens: list[Token] = []
    index = 0
    while index < len(raw):
        token, length = raw[index], 1
        if token.kind == "word" or token.word in known.phrases:
            length = _phrase(raw, index, known)
        if length > 1:
            last = raw[index + length - 1]
            word = " ".join(part.word for part in raw[index : index + length])
            token = Token("word", token.start, last.end, word, capital=text[token.start].isupper())
        tokens.append(_with_tags(token, known) if token.kind in {"word", "mark"} else token)
        index += length
    return [
        token if _ABBREVIATED.isdisjoint(token.tags) else _spelled_out(tokens, at, language)
        for at, token in enumerate(tokens)
    ]


def _phrase(raw: Sequence[Token], index: int, known: Lexicon) -> int:
    """The number of tokens of the longest lexicon phrase at `index`, or 1."""
    for parts in known.phrases.get(raw[index].word, ()):
        last = index + len(parts) - 1
        ended = last < len(raw) and raw[last].word in {parts[-1], f"{parts[-1]}'s"}
        if ended and all(raw[index + n].word == part for n, part in enumerate(parts[:-1])):
            return len(parts)
    return 1


def _with_tags(token: Token, known: Lexicon) -> Token:
    """The token with the tags of its word. A possessive such as `yesterday's` gets the tags of `yesterday`."""
    word = token.word
    tags = known.words.get(word) or (known.words.get(word[:-2]) if word.endswith("'s") else None)
    return Token(token.kind, token.start, token.end, word, tags, capital=token.capital) if tags else token


def _spelled_out(tokens: Sequence[Token], index: int, language: str) -> Token:
    """The token with the tag of the weekday or month that it abbreviates. Many abbreviations are other words (`so`,
    `mar`), so the neighbors must show a date."""
    token = tokens[index]
    if token.has("short_month") and _is_month(tokens, index):
        return token._replace(tags={"month": token.get("short_month")})
    if token.has("short_weekday") and _is_weekday(tokens, index, language):
        return token._replace(tags={"weekday": token.get("short_weekday")})
    return token


def _is_month(tokens: Sequence[Token], index: int) -> bool:
    """Whether the token is a month: a day comes before it, as in `13. Nov.`, or a year comes after it."""
    before = next((t for t in reversed(tokens[max(0, index - 2) : index]) if t.word not in {".", "-"}), END)
    after = next((t for t in tokens[index + 1 : index + 3] if t.word not in {".", "-"}), END)
    return 1 <= (before.value or 0) <= _LONGEST_MONTH or (after.kind == "number" and len(after.word) == _YEAR)


def _is_weekday(tokens: Sequence[Token], index: int, language: str) -> bool:
    """Whether a date or a time follows the token, as in `Di 14:30`, or a word such as `am` comes before it."""
    before = tokens[index - 1] if index else END
    if (language == "de" and not tokens[index].capital) or before.kind == "number":
        return False
    dotted = [token.word for token in tokens[index + 1 : index + 2]] == ["."]
    first, *rest = [*(token for token in tokens[index + 1 : index + 5] if token.word not in {".", ","}), END]
    if (before.has("on") or before.has("by")) and (dotted or language in {"de", "ru"}):
        return True
    if first.kind in {"numeric", "clock"} or first.suffix == "h" or (dotted and first.has("at")):
        return True
    dated = any(not _DATED.isdisjoint(token.tags) for token in rest[:2])
    return first.kind == "number" and dated
