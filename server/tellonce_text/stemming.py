"""A simple English stemmer: the inflected forms of a word get the same stem."""

import re
from functools import lru_cache
from typing import Final

from tellonce_text.caches import of_texts
from tellonce_text.lexicon import STEMMED

BASE_OF: Final = STEMMED | {
    form: base
    for base, forms in {
        "be": "am is are was were", "have": "has had", "do": "does", "go": "goes", "bear": "born", "rise": "rose", "die": "died dying",
        "allergy": "allergic", "marry": "marriage", "prefer": "preference", "bus": "buses", "cycle": "cycling",
        "create": "created creating", "schedule": "scheduled scheduling",
        "news": "news", "always": "always", "diabetes": "diabetes",
    }.items()
    for form in forms.split()
}  # fmt: skip
"""The base form of each word that the rules for endings would stem wrongly. Tombstones contain hashes of stems, so a
change here would end the recognition of forgotten statements."""
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"(?<=..)([bdfgklmnprt])\1$")
# Matches the part of a verb before -ing or -ed, if the verb lost its final e. A part of one syllable has one vowel, as
# in mov-ing and us-ing. (A verb without a final e would double the consonant.) A longer part ends in letters such as
# -is, -at or -id, as in organis-ing, creat-ing and decid-ing.
_LOST_E = re.compile(
    r"^[^aeiou]*[aeiouy][^aeiouwxy]$|[vcz]$|(?<![aeiou])(?:at|ar|ur|id|ud|ut|in|ag|is|us|as|ir)$|(?<=[aeiou]{2})[sv]$"
)


@of_texts
@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of a lower-case word. Words with non-ASCII letters and words with fewer than four letters stay
    unchanged."""
    if word in BASE_OF:
        return BASE_OF[word]
    if "-" in word:
        return "-".join(map(stem, word.split("-")))
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    return _without_ending(word)


def _without_ending(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return stem(word[:-1])
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and not word.endswith("eed") and len(base) >= 2 and _VOWEL.search(base):
            return _without_suffix(base)
    return word


def _without_suffix(base: str) -> str:
    """The base form of a verb, from the part before -ing or -ed: `mov` becomes `move`, `runn` becomes `run`."""
    if base.endswith("i"):
        return base[:-1] + "y"
    single = base if base.endswith("ll") else _DOUBLED.sub(r"\1", base)
    if single != base:
        return single
    return base + "e" if _LOST_E.search(base) else base
