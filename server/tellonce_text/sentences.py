"""Splits texts into sentences and recognizes questions. Pure, linear in the text.

`sentences` keeps every character, as erasing requires; `split_sentences` splits as a reader would.
"""

import re
from collections.abc import Iterator
from typing import Final

_SENTENCE: Final = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)
# A title or an initial before a name does not end a sentence: `Dr. Ann Lee`, `J. Doe`.
_END: Final = re.compile(
    r"(?<=[.!?…؟।])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\b[A-Z]\.)\s+|(?<=[.!?…؟।][\"')\]”’»])\s+|(?<=[。！？])|\n+"
)

_MARKS: Final = "?？؟⁇\u037e"
_CLOSERS: Final = "\"'”’»)]」』"
_QUESTION: Final = re.compile(
    rf"[{_MARKS}](?:[{re.escape(_CLOSERS)}]|\s)*(?:\n|\Z)|[{_MARKS}]\s"
    r"|^\W*(?:what|who|whose|whom|where|when|why|how|which|do|does|did|is|are|was|were)\b(?! not\b)",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """The text cut into sentences, which joined give the text again. Tombstones keep hashes of these pieces."""
    return _SENTENCE.findall(text)


def placed_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences, each with its start index."""
    return ((match.start(), match[0]) for match in _SENTENCE.finditer(text))


def split_sentences(text: str) -> list[str]:
    """The sentences without the white space around them; a decimal or an abbreviation is not cut."""
    return [part.strip() for part in _END.split(text) if part.strip()]


def sentence_ends(text: str) -> Iterator[int]:
    """The end positions of these sentences, except the last one."""
    return (match.start() for match in _END.finditer(text))


def ends_as_question(sentence: str) -> bool:
    """Whether the text ends with a question mark, which is the same in most scripts."""
    return sentence.rstrip(f"{_CLOSERS} ")[-1:] in tuple(_MARKS)


def is_question(text: str) -> bool:
    """Whether a text asks something: by a question mark in any script, or by its first word in English."""
    return bool(_QUESTION.search(text))
