"""Prepares an imported message for storage: cleans its text, splits a long text, and converts its time. Pure."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

from tellonce.contract import MAX_TEXT_BYTES
from tellonce_server.services.import_messages import ImportMessage, clean

LONGEST_ID = 128
"""Maximum characters of an external id, from the contract."""

_PIECE = MAX_TEXT_BYTES - 4
"""Maximum bytes of a piece. The margin is the length of the longest character."""


def fitted(message: ImportMessage, zone: ZoneInfo) -> Iterator[ImportMessage]:
    """Yield the message, or several messages if its text is over 64 KiB, or none if it is blank.

    Times in exports are in UTC. They are converted to the user's zone, so that `tomorrow` is the user's next day.
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
    """Cut the text into pieces of at most 64 KiB. Joined, they are the text again."""
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
    """Replace an id that is too long by its hash, which is the same in every import."""
    identity = clean(identity)
    return identity if len(identity) <= LONGEST_ID else f"sha256:{hashlib.sha256(identity.encode()).hexdigest()}"
