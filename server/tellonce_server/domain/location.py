"""Finds the chat and the thread of a call. Both may depend on stored data."""

from collections.abc import Collection
from dataclasses import replace

from tellonce.contract import Place
from tellonce_server.core.scope import (
    OPERATOR,
    Asked,
    Caller,
    ChatRefused,
    ChatScope,
    is_conversation,
    locate,
    renamed_thread,
    reply_thread,
    root_thread,
    thread_name,
    topic_thread,
)
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import chats, messages
from tellonce_server.store.database import Queries


async def located(deps: Dependencies, caller: Caller, asked: Asked) -> ChatScope:
    """The chat of a call. A conversation can be given by its number only if it already exists.

    Raises: ChatRefused: the caller may not use the chat's memory.
    """
    where = locate(caller, asked, deps.settings)
    if asked.chat_id is None or not is_conversation(asked.chat_id):
        return where
    chat = await chats.find(deps.database, *where.key)
    if chat is None:
        text = f"There is no chat {asked.chat_id}; memory://chats lists your chats."
        raise ChatRefused(text, "chat_unknown", chat=asked.chat_id)
    return replace(where, home=chat.channel, conversation=chat.conversation)


async def shared_into(deps: Dependencies, caller: Caller, chat_id: int) -> ChatScope:
    """The chat that gets a copy of a shared memory. The operator, on the page, may also share with the groups in the
    settings, whose memories no assistant of a user can read. Raises ChatRefused."""
    if OPERATOR in caller.scopes and chat_id in deps.settings.groups:
        return ChatScope(chat_id, chat_id)
    return await located(deps, caller, Asked(chat_id))


async def thread_of(deps: Dependencies, where: ChatScope, place: Place) -> str:
    key = await _thread_of(deps.database, where, place)
    return (await without_forgotten_names(deps, where.owner_id, [key]))[key]


async def without_forgotten_names(deps: Dependencies, owner_id: int, keys: Collection[str]) -> dict[str, str]:
    """Return each thread key with the key that the thread has now: if the thread's name was forgotten, the key contains
    another name."""
    named = {key: name for key in keys if (name := thread_name(key)) is not None}
    gone = await deps.tombstones.forgotten_names(deps.database, owner_id, list(named.values())) if named else {}
    return {key: renamed_thread(key, gone[named[key]]) if named.get(key) in gone else key for key in keys}


async def _thread_of(q: Queries, where: ChatScope, place: Place) -> str:
    if place.message_thread_id is not None:
        return topic_thread(where.chat_id, place.message_thread_id)
    reply_to = place.reply_to_message_id
    if reply_to is None:
        return root_thread(where.chat_id)
    target = await messages.by_ext_id(q, *where.key, reply_to, where.channel)
    own = target.thread_key if target is not None and target.channel == where.channel else None
    return reply_thread(where.chat_id, reply_to, own, where.guest)
