"""Tombstones are keyed hashes of forgotten texts. Because of them, the server does not learn a forgotten text again
from old messages. A tombstone is lifted (no longer applies) when the user states the text again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tellonce_server.core.scope import ChatId, MessageId, OwnerId
from tellonce_server.store.database import Queries
from tellonce_server.store.named_queries import Value


@dataclass(frozen=True)
class Tombstone:
    """Hashes of a statement (`claim`) and of its content words. No text can be recovered from the hashes."""

    id: int
    claim: bytes
    words: frozenset[int]
    created_at: datetime


Forgotten = Mapping[tuple[int, int] | None, frozenset[bytes]]
"""The hashes of forgotten texts, by the message that contained them. A message is given by chat and number."""


async def add(q: Queries, owner_id: int, marks: Sequence[tuple[bytes, frozenset[int]]], now: datetime) -> None:
    """Mark statements and names as forgotten. A mark consists of the hash of the whole text and the hashes of its
    words."""
    if marks:
        claims, words = [claim for claim, _ in marks], [sorted(w) for _, w in marks]
        await q.run("tombstones.add", owner_id, claims, words, now)


async def standing(q: Queries, owner_id: int) -> list[Tombstone]:
    return [
        Tombstone(row["id"], row["claim"], frozenset(row["words"]), row["created_at"])
        for row in await q.rows("tombstones.standing", owner_id)
    ]


async def of_messages(q: Queries, owner_id: int) -> Forgotten:
    """The claim hashes of forgotten messages and sentences, by message. The key None has the hashes of names, and all
    hashes from before migration 0062."""
    found: defaultdict[tuple[int, int] | None, set[bytes]] = defaultdict(set)
    for row in await q.rows("tombstones.of_messages", owner_id):
        found[(row["chat_id"], row["message_id"]) if row["message_id"] is not None else None].add(row["claim"])
    return {place: frozenset(claims) for place, claims in found.items()}


async def of_texts(q: Queries, owner_id: int) -> dict[bytes, datetime]:
    """The claim hash of each forgotten message or sentence, with the time at which the text was last forgotten."""
    return {row["claim"]: row["forgotten_at"] for row in await q.rows("tombstones.of_texts", owner_id)}


async def lift(q: Queries, owner_id: int, tombstones: Sequence[Tombstone], now: datetime) -> None:
    """Lift the tombstones of a statement that the user made again."""
    if tombstones:
        await q.run("tombstones.lift", owner_id, [tombstone.id for tombstone in tombstones], now)


newest = Value[[OwnerId], int]("tombstones.newest")
in_message = Value[[OwnerId, ChatId, MessageId], bool]("tombstones.in_message")


async def known(
    q: Queries, owner_id: int, claims: Sequence[bytes], message: tuple[int, int] | None = None
) -> frozenset[bytes]:
    """The given claim hashes that have a tombstone, even a lifted one. The tombstone of a message counts only if
    `message` is this message."""
    place = message or (None, None)
    return frozenset(row["claim"] for row in await q.rows("tombstones.known", owner_id, list(claims), *place))
