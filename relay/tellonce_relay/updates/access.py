"""Decides who may talk to the bot, and where. Pure."""

from telegram import Chat, Message, MessageEntity, User

from tellonce.client_settings import RelaySettings
from tellonce_relay.incoming_message import is_command
from tellonce_relay.stores import MovedGroups


def may_talk(user: User | None, chat: Chat, settings: RelaySettings, moved: MovedGroups) -> bool:
    """Whether the user is allowed here. In a personal group, only the owner of its memory is."""
    if user is None or user.is_bot or user.id not in settings.user_ids:
        return False
    group = moved.memory_chat(chat.id)
    if group in settings.personal_groups:
        return user.id == settings.default_user
    return chat.id == user.id or group in settings.groups


def may_erase_all(user: User, chat_id: int, settings: RelaySettings) -> bool:
    """In a group, only the operator may erase everything, because the words of all would be erased."""
    return chat_id > 0 or user.id == settings.default_user


def is_own(chat_id: int, settings: RelaySettings) -> bool:
    """Whether the default user's private profile may be used in the chat; `chat_id` is the chat's id in the memory."""
    return chat_id == settings.default_user or chat_id in settings.personal_groups


def is_for_us(message: Message, bot_name: str) -> bool:
    """Whether a command is for this bot. In a group, a command may be for another bot, as in `/status@other_bot`."""
    text = message.text or ""
    if not is_command(text):
        return True
    _, at, name = text.split(maxsplit=1)[0].partition("@")
    return not at or name.casefold() == bot_name.casefold()


def is_addressed(message: Message, bot: User, settings: RelaySettings, moved: MovedGroups) -> bool:
    """Whether the bot answers the message. In most groups, the message must address the bot."""
    chat = moved.memory_chat(message.chat.id)
    if chat > 0 or chat in (*settings.personal_groups, *settings.always_groups):
        return True
    target = message.reply_to_message
    is_reply = target is not None and target.from_user == bot and target.forum_topic_created is None
    return is_reply or is_command(message.text or "") or _mentions(message, bot)


def _mentions(message: Message, bot: User) -> bool:
    named = message.parse_entities([MessageEntity.MENTION]) | message.parse_caption_entities([MessageEntity.MENTION])
    if any(name.casefold() == f"@{bot.username}".casefold() for name in named.values()):
        return True
    return any(e.user is not None and e.user.id == bot.id for e in (*message.entities, *message.caption_entities))


def why_deaf(user: User | None, chat: Chat, settings: RelaySettings, moved: MovedGroups) -> str:
    """A sentence for the log that names the setting which could give access; empty if none could."""
    if user is None or user.is_bot:
        return ""
    if user.id not in settings.user_ids:
        return f"user {user.id} is not answered: not in TELEGRAM_USER_ID" if chat.id == user.id else ""
    if may_talk(user, chat, settings, moved) or chat.id > 0:
        return ""
    if moved.memory_chat(chat.id) in settings.personal_groups:
        return f"user {user.id} is not answered in the personal group {chat.id}: it belongs to user {settings.default_user}"
    return f"group {chat.id} is not served: neither in TELEGRAM_GROUPS nor in TELEGRAM_PERSONAL_GROUPS"
