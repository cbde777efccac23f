"""What a Telegram update means to the memory: lane facts, text or placeholder, who may talk; pure."""

from dataclasses import dataclass

from telegram import Message

from chatmem.settings import RelaySettings
from chatmem_relay.incoming import Incoming

CHANNEL = "telegram"


@dataclass(frozen=True)
class Lane:
    """Telegram's own facts, from which the server derives the lane."""

    message_thread_id: int | None
    reply_to_message_id: str | None


def lane_of(message: Message) -> Lane:
    """A topic message, a reply, or neither.

    In a topic every message that replies to nothing carries the topic's creation as its reply target; in a plain
    supergroup a reply carries a thread id that is no topic.
    """
    target = message.reply_to_message
    reply = str(target.message_id) if target is not None and target.forum_topic_created is None else None
    if message.is_topic_message and message.message_thread_id is not None:
        return Lane(message.message_thread_id, reply)
    return Lane(None, reply)


def may_talk(message: Message, settings: RelaySettings) -> bool:
    """An allowed user, in private or in a listed group; nobody else gets a word."""
    user = message.from_user
    if user is None or user.is_bot or user.id not in settings.user_ids:
        return False
    return message.chat.id == user.id or message.chat.id in (*settings.groups, *settings.personal_groups)


def text_of(message: Message) -> str:
    """What was written; of a picture or a voice its label and caption."""
    label = _label(message)
    written = message.text or message.caption or ""
    return " ".join(part for part in (label, written) if part)


def incoming(message: Message, settings: RelaySettings) -> Incoming | None:
    """None for what holds nothing to keep (service messages)."""
    text = text_of(message)
    if not text:
        return None
    lane, user = lane_of(message), message.from_user
    name = user.first_name if user is not None else ""
    return Incoming(
        text=text,
        chat_id=message.chat.id,
        message_id=str(message.message_id),
        sent_at=message.date,
        channel=CHANNEL,
        user_name=settings.user_name or name,
        # In a shared group it matters who speaks; elsewhere only the user does.
        speaker=name if message.chat.id in settings.groups else None,
        message_thread_id=lane.message_thread_id,
        reply_to_message_id=lane.reply_to_message_id,
    )


def _label(message: Message) -> str:
    kinds = {
        "[photo]": message.photo,
        "[voice message]": message.voice,
        "[video message]": message.video_note,
        "[video]": message.video,
        "[audio]": message.audio,
        "[location]": message.location,
        "[contact]": message.contact,
    }
    if message.sticker is not None:
        return f"[sticker {message.sticker.emoji or ''}]".replace(" ]", "]")
    if message.document is not None:
        return f"[file {message.document.file_name or ''}]".replace(" ]", "]")
    if message.poll is not None:
        return f"[poll: {message.poll.question}]"
    return next((label for label, value in kinds.items() if value), "")
