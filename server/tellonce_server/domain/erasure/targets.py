"""Decides whether a sentence names a topic or makes a statement, in the languages with known endings. A sentence names
a topic if it contains every word of the topic, in any form. A sentence makes a statement if it contains most words of
the statement. Pure."""

import re
import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Final

import snowballstemmer

from tellonce_text.caches import of_texts
from tellonce_text.claims import claims, plain, tokens_of
from tellonce_text.lexicon import AMOUNT_WORDS, IRREGULAR, NUMBER_WORDS, ORDINALS, SCALES
from tellonce_text.stemming import BASE_OF, stem

_SHARE = 0.6
"""A sentence makes a statement in two cases: it contains at least this share of the statement's words, or the statement
contains at least this share of the sentence's words (see `Target.most_in`)."""
_SAME = 0.8
"""A sentence and a statement say the same if at least this share of the longer text's words is in the other text."""
_CHANGING: Final = re.compile(r"[aeiouyß-ɏеё]")
"""Letters that can change if a word gets an ending or an umlaut."""
_WORD: Final = re.compile(r"[a-z]+")
_SPELLED: Final = frozenset((*NUMBER_WORDS, *SCALES, *AMOUNT_WORDS, *ORDINALS))
_OTHER_DIGITS: Final = re.compile(r"\d[.,]\d|\d\s?[km]\b")
"""Matches amounts that are not in plain digits: 1,000 and 5k."""


class Sentence:
    """A sentence whose properties are computed when they are first used."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lowered(self) -> str:
        return plain(self.text).lower()

    @cached_property
    def may_count_otherwise(self) -> bool:
        """Whether the sentence may contain amounts that are not in plain digits."""
        text = self.lowered
        return (
            not text.isascii() or _OTHER_DIGITS.search(text) is not None or not _SPELLED.isdisjoint(_WORD.findall(text))
        )

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tokens_of(self.text)

    @cached_property
    def is_english(self) -> bool:
        """Whether the sentence is English. Endings of other languages are then not removed, because the rest of a word
        could match unrelated words."""
        return not _FUNCTION_WORDS.isdisjoint(self.tokens)

    @cached_property
    def roots(self) -> frozenset[str]:
        return frozenset[str]().union(*(roots(word, english=self.is_english) for word in self.tokens))

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the sentence's content words, and its numbers and dates."""
        return _words(self.text)


@dataclass(frozen=True)
class Target:
    """The words to search for: all words of a topic, in any form, or most words of a statement."""

    words: frozenset[str]
    topic_words: tuple[str, ...] = ()

    @classmethod
    def topic(cls, topic: str) -> "Target":
        """The target for a topic. It is empty if the topic has no content words."""
        said = claims(topic)
        stems = frozenset(said.stems)
        distinctive = {word for word in tokens_of(topic) if stem(word) in stems and _is_distinctive(word)}
        return cls(frozenset((*said.numbers, *said.dates)), tuple(sorted(distinctive)))

    @classmethod
    def statement(cls, text: str) -> "Target":
        return cls(_words(text))

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.topic_words

    @property
    def likes(self) -> list[str]:
        """LIKE patterns in lower case. Every plain ASCII text that names the topic in any form matches at least one
        pattern."""
        if not self.topic_words:
            return ["%"]
        word = max(self.topic_words, key=len)
        roots_ = (*roots(word), *roots(word, english=True))
        forms = frozenset[str]().union(*map(irregular_forms, roots_))
        letters = _letters(word).replace("ss", "%")
        return [f"%{form}%" for form in (letters, *sorted(forms)) if form.isascii()]

    @cached_property
    def _signs(self) -> tuple[re.Pattern[str], ...]:
        stems = (word for word in self.words if not _is_amount(word))
        return (*map(_sign_of_topic, self.topic_words), *map(_sign, stems))

    @cached_property
    def _amounts(self) -> tuple[re.Pattern[str], ...]:
        amounts = filter(_is_amount, self.words)
        return tuple(re.compile("" if ":" in word else rf"(?<!\d){re.escape(word)}(?!\d)") for word in amounts)

    def may_be_in(self, text: Sentence) -> bool:
        """A quick test of one or more sentences. Only the answer False is certain."""
        every = len(self._signs) + len(self._amounts)
        needed = every if self.topic_words else min(2, every)
        shown = sum(sign.search(text.lowered) is not None for sign in self._signs)
        if shown >= needed:
            return True
        if shown + len(self._amounts) < needed:
            return False
        if text.may_count_otherwise:
            return True
        return shown + sum(sign.search(text.lowered) is not None for sign in self._amounts) >= needed

    def stated_in(self, sentence: Sentence) -> bool:
        if self.is_empty or not self.may_be_in(sentence):
            return False
        if self.topic_words:
            # The topic's words are tested first, because finding the sentence's numbers and dates takes ten times as
            # long.
            return self.named_in(sentence) and (not self.words or self.words <= sentence.words)
        return self.most_in(sentence.words)

    def most_in(self, said: frozenset[str]) -> bool:
        shared = len(self.words & said)
        return shared >= _SHARE * len(self.words) or (len(said) > 1 and shared >= max(2, _SHARE * len(said)))

    def is_all_of(self, said: frozenset[str]) -> bool:
        """Whether the target and the words in `said` are almost the same."""
        return bool(said) and len(self.words & said) >= _SAME * max(len(self.words), len(said))

    def named_in(self, sentence: Sentence) -> bool:
        """Whether the sentence contains every word of the topic, in any form and order."""
        return all(
            word in sentence.lowered
            if is_spaceless(word)
            else not roots(word, english=sentence.is_english).isdisjoint(sentence.roots)
            for word in self.topic_words
        )


