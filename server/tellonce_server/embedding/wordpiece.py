"""Splits a text into the local model's tokens, as BERT's uncased tokenizer does. The library `tokenizers` does the
same, but also installs the client of a model hub. This client takes 35 MB and is not needed."""

import json
import unicodedata
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path
from typing import Final

_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_INSIDE: Final = "##"
"""The prefix of a token that continues a word."""
_LONGEST_WORD: Final = 100
"""Maximum number of characters of a word. Longer words are unknown."""
_CJK: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Ranges of characters. Each character in these ranges is a separate word."""
_KEPT_CONTROLS: Final = "\t\n\r"


class WordPiece:
    """The tokenizer of a file `tokenizer.json`. Raises ValueError if the file is for another kind of tokenizer."""

    def __init__(self, file: Path, longest: int) -> None:
        model = json.loads(file.read_text("utf-8"))["model"]
        if model.get("type") != "WordPiece":
            raise ValueError(f"{file} is not a WordPiece tokenizer.")
        self._vocabulary: dict[str, int] = model["vocab"]
        self._longest = longest

    def ids(self, text: str) -> list[int]:
        """The numbers of the text's tokens, at most `longest`, with those for the beginning and the end."""
        vocabulary = self._vocabulary
        pieces = chain.from_iterable(map(self._pieces, _words(text)))
        return [vocabulary[_FIRST], *islice(pieces, self._longest - 2), vocabulary[_LAST]]

    def _pieces(self, word: str) -> list[int]:
        """The numbers of the word's parts. Each part is the longest known prefix of the letters that remain. One
        unknown part makes the whole word unknown."""
        vocabulary, start, found = self._vocabulary, 0, list[int]()
        while start < len(word) <= _LONGEST_WORD:
            prefix = _INSIDE if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in vocabulary), None)
            if end is None:
                break
            found.append(vocabulary[prefix + word[start:end]])
            start = end
        return found if start == len(word) else [vocabulary[_UNKNOWN]]


def _words(text: str) -> list[str]:
    return text.translate(_SPACED).translate(_LOWERED).split()


def _spaced(character: str) -> str:
    code = ord(character)
    if character in _KEPT_CONTROLS:
        return " "
    if code == 0xFFFD or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    return f" {character} " if any(first <= code <= last for first, last in _CJK) else character


def _decomposed(character: str) -> str:
    """`unicodedata.normalize` of a whole text takes seconds if it consists only of accents."""
    return "".join(map(_lowered, unicodedata.normalize("NFD", character)))


def _lowered(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    if category[0] == "P" or (character.isascii() and character.isprintable() and not character.isalnum()):
        return f" {character} "
    return character.lower()


class _Table(dict[int, str]):
    """Computes each entry of a table for `str.translate`. Only the entries of alphabetic scripts are kept."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        made = self._rule(chr(code))
        if code < _KEPT:
            self[code] = made
        return made


_KEPT: Final = 0x3000
_SPACED: Final = _Table(_spaced)
_LOWERED: Final = _Table(_decomposed)
