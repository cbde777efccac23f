"""Token estimates: what a text costs in a modern BPE vocabulary (fitted to o200k), without carrying the vocabulary.

A text is cut into the pieces a BPE pre-tokenizer cuts (a word with its leading space, up to three digits, a run of
punctuation, white space); each kind of piece has a mean cost by length.  The tables are measured means, in hundredths
of a token.  This module must not know what the text is for.
"""

import re
import unicodedata
from functools import lru_cache

from chatmem_server.tokens_cjk import CHINESE, JAPANESE

ELLIPSIS = "…"
_LONGEST_TOKEN = 12  # characters a token of ordinary text rarely exceeds; bounds how far `clip` has to look

_PIECE = re.compile(
    r"[\t !-/:-@\[-`{-~]?[A-Z]?[a-z]+(?:'(?:s|t|re|ve|m|ll|d)(?![a-z]))?"
    r"|[\t !-/:-@\[-`{-~]?[A-Z]+(?![a-z])"
    r"|[0-9]{1,3}"
    r"| ?[!-/:-@\[-`{-~]+[\r\n/]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s(?![A-Za-z\u00c0-\ud7ff])"
    r"| ?[A-Za-z\u00c0-\u02af]+"
    r"| ?[\u0370-\u052f]+"
    r"| ?[\u0590-\u1fff\ua000-\ud7ff]+"
    r"| ?[\u3005\u3400-\u9fff\uf900-\ufaff]+"
    r"| ?[\u3041-\u309f]+"
    r"| ?[\u30a1-\u30ff]+"
    r"|.",
    re.DOTALL,
)

# Mean cost by length, in hundredths of a token; the last value grows by `_SLOPE` for each character beyond.
_LOWER = (100, 100, 101, 101, 103, 103, 104, 109, 112, 117, 123, 128, 134, 145, 180, 220)
_LOWER_INNER = (100, 100, 106, 103, 106, 109, 119, 138, 152, 170, 168, 175, 205, 225, 250, 300)
_TITLE = (100, 100, 101, 103, 105, 108, 111, 119, 133, 138, 150, 150, 165, 185, 210, 240)
_UPPER = (100, 100, 113, 122, 165, 155, 170, 230, 255, 270, 300, 330)
_CYRILLIC = (100, 100, 102, 114, 119, 135, 158, 163, 194, 200, 230, 230, 240, 284, 318, 330)
_CYRILLIC_INNER = (100, 104, 123, 162, 180, 212, 260, 260, 310, 325, 334, 345, 400, 410, 430, 450)
_ACCENTED = (100, 110, 130, 145, 160, 180, 200, 220, 240, 260, 280, 300)
_PUNCTUATION = (100, 101, 109, 127, 148, 200, 230, 260)
_SLOPE = 25
_CHEAP_LEADS, _LEADS = frozenset("._(\t"), frozenset("-[/<=@#")  # a sign before a word that BPE often merges into it

_SIGNS = frozenset("–—‘’“”•…→←€£¥°·×©®，。、：；（）「」《》？！　│─✅⭐❤👍😀😁😂😅😉😊😍😘😭")  # one token each
_JOINERS = frozenset("\u200d\ufe0f")


def estimate(text: str) -> int:
    """Tokens of `text`, within about ±10 % of o200k for a hundred tokens or more; 0 only for the empty text."""
    if not text:
        return 0
    return max(1, round(sum(map(_cost, _PIECE.findall(text))) / 100))


def clip(text: str, max_tokens: int) -> tuple[str, bool]:
    """`text` cut so that its estimate, mark included, is at most `max_tokens`; and whether it was cut."""
    if estimate(text) <= max_tokens:
        return text, False
    if max_tokens < 1:
        return "", True
    low, high = 0, min(len(text), max_tokens * _LONGEST_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(_marked(text, middle)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return _on_a_word(text, low, max_tokens), True


def _marked(text: str, length: int) -> str:
    return text[:length].rstrip() + ELLIPSIS


def _on_a_word(text: str, length: int, max_tokens: int) -> str:
    """The cut moved back to white space when that is near, and never between the parts of one emoji."""
    near = max(text.rfind(" ", 0, length + 1), text.rfind("\n", 0, length + 1))
    if length - near <= min(24, length // 4):
        length = near
    while 0 < length < len(text) and not _may_cut(text, length):
        length -= 1
    clipped = _marked(text, length)
    return clipped if estimate(clipped) <= max_tokens else ""


def _may_cut(text: str, at: int) -> bool:
    return text[at] not in _JOINERS and text[at - 1] != "\u200d" and not unicodedata.combining(text[at])


@lru_cache(maxsize=16_384)
def _cost(piece: str) -> int:
    """Hundredths of a token one piece costs; cached, because words repeat."""
    word = piece.lstrip(" ") or piece
    first = word[0]
    if first.isascii():
        return _ascii_cost(piece, word)
    if "\u0370" <= first <= "\u052f":
        return _by_length(_CYRILLIC if word is not piece else _CYRILLIC_INNER, len(word))
    if "\u3041" <= first <= "\u30ff":
        return _kana_cost(word)
    if "\u3400" <= first <= "\u9fff" or "\uf900" <= first <= "\ufaff" or first == "々":
        return _whole_words(word, CHINESE, 2, 100, 85)
    return _other_cost(word)


def _ascii_cost(piece: str, word: str) -> int:
    if word.isspace() or word[0].isdigit():
        return 100
    if not word[0].isalpha():
        return _lead_cost(word[0]) + _cost(word[1:]) if word[-1].isalpha() else _by_length(_PUNCTUATION, len(word))
    if not word.isascii():
        return _by_length(_ACCENTED, len(word))
    if word[0].islower():
        return _by_length(_LOWER if word is not piece else _LOWER_INNER, len(word))
    return _by_length(_UPPER if word.isupper() else _TITLE, len(word))


def _lead_cost(sign: str) -> int:
    return 8 if sign in _CHEAP_LEADS else 32 if sign in _LEADS else 65


def _kana_cost(word: str) -> int:
    return _whole_words(word, JAPANESE, 6, 105, 78 if word[0] <= "\u309f" else 70)


def _whole_words(run: str, known: frozenset[str], longest: int, known_cost: int, single_cost: int) -> int:
    """Cost of a run without spaces: its known words, longest first, at one token each, the rest by character."""
    cost = position = 0
    while position < len(run):
        length = next((n for n in range(longest, 1, -1) if run[position : position + n] in known), 0)
        cost += known_cost if length else single_cost
        position += length or 1
    return cost


def _other_cost(word: str) -> int:
    if word in _SIGNS:
        return 100
    if word[0] <= "\u02af":
        return _by_length(_ACCENTED, len(word))
    if word[0].isalpha() and len(word) < 64 and "\u0590" <= word[0] <= "\ud7ff":
        return 60 + 40 * len(word)
    if word in _JOINERS:
        return 100
    return 300 if word > "\uffff" else 150


def _by_length(table: tuple[int, ...], length: int) -> int:
    last = len(table)
    return table[length - 1] if length <= last else table[-1] + (length - last) * _SLOPE
