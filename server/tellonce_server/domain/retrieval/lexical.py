"""Prepares stored texts and queries for PostgreSQL's full-text search. Pure.

Alone, PostgreSQL finds no words in Chinese or Japanese, keeps irregular forms, and reads "fish/chips" as a file name.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from tellonce_text.claims import claims, content_stems
from tellonce_text.folding import fold, nfkc
from tellonce_text.lexicon import IRREGULAR


def index_text(content: str, speaker: str | None) -> str:
    """The text that is indexed for a message: its speaker and content."""
    return normal(f"{speaker}: {content}" if speaker else content)


def normal(text: str) -> str:
    """The text with every word in its indexed form."""
    if not text.isascii():
        text = _SPACELESS.sub(_pairs, _folded(text))
    text = _APOSTROPHE.sub("", _BREAKS.sub(" ", text))
    return _WORD.sub(lambda word: IRREGULAR.get(word[0].lower(), word[0]), text)


_WORD: Final = re.compile(r"[A-Za-z]{3,}")
_APOSTROPHE: Final = re.compile(r"['’](?:s|m|re|ve|ll|d|t)\b", re.IGNORECASE)
# Matches a slash or an underscore between two words. Also matches a full stop without a space after it. PostgreSQL's
# parser would read the two words as one word.
_BREAKS: Final = re.compile(r"(?<=\w)[/_|]+(?=\w)|(?<=[a-z]{2})\.(?=[A-Z][a-z])")
# Matches text in scripts without spaces. Also matches Hangul, where particles are attached to words. Such text is
# divided into pairs of characters, which are compared.
_SPACELESS: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return f" {' '.join(pairs)} "


def _folded(text: str) -> str:
    """Full-width and accented Latin letters become plain letters. Other scripts keep accents."""
    return nfkc(text).translate(_PLAIN)


def _plain_letter(letter: str) -> str | None:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() and base.isalpha() else None


_PLAIN: Final = {
    code: plain for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)) if (plain := _plain_letter(chr(code)))
} | str.maketrans({"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "ł": "l", "Ł": "L", "đ": "d", "ı": "i",
                   "ё": "е", "Ё": "Е", "’": "'"})  # fmt: skip


LONGEST_COMPARED: Final = 2_000
"""Maximum characters of a query whose words are compared with the results."""


def shares_no_word(query: str, texts: Sequence[str]) -> bool:
    """Whether none of the texts contains a content word of the query, in any form. False for a query without content
    words. Also false for a query with a time, because texts of that time need not contain its words."""
    if len(query) > LONGEST_COMPARED:
        return False
    asked = claims(normal(fold(query)))
    held = set(content_stems(normal(fold("\n".join(texts)))))
    return bool(asked.stems) and not asked.dates and held.isdisjoint(asked.stems)


NOTHING = "'@nothing'"
"""A query that matches no row. PostgreSQL raises a notice for an empty query."""


def quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def any_of(lexemes: Sequence[str]) -> str:
    return " | ".join(map(quoted, lexemes)) or NOTHING


def owner_scope(owner_id: int) -> str:
    return quoted(f"@o{owner_id}")
