"""A person's message from any channel, in the form that a turn reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import TypedDict

from tellonce_llm.model import File


class Place(TypedDict):
    chat_id: int | None
    message_thread_id: int | None


@dataclass(frozen=True)
class Incoming:
    """A message. `message_id` is its id in the channel. Without `chat_id`, the message belongs to the caller's own
    chat. If several messages are answered together, `parts` contains them, and `message_id` is the id of the first one.
    `files` are shown to a model; `shows_file` means that the message came with a file. `quoted` is the text to which
    the message replies. `quotes_person` means that a person wrote this text, `quoted_speaker` is the name of this person
    if it is someone else, and `selected` contains the words that the person selected in it. If the message replies to the bot's notice about a memory, `quoted_memory` is this memory.
    `group` is the name of the chat if the chat is a group. `edited` means that the message is a new version. If `kept`
    is false, the person asks that neither the message nor the answer is stored. `may_erase_all` means that the person
    may erase everything in the chat."""

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
    quoted: str = ""
    quotes_person: bool = False
    quoted_speaker: str = ""
    selected: str = ""
    quoted_memory: int | None = None
    group: str | None = None
    kept: bool = True
    edited: bool = False
    may_erase_all: bool = True

    @property
    def place(self) -> Place:
        """The chat and thread, as arguments of the tools."""
        return {"chat_id": self.chat_id, "message_thread_id": self.message_thread_id}

    @property
    def meant(self) -> str:
        """The words to which a reply refers: the selected ones, or else the whole text."""
        return self.selected or self.quoted

    @property
    def messages(self) -> tuple["Incoming", ...]:
        """The individual messages."""
        return self.parts or (self,)


_SPLIT_AT = 4096
"""Telegram's apps split a text that is longer than this many UTF-16 units."""


def together(parts: Sequence[Incoming]) -> Incoming:
    """One message of several. Only texts that an app has split are joined without line breaks."""
    if len(parts) == 1:
        return parts[0]
    text = parts[0].text
    for before, part in pairwise(parts):
        text += ("" if is_split(before.text) else "\n") + part.text
    files = tuple(file for part in parts for file in part.files)
    return replace(parts[0], text=text, parts=tuple(parts), files=files, kept=all(part.kept for part in parts))


def is_split(text: str) -> bool:
    """Whether the text fills a message completely. If so, an app has split a longer text, and the rest follows."""
    return len(text.encode("utf-16-le")) // 2 >= _SPLIT_AT


def is_command(text: str) -> bool:
    """Whether the text is a command: a slash and a name. A path like /usr/bin or a single slash is not a command."""
    name = command_of(text)[0].removeprefix("/")
    return text.startswith("/") and name.replace("_", "").isalnum() and name.isascii()


def command_of(text: str) -> tuple[str, str]:
    """Split a command: `/Remind@tellonce_bot at 5 -> ("/remind", "at 5")`."""
    name, *rest = text.split(maxsplit=1) or [""]
    return name.partition("@")[0].casefold(), "".join(rest).strip()