def _letters(word: str) -> str:
    """The common beginning of the word and its roots. A `_` stands for each letter that an ending can change: `l_v` for
    `living`."""
    if is_spaceless(word):
        return word
    forms = (_CHANGING.sub("_", form) for form in (word, *roots(word), *roots(word, english=True)))
    shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*forms, strict=False))
    return "".join(letters[0] for letters in shared).rstrip("_")


def _is_amount(word: str) -> bool:
    """Whether the word is a number or the key of a date."""
    return word[0].isdigit() or ":" in word


def _sign(word: str) -> re.Pattern[str]:
    """A pattern that matches every text with a word of this stem."""
    first = word.partition("-")[0]
    return _either(re.escape(first[:-1] if first.endswith(("e", "y")) else first), first)


def _sign_of_topic(word: str) -> re.Pattern[str]:
    """A pattern that matches every text with some form of the word."""
    letters = re.escape(_letters(word)).replace("_", ".").replace("ss", ".*")
    return _either(letters, *roots(word), *roots(word, english=True))


def _either(letters: str, *bases: str) -> re.Pattern[str]:
    """A pattern for the letters, or for an irregular form of one of the words. Such a form may share no letters with
    the word."""
    forms = frozenset[str]().union(*map(irregular_forms, bases))
    return re.compile("|".join([letters, *map(re.escape, sorted(forms))]))


def _is_distinctive(word: str) -> bool:
    return len(word) > 1 or is_spaceless(word)


def _words(text: str) -> frozenset[str]:
    said = claims(text)
    return frozenset((*said.stems, *said.numbers, *said.dates))


class _Stemmers(threading.local):
    """One thread's stemmers. A stemmer has state, so threads cannot share it."""

    def __init__(self) -> None:
        self.latin = tuple(snowballstemmer.stemmer(name) for name in ("german", "spanish", "french"))
        self.cyrillic = (snowballstemmer.stemmer("russian"),)


_STEMMERS: Final = _Stemmers()
_LONGEST: Final = 100
"""Maximum letters of a word that is stemmed. A stemmer needs milliseconds for each thousand letters."""
_SHORTEST: Final = 4
"""A word with fewer letters is stemmed only as an English word."""
_IS_CYRILLIC: Final = re.compile(r"[а-яё]")
_SPACELESS: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FUNCTION_WORDS: Final = frozenset(
    ("the", "my", "i", "and", "of", "to", "with", "have", "has", "are", "it", "this", "that")
)


def irregular_forms(base: str) -> frozenset[str]:
    """The forms of this base word that do not follow the rules for endings, such as `mice` or French `chevaux`."""
    plural = (f"{base[:-1]}ux",) if base.endswith("al") else ()
    return frozenset((*plural, *(form for known in (IRREGULAR, BASE_OF) for form, of in known.items() if of == base)))


def is_spaceless(word: str) -> bool:
    """Whether the word's script has no spaces, or attaches particles to words. Such a word may occur inside others."""
    return bool(_SPACELESS.search(word))


@of_texts
@lru_cache(maxsize=16_384)
def roots(word: str, *, english: bool = False) -> frozenset[str]:
    """The stems of a lower-case word, one for each language to which it may belong."""
    if len(word) > _LONGEST:
        return frozenset((word,))
    word = IRREGULAR.get(word, word)
    if english or len(word) < _SHORTEST:
        return frozenset((stem(word),))
    stemmers = _STEMMERS.cyrillic if _IS_CYRILLIC.search(word) else _STEMMERS.latin
    return frozenset((stem(word), *(stemmer.stemWord(word) for stemmer in stemmers)))
