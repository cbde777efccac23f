"""Reads Telegram Desktop's `result.json`, of one chat or of a whole account."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from tellonce.contract import Role
from tellonce.import_formats import CHANNELS
from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import Item, KnownAs, LeftOut, thread_number
from tellonce_cli.importers.records import JsonExport, Record, read_record
from tellonce_server.services.import_messages import ImportMessage
from tellonce_text.own_words import forwarded, label

NOTHING = "holds no Telegram messages; choose the result.json of an export as JSON."
_EXPORT = JsonExport(
    "Telegram export (Settings → Advanced → Export as JSON)",
    r"result\.json",
    "result.json",
    is_record=lambda path: path.endswith("messages.item"),
)
_MEDIA = {
    "sticker": "sticker",
    "video_message": "video message",
    "voice_message": "voice message",
    "animation": "animation",
    "video_file": "video",
    "audio_file": "audio",
}
_LISTS = ("chats.list.item", "left_chats.list.item")
_GROUPS = ("private_group", "private_supergroup", "public_supergroup", "private_channel", "public_channel")
_HEADS = ("", *(f"{place}." for place in _LISTS))


@dataclass
class _Chat:
    """The chat that is being read. `topics` maps a message to the first message of its topic.

    `one_of_many` means that the file contains all chats of an account.
    """

    one_of_many: bool = False
    id: int = 0
    name: str | None = None
    type: str = ""
    topics: dict[int, int] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The chat's id in the Bot API. In this API, the ids of groups and channels are negative."""
        if self.type == "private_group":
            return -self.id
        return int(f"-100{self.id}") if self.type in _GROUPS else self.id


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """Yield the messages in order. A person is named by `user123`, 123 or the displayed name. If the
    source names a group of an account, only this group is read. Otherwise, groups and channels are left out, because
    other people's words do not belong to the user's private chat."""
    names = set[str]()
    for record, chat, known in _raw(source, progress):
        if _belongs(chat, source):
            yield from read_record(partial(_message, chat=chat, source=known, names=names), record)
        elif chat.type in _GROUPS:
            yield LeftOut(f"{chat.name} ({chat.number})")


def _belongs(chat: _Chat, source: Source) -> bool:
    if not chat.one_of_many:
        return True
    group = source.chat_id is not None and source.chat_id < 0
    return chat.number == source.chat_id if group else chat.type not in _GROUPS


def _raw(source: Source, progress: Progress) -> Iterator[tuple[Record, _Chat, Source]]:
    """Yield each message with its chat and the source, which contains the user's id once the file gave it."""
    chat = _Chat()
    for found in _EXPORT.values(source.path, progress):
        if isinstance(found, Record):
            yield found, chat, source
        elif found.event == "start_map" and found.prefix in _LISTS:
            chat = _Chat(one_of_many=True)
        elif found.prefix == "personal_information.user_id" and source.me is None:
            source = replace(source, me=f"user{found.value}")
        else:
            _note(chat, found.prefix, found.value)


def _note(chat: _Chat, prefix: str, value: Any) -> None:
    """The properties of a chat precede its messages."""
    place, _, name = prefix.rpartition(".")
    if (f"{place}." if place else "") not in _HEADS or value is None:
        return
    if name == "id" and str(value).removeprefix("-").isdecimal():
        chat.id = int(value)
    elif name in ("name", "type"):
        setattr(chat, name, str(value))


def _message(raw: dict[str, Any], chat: _Chat, source: Source, names: set[str]) -> Iterator[Item]:
    """`names` contains the names of the user that were already yielded."""
    number, target = int(raw["id"]), raw.get("reply_to_message_id")
    if raw.get("action") == "topic_created":
        chat.topics[number] = number
    elif target in chat.topics:
        chat.topics[number] = chat.topics[target]
    content = text_of(raw)
    if raw.get("type") != "message" or not content:
        return
    topic = chat.topics.get(number)
    role, speaker = _voice(raw, chat, source)
    # The private chats of a whole account become threads of one chat, so that they never mix.
    mixes = chat.one_of_many and chat.type not in _GROUPS
    yield ImportMessage(
        role=role,
        content=content,
        message_id=f"telegram:{chat.id}:{number}",
        sent_at=_sent_at(raw),
        channel=CHANNELS["telegram"],
        speaker=speaker,
        message_thread_id=thread_number(f"telegram:{chat.id}:{topic or ''}") if mixes else topic,
        reply_to_message_id=f"telegram:{chat.id}:{target}" if target is not None and target != topic else None,
    )
    name = str(raw.get("from") or "")
    if role == "user" and speaker is None and name and name not in names:
        names.add(name)
        yield KnownAs(name)


def _sent_at(raw: dict[str, Any]) -> datetime:
    """Older exports have only `date`, in the exporting machine's local time."""
    if "date_unixtime" in raw:
        return datetime.fromtimestamp(int(raw["date_unixtime"]), UTC)
    return datetime.fromisoformat(str(raw["date"])).astimezone(UTC)


def _voice(raw: dict[str, Any], chat: _Chat, source: Source) -> tuple[Role, str | None]:
    """Only the user has the role `user` without a name."""
    sender, identity = raw.get("from"), str(raw.get("from_id") or "")
    if _is_me(sender, identity, chat, source.me):
        return "user", None
    if _is(source.assistant, sender, identity) or chat.type == "bot_chat":
        return "assistant", None
    return "user", sender or "deleted account"


def _is_me(sender: str | None, identity: str, chat: _Chat, me: str | None) -> bool:
    if chat.type == "saved_messages":
        return True
    if me is not None:
        return _is(me, sender, identity)
    # A private chat has the name of the other person. A deleted account has no name.
    return chat.type in ("personal_chat", "bot_chat") and sender is not None and sender != chat.name


def _is(who: str | None, sender: str | None, identity: str) -> bool:
    return who is not None and (f"user{who}" if who.isdecimal() else who) in (identity, sender)


def text_of(raw: dict[str, Any]) -> str:
    """Content that is not text becomes a label. A forwarded message becomes a quotation."""
    entities = raw.get("text_entities") or raw.get("text") or raw.get("rich_message") or ""
    text = " ".join(part for part in (_label(raw), _words(entities).strip()) if part)
    if "forwarded_from" not in raw or not text:
        return text
    return forwarded(str(raw["forwarded_from"] or "someone"), text)


def _words(piece: Any, between: str = "") -> str:
    match piece:
        case str():
            return piece
        case list():
            return between.join(_words(part) for part in piece)
        case {"text": inner}:
            return _words(inner)
        case dict():
            return "\n".join(
                filter(None, (_words(part, "\n") for part in piece.values() if isinstance(part, list | dict)))
            )
        case _:
            return ""


def _label(raw: dict[str, Any]) -> str:
    if "poll" in raw:
        options = ", ".join(str(answer.get("text", "")) for answer in raw["poll"].get("answers", ()))
        return label("poll:", f"{raw['poll'].get('question', '')} ({options})")
    for key in ("location_information", "contact_information", "photo"):
        if key in raw:
            return label(key.partition("_")[0])
    kind = _MEDIA.get(str(raw.get("media_type")))
    if kind == "sticker":
        return label("sticker", raw.get("sticker_emoji", ""))
    if kind:
        return label(kind)
    return label("file", raw.get("file_name", "")) if "file" in raw else ""
