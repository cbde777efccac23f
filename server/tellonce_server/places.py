"""Whose memory a chat belongs to and which lane a message falls into; pure, from settings and the channel's facts."""

import re
from dataclasses import dataclass, field

from tellonce.settings import ServerSettings
from tellonce_server.refusals import Refused

DEFAULT_CHANNEL = "telegram"
"""The relay's, where it names none."""

UNNAMED_CHANNEL = "mcp"
"""That of a client without a name."""


class ChatRefused(Refused):
    """The chat is not the caller's; the text says what to do."""


@dataclass(frozen=True)
class Caller:
    """Who calls, by credential: a user (assistant scope), or the relay, which serves every allowed chat."""

    user_id: int | None
    scopes: frozenset[str]


@dataclass(frozen=True)
class Where:
    """A chat with its tenant. `channel`: by which a call reached it; a message's own id counts within its channel."""

    owner_id: int
    chat_id: int
    channel: str = field(default=DEFAULT_CHANNEL, compare=False)

    @property
    def is_own(self) -> bool:
        """The owner's own chat, which speaks for all of theirs: a person's private one, or a shared group."""
        return self.owner_id == self.chat_id

    def sees(self, chat_id: int | None) -> bool:
        """Whether a memory of that chat is known here; one of no chat is known in all."""
        return chat_id is None or chat_id == self.chat_id

    @property
    def shared(self) -> bool:
        """A shared group is its own owner."""
        return self.chat_id < 0 and self.owner_id == self.chat_id


def locate(caller: Caller, chat_id: int | None, settings: ServerSettings) -> Where:
    """The chat meant by a call. Without `chat_id` it is the caller's private chat.

    Raises:
        ChatRefused: for a chat whose memory is not the caller's to touch.
    """
    if chat_id is None:
        if caller.user_id is None:
            raise ChatRefused("Name a chat_id: the relay has no chat of its own.")
        return Where(caller.user_id, caller.user_id)
    owner = owner_of(chat_id, settings)
    if caller.user_id is not None and (owner or chat_id) != caller.user_id:
        raise ChatRefused(f"Chat {chat_id} is not yours. Leave chat_id out to use your own chat.")
    if owner is None and chat_id != caller.user_id:
        raise ChatRefused(f"Chat {chat_id} is not served here; allow it in TELEGRAM_USER_ID or TELEGRAM_GROUPS.")
    return Where(owner or chat_id, chat_id)


def channel_of(client: str | None) -> str:
    """What a client that names no channel gets: its own name, in the characters a channel has."""
    name = re.sub(r"[^a-z0-9_-]+", "-", (client or "").lower()).strip("-")
    return name[:32] or UNNAMED_CHANNEL


def owner_of(chat_id: int, settings: ServerSettings) -> int | None:
    """The tenant of a chat the settings allow, else None."""
    if chat_id in settings.personal_groups:
        return settings.default_user
    if chat_id in settings.groups or chat_id in settings.user_ids or chat_id == settings.default_user:
        return chat_id
    return None


def topic_lane(chat_id: int, message_thread_id: int) -> str:
    return f"topic:{chat_id}:{message_thread_id}"


def root_lane(chat_id: int) -> str:
    return f"root:{chat_id}"


def reply_lane(chat_id: int, target: str, target_lane: str | None) -> str:
    """The lane of a reply: its target's, if that is a reply lane already; else one that the target heads."""
    if target_lane is not None and target_lane.startswith("reply:"):
        return target_lane
    return f"reply:{chat_id}:{target}"


def session_lane(chat_id: int) -> str:
    """What a chat's session summary, that of all its lanes, bears where other summaries bear their lane's key."""
    return f"session:{chat_id}"


def session_id(channel: str, chat_id: int) -> str:
    return f"{channel}:chat:{chat_id}"
