"""Determines the owner of a chat's memory and the thread of a message. Pure."""

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from tellonce.import_formats import CHANNELS
from tellonce.settings import ServerSettings
from tellonce_server.core.errors import Refused

OwnerId: TypeAlias = int
ChatId: TypeAlias = int
ThreadKey: TypeAlias = str
MessageId: TypeAlias = int
"""The number of a message in its chat."""
MemoryId: TypeAlias = int

DEFAULT_CHANNEL = "telegram"
"""The channel of a call of the relay, unless the call names another channel."""

UNNAMED_CHANNEL = "mcp"
"""The channel of a client without a name."""

PROGRAMS = frozenset((DEFAULT_CHANNEL, UNNAMED_CHANNEL, "terminal", "claude-ai", *CHANNELS.values()))
"""Channels that are named after known programs. No person chose these names, so `forget` leaves them as they are."""


CONVERSATIONS = 2**52
"""The smallest id of a conversation, above all Telegram ids. JSON numbers are exact up to twice this number."""


class ChatRefused(Refused):
    """The caller may not use the chat; the text says what to do."""


MACHINE_ID = re.compile(r"(?:[a-z]+:)?(?:\d+|[0-9a-fA-F-]{12,})")
"""Matches a number, a hash or a UUID. Such ids contain no person's words."""


OPERATOR: Final = "operator"
"""The scope of the operator's page session. No stored token has this scope."""


@dataclass(frozen=True)
class Caller:
    """The caller, as determined by its credential. `user_id` is None for the relay, which serves every allowed chat."""

    user_id: int | None
    scopes: frozenset[str]


@dataclass(frozen=True)
class ChatScope:
    """A chat and its owner.

    - `channel`: the channel through which the call came. The external id of a message is unique in its channel.
    - `home`: the channel to which the chat belongs.
    - `conversation`: the name that the client gave the conversation or the Telegram group; None without such a name.
    """

    owner_id: int
    chat_id: int
    channel: str = field(default=DEFAULT_CHANNEL, compare=False)
    home: str = field(default=DEFAULT_CHANNEL, compare=False)
    conversation: str | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[OwnerId, ChatId]:
        return self.owner_id, self.chat_id

    @property
    def is_own(self) -> bool:
        """Whether a call from this chat may change all memories of the owner. A shared group is its own owner."""
        return self.owner_id == self.chat_id or is_conversation(self.chat_id)

    @property
    def guest(self) -> str | None:
        """The channel of the call if the chat belongs to another channel, else None."""
        return self.channel if self.channel != self.home else None

    def sees(self, chat_id: int | None) -> bool:
        return chat_id is None or chat_id == self.chat_id

    @property
    def shared(self) -> bool:
        """Whether this chat is a shared group. A shared group is its own owner."""
        return self.chat_id < 0 and self.owner_id == self.chat_id


def unknown_memory(scope: ChatScope, memory_id: int, chat_id: int | None) -> str:
    """The error text for a memory that the chat `scope` may not use. `chat_id` is the memory's only chat. The text for
    a group names no other chats."""
    if chat_id is not None and scope.is_own:
        return f"Memory {memory_id} belongs to chat {chat_id} alone; call again with this chat_id."
    return f"No memory {memory_id} in this chat; a search finds its number."


@dataclass(frozen=True)
class Asked:
    """The chat, the conversation and the channel that a call names. The default channel is the client's name."""

    chat_id: int | None = None
    conversation_id: str | None = None
    channel: str = UNNAMED_CHANNEL


def locate(caller: Caller, asked: Asked, settings: ServerSettings) -> ChatScope:
    """The chat of a call. If `chat_id` is a Telegram group, `conversation_id` is its name. Raises ChatRefused."""
    if asked.chat_id is None:
        return conversation(own_chat(caller).owner_id, asked.channel, asked.conversation_id)
    if asked.conversation_id is not None and asked.chat_id >= 0:
        raise ChatRefused("Name either chat_id or conversation_id, not both.", "call")
    if is_conversation(asked.chat_id) and caller.user_id is not None:
        return ChatScope(caller.user_id, asked.chat_id, asked.channel, asked.channel)
    chat = telegram_chat(caller, asked.chat_id, settings)
    return replace(chat, channel=asked.channel, conversation=asked.conversation_id)


