"""Makes an imported message fit for storage: clean text, split if it is long, in the user's time zone. Pure."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

from tellonce.contract import MAX_TEXT_BYTES
from tellonce_server.services.import_messages import ImportMessage, clean

LONGEST_ID = 128
"""Maximum characters of an external id, from the contract."""

_PIECE = MAX_TEXT_BYTES - 4
"""Bytes per piece. The margin leaves room for a character that would be split."""


def fitted(message: ImportMessage, zone: ZoneInfo) -> Iterator[ImportMessage]:
    """The message; several if it is over 64 KiB, none if it is blank.

    Exports give times in UTC. They are converted to the user's zone, so that `tomorrow` is the user's tomorrow.
    """
    text = clean(message.content)
    if not text.strip():
        return
    at = message.sent_at if message.sent_at.utcoffset() else message.sent_at.astimezone(zone)
    first = replace(
        message,
        message_id=_short(message.message_id),
        reply_to_message_id=_short(message.reply_to_message_id) if message.reply_to_message_id else None,
        speaker=clean(message.speaker)[:LONGEST_ID] if message.speaker else None,
        sent_at=at,
    )
    for number, piece in enumerate(pieces(text)):
        yield replace(first, content=piece, message_id=_part(first.message_id, number))


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most 64 KiB, which joined give the text again."""
    data = text.encode()
    start = 0
    while start < len(data):
        end = min(start + _PIECE, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[start:end].decode()
        start = end


def _part(message_id: str, number: int) -> str:
    return _short(f"{message_id}#{number + 1}") if number else message_id


def _short(identity: str) -> str:
    """Replace a longer id by its hash, which is the same at every import."""
    identity = clean(identity)
    return identity if len(identity) <= LONGEST_ID else f"sha256:{hashlib.sha256(identity.encode()).hexdigest()}"
