"""Detects standing orders to the assistant and requests to remember by the form of a sentence's beginning.

The patterns are few and English only: the scorer must agree that the sentence is about the user, and finds most others
itself.
"""

import re
from typing import Final

_POLITE: Final = r"(?:(?:and|so|ok(?:ay)?|also|please|pls|btw|hey)[,\s]+){0,3}"
_ORDER: Final = re.compile(
    rf"{_POLITE}(?:from now on|going forward|in (?:the )?future|(?:whenever|every time|each time) i\b|"
    rf"(?:always|never) (?!mind\b|again\b|ever\b|been\b|had\b|wanted\b|\w+ed\b))",
    re.IGNORECASE,
)
_REMEMBER: Final = re.compile(
    rf"{_POLITE}(?:can you |could you )?(?:remember|don'?t forget|keep in mind|(?:make a )?note|save)\b(?:\s+that\b(?! \w+ (?:when|where|we)\b)|\s*:|\s+(?:i|i'?m|my|we|our)\b)",
    re.IGNORECASE,
)


def is_order(text: str) -> bool:
    """Whether the sentence tells the assistant how to behave from now on, or what to remember."""
    return bool(_ORDER.match(text) or _REMEMBER.match(text))
