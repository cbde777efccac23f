"""Finds what was forgotten once and is there again, as after the restore of an older backup; it erases nothing itself."""

from collections.abc import AsyncGenerator

from chatmem.contract import Memory
from chatmem_server.erasure.tombstones import Tombstones
from chatmem_server.store import chats, lanes, memories, messages
from chatmem_server.store.database import Queries
from chatmem_server.store.messages import Located


async def known_again(
    q: Queries, tombstones: Tombstones, owner_id: int
) -> tuple[list[Memory], list[Located], list[str]]:
    """Memories older than a tombstone that covers them; messages in which something stands again that was taken out of
    them once, and what that is.
    """
    stones = await tombstones.standing(q, owner_id)
    found = [
        memory
        for memory in await memories.all_of_owner(q, owner_id)
        if any(stone.created_at > memory.valid_from and tombstones.covers(stone, memory.content) for stone in stones)
    ]
    marks = await tombstones.of_messages(q, owner_id)
    if not marks:
        return found, [], []
    hit: list[Located] = []
    parts: list[str] = []
    async for at in _messages(q, owner_id):
        if again := tombstones.forgotten_in(at, marks):
            hit.append(at)
            parts += again
    return found, hit, parts


async def _messages(q: Queries, owner_id: int) -> AsyncGenerator[Located]:
    for chat in await chats.of_owner(q, owner_id):
        for lane in await lanes.of_chat(q, owner_id, chat.chat_id):
            async for line in messages.of_lane(q, owner_id, chat.chat_id, lane.thread_key):
                yield Located(owner_id, chat.chat_id, lane.thread_key, line)
