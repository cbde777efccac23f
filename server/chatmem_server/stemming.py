"""A light English stemmer: the same stem for the inflections of a word, other languages left as they are."""

import re
from functools import lru_cache
from typing import Final

_BASE_OF: Final = {
    form: base
    for base, forms in {
        "be": "am is are was were been being 's 're 'm", "have": "has had having 've", "do": "does did done doing",
        "go": "goes went gone going", "get": "gets got gotten", "make": "made", "take": "took taken", "give": "gave given",
        "come": "came", "see": "saw seen", "know": "knew known", "say": "said says", "tell": "told", "think": "thought",
        "find": "found", "leave": "left", "feel": "felt", "bring": "brought", "begin": "began begun", "keep": "kept",
        "hold": "held", "write": "wrote written", "run": "ran running", "meet": "met", "pay": "paid", "buy": "bought",
        "sell": "sold", "teach": "taught", "learn": "learnt", "speak": "spoke spoken", "drive": "drove driven",
        "eat": "ate eaten", "drink": "drank drunk", "sleep": "slept", "swim": "swam swum swimming", "fly": "flew flown flies",
        "grow": "grew grown", "choose": "chose chosen", "break": "broke broken", "lose": "lost", "win": "won winning",
        "send": "sent", "spend": "spent", "build": "built", "wear": "wore worn", "move": "moved", "quit": "quitting",
        "stop": "stopped stopping", "plan": "planned planning", "child": "children", "man": "men", "woman": "women",
        "person": "people", "wife": "wives", "foot": "feet", "tooth": "teeth", "mouse": "mice", "life": "lives'",
        "live": "lives living", "use": "uses used using", "allergy": "allergic allergies", "marry": "married marriage",
        "divorce": "divorced", "bear": "born", "hate": "hates hated hating", "love": "loves loved loving",
        "prefer": "preferred preferring preference preferences", "become": "became", "bus": "buses", "news": "news",
        "this": "this", "his": "his", "its": "its", "always": "always", "yes": "yes", "gas": "gas", "diabetes": "diabetes",
        "asthma": "asthma", "rise": "rose risen", "fall": "fell fallen", "sing": "sang sung singing", "forget": "forgot forgotten forgetting", "read": "reading", "die": "died dying dies", "hear": "heard",
        "vegetarian": "vegetarians", "cycle": "cycling", "bike": "biking bikes", "hike": "hiking", "schedule": "scheduled scheduling",
    }.items()
    for form in forms.split()
}  # fmt: skip
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgklmnprt])\1$")


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of one lower-case word; words with other than ASCII letters, and short words, come back unchanged."""
    word = _BASE_OF.get(word, word)
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
        return _without_ending(word[:-1])
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3 and _VOWEL.search(base):
            return _without_final_e(base if base.endswith("ll") else _DOUBLED.sub(r"\1", base))
    return _without_final_e(word)


def _without_final_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
