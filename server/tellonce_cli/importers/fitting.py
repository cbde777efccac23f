"""Makes an imported message one the memory can hold: clean text, in pieces where it is long, in the user's time; pure."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

from tellonce.contract import MAX_TEXT_BYTES
from tellonce_server.services.import_messages import ImportMessage

LONGEST_ID = 128
"""Characters of an external id, as the contract has it."""

_PIECE = MAX_TEXT_BYTES - 4
"""Bytes; a character that would be cut in two goes to the next piece."""


def fitted(message: ImportMessage, zone: ZoneInfo) -> Iterator[ImportMessage]:
    """The message, as several when it is over 64 KiB; nothing when it is blank.

    Exports tell moments in UTC. In the user's zone `tomorrow` is the user's tomorrow.
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


def clean(text: str) -> str:
    """Without what PostgreSQL cannot store: NUL, and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def pieces(text: str) -> Iterator[str]:
    """The text in runs of at most 64 KiB; put together again they are the text."""
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
    """Longer ids give way to their hash: still the same at every import."""
    identity = clean(identity)
    return identity if len(identity) <= LONGEST_ID else f"sha256:{hashlib.sha256(identity.encode()).hexdigest()}"
