"""Who may talk to the bot, and where; pure."""

from telegram import Chat, Message, User

from chatmem.settings import RelaySettings
from chatmem_relay.moved_groups import MovedGroups


def may_talk(user: User | None, chat: Chat, settings: RelaySettings, moved: MovedGroups) -> bool:
    """An allowed user, in private or in a listed group; nobody else gets a word."""
    if user is None or user.is_bot or user.id not in settings.user_ids:
        return False
    return chat.id == user.id or moved.memory_chat(chat.id) in (*settings.groups, *settings.personal_groups)


def is_own(chat_id: int, settings: RelaySettings) -> bool:
    """Whether the default user's private profile may be spoken of there: `chat_id` as the memory knows it."""
    return chat_id == settings.default_user or chat_id in settings.personal_groups


def is_for_us(message: Message, bot_name: str) -> bool:
    """In a group a command may be another bot's: `/status@other_bot`."""
    first = (message.text or "").split(maxsplit=1)[:1]
    if not first or not first[0].startswith("/") or "@" not in first[0]:
        return True
    return first[0].rpartition("@")[2].casefold() == bot_name.casefold()
