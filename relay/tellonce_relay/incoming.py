"""A person's message as the turn takes it, whatever channel brought it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Incoming:
    """`message_id` is the channel's own; with it a replayed update is recognised. No `chat_id`: the caller's own chat."""

    text: str
    chat_id: int | None
    message_id: str
    sent_at: datetime
    channel: str
    user_name: str = ""
    speaker: str | None = None
    message_thread_id: int | None = None
    reply_to_message_id: str | None = None


def is_command(text: str) -> bool:
    """A slash and a name; a path like /usr/bin or a lone slash is talk."""
    name = command_of(text)[0].removeprefix("/")
    return text.startswith("/") and name.replace("_", "").isalnum() and name.isascii()


def command_of(text: str) -> tuple[str, str]:
    """A command's name, without the bot it may be addressed to, and what follows it."""
    name, *rest = text.split(maxsplit=1) or [""]
    return name.partition("@")[0].casefold(), "".join(rest).strip()
