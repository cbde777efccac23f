"""Decides whether two words are forms of the same word, in the languages with known endings. Pure."""

import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import snowballstemmer

from tellonce_text.caches import of_texts
from tellonce_text.lexicon import IRREGULAR
from tellonce_text.stemming import BASE_OF, stem


class _Stemmers(threading.local):
    """One stemmer per thread, because a stemmer has state and erasures run in several threads."""

    def __init__(self) -> None:
        self.latin = tuple(snowballstemmer.stemmer(name) for name in ("german", "spanish", "french"))
        self.cyrillic = (snowballstemmer.stemmer("russian"),)


_STEMMERS: Final = _Stemmers()
_LONGEST: Final = 100
"""Maximum letters of a word that is stemmed. A stemmer needs milliseconds for each thousand letters, so longer words
are not stemmed."""
_SHORTEST: Final = 4
"""Minimum letters of a word that is also stemmed in languages other than English."""
_IS_CYRILLIC: Final = re.compile(r"[а-яё]")
_SPACELESS: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENGLISH: Final = frozenset(("the", "my", "i", "and", "of", "to", "with", "have", "has", "are", "it", "this", "that"))


def irregular_forms(base: str) -> frozenset[str]:
    """The forms of this base word that do not follow the rules for endings, such as `mice` for `mouse` or French
    `chevaux` for `cheval`."""
    plural = (f"{base[:-1]}ux",) if base.endswith("al") else ()
    return frozenset((*plural, *(form for known in (IRREGULAR, BASE_OF) for form, of in known.items() if of == base)))


def is_spaceless(word: str) -> bool:
    """Whether the word is in a script without spaces, or in a script that attaches particles to words. A word in such a
    script may occur inside other words."""
    return bool(_SPACELESS.search(word))


def is_english(words: Iterable[str]) -> bool:
    """Whether a sentence of these lower-case words is English. In an English sentence, the endings of other languages
    would match unrelated words."""
    return not _ENGLISH.isdisjoint(words)


@of_texts
@lru_cache(maxsize=16_384)
def roots(word: str, *, english: bool = False) -> frozenset[str]:
    """Return the stems of a lower-case word, one for each language that the word may belong to."""
    if len(word) > _LONGEST:
        return frozenset((word,))
    word = IRREGULAR.get(word, word)
    if english or len(word) < _SHORTEST:
        return frozenset((stem(word),))
    stemmers = _STEMMERS.cyrillic if _IS_CYRILLIC.search(word) else _STEMMERS.latin
    return frozenset((stem(word), *(stemmer.stemWord(word) for stemmer in stemmers)))
