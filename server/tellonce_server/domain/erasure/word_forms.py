"""Whether two words are forms of one word, in the languages whose endings are known; pure."""

import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import snowballstemmer

from tellonce_text.caches import of_texts
from tellonce_text.irregular import BASE
from tellonce_text.stemming import BASE_OF, stem


class _Stemmers(threading.local):
    """Of each thread its own: a stemmer keeps the word it works on, and erasures work in several threads at once."""

    def __init__(self) -> None:
        self.latin = tuple(snowballstemmer.stemmer(name) for name in ("german", "spanish", "french"))
        self.cyrillic = (snowballstemmer.stemmer("russian"),)


_STEMMERS: Final = _Stemmers()
_LONGEST: Final = 100
"""Letters; nothing longer is a word, and a stemmer takes milliseconds over each thousand."""
_SHORTEST: Final = 4
"""Letters a word must have for another language's ending to be looked for in it."""
_IS_CYRILLIC: Final = re.compile(r"[а-яё]")
_SPACELESS: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENGLISH: Final = frozenset(("the", "my", "i", "and", "of", "to", "with", "have", "has", "are", "it", "this", "that"))


def irregular_forms(base: str) -> frozenset[str]:
    """Words whose base this is, though no rule of endings says so: `mice` of `mouse`, and French `chevaux` of `cheval`."""
    plural = (f"{base[:-1]}ux",) if base.endswith("al") else ()
    return frozenset((*plural, *(form for known in (BASE, BASE_OF) for form, of in known.items() if of == base)))


def is_spaceless(word: str) -> bool:
    """Whether it is of a script written without spaces, or whose words carry their particles: found inside others."""
    return bool(_SPACELESS.search(word))


def is_english(words: Iterable[str]) -> bool:
    """Whether a sentence of these lower-case words is: there the endings of other languages would join strangers."""
    return not _ENGLISH.isdisjoint(words)


@of_texts
@lru_cache(maxsize=16_384)
def roots(word: str, *, english: bool = False) -> frozenset[str]:
    """What is left of a lower-case word without its ending, one root for each language it may be of."""
    if len(word) > _LONGEST:
        return frozenset((word,))
    word = BASE.get(word, word)
    if english or len(word) < _SHORTEST:
        return frozenset((stem(word),))
    stemmers = _STEMMERS.cyrillic if _IS_CYRILLIC.search(word) else _STEMMERS.latin
    return frozenset((stem(word), *(stemmer.stemWord(word) for stemmer in stemmers)))
