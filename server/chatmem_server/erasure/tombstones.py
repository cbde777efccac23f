"""What was forgotten, recognised without being kept: keyed hashes of a statement and of its words."""

import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime

from chatmem_server.erasure.targets import sentences
from chatmem_server.memories.claims import claims
from chatmem_server.store import tombstones
from chatmem_server.store.database import Queries
from chatmem_server.store.messages import Located
from chatmem_server.store.tombstones import Tombstone

SAME = 0.75
"""Share of a tombstone's words a statement must hold to be taken for the forgotten one said otherwise."""


class Tombstones:
    """`key` never leaves the server: without it the hashes cannot be tried out."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    async def set(self, q: Queries, owner_id: int, chat_id: int | None, texts: Sequence[str], now: datetime) -> int:
        """Mark statements as forgotten; how many."""
        marks = [self.mark(text) for text in dict.fromkeys(texts)]
        if marks:
            await tombstones.add(q, owner_id, chat_id, marks, now)
        return len(marks)

    async def set_message(self, q: Queries, at: Located, gone: Sequence[str], now: datetime) -> None:
        """Mark the text of a message and the sentences it loses, so that their being sent once more is no new saying."""
        said = [at.line.content, *(sentence.strip() for sentence in gone)]
        marks = [(self._message(at.chat_id, at.line.id, text), frozenset[int]()) for text in dict.fromkeys(said)]
        await tombstones.add(q, at.owner_id, at.chat_id, marks, now)

    async def without_forgotten(self, q: Queries, owner_id: int, chat_id: int, number: int, text: str) -> str | None:
        """The text without the message's forgotten sentences: who edits a message sends those again, too.

        None for the very text it had before something in it was forgotten.
        """
        parts, whole = sentences(text), self._message(chat_id, number, text)
        marks = [self._message(chat_id, number, part.strip()) for part in parts]
        known = await tombstones.known(q, owner_id, [whole, *marks])
        if whole in known:
            return None
        kept = [part for part, mark in zip(parts, marks, strict=True) if mark not in known]
        return text if len(kept) == len(parts) else "".join(kept).strip()

    async def of_messages(self, q: Queries, owner_id: int) -> frozenset[bytes]:
        """The marks of all messages in which something was forgotten."""
        return await tombstones.of_messages(q, owner_id)

    def forgotten_in(self, at: Located, marks: frozenset[bytes]) -> list[str]:
        """The sentences of the message that are marked; all of its text if that is, and none of them is known."""
        said = [part.strip() for part in sentences(at.line.content)]
        found = [part for part in said if part and self._message(at.chat_id, at.line.id, part) in marks]
        whole = self._message(at.chat_id, at.line.id, at.line.content) in marks
        return found or [at.line.content] * whole

    async def lift(self, q: Queries, owner_id: int, stones: Sequence[Tombstone], now: datetime) -> None:
        """The user says it again: it may be known again."""
        if stones:
            await tombstones.lift(q, owner_id, [stone.id for stone in stones], now)

    async def standing(self, q: Queries, owner_id: int) -> list[Tombstone]:
        return await tombstones.standing(q, owner_id)

    def mark(self, text: str) -> tuple[bytes, frozenset[int]]:
        """(hash of the statement, hashes of its content words)."""
        words = _words(text)
        return self._hash(" ".join(words)), frozenset(self._word(word) for word in words)

    def covering(self, stones: Sequence[Tombstone], text: str) -> list[Tombstone]:
        """Those that stand for what the text says."""
        return [stone for stone in stones if self.covers(stone, text)]

    def covers(self, stone: Tombstone, text: str) -> bool:
        """Whether the text says what the tombstone stands for."""
        claim, words = self.mark(text)
        if hmac.compare_digest(claim, stone.claim):
            return True
        if len(stone.words) < 2 or not words:
            return False
        shared = len(words & stone.words)
        return shared >= SAME * len(stone.words) or (shared >= 2 and shared >= SAME * len(words))

    def _message(self, chat_id: int, number: int, text: str) -> bytes:
        return self._hash(f"m:{chat_id}:{number}:{text}")

    def _hash(self, text: str) -> bytes:
        return hmac.new(self._key, text.encode(), hashlib.sha256).digest()

    def _word(self, word: str) -> int:
        """63 bits: fits a bigint."""
        return int.from_bytes(self._hash("w:" + word)[:8], "big") >> 1


def _words(text: str) -> list[str]:
    said = claims(text)
    return sorted({*said.stems, *said.numbers, *said.dates})
