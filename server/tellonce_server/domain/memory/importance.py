"""How much a statement matters by its form alone: a long number is an account's, a phone's or a case's, in any language."""

import re
from typing import Final

KEY_NUMBER: Final = 0.8
"""Importance of a statement that holds a number people look up."""

_LONG_NUMBER: Final = re.compile(r"\d(?:[ .-]?\d){7,}")


def importance_of(text: str, default: float) -> float:
    """At least `default`, between 0 and 1."""
    return max(default, KEY_NUMBER) if _LONG_NUMBER.search(text) else default
