"""Why two statements that sound alike are not the same statement: the guard every merge has to pass.

`disagreement` names the first difference in what the two commit themselves to; None means that merging loses nothing.
Similarity is not looked at here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from chatmem_server.caches import of_texts
from chatmem_server.memories.claims import Claims, claims, plain, tokens_of, undated_text
from chatmem_server.text.lexicon import UNITS
from chatmem_server.text.stemming import stem
from chatmem_server.text.synonyms import (
    CONTRAST,
    DENYING,
    DIRECTED,
    FILLER,
    LIGHT,
    PERSONS,
    PRONOUNS,
    RIVALS,
    UNSURE,
    WEIGHTY,
    canonical,
    same_phrases,
)
from chatmem_server.text.word_lists import words_of

SELF: Final = "self"
# "They" is the user in statements put into the third person: "Works with their brother".
_SELF_WORDS: Final = words_of(
    """
    i me my mine myself i'm i've i'd i'll we us our ours user user's they them their theirs themselves they're they've
    """
)
_PAST_STATE = re.compile(
    r"\b(?:was|were)\b(?! (?!based|located|employed|married|retired|interested|scared)(?:\w+ed|born|given|told|built|made|paid|sold|sent)\b)|(?<!have )(?<!has )(?<!'ve )(?<!had )\b(?:had|lived|worked|studied|owned|resided|liked|loved|used to"
    r"|played|drove|spoke|wanted|sold|died|passed away)\b",
    re.IGNORECASE,
)
_OWNERS = re.compile(r"\b(\w+)'s (\w+)")
_UNIT_OF: Final = {stem(alias): unit for alias, unit in UNITS.items()}
_SAME_BEGINNING: Final = 4
"""Letters that two forms of a word share: diabetes, diabetic."""
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
    words: tuple[str, ...]
    owners: frozenset[tuple[str, str]]  # (brother, wife) for my brother's wife
    han: frozenset[str]
    figures: frozenset[str]  # amounts with their units, and years, which read as a number or as a date
    days: frozenset[str]  # keys of all other dates and times


@of_texts
@lru_cache(maxsize=1_024)
def read(text: str) -> Reading:
    """Read one statement for comparison."""
    text = same_phrases(text)
    found = claims(text)
    words, flat = tokens_of(text), plain(text)
    undated = tokens_of(undated_text(text))
    units = {quantity.partition(" ")[2] for quantity in found.quantities}
    return Reading(
        claims=found,
        content=tuple(
            c
            for s in found.stems
            if (c := canonical(s)) not in FILLER | PERSONS.keys() | DENYING and _UNIT_OF.get(s, "no unit") not in units
        ),
        persons=frozenset(p for word in words if (p := _person(word)) and p != SELF),
        weighty=frozenset(WEIGHTY[word] for word in words if word in WEIGHTY),
        unsure=any(word in UNSURE for word in undated),
        past=bool(_PAST_STATE.search(flat)),
        bound=frozenset((*_bound(undated), *_bound_dates(flat, found))),
        owned=frozenset(_owned(words, found.entities)),
        after=frozenset(_after(words, found)),
        words=words,
        owners=frozenset((a, b) for x, y in _OWNERS.findall(flat.lower()) if (a := _person(x)) and (b := _person(y))),
        figures=_figures(found),
        days=frozenset(mention.key() for mention in found.mentions if mention.form != "year"),
        han=frozenset(c for c in text if _HAN.match(c) and c not in _HAN_PARTICLES),
    )


def disagreement(one: str, other: str) -> str | None:
    """The first thing the two texts differ in, or None."""
    a, b = read(one), read(other)
    return next((name for name, differs in _GUARDS if differs(a, b)), None)


def at_odds(one: str, other: str) -> bool:
    """Whether the two cannot be told of the same: one denies it, or each has what the other lacks. Either may tell less."""
    a, b = read(one), read(other)
    pairs = ((a.figures, b.figures), (a.days, b.days), (a.persons, b.persons), (a.han, b.han))
    names = a.claims.entities - b.claims.words and b.claims.entities - a.claims.words
    return bool(names) or any(x - y and y - x for x, y in pairs) or _negation(a, b) or _opposed(a, b)


def _numbers(a: Reading, b: Reading) -> bool:
    return a.figures != b.figures


def _figures(found: Claims) -> frozenset[str]:
    """Amounts and years; "one" says no more than "a" does."""
    years = {str(mention.year) for mention in found.mentions if mention.form == "year"}
    return frozenset({*map(_ageless, found.quantities), *years} - {"1"})


def _ageless(quantity: str) -> str:
    """An age without its unit, which people leave out: "my son is six"."""
    return quantity.removesuffix(" yr")


def _dates(a: Reading, b: Reading) -> bool:
    return a.days != b.days


def _negation(a: Reading, b: Reading) -> bool:
    return a.claims.negations != b.claims.negations


def _entities(a: Reading, b: Reading) -> bool:
    return not (a.claims.entities <= b.claims.words and b.claims.entities <= a.claims.words)


def _persons(a: Reading, b: Reading) -> bool:
    return a.persons != b.persons


def _certainty(a: Reading, b: Reading) -> bool:
    return a.unsure != b.unsure or a.past != b.past


def _qualifiers(a: Reading, b: Reading) -> bool:
    mine, theirs = set(a.words), set(b.words)
    return a.weighty != b.weighty or any(
        mine & rivals and theirs & rivals and not mine & theirs & rivals for rivals in RIVALS
    )


def _script(a: Reading, b: Reading) -> bool:
    """Chinese and Japanese show no names and no word ends: every character that carries meaning has to be there."""
    return a.han != b.han


def _opposed(a: Reading, b: Reading) -> bool:
    """One says a word of which the other says another of the same class: blue and green, dog and cat."""
    mine, theirs = set(a.content) - set(b.content), set(b.content) - set(a.content)
    return any(CONTRAST.get(x, _NONE) & CONTRAST.get(y, _NONE) or _undone(x, y) for x in mine for y in theirs)


def _undone(x: str, y: str) -> bool:
    """One is the other with a denying prefix or ending: valid and invalid, useful and useless."""
    shorter, longer = sorted((x, y), key=len)
    if any(longer.startswith(prefix) and stem(longer[len(prefix) :]) == shorter for prefix in _UNDOING):
        return True
    return (x.removesuffix("less") != x and y.startswith(x[:-4])) or (
        y.removesuffix("less") != y and x.startswith(y[:-4])
    )


_UNDOING: Final = frozenset({"un", "in", "im", "ir", "il", "dis", "non", "non-", "mis", "anti", "anti-", "de", "ab"})


def _added(a: Reading, b: Reading) -> bool:
    """One says all that the other says and a good deal more; where that is one word, a second tells which: decaf coffee."""
    less, more = sorted((set(a.content) - _SLIGHT, set(b.content) - _SLIGHT), key=len)
    return bool(less) and less < more and (len(less) == 1 or len(more - less) >= 3)


# Words that carry only the yes or no of a statement, which the negation count already holds.
POLARITY: Final = frozenset(canonical(stem(word)) for word in ("like", "longer", "anymore", "stand"))
_SLIGHT: Final = POLARITY | LIGHT


def _another_end(a: Reading, b: Reading) -> bool:
    """Each ends with a word that the other lacks, most often what all is about: allergic to cats, allergic to rats."""
    x, y = _last(a), _last(b)
    differ = bool(x and y) and x not in b.content and y not in a.content
    return differ and x[:_SAME_BEGINNING] != y[:_SAME_BEGINNING]


def _last(reading: Reading) -> str:
    """The last word, if it carries meaning."""
    last = canonical(stem(reading.words[-1])) if reading.words else ""
    return last if last in reading.content else ""


def _turned(a: Reading, b: Reading) -> bool:
    """From A to B against from B to A; tea over coffee against coffee over tea."""
    for preposition in DIRECTED:
        mine = {word for p, word in a.bound if p == preposition}
        theirs = {word for p, word in b.bound if p == preposition}
        if mine and theirs and not mine & theirs and mine <= _said(b) and theirs <= _said(a):
            return True
    return False


def runs_the_other_way(a: Reading, b: Reading) -> bool:
    """To a place against from it: the flight out and the flight back."""
    return any(
        (there, place) in one and (back, place) in other and (back, place) not in one
        for one, other in ((a.bound, b.bound), (b.bound, a.bound))
        for there, back in (("to", "from"), ("from", "to"))
        for word, place in one
        if word == there
    )


def _swapped(a: Reading, b: Reading) -> bool:
    """Two things said of two others, the other way round: Tom is 5 and Mia 7, Tom is 7 and Mia 5."""
    if a.owners and b.owners and a.owners != b.owners:
        return True
    return _exchanged(a.owned, b.owned) or _exchanged(a.after, b.after) or _reordered(a, b) or _mirrored(a, b)


def _exchanged(mine: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> bool:
    mine, theirs = mine - theirs, theirs - mine
    return any(
        owner != other and value != second and {(owner, second), (other, value)} <= theirs
        for owner, value in mine
        for other, second in mine
    )


def _reordered(a: Reading, b: Reading) -> bool:
    """The same names and the speaker, subject and object exchanged: Nina taught Paul, Sara lent me."""
    names = a.claims.entities | b.claims.entities
    mine, theirs = _actors(a.words, names), _actors(b.words, names)
    return len(mine) > 1 and mine != theirs and sorted(mine) == sorted(theirs)


def _mirrored(a: Reading, b: Reading) -> bool:
    """The same words with three neighbours in reverse order: dog fears cat, cat fears dog; passives and lists aside."""
    if len(set(a.content)) < 3 or sorted(a.content) != sorted(set(b.content)) or _REORDERING & {*a.words, *b.words}:
        return False
    place = {word: index for index, word in enumerate(b.content)}
    runs = zip(a.content, a.content[1:], a.content[2:], strict=False)
    return any(place[x] > place[y] > place[z] for x, y, z in runs)


_REORDERING: Final = frozenset({"by", "and", "or"})


def _said(reading: Reading) -> set[str]:
    return {canonical(s) for s in reading.claims.stems} | reading.claims.dates


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
    ("there and back", runs_the_other_way),
    ("who has what", _swapped),
    ("added detail", _added),
    ("what it is about", _another_end),
)


def _person(word: str) -> str | None:
    if word in _SELF_WORDS:
        return SELF
    if word in PRONOUNS:
        return PRONOUNS[word]
    return PERSONS.get(canonical(stem(word.removesuffix("'s"))))


def _bound(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each directing preposition with the content word after it."""
    found: list[tuple[str, str]] = []
    for index, word in enumerate(words):
        following = (w for w in words[index + 1 : index + 4] if w not in _ARTICLES)
        if word in DIRECTED and (target := next(following, None)) and target not in DIRECTED:
            found.append((word, canonical(stem(target))))
    return found


