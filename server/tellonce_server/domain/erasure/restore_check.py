"""Finds forgotten text that is back, as after the restore of an older backup. It erases nothing itself."""

from collections.abc import AsyncGenerator

from tellonce_server.domain.erasure.forget_query import Stated
from tellonce_server.domain.memory.tombstones import Tombstones, covers
from tellonce_server.store import chats, memories, messages, threads
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line


async def known_again(q: Queries, tombstones: Tombstones, owner_id: int) -> tuple[list[int], list[Stated]]:
    """The numbers of memories older than a tombstone that covers them, and sentences that are back in a message from
    which they were removed."""
    stones = await tombstones.standing(q, owner_id)
    found = []
    for memory in await memories.all_of_owner(q, owner_id):
        said = tombstones.mark(memory.content)
        if any(stone.created_at > memory.valid_from and covers(stone, said) for stone in stones):
            found.append(memory.id)
    marks = await tombstones.of_messages(q, owner_id)
    parts: list[Stated] = []
    if marks:
        async for chat_id, line in _messages(q, owner_id):
            again = tombstones.forgotten_in(chat_id, line.id, line.content, marks)
            parts += [Stated(part, sources=frozenset(((chat_id, line.id),))) for part in again]
    return found, parts


async def _messages(q: Queries, owner_id: int) -> AsyncGenerator[tuple[int, Line]]:
    for chat in await chats.of_owner(q, owner_id):
        for thread in await threads.of_chat(q, owner_id, chat.chat_id):
            async for line in messages.of_thread(q, owner_id, chat.chat_id, thread.thread_key):
                yield chat.chat_id, line
