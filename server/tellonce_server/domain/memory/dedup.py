"""Decides whether two statements say the same thing, as far as this is possible in any language. Pure.

Two statements are the same if they have the same words in the same order. The end of one may be moved to its front, as
in "In 2020 I bought a house". Any other difference can change the meaning: a number, a name, a negation, or exchanged
roles (`Anna owes Ben`). Such statements both stay until a model or the user says that they are the same.
"""

import hashlib
from datetime import datetime
from typing import Final

from tellonce_server.domain.memory import literals

SAME_COSINE: Final = 0.9
"""Minimum cosine of a rejected statement and its repetition. Their numbers and names must also be the same."""

SAME_SOURCE_COSINE: Final = 0.6
"""The minimum cosine if both statements were learned from the same message."""

RESTATED_SHARE: Final = 0.4
"""Two statements of one message are the same if they have at least this share of their content in common."""

_KEY_BYTES: Final = 8


def same(one: str, other: str) -> bool:
    """Whether both texts have the same words in the same order, or the end of one is moved to its front."""
    a, b = literals.words(one), literals.words(other)
    if len(a) != len(b) or not a:
        return not a and not b and one.strip() == other.strip()
    return f" {' '.join(b)} " in f" {' '.join(a + a)} "


def _has_names_of(text: str, other: str) -> bool:
    words = frozenset(literals.words(text))
    return all(words.issuperset(literals.words(name)) for name in literals.names(other))


def key(text: str) -> int:
    """A signed 64-bit hash, the same for statements with the same words."""
    words = sorted(literals.words(text)) or [text.strip()]
    digest = hashlib.blake2b("\n".join(words).encode(), digest_size=_KEY_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)


def is_denied(text: str, denied: str, cosine: float | None, *, same_source: bool, certain: bool) -> bool:
    """Whether `text` repeats the rejected statement `denied`, possibly in other words.

    A lower similarity is enough if both come from one message, because the user then said nothing new. A certain
    statement from another message can be a correction. It is a repetition only if one of the two has all content words
    of the other.
    """
    if same(text, denied):
        return True
    if cosine is None or cosine < (SAME_SOURCE_COSINE if same_source else SAME_COSINE):
        return False
    if literals.said_numbers(text) != literals.said_numbers(denied):
        return False
    if not (_has_names_of(denied, text) and _has_names_of(text, denied)):
        return False
    a, b = literals.content(text).keys(), literals.content(denied).keys()
    return same_source or not certain or a <= b or b <= a


def is_later(said_at: datetime, rejected_at: datetime | None) -> bool:
    """Whether the user said the words after rejecting a statement."""
    return rejected_at is not None and said_at > rejected_at


def is_restated(one: str, other: str) -> bool:
    """Whether two statements from one message are the same, one of them possibly with fewer details: `Moved to Leipzig`
    and `Moved to Leipzig in 2019 with Anna`."""
    if same(one, other):
        return True
    a, b = literals.content(one), literals.content(other)
    shared, whole = sum(w for part, w in a.items() if part in b), sum(a.values()) + sum(b.values())
    x, y = literals.said_numbers(one), literals.said_numbers(other)
    agree = (x <= y or y <= x) and (_has_names_of(other, one) or _has_names_of(one, other))
    return agree and bool(whole) and 2 * shared >= RESTATED_SHARE * whole
