"""Finds the chat and the thread of a call. The chat and the thread may depend on stored data."""

from collections.abc import Collection
from dataclasses import replace

from tellonce.contract import Place
from tellonce_server.core import scope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import chats, messages
from tellonce_server.store.messages import StoredMessage


async def located(deps: Dependencies, caller: scope.Caller, asked: scope.Asked) -> scope.ChatScope:
    """The chat of a call. If the call names a conversation by its number, the conversation must already exist. Raises
    ChatRefused."""
    where = await with_stored_channel(deps, scope.locate(caller, asked, deps.settings))
    if asked.chat_id is None or not scope.is_conversation(asked.chat_id):
        return where
    chat = await chats.find(deps.database, *where.key)
    if chat is None:
        text = f"There is no chat {asked.chat_id}; memory://chats lists your chats."
        raise scope.ChatRefused(text, "chat_unknown", chat=asked.chat_id)
    return replace(where, home=chat.channel, conversation=chat.conversation)


async def with_stored_channel(deps: Dependencies, where: scope.ChatScope) -> scope.ChatScope:
    """The same chat scope with its channel names as they are stored. If the user has forgotten a channel's name, this
    is the replacement name."""
    chosen = {where.channel, where.home} - scope.PROGRAMS
    gone = await deps.tombstones.forgotten_names(deps.database, where.owner_id, [*chosen])
    now = {name: scope.replaced_channel(other) for name, other in gone.items()}
    return replace(where, channel=now.get(where.channel, where.channel), home=now.get(where.home, where.home))


async def stored_id(deps: Dependencies, owner_id: int, message_id: str) -> str:
    """The id under which a message is stored. If the user has forgotten the given id, this is its replacement."""
    chosen = [message_id] if scope.MACHINE_ID.fullmatch(message_id) is None else []
    return (await deps.tombstones.forgotten_names(deps.database, owner_id, chosen)).get(message_id, message_id)


async def message_of_id(
    deps: Dependencies, where: scope.ChatScope, message_id: str, channel: str | None = None
) -> StoredMessage | None:
    """The message that has this id in the channel. If there is no such message, the only message of the chat with this
    id. By default, `channel` is the channel of `where`."""
    named = await stored_id(deps, where.owner_id, message_id)
    return await messages.by_ext_id(deps.database, *where.key, named, channel or where.channel)


async def message_named(deps: Dependencies, where: scope.ChatScope, message_id: str) -> StoredMessage | None:
    """The message that `message_of_id` finds. If there is no such message, the message of the chat with this number,
    because a message may have no id of its own."""
    found = await message_of_id(deps, where, message_id)
    if found is None and message_id.isdecimal() and len(message_id) < 19:
        found = await messages.by_id(deps.database, *where.key, int(message_id))
    return found


async def shared_into(deps: Dependencies, caller: scope.Caller, chat_id: int) -> scope.ChatScope:
    """The chat that gets a copy of a shared memory. On the page, the operator may also share a memory with the groups
    in the settings. No user's assistant can read the memories of these groups. Raises ChatRefused."""
    if scope.OPERATOR in caller.scopes and chat_id in deps.settings.groups:
        return scope.ChatScope(chat_id, chat_id)
    return await located(deps, caller, scope.Asked(chat_id))


async def thread_of(deps: Dependencies, where: scope.ChatScope, place: Place) -> str:
    key = await _thread_of(deps, where, place)
    return (await without_forgotten_names(deps, where.owner_id, [key]))[key]


async def without_forgotten_names(deps: Dependencies, owner_id: int, keys: Collection[str]) -> dict[str, str]:
    """A map from each thread key to the key under which the thread is stored now. If a key contains a forgotten name,
    the stored key contains the replacement name."""
    named = {key: name for key in keys if (name := scope.thread_name(key)) is not None}
    gone = await deps.tombstones.forgotten_names(deps.database, owner_id, list(named.values())) if named else {}
    return {key: scope.renamed_thread(key, gone[named[key]]) if named.get(key) in gone else key for key in keys}


async def _thread_of(deps: Dependencies, where: scope.ChatScope, place: Place) -> str:
    if place.message_thread_id is not None:
        return scope.topic_thread(where.chat_id, place.message_thread_id)
    reply_to = place.reply_to_message_id
    if reply_to is None:
        return scope.root_thread(where.chat_id)
    target = await message_of_id(deps, where, reply_to)
    own = target.thread_key if target is not None and target.channel == where.channel else None
    return scope.reply_thread(where.chat_id, reply_to, own, where.guest)
