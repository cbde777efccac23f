"""Why two statements that sound alike are not the same statement: the guard every merge has to pass.

`disagreement` names the first difference in what the two commit themselves to; None means that merging loses nothing.
Similarity is not looked at here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from chatmem_server.claims import Claims, claims, plain, tokens_of
from chatmem_server.stemming import stem
from chatmem_server.synonyms import CONTRAST, DIRECTED, FILLER, PERSONS, PRONOUNS, UNSURE, WEIGHTY, canonical

SELF: Final = "self"
_SELF_WORDS: Final = frozenset(
    ["i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll", "we", "us", "our", "ours", "user", "user's"]
)
_PAST_STATE = re.compile(
    r"\b(?:was|were|had|lived|worked|studied|owned|resided|liked|loved|used to|played|drove|spoke|wanted)\b", re.I
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_PARTICLES: Final = frozenset("的了是在我很也都吗呢吧啊着过就和与跟他她你们用户有个位名这那一于把被给对从到")


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as the guards see it."""

    claims: Claims
    content: tuple[str, ...]  # canonical content stems in order, without filler and persons
    persons: frozenset[str]
    weighty: frozenset[str]
    unsure: bool
    past: bool
    bound: frozenset[tuple[str, str]]  # (from, singapore), (than, coffee)
    owned: frozenset[tuple[str, str]]  # (whose, content): what is said of whom
    after: frozenset[tuple[str, str]]  # (content before it, number, date or name)
    actors: tuple[str, ...]  # names outside prepositional phrases, in order
    han: frozenset[str]


@lru_cache(maxsize=4_096)
def read(text: str) -> Reading:
    """Read one statement for comparison."""
    found = claims(text)
    words = tokens_of(text)
    return Reading(
        claims=found,
        content=tuple(c for s in found.stems if (c := canonical(s)) not in FILLER and c not in PERSONS),
        persons=frozenset(p for word in words if (p := _person(word)) and p != SELF),
        weighty=frozenset(WEIGHTY[word] for word in words if word in WEIGHTY),
        unsure=any(word in UNSURE for word in words),
        past=bool(_PAST_STATE.search(plain(text))),
        bound=frozenset(_bound(words)),
        owned=frozenset(_owned(words, found.entities)),
        after=frozenset(_after(words, found)),
        actors=_actors(words, found.entities),
        han=frozenset(c for c in text if _HAN.match(c) and c not in _HAN_PARTICLES),
    )


def disagreement(one: str, other: str) -> str | None:
    """The first thing the two texts differ in, or None."""
    a, b = read(one), read(other)
    return next((name for name, differs in _GUARDS if differs(a, b)), None)


def _numbers(a: Reading, b: Reading) -> bool:
    return a.claims.quantities != b.claims.quantities


def _dates(a: Reading, b: Reading) -> bool:
    return a.claims.dates != b.claims.dates


def _negation(a: Reading, b: Reading) -> bool:
    return a.claims.negations != b.claims.negations


def _entities(a: Reading, b: Reading) -> bool:
    return not (a.claims.entities <= b.claims.words and b.claims.entities <= a.claims.words)


def _persons(a: Reading, b: Reading) -> bool:
    return a.persons != b.persons


def _certainty(a: Reading, b: Reading) -> bool:
    return a.unsure != b.unsure or a.past != b.past


def _qualifiers(a: Reading, b: Reading) -> bool:
    return a.weighty != b.weighty


def _script(a: Reading, b: Reading) -> bool:
    """Chinese and Japanese show no names and no word ends: every character that carries meaning has to be there."""
    return a.han != b.han


def _opposed(a: Reading, b: Reading) -> bool:
    """One says a word of which the other says another of the same class: blue and green, dog and cat."""
    mine, theirs = set(a.content) - set(b.content), set(b.content) - set(a.content)
    return any(CONTRAST.get(x, _NONE) & CONTRAST.get(y, _NONE) for x in mine for y in theirs)


def _added(a: Reading, b: Reading) -> bool:
    """One says all that the other says and a good deal more."""
    mine, theirs = set(a.content) - set(b.content), set(b.content) - set(a.content)
    return (not mine and len(theirs) >= 3) or (not theirs and len(mine) >= 3)


