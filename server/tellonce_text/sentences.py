"""Splits texts into sentences and recognizes questions. Pure. The time is proportional to the length of the text.

`sentences` keeps every character, because erasing requires this. `split_sentences` splits as a human reader would.
"""

import re
from collections.abc import Iterator
from typing import Final

_SENTENCE: Final = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)
_UNFINISHED: Final = re.compile(r"\b(?:[DMS][rst]|Mrs|[A-Z])\.[^\S\n]*\Z")
"""Matches a title or an initial at the end of a piece. A title or an initial precedes a name, so its period does not
end the sentence: `Dr. Ann Lee`."""

_CLOSES: Final = re.compile(r"[”“»«’\"']+\s*+(?:\(|\Z)")
"""Matches a piece that consists only of the closing marks of a quotation, or that begins with such marks and a
parenthesis."""

_END: Final = re.compile(
    r"(?<=[.!?…؟।])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\b[A-Z]\.)\s+|(?<=[.!?…؟।][\"')\]”’»])\s+|(?<=[。！？])|\n+"
)

_LONGEST_END: Final = 100
"""The search for a title or an initial reads only this many characters at the end of a piece."""

_MARKS: Final = "?？؟⁇\u037e"
_CLOSERS: Final = "\"'”’»)]」』"
_QUESTION: Final = re.compile(
    rf"[{_MARKS}](?:[{re.escape(_CLOSERS)}]|\s)*(?:\n|\Z)|[{_MARKS}]\s"
    r"|^\W*(?:(?:what|who|where|when|why|how)s?|whose|whom|which|do|does|did|is|are|was|were)\b(?! not\b)",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Cut the text into sentences. Together, the pieces are the whole text. Tombstones contain hashes of these
    sentences."""
    return _SENTENCE.findall(text)


def placed_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the pieces that `sentences` returns, each with the index in `text` at which the piece starts."""
    return ((match.start(), match[0]) for match in _SENTENCE.finditer(text))


def placed_runs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the pieces that `sentences` returns, grouped by sentence. Each group has its start index. `sentences` also
    cuts after the period of a title or an initial, and before the last mark of a quotation. A sentence can therefore
    have several pieces."""
    run: list[str] = []
    start = 0
    for at, part in placed_sentences(text):
        if run and not _UNFINISHED.search(run[-1][-_LONGEST_END:]) and not _CLOSES.match(part):
            yield start, run
            run = []
        start = start if run else at
        run.append(part)
    if run:
        yield start, run


def split_sentences(text: str) -> list[str]:
    """The sentences, stripped of white space. A decimal point or an abbreviation does not end a sentence."""
    return [part.strip() for part in _END.split(text) if part.strip()]


def sentence_ends(text: str) -> Iterator[int]:
    """The positions at which `split_sentences` cuts the text: the end of each sentence except the last."""
    return (match.start() for match in _END.finditer(text))


def ends_as_question(sentence: str) -> bool:
    """Whether the sentence ends with a question mark of any script, possibly before closing quotes or brackets."""
    return sentence.rstrip(f"{_CLOSERS} ")[-1:] in tuple(_MARKS)


def is_question(text: str) -> bool:
    """Whether a text is a question: the text has a question mark of any script, or begins with an English question
    word."""
    return bool(_QUESTION.search(text))
