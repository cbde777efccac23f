"""Features of a sentence in any language. Length is left out deliberately: sentences worth keeping are longer than
others in the training text, but not in conversations."""

import re
from typing import Final

from tellonce_server.domain.keep.sentences import Sentence

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
    """The sentence's features: one value, 0 or 1, for each of NAMES."""
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
