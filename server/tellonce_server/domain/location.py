"""Finds the chat and the thread of a call in the stored data."""

from collections.abc import Collection
from dataclasses import replace

from tellonce.contract import Place
from tellonce_server.core.scope import (
    MACHINE_ID,
    OPERATOR,
    PROGRAMS,
    Asked,
    Caller,
    ChatRefused,
    ChatScope,
    is_conversation,
    locate,
    renamed_thread,
    replaced_channel,
    reply_thread,
    root_thread,
    thread_name,
    topic_thread,
)
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import chats, messages
from tellonce_server.store.messages import StoredMessage


async def located(deps: Dependencies, caller: Caller, asked: Asked) -> ChatScope:
    """The chat of a call. A conversation that the call names by number must already exist. Raises ChatRefused."""
    scope = await with_stored_channel(deps, locate(caller, asked, deps.settings))
    if asked.chat_id is None or not is_conversation(asked.chat_id):
        return scope
    chat = await chats.find(deps.database, *scope.key)
    if chat is None:
        text = f"There is no chat {asked.chat_id}; memory://chats lists your chats."
        raise ChatRefused(text, "chat_unknown", chat=asked.chat_id)
    return replace(scope, home=chat.channel, conversation=chat.conversation)


async def with_stored_channel(deps: Dependencies, scope: ChatScope) -> ChatScope:
    """The chat scope with the stored names of its channels. If a channel's name was forgotten, the database has
    another name in its place."""
    chosen = {scope.channel, scope.home} - PROGRAMS
    gone = await deps.tombstones.forgotten_names(deps.database, scope.owner_id, [*chosen])
    now = {name: replaced_channel(other) for name, other in gone.items()}
    return replace(scope, channel=now.get(scope.channel, scope.channel), home=now.get(scope.home, scope.home))


async def stored_id(deps: Dependencies, owner_id: int, message_id: str) -> str:
    """The id under which a message is stored. For a forgotten id, this is its replacement."""
    chosen = [message_id] if MACHINE_ID.fullmatch(message_id) is None else []
    return (await deps.tombstones.forgotten_names(deps.database, owner_id, chosen)).get(message_id, message_id)


async def message_of_id(
    deps: Dependencies, scope: ChatScope, message_id: str, channel: str | None = None
) -> StoredMessage | None:
    """The message with this id in the channel, by default the channel of `scope`. Otherwise the only message of the
    chat with this id."""
    named = await stored_id(deps, scope.owner_id, message_id)
    return await messages.by_ext_id(deps.database, *scope.key, named, channel or scope.channel)


async def message_named(deps: Dependencies, scope: ChatScope, message_id: str) -> StoredMessage | None:
    """The message that `message_of_id` finds. Otherwise the message with this number, because some messages have no
    id."""
    found = await message_of_id(deps, scope, message_id)
    if found is None and message_id.isdecimal() and len(message_id) < 19:
        found = await messages.by_id(deps.database, *scope.key, int(message_id))
    return found


async def shared_into(deps: Dependencies, caller: Caller, chat_id: int) -> ChatScope:
    """The chat that gets a copy of a shared memory. On the page, the operator may also share with the groups in the
    settings. No user's assistant can read those groups. Raises ChatRefused."""
    if OPERATOR in caller.scopes and chat_id in deps.settings.groups:
        return ChatScope(chat_id, chat_id)
    return await located(deps, caller, Asked(chat_id))


async def thread_of(deps: Dependencies, scope: ChatScope, place: Place) -> str:
    key = await _thread_of(deps, scope, place)
    return (await without_forgotten_names(deps, scope.owner_id, [key]))[key]


async def without_forgotten_names(deps: Dependencies, owner_id: int, keys: Collection[str]) -> dict[str, str]:
    """For each thread key, the key under which the thread is stored now. If the name of the thread was forgotten, this
    key contains a replacement for the name."""
    named = {key: name for key in keys if (name := thread_name(key)) is not None}
    gone = await deps.tombstones.forgotten_names(deps.database, owner_id, list(named.values())) if named else {}
    return {key: renamed_thread(key, gone[named[key]]) if named.get(key) in gone else key for key in keys}


async def _thread_of(deps: Dependencies, scope: ChatScope, place: Place) -> str:
    if place.message_thread_id is not None:
        return topic_thread(scope.chat_id, place.message_thread_id)
    reply_to = place.reply_to_message_id
    if reply_to is None:
        return root_thread(scope.chat_id)
    target = await message_of_id(deps, scope, reply_to)
    own = target.thread_key if target is not None and target.channel == scope.channel else None
    return reply_thread(scope.chat_id, reply_to, own, scope.guest)
