"""Splits a message into sentences, and computes features of their form, in any language and linear time. Pure.

Quoted text, pasted text and code are recognized by their form and left out. The length of a sentence is not a feature.
It is a good predictor in the training text, but not in conversations.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

from tellonce_text.own_words import own_words, quotations
from tellonce_text.sentences import goes_on

MOST_WORDS: Final = 40
"""Maximum words of a sentence. A longer sentence was dictated without punctuation and is cut."""

SPARE_WORDS: Final = 10
"""A sentence is cut only if it has more than MOST_WORDS + SPARE_WORDS words."""

WRAPPED: Final = 60
"""After a line of at least this many characters without a stop, the sentence continues on the next line."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence. `before` is the previous sentence of its message."""

    text: str
    first: bool = True
    last: bool = True
    before: str | None = None


_STOP: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[。！？]+[”’」』）]*")
_ABBREVIATED: Final = re.compile(r"(?:^|[\s(.])(?:[A-Z][b-df-hj-np-tv-xz]{1,2}|\w)\.$")
"""Matches Dr. and Mrs., but not Ann. or May."""

_BULLET: Final = re.compile(r"(?:[-*•·–—]+|\d{1,2}[.)])\s+")
_WORD: Final = re.compile(r"\S{1,30}\s*")
_QUOTED: Final = re.compile(r"[\"“«„「『][^\"“”«»„「」『』]*[\"”“»」』][.!?]?")
_STOPS: Final = ".!?…:;。！？"


def sentences(message: str) -> list[Sentence]:
    """The sentences with enough content to be considered, in order."""
    texts = list(chain.from_iterable(map(_of_line, _unwrapped(own_lines(message)))))
    texts = [text for text in texts if _says_something(text)]
    befores = [None, *texts]
    return [
        Sentence(text, first=number == 0, last=number == len(texts) - 1, before=before)
        for number, (text, before) in enumerate(zip(texts, befores, strict=False))
    ]


def _unwrapped(lines: list[str]) -> list[str]:
    joined: list[list[str]] = []
    former = ""
    for line in lines:
        if len(former) >= WRAPPED and former[-1] not in _STOPS and line[0].islower():
            joined[-1].append(line)
        else:
            joined.append([line])
        former = line
    return [" ".join(parts) for parts in joined]


def _of_line(line: str) -> list[str]:
    bullet = _BULLET.match(line)
    line = line[bullet.end() :] if bullet else line
    pieces = [line[start:end].strip() for start, end in pairwise(_cuts(line))]
    return list(chain.from_iterable(map(_shortened, pieces)))


def _cuts(line: str) -> list[int]:
    ends = [match.end() for match in _STOP.finditer(line)]
    # Only the last few characters before the end of a sentence can be an abbreviation. The test copies only these
    # characters, because copying a long line for each end would be slow.
    whole = (end for end in ends if not _ABBREVIATED.search(line[max(0, end - 5) : end]) and not goes_on(line, end))
    return [0, *whole, len(line)]


def _shortened(sentence: str) -> list[str]:
    """The sentence, cut into pieces of about the same length if it is too long. If a comma is near the end of a piece,
    the piece ends at the comma."""
    words = _WORD.findall(sentence)
    pieces: list[str] = []
    start = 0
    while len(words) - start > MOST_WORDS + SPARE_WORDS:
        end = _near_comma(words, start)
        pieces.append("".join(words[start:end]).strip())
        start = end
    return [*pieces, "".join(words[start:]).strip()]


def _near_comma(words: list[str], start: int) -> int:
    left = len(words) - start
    middle = start + left // -(-left // MOST_WORDS)
    near = sorted(range(middle - 6, middle + 7), key=lambda at: abs(at - middle))
    return next((at for at in near if words[at - 1].rstrip().endswith(",")), middle)


