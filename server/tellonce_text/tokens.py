"""Estimates the number of tokens of a text in a modern BPE vocabulary (o200k) without including the vocabulary.

A text is first split into pieces, as in a BPE tokenizer. A piece is a word with its leading space, up to three digits,
several punctuation marks, or white space. The tables contain the mean cost of a piece for each kind and length. The
unit is a hundredth of a token.
"""

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib.resources import files

from tellonce_text.caches import of_texts

ELLIPSIS = "…"

_PIECE = re.compile(
    r"[\t !-/:-@\[-`{-~]?[A-Z]?[a-z]+(?:'(?:s|t|re|ve|m|ll|d)(?![a-z]))?"
    r"|[\t !-/:-@\[-`{-~]?[A-Z]+(?![a-z])"
    r"|[0-9]{1,3}"
    r"| ?[!-/:-@\[-`{-~]+[\r\n/]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s(?=[0-9])"
    r"| ?[A-Za-z\u00c0-\u02af]+"
    r"| ?[\u0370-\u052f]+"
    r"| ?[\u0590-\u1fff\ua000-\ud7ff]+"
    r"| ?[\u3005\u3400-\u9fff\uf900-\ufaff]+"
    r"| ?[\u3041-\u309f]+"
    r"| ?[\u30a1-\u30ff]+"
    r"| ?.",
    re.DOTALL,
)

# Mean cost of a word by its length, in hundredths of a token. Each further character adds `_SLOPE` to the last value.
_LOWER = (100, 100, 101, 101, 103, 103, 104, 109, 112, 117, 123, 128, 134, 145, 180, 220)
_LOWER_INNER = (100, 100, 106, 103, 106, 109, 119, 138, 152, 170, 168, 175, 205, 225, 250, 300)
_TITLE = (100, 100, 101, 103, 105, 108, 111, 119, 133, 138, 150, 150, 165, 185, 210, 240)
_UPPER = (100, 100, 113, 122, 165, 155, 170, 230, 255, 270, 300, 330)
_CYRILLIC = (100, 105, 110, 153, 165, 182, 204, 208, 220, 226, 243, 258, 282, 304, 320, 330)
_CYRILLIC_INNER = (100, 104, 123, 162, 180, 212, 260, 260, 310, 325, 334, 345, 400, 410, 430, 450)
_ACCENTED = (100, 110, 130, 145, 160, 180, 200, 220, 240, 260, 280, 300)
_PUNCTUATION = (100, 101, 109, 127, 148, 200, 230, 260)
_SLOPE = 25
_CHEAP_LEADS, _LEADS = frozenset("._(\t"), frozenset("-[/<=@#")  # signs that BPE often merges with the following word

_JOINERS, _SKIN_TONES = frozenset("\u200d\ufe0f"), frozenset("🏻🏼🏽🏾🏿")
# Signs that cost one token. Signs in the ranges of `_THREE_TOKENS` cost three tokens. All other signs cost two tokens.
_SIGNS = frozenset(
    "–—‘’“”„•…‹›†‡‰′″€₹₪№™℃←↑→↓⇒∀∆−∙√∞∨≈≤≥≫①②③④⑤─━│┃├┣═║╗╝▀▄█▋░▒▓■□▪▫▬▲△▶▷►▼▽◆◇○◎●★☆☎☴☺♀♂♡♥♦♪♫✅✓✔✨❤➡⭐⭕"
    "🏻🏼👇👉👌👍👏💕🔥😀😁😂😉😊😍😘😭🙂🙏🤣\u200d\ufe0f、。々〇〈〉《》「」『』【】〒〔〕〖〜　！％＆（）＊＋，－．／：；＜＝＞？｜～"
)
_HALF_SIGNS = frozenset("，。、！？：；")  # signs that are often one token with the text after them
_THREE_TOKENS = re.compile(
    r"[\u2340-\u243f\u26c0-\u26ff\u27c0-\u2aff\u2b80-\u2bff\U0001f000-\U0001f1bf\U0001f200-\U0001f2ff\U0001f540-\U0001f5ff"
    r"\U0001f6c0-\U0001f8ff\U0001f980-\U0010ffff]"
)

_WORDS = tomllib.loads((files("tellonce_text") / "frequent_words.toml").read_text(encoding="utf-8"))
_CHINESE, _JAPANESE, _RUSSIAN = (frozenset(_WORDS[name].split()) for name in ("chinese", "japanese", "russian"))

_LINE = 2_000  # maximum number of characters of a line whose cost is cached
_ENDS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def estimate(text: str) -> int:
    """The estimated number of tokens of `text`. For texts of at least a hundred tokens, the error is about 10 % or
    less. The result is 0 only for an empty text. The estimates of lines are cached, because the same lines of a chat
    are counted at every turn."""
    return _estimated_line(text) if len(text) <= _LINE and "\n" not in text else _estimated(text)


