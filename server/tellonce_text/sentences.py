"""Splits texts into sentences and recognizes questions. Pure. The time is proportional to the length of the text.

`sentences` keeps every character, because erasing requires this. `split_sentences` splits as a human reader would.
"""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

_SENTENCE: Final = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)
_UNFINISHED: Final = re.compile(r"\b(?:[DMS]r|M[st]|Mrs|[A-Z])\.[^\S\n]*\Z")
"""Matches a title or an initial at the end of a piece. A title or an initial precedes a name, so its period does not
end the sentence: `Dr. Ann Lee`."""

_LISTS: Final[dict[str, dict[str, str]]] = tomllib.loads(
    (files("tellonce_text") / "abbreviations.toml").read_text(encoding="utf-8")
)
_ALWAYS, _TITLE, _NUMBER, _LOWER, _LONG_MONTH, _SHORT_MONTH, _DAY_WORDS, _BEFORE_ORDINAL, _OPENER = (
    frozenset(word for of_language in _LISTS[name].values() for word in of_language.split())
    for name in (
        "always", "title", "number", "lower", "month", "short_month", "before_day", "before_ordinal", "opener",
    )
)  # fmt: skip
_MONTH: Final = _LONG_MONTH | _SHORT_MONTH
_BEFORE_DAY: Final = _DAY_WORDS | _BEFORE_ORDINAL
_ENGLISH_AM: Final = re.compile(r"\bI[^\S\n]+am[^\S\n]+\S+\s*\Z", re.IGNORECASE)
"""Matches the English `I am` before the last word. The German `am` precedes a day."""

_LAST: Final = re.compile(r"(?:(\S*)[^\S\n]+)?[(\"'“„«]*([^\s(\"'“„«]+)\.([^\S\n]*)\Z")
"""Matches the last word before a place and the word before it. The last word ends with a period."""
_NEXT: Final = re.compile(r"[^\S\n]*[(\"'“„«]*(\w[\w'’]*)")
_DAY_AND_MONTH: Final = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])")
_STREET: Final = "str"
_NEAR: Final = 40
"""Number of characters before and after a period that decide whether the period ends a sentence."""

_CLOSES: Final = re.compile(r"[”“»«’\"']+\s*+(?:\(|\Z)")
"""Matches a piece that consists only of the closing marks of a quotation, or that begins with such marks and a
parenthesis."""

_END: Final = re.compile(
    r"(?<=[.!?…؟।])(?<!\b[DMS]r\.)(?<!\bM[st]\.)(?<!\bMrs\.)(?<!\b[A-Z]\.)\s+|(?<=[.!?…؟।][\"')\]”’»])\s+|(?<=[。！？])|\n+"
)

