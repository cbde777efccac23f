"""Reads and writes JSON with the interpreter's own C functions. Importing the module `json` would also import `re`,
which takes longer than the rest of a hook. `json` is the fallback for interpreters in which these functions are missing
or different."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Loads = Callable[[str], Any]
    Dumps = Callable[[object], str]


# The settings of the C parser. The parser reads them as attributes. With these settings, JSON values become Python's
# own types.
_PLAIN = {
    "strict": True,
    "object_hook": None,
    "object_pairs_hook": None,
    "parse_float": float,
    "parse_constant": float,
    "parse_int": int,
}


def _quick() -> tuple[Loads, Dumps]:
    """Build the functions. Raises ImportError or TypeError if the interpreter does not have them."""
    from _json import encode_basestring_ascii, make_encoder, make_scanner  # noqa: PLC0415  # it may be missing

    settings: Any = type("Settings", (), _PLAIN)
    scan = make_scanner(settings)
    encode = make_encoder(None, str, encode_basestring_ascii, None, ":", ",", False, False, False)

    def loads(text: str) -> Any:
        text = text.strip()
        try:
            value, end = scan(text, 0)
        except StopIteration:
            raise ValueError("not JSON") from None
        if end != len(text):
            raise ValueError("more than one JSON value")
        return value

    return loads, lambda value: "".join(encode(value, 0))


def _usual() -> tuple[Loads, Dumps]:
    import json  # noqa: PLC0415  # slow, and seldom needed

    return json.loads, json.dumps


try:
    loads, dumps = _quick()
except (ImportError, TypeError):
    loads, dumps = _usual()
