"""Separates the words that a message's writer wrote from quoted words, as far as the form of a message shows this.

The channels write labels of content and forwarded texts in the forms that `label` and `forwarded` return. Pure.
"""

import re
from typing import Final

from tellonce_text.fences import without_recalled

_OTHERS: Final = (
    re.compile(r"\A\s*+\[[^\[\]\n]*\]"),  # a label such as [photo], or the head of a forwarded text
    re.compile(r"^[ \t]*(`{3}|~{3}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE),
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE),
)
_FORWARDED: Final = "forwarded from"
_BRACKETS: Final = str.maketrans("[]", "()")


def own_words(text: str) -> str:
    """The text without recalled memory, code, quoted lines and the label at its beginning. These parts support no
    statement about the writer."""
    text = without_recalled(text)
    for others in _OTHERS:
        text = others.sub("\n", text)
    return text


def quotation(least: int) -> str:
    """A pattern of a quotation within one line: at least that many characters between quotation marks. An apostrophe
    within a word is no quotation mark."""
    pairs = ('""', "“”", "«»", "„“", "「」")
    marked = [rf"{first}[^{first}{last}\n]{{{least},}}{last}" for first, last in pairs]
    return "|".join((*marked, rf"(?<!\w)['‘](?=\S)(?:[^'’\n]|['’](?=\w)){{{least},}}['’](?!\w)"))


def label(kind: str, name: str = "") -> str:
    """The label of content without text, such as `[file notes.txt]`. `name` may be a text of somebody else, so it can
    neither end the label nor begin a new line."""
    return f"[{' '.join(f'{kind} {name}'.translate(_BRACKETS).split())}]"


def forwarded(author: str, text: str) -> str:
    """A forwarded text. Each line is quoted, because the text is not the writer's own."""
    return "\n".join([label(_FORWARDED, author), *(f"> {line}" for line in text.split("\n"))])


def is_forwarded(text: str) -> bool:
    return text.startswith(f"[{_FORWARDED} ")