_MARKS: Final = "?？؟⁇\u037e"
_CLOSERS: Final = "\"'”’»)]」』"
_QUESTION: Final = re.compile(
    rf"[{_MARKS}](?:[{re.escape(_CLOSERS)}]|\s)*(?:\n|\Z)|[{_MARKS}]\s"
    r"|^\W*(?:(?:what|who|where|when|why|how)s?|whose|whom|which|do|does|did|is|are|was|were)\b(?! not\b)",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Cut the text into pieces, which are sentences or parts of sentences. Together, the pieces are the whole
    text. Tombstones contain hashes of these pieces, so the places of the cuts must never change."""
    return _SENTENCE.findall(text)


def placed_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the pieces that `sentences` returns, each with the index in `text` at which the piece starts."""
    return ((match.start(), match[0]) for match in _SENTENCE.finditer(text))


def whole_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of the text, each with its start index. Together, the sentences are the whole text."""
    return ((start, "".join(run)) for start, run in placed_runs(text))


def placed_runs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the pieces that `sentences` returns, grouped by sentence. Each group has its start index. `sentences` also
    cuts after the period of a title, an abbreviation or a day, and before the last mark of a quotation. A sentence can
    therefore have several pieces."""
    run: list[str] = []
    start = 0
    for at, part in placed_sentences(text):
        if run and not goes_on(text, at) and not _CLOSES.match(part):
            yield start, run
            run = []
        start = start if run else at
        run.append(part)
    if run:
        yield start, run


def goes_on(text: str, at: int) -> bool:
    """Whether a sentence goes on at `at`, although a period stands before `at`. The period belongs to a title, an
    initial, an abbreviation, or the number of a day: `Dr. Ann Lee`, `am 24.12. Geburtstag`, `Goethestr. 5`."""
    if _is_inside_word(text, at):
        return True
    before = text[max(0, at - _NEAR) : at]
    if "\n" in before[-1:] or not before.rstrip().endswith("."):
        return False
    if _UNFINISHED.search(before):
        return True
    last, following = _LAST.search(before), _NEXT.match(text, at, at + _NEAR)
    if last is None or following is None:
        return False
    if not last[3] and not text[at : at + 1].isspace():
        return False
    former, word, then = (last[1] or "").lstrip("([\"'“„«"), last[2], following[1]
    if word[0].isdigit():
        former = "" if _ENGLISH_AM.search(before) else former.casefold()
        return _is_ordinal(former, word, then, any(map(str.isupper, before)))
    return _is_abbreviation(former, word, then)


def _is_inside_word(text: str, at: int) -> bool:
    """`24.12`, `z.B`"""
    if at < 2 or text[at - 1] != "." or not text[at : at + 1].isalnum():  # a character and the period
        return False
    return (text[at - 2].isdigit() and text[at].isdigit()) or (
        text[at - 2].isalpha() and not text[max(0, at - 3) : at - 2].isalnum()
    )


def _is_ordinal(before: str, number: str, then: str, has_capitals: bool) -> bool:
    """Whether the number is an ordinal, and not the end of a sentence. Text without capitals may begin a sentence with
    a small letter, so a small letter after the number proves nothing."""
    is_short = number.isdigit() and len(number) <= 2
    if is_short and then.casefold() in _MONTH:
        return before in _BEFORE_DAY or before.endswith((":", ",")) or (then[0].islower() and has_capitals)
    if _begins(then):
        return False
    is_day = _DAY_AND_MONTH.fullmatch(number) is not None
    if before in _BEFORE_ORDINAL:
        return is_day or is_short
    return is_day and then[0].islower() and (has_capitals or before in _BEFORE_DAY)


def _is_abbreviation(before: str, written: str, then: str) -> bool:
    """A doubtful word does not count as an abbreviation. If it did, two sentences would be joined and then forgotten
    together."""
    word, after_number = written.casefold(), before[:1].isdigit() and not before.endswith((",", ";", ":"))
    counts, lower = then[0].isdigit(), then[0].islower()
    if word in _ALWAYS or (word in _TITLE and written[0].isupper()):
        return not _begins(then)
    if written in ("St", "No"):
        return _is_saint_or_number(before, written, then)
    if word in _SHORT_MONTH:
        return (counts and (after_number or before.casefold() in _BEFORE_DAY)) or (lower and after_number)
    return (counts and not after_number and (word in _NUMBER or word.endswith(_STREET))) or (lower and word in _LOWER)


def _is_saint_or_number(before: str, written: str, then: str) -> bool:
    """`Main St.` ends the name of a street. `No.` at the beginning of a sentence is an answer."""
    if written == "No":
        return then[0].isdigit() and before[:1].islower() and before[-1:].isalnum()
    return then[0].isupper() and not _begins(then) and (before[:1].islower() or not before[-1:].isalnum())


def _begins(word: str) -> bool:
    """Whether the word probably begins a new sentence."""
    return word[0].isupper() and word.casefold() in _OPENER


def split_sentences(text: str) -> list[str]:
    """The sentences, stripped of white space. A decimal point or an abbreviation does not end a sentence."""
    cuts = [(match.start(), match.end()) for match in _ends(text)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return [part for start, end in zip(starts, ends, strict=True) if (part := text[start:end].strip())]


def sentence_ends(text: str) -> Iterator[int]:
    """The positions at which `split_sentences` cuts the text: the end of each sentence except the last."""
    return (match.start() for match in _ends(text))


def _ends(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _END.finditer(text) if "\n" in match[0] or not goes_on(text, match.end()))


def ends_as_question(sentence: str) -> bool:
    """Whether the sentence ends with a question mark of any script, possibly before closing quotes or brackets."""
    return sentence.rstrip(f"{_CLOSERS} ")[-1:] in tuple(_MARKS)


def is_question(text: str) -> bool:
    """Whether the text has a question mark of any script, or begins with an English question word."""
    return bool(_QUESTION.search(text))