def _says_something(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    words = len(text.split(maxsplit=1)) > 1 or not text.isascii()
    return words and letters >= 4 and not _QUOTED.fullmatch(text)


NAMES: Final = (
    "question",
    "digit",
    "name",
    "exclamation",
    "period",
    "small_beginning",
    "first",
    "last",
    "code",
    "emoji",
    "quotation",
    "ellipsis",
)

_NAME: Final = re.compile(r"(?<=[^\W_.!?…:] )(?!I\b)[A-ZÀ-ÞΑ-ΩА-Я]\w")
_DIGIT: Final = re.compile(r"\d")
_CODE: Final = re.compile(r"[{}<>=;|_/\\]|\w\(\)")
_EMOJI: Final = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_QUOTATION: Final = re.compile('["“”«»„「」]')
_ELLIPSIS: Final = re.compile(r"…|\.\.")


def features(sentence: Sentence) -> tuple[float, ...]:
    """The values of the features in NAMES. Each value is 0 or 1."""
    text = sentence.text.strip()
    bare = text.rstrip(" )\"'”’»")
    found = (
        bare.endswith(("?", "？")),
        _DIGIT.search(text),
        _NAME.search(text),
        bare.endswith(("!", "！")),
        bare.endswith((".", "。")),
        text[:1].islower(),
        sentence.first,
        sentence.last,
        _CODE.search(text),
        _EMOJI.search(text),
        _QUOTATION.search(text),
        _ELLIPSIS.search(text),
    )
    return tuple(float(bool(one)) for one in found)


LONG_PARAGRAPH: Final = 1500
"""A paragraph with punctuation of at least this many characters counts as pasted. Few people type so much."""

INTRODUCED: Final = 300
"""Minimum characters of a paragraph that counts as pasted after a line that ends in a colon."""

LONG_QUOTE: Final = 80
"""Minimum characters of a quotation that is left out. Shorter ones are names, titles and single words."""

_BLOCKS: Final = tuple(
    re.compile(pattern, re.DOTALL | re.MULTILINE)
    for pattern in (
        r"^-{3,}[^-\n]+-{3,}[ \t]*$.*\Z",  # ----- Forwarded message -----
        r"^[^\s:]{2,12}: [^\n@]{0,80}@[^\n]*\n[^\s:]{2,12}: .*\Z",  # From: ann@example.org, Subject: …
        r"^(?:[ ]{4}|\t|[ ]{0,3}\|)[^\n]*$",
    )
)
_LABELLED: Final = re.compile(r"(?:\[[^\]\n]{1,40}\] ?)?([^\s:][^:\n]{0,40}): \S")
_STOP_BEFORE_SPACE: Final = re.compile(r"[.!?…]\s")


def own_lines(message: str) -> list[str]:
    """The lines that the writer wrote, in order, without empty lines."""
    message = own_words(message)
    for block in _BLOCKS:
        message = block.sub("\n", message)
    for start, end in reversed(quotations(message, LONG_QUOTE)):
        message = f"{message[:start]}\n{message[end:]}"
    return [line for paragraph in _own_paragraphs(message) for line in paragraph if line]


def _own_paragraphs(message: str) -> Iterator[list[str]]:
    introduced = False
    for paragraph in re.split(r"\n[ \t]*\n", message):
        lines = [line.strip() for line in paragraph.splitlines()]
        if not any(lines):
            continue
        if _is_pasted(paragraph, introduced) or _is_transcript(lines):
            continue
        own = _until_introduction(lines)
        introduced = own[-1].endswith(":")
        yield own


def _is_pasted(paragraph: str, introduced: bool) -> bool:
    if introduced and len(paragraph) >= INTRODUCED:
        return True
    lines, stops = paragraph.count("\n") + 1, len(_STOP_BEFORE_SPACE.findall(paragraph))
    prose = len(paragraph) >= 40 * lines and stops * 300 >= len(paragraph)
    return prose and len(paragraph) >= LONG_PARAGRAPH


def _until_introduction(lines: list[str]) -> list[str]:
    """The lines up to a colon that introduces a long text."""
    left = sum(map(len, lines))
    for count, line in enumerate(lines, 1):
        left -= len(line)
        if line.endswith(":") and left >= INTRODUCED:
            return lines[:count]
    return lines


def _is_transcript(lines: list[str]) -> bool:
    """In a pasted chat, most lines begin with a name and a colon, and a name repeats."""
    names = Counter(match[1] for line in lines if (match := _LABELLED.match(line)))
    return names.total() >= 3 and names.total() * 2 > len(lines) and len(names) < names.total()
