"""Telegram Desktop's `result.json`, of one chat or of a whole account."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ijson

from chatmem.contract import Role
from chatmem_cli.importers.files import Progress, Watched, opened
from chatmem_cli.importers.items import ImportFailed, Item
from chatmem_server.importing import ImportMessage

CHANNEL = "telegram"
_MEDIA = {
    "sticker": "sticker",
    "video_message": "video message",
    "voice_message": "voice message",
    "animation": "animation",
    "video_file": "video",
    "audio_file": "audio",
}


@dataclass
class _Chat:
    """One chat while it is read. `topics` maps a message to its topic's first message."""

    id: int = 0
    name: str | None = None
    type: str = ""
    topics: dict[int, int] = field(default_factory=dict)


def read(path: Path, me: str | None, progress: Progress) -> Iterator[Item]:
    """Messages in the order of the file. `me` names the user: `user123`, 123, or the name shown."""
    with opened(path, "result.json", progress) as stream:
        try:
            yield from _items(stream, me)
        except ijson.JSONError as error:
            raise ImportFailed(f"{path} is no Telegram export (Settings → Export as JSON): {error}.") from error


def _items(stream: Watched, me: str | None) -> Iterator[Item]:
    chat, found = _Chat(), False
    builder: Any = None
    depth_prefix = ""
    for prefix, event, value in ijson.parse(stream):
        if builder is None:
            if prefix in ("id", "chats.list.item.id", "left_chats.list.item.id"):
                chat.id = int(value)
            elif prefix in ("name", "chats.list.item.name", "left_chats.list.item.name"):
                chat.name = value
            elif prefix in ("type", "chats.list.item.type", "left_chats.list.item.type"):
                chat.type = value
            elif prefix == "personal_information.user_id" and me is None:
                me = f"user{value}"
            elif event == "start_map" and prefix in ("chats.list.item", "left_chats.list.item"):
                chat = _Chat()
            elif event == "start_map" and prefix.endswith("messages.item") and prefix.count("messages") == 1:
                builder, depth_prefix, found = ijson.ObjectBuilder(), prefix, True
                builder.event(event, value)
            continue
        builder.event(event, value)
        if event == "end_map" and prefix == depth_prefix:
            message = _message(builder.value, chat, me)
            builder = None
            if message is not None:
                yield message
    if not found:
        raise ImportFailed("that file holds no Telegram messages; choose the result.json of an export as JSON.")


def _message(raw: dict[str, Any], chat: _Chat, me: str | None) -> ImportMessage | None:
    """None for service messages and messages without anything to keep."""
    number, target = int(raw["id"]), raw.get("reply_to_message_id")
    if raw.get("action") == "topic_created":
        chat.topics[number] = number
    elif target in chat.topics:
        chat.topics[number] = chat.topics[target]
    content = text_of(raw)
    if raw.get("type") != "message" or not content:
        return None
    topic = chat.topics.get(number)
    reply = f"telegram:{chat.id}:{target}" if target is not None and target != topic else None
    role, speaker = _voice(raw, chat, me)
    return ImportMessage(
        role=role,
        content=content,
        message_id=f"telegram:{chat.id}:{number}",
        sent_at=datetime.fromtimestamp(int(raw["date_unixtime"]), UTC),
        channel=CHANNEL,
        speaker=speaker,
        message_thread_id=topic,
        reply_to_message_id=reply,
    )


def _voice(raw: dict[str, Any], chat: _Chat, me: str | None) -> tuple[Role, str | None]:
    """The user and other people speak as `user`, others with their name; a bot is the assistant."""
    sender, identity = raw.get("from"), str(raw.get("from_id") or "")
    if _is_me(sender, identity, chat, me):
        return "user", None
    if chat.type == "bot_chat" or raw.get("via_bot") == sender:
        return "assistant", None
    return "user", sender or "deleted account"


def _is_me(sender: str | None, identity: str, chat: _Chat, me: str | None) -> bool:
    if chat.type == "saved_messages":
        return True
    if me is not None:
        wanted = me if me.startswith("user") or not me.isdecimal() else f"user{me}"
        return wanted in (identity, sender)
    # In a private chat the other one gives the chat its name.
    return chat.type in ("personal_chat", "bot_chat") and sender != chat.name


def text_of(raw: dict[str, Any]) -> str:
    """The text, a label for what is not text, or both."""
    entities = raw.get("text_entities") or raw.get("text") or ""
    text = entities if isinstance(entities, str) else "".join(_piece(piece) for piece in entities)
    label = _label(raw)
    return " ".join(part for part in (label, text.replace("\x00", "").strip()) if part)


def _piece(piece: Any) -> str:
    return piece if isinstance(piece, str) else str(piece.get("text", ""))


def _label(raw: dict[str, Any]) -> str:
    if "poll" in raw:
        options = ", ".join(str(answer.get("text", "")) for answer in raw["poll"].get("answers", ()))
        return f"[poll: {raw['poll'].get('question', '')} ({options})]"
    if "location_information" in raw:
        return "[location]"
    if "contact_information" in raw:
        return "[contact]"
    if "photo" in raw:
        return "[photo]"
    kind = _MEDIA.get(str(raw.get("media_type")))
    if kind == "sticker":
        return f"[sticker {raw.get('sticker_emoji', '')}]".replace(" ]", "]")
    if kind:
        return f"[{kind}]"
    return f"[file {raw.get('file_name', '')}]".replace(" ]", "]") if "file" in raw else ""
