"""One update to deal with: what it says, how far its answer got, and how an answer gets there."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from telegram import Message, Update

from tellonce_relay.access import is_for_us, may_talk
from tellonce_relay.chat_surface import ChatSurface, Delivery
from tellonce_relay.equipment import Equipment
from tellonce_relay.inbox import Aside, Entry
from tellonce_relay.incoming import Incoming
from tellonce_relay.outbox import Address
from tellonce_relay.updates import incoming

MakeSurface = Callable[[Delivery], ChatSurface]


@dataclass(frozen=True)
class Case:
    """`told` is the message as the memory has it; `chat_id` the chat as the memory knows it."""

    update_id: int
    message: Message
    told: Incoming
    chat_id: int
    entry: Entry
    surface: ChatSurface
    make_surface: MakeSurface

    @property
    def lane(self) -> tuple[int, int | None]:
        """What is answered in order: a chat, or a topic of it."""
        return (self.message.chat.id, self.told.message_thread_id)

    async def tell(self, name: str, text: str) -> None:
        """Say a sentence beside the answer, once, whatever process gets to it. Raises NotShown."""
        again, aside = name in self.entry.asides, self.entry.asides.setdefault(name, Aside(text))
        surface = self.make_surface(aside.delivery)
        if again:
            await surface.settle(text)
        await surface.send(text)


def case_of(e: Equipment, update: Update | None, entry: Entry) -> Case | None:
    """None for what is none of ours: strangers, other bots' commands, service messages."""
    message = (update.message or update.edited_message) if update is not None else None
    if update is None or message is None or not may_talk(message.from_user, message.chat, e.settings, e.moved):
        return None
    told = incoming(message, e.zone, _name(e, message), e.moved, entry.transcript)
    if told is None or not is_for_us(message, e.bot.username):
        return None
    chat_id = e.moved.memory_chat(message.chat.id)
    if told.reply_to_message_id is not None:
        first = e.parts.get(f"{chat_id}:{told.reply_to_message_id}")
        told = replace(told, reply_to_message_id=first or told.reply_to_message_id)
    make = _surfaces(e, update.update_id, entry, message, told)
    return Case(update.update_id, message, told, chat_id, entry, make(entry.delivery), make)


def _name(e: Equipment, message: Message) -> str:
    """How the settings call the default user; others have their own names."""
    user = message.from_user
    return e.settings.user_name if user is not None and user.id == e.settings.default_user else ""


def _surfaces(e: Equipment, update_id: int, entry: Entry, message: Message, told: Incoming) -> MakeSurface:
    chat = message.chat.id
    reply_to = message.message_id if told.reply_to_message_id is not None or chat < 0 else None
    to = Address(chat, told.message_thread_id, reply_to)

    def make(delivery: Delivery) -> ChatSurface:
        return ChatSurface(
            e.outbox,
            to,
            external_id=lambda number: e.moved.sent_id(chat, number),
            delivery=delivery,
            draft_id=update_id,
            keep=lambda: e.inbox.put(update_id, entry),
        )

    return make
