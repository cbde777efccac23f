"""Whether a new statement is already known, replaces something known, or is new: decided from texts and cosines alone.

A high cosine proposes, the guards dispose: embeddings put "20 mg" beside "40 mg" and "I like" beside "I dislike", so no
pair is merged whose numbers, dates, negation, names, or persons differ.  Without embeddings the words themselves are
compared.  Knows no store: who calls supplies the candidates and acts on the decision.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal

from chatmem_server.caches import of_texts
from chatmem_server.dates.dating import with_dates
from chatmem_server.memories.attributes import Attribute, attributes
from chatmem_server.memories.claims import content_stems, plain, tokens_of
from chatmem_server.memories.dedup_guards import POLARITY, Reading, at_odds, disagreement, read, runs_the_other_way
from chatmem_server.text.synonyms import LIGHT, canonical, same_phrases

SAME_COSINE: Final = 0.9  # SPEC: a duplicate has a cosine above this
_SAME_WORDS: Final = 0.9  # Dice overlap of content words that makes a duplicate without, or below, the cosine
_NEAR_COSINE: Final = 0.75  # below SAME_COSINE, yet enough to trust that equal words are used alike
_SAME_TOPIC: Final = 0.8  # the same for two statements of which one denies what the other says
_RETOLD: Final = 0.6  # the same for two readings of one message, by two models
_LONGEST: Final = 1_000  # characters; a longer text is no single statement and is compared as a whole

Verdict = Literal["duplicate", "supersedes", "new"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory's text, and when it was said, in the zone of who said it; `id` is None for one not stored yet."""

    text: str
    id: int | None = None
    kind: str = "fact"
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`memory_ids` are the one statement this duplicates or all that it supersedes, the most alike first; else empty."""

    verdict: Verdict
    memory_ids: tuple[int | None, ...] = ()
    reason: str = ""

    @property
    def memory_id(self) -> int | None:
        """The most alike of them."""
        return self.memory_ids[0] if self.memory_ids else None


def decide(new: Statement, existing: Sequence[tuple[Statement, float | None]]) -> Decision:
    """What to do with `new` beside the active statements, each with its cosine to it (None where none is known)."""
    known = sorted(existing, key=lambda pair: -(pair[1] or 0.0))
    texts = [_comparable(new, old) for old, _ in known]
    outdated = [(old.id, why) for (old, _), pair in zip(known, texts, strict=True) if (why := contradiction(*pair))]
    if outdated:
        return Decision("supersedes", tuple(number for number, _ in outdated), outdated[0][1])
    for (old, cosine), pair in zip(known, texts, strict=True):
        if is_duplicate(*pair, cosine):
            return Decision("duplicate", (old.id,), "the same claims")
    return Decision("new")


def _comparable(new: Statement, old: Statement) -> tuple[str, str]:
    """Both texts with their dates as calendar dates, when it is known of both when they were said."""
    at = (new.at, old.at) if new.at and old.at else (None, None)
    return with_dates(new.text, at[0]), with_dates(old.text, at[1])


def is_duplicate(one: str, other: str, cosine: float | None) -> bool:
    """Whether the two say the same: alike by cosine or by their words, and differing in no claim."""
    if _bare(one) == _bare(other):
        return True
    if max(len(one), len(other)) > _LONGEST:
        return False
    near = cosine is not None and cosine > SAME_COSINE
    alike = near or (_may_be_alike(one, other) and _same_words(one, other, cosine))
    return alike and disagreement(one, other) is None and not _other_attribute(one, other)


def is_retold(one: str, other: str) -> bool:
    """Whether two readings of one message may be of the same statement, one of them perhaps telling less of it."""
    if max(len(one), len(other)) > _LONGEST:
        return _bare(one) == _bare(other)
    return lexical_similarity(one, other) >= _RETOLD and not at_odds(one, other)


def contradiction(new: str, old: str) -> str | None:
    """Why `new` being true makes `old` outdated, or None."""
    if max(len(new), len(old)) > _LONGEST:
        return None
    given = attributes(new)
    attribute = _changed_attribute(given, attributes(old)) if given else None
    if attribute and not runs_the_other_way(read(new), read(old)):
        return f"new {attribute.name} of {attribute.subject}"
    return "said and denied" if _may_be_alike(new, old) and _denies(read(new), read(old)) else None


def lexical_similarity(one: str, other: str) -> float:
    """Dice overlap (0–1) of the content words of two texts, inflections and common synonyms counted as the same."""
    a, b = _bag(read(one)), _bag(read(other))
    if not a or not b:
        return float(_bare(one) == _bare(other))
    return 2 * len(a & b) / (len(a) + len(b))


def _may_be_alike(one: str, other: str) -> bool:
    """A quick look before both are read: whether they share a word that carries meaning, or one of them has none."""
    a, b = telling(one), telling(other)
    return not a or not b or not a.isdisjoint(b)


@of_texts
@lru_cache(maxsize=2_048)
def telling(text: str) -> frozenset[str]:
    """The words that carry meaning, inflections and common synonyms as the same."""
    return frozenset(map(canonical, content_stems(plain(same_phrases(text)))))


def _same_words(one: str, other: str, cosine: float | None) -> bool:
    """The same content words, or all but one of many; a verb that says little may differ where the cosine is near."""
    a, b = _bag(read(one)), _bag(read(other))
    if cosine is not None and cosine > _NEAR_COSINE and a - LIGHT == b - LIGHT:
        return True
    return (a <= b or b <= a) and lexical_similarity(one, other) >= _SAME_WORDS


def _other_attribute(one: str, other: str) -> bool:
    """Both give an attribute of the same sort, but not the same one: favourite colour, favourite food."""
    mine = {(a.subject, a.name) for a in attributes(one) if a.name.startswith(_LABELLED)}
    theirs = {(a.subject, a.name) for a in attributes(other) if a.name.startswith(_LABELLED)}
    return bool(mine and theirs) and not mine & theirs


_LABELLED: Final = ("residence", "origin", "favourite:", "has:", "dose:", "phone:", "email:")


def _changed_attribute(new: Iterable[Attribute], old: Sequence[Attribute]) -> Attribute | None:
    """The first attribute whose value changed, unless another value of the same attribute still agrees."""
    return next((mine for mine in new for theirs in old if mine.contradicts(theirs)), None)


def _denies(new: Reading, old: Reading) -> bool:
    """One says what the other denies: the same words about the same persons, an odd number of negations apart."""
    if (new.claims.negations - old.claims.negations) % 2 == 0 or new.unsure != old.unsure:
        return False
    if new.persons != old.persons or new.figures != old.figures or _occasions(new) != _occasions(old):
        return False
    a, b = set(new.content) - POLARITY, set(old.content) - POLARITY
    return bool(a and b) and 2 * len(a & b) / (len(a) + len(b)) >= _SAME_TOPIC


def _occasions(reading: Reading) -> frozenset[str]:
    """`in the evening`, `on Monday`: what is denied of one occasion only."""
    return frozenset(m.key() for m in reading.claims.mentions if m.form in {"part", "weekday", "clock", "season"})


def _bag(reading: Reading) -> frozenset[str]:
    content = frozenset(reading.content) - POLARITY
    return content | reading.persons | reading.figures | reading.days | reading.han


def _bare(text: str) -> tuple[str, ...]:
    """The words alone, in order: equal for texts that differ only in case, spacing and punctuation."""
    return tokens_of(text) or (text.strip(),)