def _turned(a: Reading, b: Reading) -> bool:
    """From A to B against from B to A; tea over coffee against coffee over tea."""
    for preposition in DIRECTED:
        mine = {word for p, word in a.bound if p == preposition}
        theirs = {word for p, word in b.bound if p == preposition}
        if mine and theirs and not mine & theirs and mine <= _said(b) and theirs <= _said(a):
            return True
    return False


def _swapped(a: Reading, b: Reading) -> bool:
    """Two things said of two others, the other way round: Tom is 5 and Mia 7, Tom is 7 and Mia 5."""
    return _exchanged(a.owned, b.owned) or _exchanged(a.after, b.after) or _reordered(a, b)


def _exchanged(mine: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> bool:
    for owner, value in mine:
        for other, second in mine:
            if owner != other and value != second and (owner, value) not in theirs and (other, second) not in theirs:
                if (owner, second) in theirs and (other, value) in theirs:
                    return True
    return False


def _reordered(a: Reading, b: Reading) -> bool:
    return len(a.actors) > 1 and a.actors != b.actors and sorted(a.actors) == sorted(b.actors)


def _said(reading: Reading) -> set[str]:
    return {canonical(s) for s in reading.claims.stems}


_NONE: Final[frozenset[int]] = frozenset()
_GUARDS: Final[tuple[tuple[str, Callable[[Reading, Reading], bool]], ...]] = (
    ("numbers", _numbers),
    ("dates", _dates),
    ("negation", _negation),
    ("names", _entities),
    ("persons", _persons),
    ("certainty", _certainty),
    ("qualifiers", _qualifiers),
    ("characters", _script),
    ("opposed words", _opposed),
    ("direction", _turned),
    ("who has what", _swapped),
    ("added detail", _added),
)


def _person(word: str) -> str | None:
    if word in _SELF_WORDS:
        return SELF
    if word in PRONOUNS:
        return PRONOUNS[word]
    root = canonical(stem(word.removesuffix("'s")))
    return root if root in PERSONS else None


def _bound(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each directing preposition with the content word after it."""
    found: list[tuple[str, str]] = []
    for index, word in enumerate(words):
        following = (w for w in words[index + 1 : index + 4] if w not in _ARTICLES)
        if word in DIRECTED and (target := next(following, None)):
            found.append((word, canonical(stem(target))))
    return found


def _owned(words: tuple[str, ...], names: frozenset[str]) -> list[tuple[str, str]]:
    """Each content word with the last person or name before it."""
    owner, found = SELF, list[tuple[str, str]]()
    for word in words:
        person = _person(word) or (word if word in names else None)
        if person and (word in names or person != SELF or word in _SUBJECTS):
            found.append((owner, person))
            owner = person
        else:
            found.append((owner, canonical(stem(word))))
    return found


def _after(words: tuple[str, ...], found: Claims) -> list[tuple[str, str]]:
    """Each number and name with the content word before it."""
    anchor, pairs = "", list[tuple[str, str]]()
    for word in words:
        if word[0].isdigit() or word in found.entities:
            pairs.append((anchor, word))
        if not word[0].isdigit() and len(word) > 2 and word not in _LINKS:
            anchor = canonical(stem(word))
    return pairs


def _actors(words: tuple[str, ...], names: frozenset[str]) -> tuple[str, ...]:
    """Names that are subject or object; names joined by "and", or equated by "is", have no order."""
    if any(word in _SYMMETRIC for word in words):
        return ()
    before = ("", *words)
    return tuple(
        word for previous, word in zip(before, words, strict=False) if word in names and previous not in _PREPOSITIONS
    )


_ARTICLES: Final = frozenset(["a", "an", "the", "my", "our", "his", "her", "their"])
_SUBJECTS: Final = frozenset(["i", "i'm", "i've", "i'd", "i'll", "we"])
_LINKS: Final = frozenset(
    ["and", "the", "for", "with", "from", "are", "was", "were", "has", "have", "had", "costs", "number"]
)
_SYMMETRIC: Final = frozenset(["and", "or", "is", "are", "was", "called", "named", "with", "married"])
_PREPOSITIONS: Final = frozenset(
    ["in", "at", "on", "from", "to", "with", "for", "of", "by", "near", "called", "named", "and"]
)
