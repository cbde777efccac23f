"""The owner of a chat's memory and the thread of a message, from the settings and the channel's data. Pure."""

import hashlib
import re
from dataclasses import dataclass, field, replace

from tellonce.settings import ServerSettings
from tellonce_server.core.errors import Refused

DEFAULT_CHANNEL = "telegram"
"""The default channel of the relay."""

UNNAMED_CHANNEL = "mcp"
"""The channel of a client without a name."""


CONVERSATIONS = 2**52
"""Chat numbers of conversations start here and end below twice this value: above every Telegram id, and exact in a
JSON number."""


class ChatRefused(Refused):
    """The caller may not use the chat; the text says what to do."""


@dataclass(frozen=True)
class Caller:
    """The caller according to its credential: a user (assistant scope), or the relay, which serves every allowed chat."""

    user_id: int | None
    scopes: frozenset[str]


@dataclass(frozen=True)
class ChatScope:
    """A chat and its owner.

    `channel` is the one the call came through; a message's own id is unique within its channel. `home` is the channel
    the chat belongs to. `conversation` is the client's name for the conversation, if it gave one.
    """

    owner_id: int
    chat_id: int
    channel: str = field(default=DEFAULT_CHANNEL, compare=False)
    home: str = field(default=DEFAULT_CHANNEL, compare=False)
    conversation: str | None = field(default=None, compare=False)

    @property
    def is_own(self) -> bool:
        """Whether only the owner talks here, so that a call may change everything of the owner's. This holds for a
        private chat or conversation, and for a shared group, which is its own owner."""
        return self.owner_id == self.chat_id or is_conversation(self.chat_id)

    @property
    def guest(self) -> str | None:
        """The call's channel if the chat belongs to another channel, else None."""
        return self.channel if self.channel != self.home else None

    def sees(self, chat_id: int | None) -> bool:
        """Whether a memory of that chat is visible here. A memory of no chat is visible everywhere."""
        return chat_id is None or chat_id == self.chat_id

    @property
    def shared(self) -> bool:
        """Whether this is a shared group, which is its own owner."""
        return self.chat_id < 0 and self.owner_id == self.chat_id


@dataclass(frozen=True)
class Asked:
    """The chat, conversation and channel that a call names. `channel` defaults to the MCP client's name."""

    chat_id: int | None = None
    conversation_id: str | None = None
    channel: str = UNNAMED_CHANNEL


def locate(caller: Caller, asked: Asked, settings: ServerSettings) -> ChatScope:
    """The chat of a call. A call without a chat belongs to a conversation of the caller's channel.

    Raises: ChatRefused: the caller may not use the chat's memory.
    """
    if asked.chat_id is None:
        return _conversation(caller, asked)
    if asked.conversation_id is not None:
        raise ChatRefused("Name either chat_id or conversation_id, not both.")
    if is_conversation(asked.chat_id) and caller.user_id is not None:
        return ChatScope(caller.user_id, asked.chat_id, asked.channel, asked.channel)
    return replace(telegram_chat(caller, asked.chat_id, settings), channel=asked.channel)


def telegram_chat(caller: Caller, chat_id: int, settings: ServerSettings) -> ChatScope:
    """A Telegram chat by its number. Raises ChatRefused, as `locate` does."""
    owner = owner_of(chat_id, settings)
    if caller.user_id is not None and (owner or chat_id) != caller.user_id:
        raise ChatRefused(f"Chat {chat_id} is not yours. Leave chat_id out to use your own chat.")
    if owner is None and chat_id != caller.user_id:
        raise ChatRefused(f"Chat {chat_id} is not served here; allow it in TELEGRAM_USER_ID or TELEGRAM_GROUPS.")
    return ChatScope(owner or chat_id, chat_id)


def own_chat(caller: Caller) -> ChatScope:
    """A user's private chat. Raises ChatRefused for the relay, which has none."""
    if caller.user_id is None:
        raise ChatRefused("Name a chat_id: the relay has no chat of its own.")
    return ChatScope(caller.user_id, caller.user_id)


def _conversation(caller: Caller, asked: Asked) -> ChatScope:
    if caller.user_id is None:
        raise ChatRefused("Name a chat_id: the relay has no chat of its own.")
    return conversation(caller.user_id, asked.channel, asked.conversation_id)


def conversation(owner_id: int, channel: str, conversation_id: str | None = None) -> ChatScope:
    """The chat of a conversation, or the channel's own chat. Its number depends on these three values alone."""
    named = f"{owner_id}\n{channel}\n{conversation_id or ''}".encode()
    # 13 hexadecimal digits are 52 bits. Migration 0031 computes the same number.
    number = CONVERSATIONS + int(hashlib.sha256(named).hexdigest()[:13], 16)
    return ChatScope(owner_id, number, channel, channel, conversation_id)


def is_conversation(chat_id: int) -> bool:
    return CONVERSATIONS <= chat_id < 2 * CONVERSATIONS


def channel_of(client: str | None) -> str:
    """The channel of a client that names none: its own name, reduced to the characters a channel may have."""
    name = re.sub(r"[^a-z0-9_-]+", "-", (client or "").lower()).strip("-")
    return name[:32] or UNNAMED_CHANNEL


def owner_of(chat_id: int, settings: ServerSettings) -> int | None:
    """The owner of a chat that the settings allow, else None."""
    if chat_id in settings.personal_groups:
        return settings.default_user
    if chat_id in settings.groups or chat_id in settings.user_ids or chat_id == settings.default_user:
        return chat_id
    return None


def known_everywhere(owner_id: int) -> int:
    """The chat number of the owner's profile: a shared group's own chat; 0 for a person, whose profile is shown in all
    chats."""
    return owner_id if owner_id < 0 else 0


def topic_thread(chat_id: int, message_thread_id: int | str) -> str:
    """The thread of a forum topic, by number, or of a client's session, by name."""
    return f"topic:{chat_id}:{message_thread_id}"


def root_thread(chat_id: int) -> str:
    return f"root:{chat_id}"


def reply_thread(chat_id: int, target: str, target_thread: str | None, guest: str | None = None) -> str:
    """The thread of a reply: the target's thread if that is a reply thread, else a new one that starts at the target.

    `guest` is the replying channel if the chat belongs to another channel, because both may have a message with that
    id.
    """
    if target_thread is not None and target_thread.startswith("reply:"):
        return target_thread
    return f"reply:{chat_id}:{guest}/{target}" if guest is not None else f"reply:{chat_id}:{target}"


def session_thread(chat_id: int) -> str:
    """The thread key of a chat's session summary, which covers all threads."""
    return f"session:{chat_id}"


def session_id(channel: str, chat_id: int) -> str:
    return f"{channel}:chat:{chat_id}"
