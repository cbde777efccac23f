"""Tapped buttons: what a tap does, the toast it gives, and what its message says afterwards."""

import logging

from telegram import CallbackQuery, ForceReply, MaybeInaccessibleMessage, Message
from telegram.error import TelegramError

from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem_relay import buttons, commands
from chatmem_relay.commands import Reaction
from chatmem_relay.markdown import Marked
from chatmem_relay.moved_groups import MovedGroups
from chatmem_relay.notebook import Notebook
from chatmem_relay.outbox import Address, AnswerLost, NotSent, Outbox

logger = logging.getLogger(__name__)

AWAY = "I can't reach my memory right now; please tap again in a minute."
GONE = "That is no longer in my memory."
TOAST = 180
"""Characters of a toast; Telegram takes 200."""


class Presses:
    """Taps are carried out one after the other in a chat; of those on one message the first that succeeds counts."""

    def __init__(self, memory: MemoryClient, outbox: Outbox, moved: MovedGroups) -> None:
        self._memory = memory
        self._outbox = outbox
        self._moved = moved
        # A second tap may be on its way before the first took the buttons away.
        self._done = Notebook()

    async def press(self, query: CallbackQuery) -> None:
        """Carry it out. A failure is told in the toast, and the buttons stay for another try."""
        message, found = query.message, buttons.read(query.data or "")
        if found is None or message is None or self._done.get(_name(message)) is not None:
            await _toast(query, "")
            return
        # Of a message sent long ago Telegram tells no more than its number.
        shown = (message.text or "") if isinstance(message, Message) else ""
        try:
            reaction = await commands.pressed(self._memory, self._moved.memory_chat(message.chat.id), found, shown)
        except MemoryUnreachable:
            await _toast(query, AWAY)
            return
        except MemoryRefused:
            await _toast(query, GONE)
            return
        self._done.put(_name(message), found.action)
        await _toast(query, "" if reaction.question else reaction.text)
        await _show(self._outbox, message, reaction)


def _name(message: MaybeInaccessibleMessage) -> str:
    return f"{message.chat.id}:{message.message_id}"


async def _toast(query: CallbackQuery, text: str) -> None:
    try:
        await query.answer(text[:TOAST])
    except TelegramError as error:
        logger.info("a toast came too late: %s", error)


async def _show(outbox: Outbox, message: MaybeInaccessibleMessage, reaction: Reaction) -> None:
    try:
        await outbox.edit(message.chat.id, message.message_id, Marked(reaction.text))
        if reaction.question is not None:
            thread = message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
            await outbox.send(Address(message.chat.id, thread), Marked(reaction.question), ForceReply(selective=True))
    except (NotSent, AnswerLost) as error:
        logger.warning("a button's effect could not be shown: %s", error)
