"""Reads JSON with comments and trailing commas, and writes JSON in the layout of an earlier text. Pure."""

import json
import re
from typing import Any

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_INDENT = re.compile(r"\n([ \t]+)\S")
_HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
"""Matches one half of a character that JSON writes as two `\\u` escapes. UTF-8 cannot represent half a character."""


def read(text: str) -> Any:
    """The value of the text. An empty object for an empty text. Raises ValueError."""
    plain = _TRAILING_COMMA.sub(_kept, _COMMENT.sub(_kept, text))
    return json.loads(plain) if text else {}


def is_strict(text: str) -> bool:
    """Whether the text is valid JSON without comments and trailing commas, or is empty."""
    try:
        json.loads(text or "{}")
    except ValueError:
        return False
    return True


def written(value: Any, former: str) -> str:
    """The value as JSON with the indentation of the text `former`. Two spaces if it has none."""
    found = _INDENT.search(former)
    text = json.dumps(value, indent=found[1] if found is not None else 2, ensure_ascii=False)
    return _HALF_CHARACTER.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n"


def _kept(found: re.Match[str]) -> str:
    return found[1] or " "
