"""Decides whether two statements say the same thing, as far as this is possible in any language. Pure.

Two statements say the same thing if they have the same words in the same order. The end of one statement may also be
moved to its front: "In 2020 I bought a house" and "I bought a house in 2020". Any other difference may be a number, a
name, a negation or a role. In such a case, both statements are kept until a model or the user says that they are the
same. `key` is a hash for finding statements with the same words.
"""

import hashlib
from typing import Final

from tellonce_server.domain.memory import literals

SAME_COSINE: Final = 0.9
"""A statement repeats a rejected statement in other words if the cosine of the two is at least this value and both have
the same numbers and names."""

SAME_SOURCE_COSINE: Final = 0.6
"""The minimum cosine, instead of SAME_COSINE, for two statements learned from one message."""

RETOLD_SHARE: Final = 0.4
"""Two statements learned from one message count as the same if the content that both share is at least this share of
their content."""

_KEY_BYTES: Final = 8


def same(one: str, other: str) -> bool:
    """Whether both texts have the same words in the same order, or one text has the end of the other text moved to its
    front."""
    a, b = literals.words(one), literals.words(other)
    if len(a) != len(b) or not a:
        return not a and not b and one.strip() == other.strip()
    return _line(b) in _line(a + a)


def _line(words: list[str]) -> str:
    return f" {' '.join(words)} "


def key(text: str) -> int:
    """A signed 64-bit hash, the same for statements with the same words."""
    words = sorted(literals.words(text)) or [text.strip()]
    digest = hashlib.blake2b("\n".join(words).encode(), digest_size=_KEY_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)


def is_denied(text: str, denied: str, cosine: float | None, *, same_source: bool, certain: bool) -> bool:
    """Whether `text` repeats the statement `denied`, which the user rejected, in any words.

    If both come from the same message, a lower similarity is enough, because the user said nothing new. A certain
    statement from another message is a repetition only if one of the two statements contains all content words of the
    other; otherwise the statement may be a correction.
    """
    if same(text, denied):
        return True
    if cosine is None or cosine < (SAME_SOURCE_COSINE if same_source else SAME_COSINE):
        return False
    if literals.said_numbers(text) != literals.said_numbers(denied) or not _names_agree(text, denied):
        return False
    a, b = literals.content(text).keys(), literals.content(denied).keys()
    return same_source or not certain or a <= b or b <= a


def is_retold(one: str, other: str) -> bool:
    """Whether two statements learned from one message are the same, even if one of them says less."""
    if same(one, other):
        return True
    a, b = literals.content(one), literals.content(other)
    shared, whole = sum(w for part, w in a.items() if part in b), sum(a.values()) + sum(b.values())
    x, y = literals.said_numbers(one), literals.said_numbers(other)
    agree = (x <= y or y <= x) and (_named_in(one, other) or _named_in(other, one))
    return agree and bool(whole) and 2 * shared >= RETOLD_SHARE * whole


def _names_agree(one: str, other: str) -> bool:
    """Whether each of the two texts contains all names of the other text."""
    return _named_in(one, other) and _named_in(other, one)


def _named_in(one: str, other: str) -> bool:
    """Whether every name in `one` occurs in `other`."""
    words = frozenset(literals.words(other))
    return all(words.issuperset(literals.words(name)) for name in literals.names(one))