def _estimated(text: str) -> int:
    return max(1, round(_hundredths(text) / 100)) if text else 0


def head_and_tail(text: str, characters: int) -> str:
    """Two thirds from the beginning and the rest from the end, where people often state their point."""
    if len(text) <= characters:
        return text
    tail = max(1, characters // 3)
    return f"{text[: max(1, characters - tail - 3)]} {ELLIPSIS} {text[-tail:]}"


def clip(text: str, max_tokens: int) -> tuple[str, bool]:
    """Cut `text` to at most `max_tokens` estimated tokens, with an ellipsis. Also returns whether the text was cut."""
    if estimate(text) <= max_tokens:
        return text, False
    if max_tokens < 1:
        return "", True
    cut = _fitting(text, 100 * max_tokens - _cost(ELLIPSIS))
    while cut > 0:
        cut = _word_start(text, cut)
        clipped = text[:cut].rstrip() + ELLIPSIS
        if estimate(clipped) <= max_tokens:
            return clipped, True
        cut -= 1
    return ELLIPSIS, True


def _hundredths(text: str) -> int:
    if "\n" not in text:
        return _priced(text)
    lines = text.split("\n")
    return sum(map(_line_cost, lines)) + sum(map(_break_cost, lines[:-1]))


def _break_cost(line: str) -> int:
    """After punctuation or another line break, a line break belongs to the piece before it."""
    return 1 if not line or line[-1] in _ENDS else 100


def _line_cost(line: str) -> int:
    return _remembered(line) if len(line) <= _LINE else _priced(line)


def _priced(line: str) -> int:
    return sum(map(_cost, _PIECE.findall(line)))


_remembered = of_texts(lru_cache(maxsize=8_192)(_priced))
_estimated_line = of_texts(lru_cache(maxsize=8_192)(_estimated))


def _fitting(text: str, budget: int) -> int:
    for match in _PIECE.finditer(text):
        cost = _cost(match[0])
        if cost > budget:
            return match.start() + len(match[0]) * max(0, budget) // cost
        budget -= cost
    return len(text)


def _word_start(text: str, cut: int) -> int:
    """Move a cut back to nearby white space, and never into an emoji or a letter of several characters."""
    near = max(text.rfind(" ", 0, cut + 1), text.rfind("\n", 0, cut + 1))
    if cut - near <= min(24, cut // 4):
        cut = near
    while 0 < cut < len(text) and not _may_cut(text, cut):
        cut -= 1
    return cut


def _may_cut(text: str, at: int) -> bool:
    after = text[at]
    return not (after in _JOINERS or text[at - 1] == "\u200d" or unicodedata.combining(after) or after in _SKIN_TONES)


@of_texts
@lru_cache(maxsize=16_384)
def _cost(piece: str) -> int:
    """In hundredths of a token."""
    word = piece.lstrip(" ") or piece
    first = word[0]
    if first.isascii():
        return _ascii_cost(piece, word)
    if "\u0370" <= first <= "\u052f":
        return _cyrillic_cost(word, inner=word is piece)
    if "\u3041" <= first <= "\u30ff":
        return _kana_cost(word)
    if "\u3400" <= first <= "\u9fff" or "\uf900" <= first <= "\ufaff" or first == "々":
        return _whole_words(word, _CHINESE, 4, 97, 106)
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


def _cyrillic_cost(word: str, *, inner: bool) -> int:
    if inner:
        return _by_length(_CYRILLIC_INNER, len(word))
    if word in _RUSSIAN:
        return 101
    return 140 if word.lower() in _RUSSIAN else _by_length(_CYRILLIC, len(word))


def _kana_cost(word: str) -> int:
    return _whole_words(word, _JAPANESE, 6, 105, 78 if word[0] <= "\u309f" else 70)


def _whole_words(run: str, known: frozenset[str], longest: int, known_cost: int, single_cost: int) -> int:
    """The longest known word at each position is counted, or else a single character."""
    cost = position = 0
    while position < len(run):
        length = next((n for n in range(longest, 1, -1) if run[position : position + n] in known), 0)
        cost += known_cost if length else single_cost
        position += length or 1
    return cost


def _other_cost(word: str) -> int:
    if word in _HALF_SIGNS:
        return 80
    if word in _SIGNS:
        return 100
    if word[0] <= "\u02af":
        return _by_length(_ACCENTED, len(word))
    if word[0].isalpha() and "\u0590" <= word[0] <= "\ud7ff":
        return 60 + 40 * len(word)
    return 300 if _THREE_TOKENS.match(word) else 200


def _by_length(table: tuple[int, ...], length: int) -> int:
    last = len(table)
    return table[length - 1] if length <= last else table[-1] + (length - last) * _SLOPE