def _bound_dates(flat: str, found: Claims) -> list[tuple[str, str]]:
    """Each directing preposition with the date or time after it: from 9:00 to 9:30."""
    before = ((flat[: mention.start].lower().split() or [""])[-1] for mention in found.mentions)
    return [(word, mention.key()) for word, mention in zip(before, found.mentions, strict=True) if word in DIRECTED]


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
    pairs = zip(("", *words), words, strict=False)
    found = (SELF if word in _SPEAKER else word for before, word in pairs if before not in _PREPOSITIONS)
    return tuple(word for word in found if word in names or word == SELF)


_SPEAKER: Final = frozenset("i me i'm i've i'd i'll".split())
_ARTICLES: Final = frozenset({"a", "an", "the", "my", "our", "his", "her", "their"})
_SUBJECTS: Final = frozenset({"i", "i'm", "i've", "i'd", "i'll", "we"})
_LINKS: Final = frozenset(
    {"and", "the", "for", "with", "from", "are", "was", "were", "has", "have", "had", "costs", "number"}
)
_SYMMETRIC: Final = frozenset({"and", "or", "is", "are", "was", "called", "named", "with", "married"})
_PREPOSITIONS: Final = frozenset(
    {"in", "at", "on", "from", "to", "with", "for", "of", "by", "near", "called", "named", "and"}
)
