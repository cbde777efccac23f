"""Compares the content words of two texts, in any of their common forms. Pure."""

import re

from tellonce_text.folding import fold
from tellonce_text.lexicon import STOP_WORDS

_ASKING = frozenset("mention mentioned remember remembered said say tell told list show find current exactly".split())
"""Words of a question that an answer does not have to contain, in addition to stop words."""
_SHORTEST_STEM = 4
"""Minimum number of letters that two forms of a word (`move`, `moved`) share."""


def content_words(text: str) -> set[str]:
    """The content words, shortened to six characters. A word that is not ASCII is split into pairs of characters,
    because some scripts have no spaces."""
    words = re.findall(r"[^\W_]+", fold(text))
    spaced = (word for word in words if word.isascii() and (len(word) > 2 or word.isdigit()))
    # Without the final "s", the question "Where do I live?" finds "Lives in Lisbon".
    plain = {word.removesuffix("s")[:6] for word in spaced if word not in STOP_WORDS | _ASKING}
    return plain | {word[i : i + 2] for word in words if not word.isascii() for i in range(max(1, len(word) - 1))}


def shared(wanted: set[str], text: str) -> set[str]:
    """The content words of `wanted` that a text contains. A form that is up to two letters longer or shorter counts,
    too."""
    held = content_words(text)
    begun = held.union(*map(_beginnings, held))
    return {word for word in wanted if word in begun or _beginnings(word) & held}


def common(text: str, other: str) -> set[str]:
    """The words of `text` that are in the other text, too, in any of their forms. A form needs more than half of its
    pieces."""
    pieces = {word: content_words(word) for word in fold(text).split()}
    found = shared(set().union(*pieces.values()), other)
    return {word for word, parts in pieces.items() if 2 * len(parts & found) > len(parts)}


def _beginnings(word: str) -> set[str]:
    """The word without its last one or two letters, if at least four letters are left."""
    return {word[:-cut] for cut in (1, 2) if len(word) - cut >= _SHORTEST_STEM}
