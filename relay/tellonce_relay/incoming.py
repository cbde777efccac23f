"""A person's message as the turn takes it, whatever channel brought it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from tellonce_llm import File


@dataclass(frozen=True)
class Incoming:
    """`message_id` is the channel's own; with it a replayed update is recognised. No `chat_id`: the caller's own chat.

    `parts`: the messages it was written in, where it is more than one; `message_id` is the first one's. `files` are what a
    model is shown of it; `shows_file`: it came with one.
    """

    text: str
    chat_id: int | None
    message_id: str
    sent_at: datetime
    channel: str
    user_name: str = ""
    speaker: str | None = None
    message_thread_id: int | None = None
    reply_to_message_id: str | None = None
    parts: tuple["Incoming", ...] = ()
    files: tuple[File, ...] = ()
    shows_file: bool = False

    @property
    def messages(self) -> tuple["Incoming", ...]:
        """The single messages."""
        return self.parts or (self,)


_SPLIT_AT = 4096
"""UTF-16 units at which Telegram's own apps split a long text."""


def together(parts: Sequence[Incoming]) -> Incoming:
    """Several messages as one: lines, but for a text that an app cut in two."""
    if len(parts) == 1:
        return parts[0]
    text = parts[0].text
    for before, part in pairwise(parts):
        text += ("" if is_split(before.text) else "\n") + part.text
    return replace(parts[0], text=text, parts=tuple(parts), files=tuple(f for part in parts for f in part.files))


def is_split(text: str) -> bool:
    """Whether the text fills a message to its last character: an app cut it there, and the rest follows."""
    return len(text.encode("utf-16-le")) // 2 >= _SPLIT_AT


def is_command(text: str) -> bool:
    """A slash and a name; a path like /usr/bin or a lone slash is talk."""
    name = command_of(text)[0].removeprefix("/")
    return text.startswith("/") and name.replace("_", "").isalnum() and name.isascii()


def command_of(text: str) -> tuple[str, str]:
    """A command's name, without the bot it may be addressed to, and what follows it."""
    name, *rest = text.split(maxsplit=1) or [""]
    return name.partition("@")[0].casefold(), "".join(rest).strip()
