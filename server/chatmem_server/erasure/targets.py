"""What is to be forgotten, and whether a sentence states it; pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

from chatmem_server.memories.claims import claims, tokens_of
from chatmem_server.text.lexicon import AMOUNT_WORDS, NUMBER_WORDS, ORDINALS, SCALES
from chatmem_server.text.stemming import stem
from chatmem_server.text.word_forms import is_english, is_spaceless, roots

_SHARE = 0.6
"""Share of a statement's words a sentence must hold to state it."""
_SENTENCE: Final = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)
_CHANGING: Final = re.compile(r"[aeiouyß-ɏ]")
_PIECE: Final = re.compile(r"[^\W_]+")
_DIGITS: Final = re.compile(r"\d+")
_OTHERWISE_WRITTEN: Final = re.compile(r"\d[.,]\d|\d\s?k\b|\d\s?m\b", re.IGNORECASE)
"""1,000 and 5k: amounts whose digits are not those of the number."""
_SPELLED: Final = frozenset((*NUMBER_WORDS, *SCALES, *AMOUNT_WORDS, *ORDINALS))


def sentences(text: str) -> list[str]:
    """The text cut into sentences; joined they are the text again."""
    return _SENTENCE.findall(text)


class Sentence:
    """A sentence, read no further than what is asked of it: what it claims takes thirty times as long as its words."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tokens_of(self.text)

    @cached_property
    def is_english(self) -> bool:
        return is_english(self.tokens)

    @cached_property
    def roots(self) -> frozenset[str]:
        return frozenset[str]().union(*(roots(word, english=self.is_english) for word in self.tokens))

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of its telling words, its numbers and its dates."""
        return _words(self.text)

    def may_say(self, word: str) -> bool:
        """Whether `words` may hold the word; when not, it does not."""
        if ":" in word:  # the key of a date
            return True
        if word[0].isdigit():
            return self._counts_in_words or word in self._digits
        return word in self._stems

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(
            stem(part) for word in self.tokens for part in (word, *word.split("-"), *_PIECE.findall(word)) if part
        )

    @cached_property
    def _digits(self) -> frozenset[str]:
        return frozenset(_DIGITS.findall(self.text))

    @cached_property
    def _counts_in_words(self) -> bool:
        """Whether it may hold amounts that its digits do not show."""
        pieces = (piece for word in self.tokens for piece in _PIECE.findall(word))
        return not self.text.isascii() or bool(_OTHERWISE_WRITTEN.search(self.text)) or not _SPELLED.isdisjoint(pieces)


@dataclass(frozen=True)
class Target:
    """What is forgotten: a topic (every word of it in one sentence, in any form), or a statement (most of it)."""

    words: frozenset[str]
    topic_words: tuple[str, ...] = ()

    @classmethod
    def topic(cls, topic: str) -> "Target":
        """A topic of no telling word states nothing: `is_empty`."""
        said = claims(topic)
        telling = {word for word in tokens_of(topic) if stem(word) in said.stems and _tells(word)}
        return cls(frozenset((*said.numbers, *said.dates)), tuple(sorted(telling)))

    @classmethod
    def statement(cls, text: str) -> "Target":
        return cls(_words(text))

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.topic_words

    @property
    def is_spaceless(self) -> bool:
        """Whether a word of the topic stands inside others, so that no index of words finds it."""
        return any(map(is_spaceless, self.topic_words))

    @property
    def patterns(self) -> list[str]:
        """LIKE patterns of the topic's words, of which a text that names it in any regular form matches every one."""
        return [_pattern(word) for word in self.topic_words]

    def stated_in(self, sentence: Sentence) -> bool:
        if self.is_empty:
            return False
        # What it may say is looked at first, then naming: reading what it does say takes ten times as long.
        if self.topic_words:
            possible = all(map(sentence.may_say, self.words))
            return possible and self.named_in(sentence) and (not self.words or self.words <= sentence.words)
        shared_at_most = sum(map(sentence.may_say, self.words))
        return shared_at_most >= min(2, len(self.words)) and self._most_in(sentence.words)

    def _most_in(self, said: frozenset[str]) -> bool:
        shared = len(self.words & said)
        return shared >= _SHARE * len(self.words) or (len(said) > 1 and shared >= max(2, _SHARE * len(said)))

    def named_in(self, sentence: Sentence) -> bool:
        """Whether it has a form of every word of the topic, wherever it stands."""
        return all(
            word in sentence.text.lower()
            if is_spaceless(word)
            else not roots(word, english=sentence.is_english).isdisjoint(sentence.roots)
            for word in self.topic_words
        )


class Sought:
    """Targets looked for in many texts. A sentence is judged once: the versions of a text repeat most of theirs."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._targets = tuple(targets)
        self._judged: dict[str, bool] = {}

    def stated_in(self, sentence: str) -> bool:
        known = self._judged.get(sentence)
        if known is None:
            read = Sentence(sentence)
            known = self._judged[sentence] = any(target.stated_in(read) for target in self._targets)
        return known

    def in_text(self, text: str) -> bool:
        """Whether a sentence of the text states one of them."""
        return any(map(self.stated_in, sentences(text)))


def _pattern(word: str) -> str:
    """The letters its roots share, with a wildcard for each that an ending or an umlaut may change."""
    if is_spaceless(word):
        return f"%{word}%"
    forms = (_CHANGING.sub("_", form) for form in (word, *roots(word), *roots(word, english=True)))
    shared = "".join(
        letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*forms, strict=False))
    )
    return f"%{shared.rstrip('_').replace('ss', '%')}%"


def _tells(word: str) -> bool:
    return len(word) > 1 or is_spaceless(word)


def _words(text: str) -> frozenset[str]:
    said = claims(text)
    return frozenset((*said.stems, *said.numbers, *said.dates))
