"""How important a statement is by its form alone: a long number is an account, a phone or a case number in any
language."""

import re
from typing import Final

KEY_NUMBER: Final = 0.8
"""The importance of a statement with a number that people look up."""

_LONG_NUMBER: Final = re.compile(r"\d(?:[ .-]?\d){7,}")


def importance_of(text: str, default: float) -> float:
    """At least `default`, between 0 and 1."""
    return max(default, KEY_NUMBER) if _LONG_NUMBER.search(text) else default
