"""The start of the next page of a search as an opaque text. Pure.

It contains the newest message the first page could see, so that new messages shift nothing, and a checksum of the
search, so that it cannot be used for another.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from zlib import crc32

from tellonce_server.core.errors import Refused


class CursorRefused(Refused):
    """The text is not a cursor of this search; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """`start` is the number of results to skip. `below` limits to messages with a smaller number. `search` is the
    checksum of the search."""

    start: int
    below: int
    search: int

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(json.dumps([self.start, self.below, self.search]).encode()).decode()


def mark(*parts: object) -> int:
    """A checksum of the search request."""
    return crc32(repr(parts).encode())


def read(text: str, search: int) -> Cursor:
    """Parse a cursor. Raises CursorRefused for invalid text, or a cursor of another search."""
    try:
        start, below, of = json.loads(base64.urlsafe_b64decode(text.encode()))
    except (binascii.Error, ValueError, TypeError):
        raise _refused(text) from None
    if not all(type(value) is int for value in (start, below, of)) or start < 0 or below < 0 or of != search:
        raise _refused(text)
    return Cursor(start, below, of)


def _refused(text: str) -> CursorRefused:
    return CursorRefused(
        f"{text!r} is no cursor of this search; use next_cursor of the page before, with the same query and arguments."
    )