def telegram_chat(caller: Caller, chat_id: int, settings: ServerSettings) -> ChatScope:
    """A Telegram chat by its number. Raises ChatRefused, as `locate` does."""
    owner = owner_of(chat_id, settings)
    if caller.user_id is not None and (owner or chat_id) != caller.user_id:
        text = f"Chat {chat_id} is not yours. Leave chat_id out to use your own chat."
        raise ChatRefused(text, "chat_foreign", chat=chat_id)
    if owner is None and chat_id != caller.user_id:
        text = f"Chat {chat_id} is not served here; allow it in TELEGRAM_USER_ID or TELEGRAM_GROUPS."
        raise ChatRefused(text, "chat_unserved", chat=chat_id)
    return ChatScope(owner or chat_id, chat_id)


def own_chat(caller: Caller) -> ChatScope:
    """A user's private chat. Raises ChatRefused for the relay, which has no private chat."""
    if caller.user_id is None:
        raise ChatRefused("Name a chat_id: the relay has no chat of its own.", "call")
    return ChatScope(caller.user_id, caller.user_id)


def conversation(owner_id: int, channel: str, conversation_id: str | None = None) -> ChatScope:
    """The chat of a conversation, or the channel's own chat. The chat's number is computed from the arguments."""
    named = f"{owner_id}\n{channel}\n{conversation_id or ''}".encode()
    # 13 hexadecimal digits are 52 bits. Migration 0031 computes the same number.
    number = CONVERSATIONS + int(hashlib.sha256(named).hexdigest()[:13], 16)
    return ChatScope(owner_id, number, channel, channel, conversation_id)


def is_conversation(chat_id: int) -> bool:
    return CONVERSATIONS <= chat_id < 2 * CONVERSATIONS


def room(scope: ChatScope) -> int:
    """The chat in which a reminder is listed and delivered."""
    return scope.owner_id if is_conversation(scope.chat_id) else scope.chat_id


def channel_of(client: str | None) -> str:
    """The channel of a client, made from its name: `"Claude Desktop" -> "claude-desktop"`."""
    name = re.sub(r"[^a-z0-9_-]+", "-", (client or "").lower()).strip("-")
    return name[:32] or UNNAMED_CHANNEL


def owner_of(chat_id: int, settings: ServerSettings) -> int | None:
    """The owner of a chat; None if the settings do not allow the chat."""
    if chat_id in settings.personal_groups:
        return settings.default_user
    if chat_id in settings.groups or chat_id in settings.user_ids or chat_id == settings.default_user:
        return chat_id
    return None


def known_everywhere(owner_id: int) -> int:
    """The number of the chat of an owner's profile. It is 0 for a person, who is known in all chats."""
    return owner_id if owner_id < 0 else 0


def topic_thread(chat_id: int, message_thread_id: int | str) -> str:
    """The thread key of a forum topic (a number) or of a client's session (a name)."""
    return f"topic:{chat_id}:{message_thread_id}"


def root_thread(chat_id: int) -> str:
    return f"root:{chat_id}"


def reply_thread(chat_id: int, target: str, target_thread: str | None, guest: str | None = None) -> str:
    """The thread key of a reply to the message `target`. A reply thread continues. `guest` is the reply's channel if
    the chat belongs to another channel. Both channels may have a message with the id `target`, so the key contains
    `guest`."""
    if target_thread is not None and target_thread.startswith("reply:"):
        return target_thread
    return f"reply:{chat_id}:{guest}/{target}" if guest is not None else f"reply:{chat_id}:{target}"


def thread_name(thread_key: str) -> str | None:
    """The name that a client chose for a thread. None without a name, and for a number, a hash or a UUID."""
    name = thread_key.split(":", 2)[2:]
    return name[0] if name and MACHINE_ID.fullmatch(name[0]) is None else None


def renamed_thread(thread_key: str, name: str) -> str:
    """The key of the same thread with another name."""
    kind, chat, _ = thread_key.split(":", 2)
    return f"{kind}:{chat}:{name}"


def replaced_channel(name: str) -> str:
    """The new name of a channel whose name was forgotten. It must not contain a colon: `a:b -> a-b`."""
    return name.replace(":", "-")


def session_thread(chat_id: int) -> str:
    """The thread key of the session summary of a chat. This summary covers all threads of the chat."""
    return f"session:{chat_id}"


def session_id(channel: str, chat_id: int) -> str:
    return f"{channel}:chat:{chat_id}"
