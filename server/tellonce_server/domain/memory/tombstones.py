"""Recognizes forgotten statements without storing them, by keyed hashes of a statement and of its words."""

import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime

from tellonce_server.store import tombstones
from tellonce_server.store.database import Queries
from tellonce_server.store.tombstones import Tombstone
from tellonce_text.claims import claims
from tellonce_text.sentences import sentences

SAME = 0.75
"""A statement counts as a forgotten statement in other words if the words that both have in common are at least this
share of the words of one of them."""

Mark = tuple[bytes, frozenset[int]]
"""The hash of a statement and the hashes of its content words."""


class Tombstones:
    """Computes and compares the hashes. `key` never leaves the server. Without this key, nobody can compute the hash of
    a guessed text."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    async def add(self, q: Queries, owner_id: int, chat_id: int | None, marks: Sequence[Mark], now: datetime) -> None:
        """Mark statements and messages as forgotten."""
        if marks:
            await tombstones.add(q, owner_id, chat_id, marks, now)

    def message_claims(self, chat_id: int, number: int, text: str, gone: Sequence[str]) -> list[bytes]:
        """Return hashes of a message's text and of the sentences that are erased from the text (`gone`). If a client
        sends the message again, the erased sentences are recognized by these hashes and removed."""
        said = [text, *(sentence.strip() for sentence in gone)]
        return [self._message(chat_id, number, part) for part in dict.fromkeys(said)]

    async def without_forgotten(self, q: Queries, owner_id: int, chat_id: int, number: int, text: str) -> str | None:
        """Return the text without the sentences that were forgotten in this message. A client may send forgotten
        sentences again when it edits the message.

        Returns None if the text equals the message's text before the erasure.
        """
        parts, whole = sentences(text), self._message(chat_id, number, text)
        marks = [self._message(chat_id, number, part.strip()) for part in parts]
        known = await tombstones.known(q, owner_id, [whole, *marks])
        if whole in known:
            return None
        kept = [part for part, mark in zip(parts, marks, strict=True) if mark not in known]
        return text if len(kept) == len(parts) else "".join(kept).strip()

    async def of_messages(self, q: Queries, owner_id: int) -> frozenset[bytes]:
        """The hashes of all messages in which something was forgotten."""
        return await tombstones.of_messages(q, owner_id)

    def forgotten_in(self, chat_id: int, number: int, text: str, marks: frozenset[bytes]) -> list[str]:
        """The sentences of the message that are marked as forgotten."""
        said = [part.strip() for part in sentences(text) if part.strip()]
        found = [part for part in said if self._message(chat_id, number, part) in marks]
        return found or (said if self._message(chat_id, number, text) in marks else [])

    async def lift(self, q: Queries, owner_id: int, stones: Sequence[Tombstone], now: datetime) -> None:
        """Remove the tombstones of a statement that the user made again."""
        if stones:
            await tombstones.lift(q, owner_id, [stone.id for stone in stones], now)

    async def standing(self, q: Queries, owner_id: int) -> list[Tombstone]:
        return await tombstones.standing(q, owner_id)

    def mark(self, text: str) -> Mark:
        """The hash of a statement and the hashes of its content words."""
        words = _words(text)
        return self._hash(" ".join(words)), frozenset(self._word(word) for word in words)

    def covering(self, stones: Sequence[Tombstone], text: str) -> list[Tombstone]:
        """Return the tombstones of the forgotten statements that the text repeats."""
        if not stones:
            return []
        said = self.mark(text)
        return [stone for stone in stones if covers(stone, said)]

    def _message(self, chat_id: int, number: int, text: str) -> bytes:
        return self._hash(f"m:{chat_id}:{number}:{text}")

    def _hash(self, text: str) -> bytes:
        return hmac.new(self._key, text.encode(), hashlib.sha256).digest()

    def _word(self, word: str) -> int:
        """The hash of a word in 63 bits, which fit a bigint."""
        return int.from_bytes(self._hash("w:" + word)[:8], "big") >> 1


def covers(stone: Tombstone, said: Mark) -> bool:
    """Whether the hashed text (`said`) repeats the forgotten statement of the tombstone."""
    claim, words = said
    if hmac.compare_digest(claim, stone.claim):
        return True
    if len(stone.words) < 2 or not words:
        return False
    shared = len(words & stone.words)
    return shared >= SAME * len(stone.words) or (shared >= 2 and shared >= SAME * len(words))


def _words(text: str) -> list[str]:
    said = claims(text)
    return sorted({*said.stems, *said.numbers, *said.dates})
