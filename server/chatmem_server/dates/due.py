"""Whether a text speaks of time in some way; pure."""

import re

_OF_TIME = re.compile(
    r"\d|[^\x00-\x7f]|day|week|month|quarter|year|decade|spring|summer|autumn|\bfall\b|winter|tomorrow|tonight"
    r"|christmas|easter|thanksgiving|halloween",
    re.IGNORECASE,
)


def speaks_of_time(text: str) -> bool:
    """Whether the words may name a day in some way: in English by a word or a number, in other scripts nobody knows."""
    return _OF_TIME.search(text) is not None
