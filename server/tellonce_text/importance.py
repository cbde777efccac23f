"""Estimates the importance of a message or statement from its own text, by simple rules. Pure."""

import re
from typing import Final

_BASE: Final = 0.5
_LONG: Final = 200  # characters

_QUESTION = re.compile(r"[?？]|^\W*(?:what|how|why|when|where|who)s?\b", re.IGNORECASE)
_TECHNICAL = re.compile(r"```|\bfunctions?\b|\bclass(?:es)?\b", re.IGNORECASE)
# Matches "KeyError" and "errors", but not "terror" and "tissue".
_TROUBLE = re.compile(r"\b(?:[A-Z]\w*)?Error|\b(?i:errors?|problems?|issues?)\b")


def message_importance(role: str, content: str) -> float:
    """The importance of a message, from its role and text: between 0.5 and 1, rounded to hundredths."""
    score = (
        _BASE
        + 0.2 * bool(_QUESTION.search(content))
        + 0.15 * bool(_TECHNICAL.search(content))
        + 0.1 * bool(_TROUBLE.search(content))
        + 0.1 * (len(content) > _LONG)
        + 0.05 * (role == "assistant")
    )
    return min(1.0, round(score, 2))


KEY_NUMBER: Final = 0.8
"""The minimum importance of a statement with a long number, such as a phone number, which people look up later."""

_LONG_NUMBER: Final = re.compile(r"\d(?:[ .-]?\d){7,}")


def statement_importance(text: str, default: float) -> float:
    """`default`, or at least `KEY_NUMBER` for a statement with a long number."""
    return max(default, KEY_NUMBER) if _LONG_NUMBER.search(text) else default
