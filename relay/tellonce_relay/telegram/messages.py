"""Reads the text and the thread of a Telegram message. Content without text becomes a labeled placeholder. Pure."""

from typing import TypedDict
from zoneinfo import ZoneInfo

from telegram import Contact, Location, Message, MessageOrigin

from tellonce_relay.buttons import memory_under
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.orders import off_record
from tellonce_relay.stores import MovedGroups
from tellonce_relay.telegram.attachments import attachment_of
from tellonce_text.fences import name_of
from tellonce_text.own_words import forwarded, label

CHANNEL = "telegram"


def incoming(
    message: Message,
    zone: ZoneInfo,
    user_name: str = "",
    moved: MovedGroups | None = None,
    transcript: str | None = None,
) -> Incoming | None:
    """None for a message without content. `user_name` overrides the sender's own name."""
    text = text_of(message, zone, transcript)
    if not text.strip():
        return None
    target, user, known = _replied_to(message), message.from_user, moved or MovedGroups()
    name = name_of(user.first_name) if user is not None else ""  # a line break would begin a new prompt line
    chat = message.chat.id
    return Incoming(
        text=text,
        chat_id=known.memory_chat(chat),
        message_id=known.external_id(chat, message.message_id),
        sent_at=message.date.astimezone(zone),
        channel=CHANNEL,
        user_name=user_name or name,
        speaker=name[:128] if chat < 0 and name else None,
        group=(message.chat.title or "")[:128].strip() or None if chat < 0 else None,
        message_thread_id=topic_of(message),
        reply_to_message_id=known.external_id(chat, target.message_id) if target is not None else None,
        shows_file=attachment_of(message) is not None,
        selected=message.quote.text if message.quote is not None else "",
        edited=message.edit_date is not None,
        kept=not off_record(words_of(message, transcript)),
        **(_quoted(message, target, zone) if target is not None else _Quoted()),
    )


def words_of(message: Message, transcript: str | None = None) -> str:
    """What the person wrote or said in a message: its text, caption or transcript; empty for a forwarded message."""
    return (message.text or message.caption or transcript or "") if message.forward_origin is None else ""


class _Quoted(TypedDict, total=False):
    quoted: str
    quotes_person: bool
    quoted_speaker: str
    quoted_memory: int | None


def _quoted(message: Message, target: Message, zone: ZoneInfo) -> _Quoted:
    by_person = target.from_user is not None and not target.from_user.is_bot
    other = target.from_user if by_person and target.from_user != message.from_user else None
    return {
        "quoted": text_of(target, zone),
        "quotes_person": by_person,
        "quoted_speaker": other.full_name[:128] if other is not None else "",
        "quoted_memory": memory_under(target) if not by_person else None,
    }


def topic_of(message: Message) -> int | None:
    """In a supergroup without topics, a reply has a thread id that is not a topic. Sending to it fails."""
    return message.message_thread_id if message.is_topic_message else None


def _replied_to(message: Message) -> Message | None:
    """The message that this message replies to. In a topic, Telegram names a reply target even for a message that is
    not a reply: the message that created the topic. This target is ignored."""
    target = message.reply_to_message
    return target if target is not None and target.forum_topic_created is None else None


def text_of(message: Message, zone: ZoneInfo, transcript: str | None = None) -> str:
    """The text or transcript; for media, label and caption. A forwarded message includes its author, and the time at
    which the author wrote it."""
    written = message.text or message.caption or ""
    text = " ".join(part for part in (transcript or _label(message), written) if part)
    if message.forward_origin is None or not text:
        return text
    origin = message.forward_origin
    return forwarded(_author(origin), text, origin.date.astimezone(zone))


def _author(origin: MessageOrigin) -> str:
    user = getattr(origin, "sender_user", None)
    chat = getattr(origin, "sender_chat", None) or getattr(origin, "chat", None)
    name = (
        getattr(origin, "sender_user_name", None)
        or (user.full_name if user else None)
        or (chat.title if chat else None)
    )
    return str(name or "someone")


def _label(message: Message) -> str:
    named = {
        "sticker": message.sticker and (message.sticker.emoji or ""),
        "audio": message.audio and " – ".join(filter(None, (message.audio.performer, message.audio.title))),
        "file": message.document and not message.animation and (message.document.file_name or ""),
        "poll:": message.poll and f"{message.poll.question} ({', '.join(o.text for o in message.poll.options)})",
        "dice": message.dice and message.dice.emoji,
        "place": message.venue
        and ", ".join(filter(None, (message.venue.title, message.venue.address, _coordinates(message.venue.location)))),
        "location": message.location and _coordinates(message.location),
        "own contact" if _is_own_contact(message) else "contact": message.contact and _name_and_number(message.contact),
        "checklist:": message.checklist and message.checklist.title,
    }
    for kind, name in named.items():
        if name is not None and name is not False:
            return label(kind, str(name))
    return next((label(kind) for kind, present in _kinds(message).items() if present), "")


def _is_own_contact(message: Message) -> bool:
    sender = message.from_user
    return message.contact is not None and sender is not None and message.contact.user_id == sender.id


def _name_and_number(contact: Contact) -> str:
    return f"{contact.first_name} {contact.last_name or ''}".strip() + f", {contact.phone_number}"


def _coordinates(location: Location) -> str:
    """Five decimals are a precision of about a meter."""
    return f"{location.latitude:.5f}, {location.longitude:.5f}"


def _kinds(message: Message) -> dict[str, bool]:
    return {
        "photo": bool(message.photo),
        "voice message": message.voice is not None,
        "video message": message.video_note is not None,
        "animation": message.animation is not None,
        "video": message.video is not None,
        "story": message.story is not None,
        "game": message.game is not None,
        "paid media": message.paid_media is not None,
    }
