"""One update to handle: its message, how much of its answer was delivered, and how the answer is sent."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from telegram import InlineKeyboardMarkup, Message, Update, User

from tellonce_relay.catalogue import Language, language_of
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.telegram.chat_surface import ChatSurface, Delivery
from tellonce_relay.telegram.message_sender import Address
from tellonce_relay.telegram.messages import incoming
from tellonce_relay.updates.access import is_for_us, may_erase_all, may_talk
from tellonce_relay.updates.dependencies import Dependencies
from tellonce_relay.updates.inbox import Aside, Entry

MakeSurface = Callable[[Delivery], ChatSurface]


@dataclass(frozen=True)
class Case:
    """An update. `incoming` is the message in the memory's form; `chat_id` is the memory's id of the chat."""

    update_id: int
    message: Message
    incoming: Incoming
    chat_id: int
    entry: Entry
    surface: ChatSurface
    make_surface: MakeSurface

    @property
    def language(self) -> Language:
        return language_of_user(self.message.from_user)

    @property
    def thread(self) -> tuple[int, int | None]:
        """The key of the message's thread (a chat or topic), whose messages are answered in order."""
        return (self.message.chat.id, self.incoming.message_thread_id)

    @property
    def name(self) -> str:
        """A name of the message that is unique among the messages of all chats."""
        return f"{self.chat_id}:{self.incoming.message_id}"

    @property
    def wording(self) -> str:
        """A digest of the text, used to compare two versions of the message."""
        return str(hash(self.incoming.text))

    async def tell(self, name: str, text: str, markup: InlineKeyboardMarkup | None = None) -> None:
        """Send a text separately from the answer. It is sent only once, even across restarts. Raises NotShown."""
        fresh = Aside(text, markup.to_dict() if markup is not None else None)
        again, aside = name in self.entry.asides, self.entry.asides.setdefault(name, fresh)
        if again:
            await self.settle(aside)
        await self.make_surface(aside.delivery).say_once(aside.text, aside.markup)

    async def settle(self, aside: Aside) -> None:
        """After a restart, find out whether a message of `tell` arrived. Raises NotShown."""
        await self.make_surface(aside.delivery).settle_said(aside.text, aside.markup)


def language_of_user(user: User | None) -> Language:
    """The language of the user's Telegram app; English if the bot does not speak it."""
    return language_of(user.language_code if user is not None else None)


def case_of(e: Dependencies, update: Update | None, entry: Entry) -> Case | None:
    """The case of an update; None for strangers, other bots' commands and service messages."""
    message = (update.message or update.edited_message) if update is not None else None
    if update is None or message is None or not may_talk(message.from_user, message.chat, e.settings, e.stores.moved):
        return None
    received = incoming(message, e.zone, _name(e, message), e.stores.moved, entry.transcript)
    if received is None or message.from_user is None or not is_for_us(message, e.bot.username):
        return None
    chat_id = e.stores.moved.memory_chat(message.chat.id)
    received = replace(received, may_erase_all=may_erase_all(message.from_user, chat_id, e.settings))
    if received.speaker is not None:
        speaker = e.stores.speakers.of(chat_id, message.from_user)
        received = replace(received, speaker=speaker, user_name=_name(e, message) or speaker)
    if chat_id in e.settings.personal_groups and _is_default_user(e, message):
        # Words with a speaker's name count as another person's words, and nothing is learned about the user from them.
        received = replace(received, speaker=None)
    if received.reply_to_message_id is not None:
        first = e.stores.parts.get(f"{chat_id}:{received.reply_to_message_id}")
        received = replace(received, reply_to_message_id=first or received.reply_to_message_id)
    make = _surfaces(e, update.update_id, entry, message, received)
    return Case(update.update_id, message, received, chat_id, entry, make(entry.delivery), make)


def _name(e: Dependencies, message: Message) -> str:
    """Names of other users come from Telegram."""
    return e.settings.user_name if _is_default_user(e, message) else ""


def _is_default_user(e: Dependencies, message: Message) -> bool:
    return message.from_user is not None and message.from_user.id == e.settings.default_user


def _surfaces(e: Dependencies, update_id: int, entry: Entry, message: Message, received: Incoming) -> MakeSurface:
    chat = message.chat.id
    reply_to = message.message_id if received.reply_to_message_id is not None or chat < 0 else None
    to = Address(chat, received.message_thread_id, reply_to)

    def make(delivery: Delivery) -> ChatSurface:
        return ChatSurface(
            e.sender,
            to,
            external_id=lambda number: e.stores.moved.sent_id(chat, number),
            delivery=delivery,
            draft_id=update_id,
            keep=lambda: e.inbox.put(update_id, entry),
        )

    return make
