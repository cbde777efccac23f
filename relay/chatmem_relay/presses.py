"""A tapped button: what it does, the toast it gives, and what its message says afterwards."""

import logging

from telegram import CallbackQuery, ForceReply, Message
from telegram.error import TelegramError

from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem_relay import buttons, commands
from chatmem_relay.commands import Reaction
from chatmem_relay.markdown import Marked
from chatmem_relay.moved_groups import MovedGroups
from chatmem_relay.outbox import Address, AnswerLost, NotSent, Outbox

logger = logging.getLogger(__name__)

AWAY = "I can't reach my memory right now; please tap again in a minute."
GONE = "That is no longer in my memory."
TOAST = 180
"""Characters of a toast; Telegram takes 200."""


async def press(query: CallbackQuery, memory: MemoryClient, outbox: Outbox, moved: MovedGroups) -> None:
    """Carry it out. A failure is told in the toast, and the buttons stay for another try."""
    message = query.message
    found = buttons.read(query.data or "")
    if found is None or not isinstance(message, Message):
        await _toast(query, "")
        return
    try:
        reaction = await commands.pressed(memory, moved.memory_chat(message.chat.id), found, message.text or "")
    except MemoryUnreachable:
        await _toast(query, AWAY)
        return
    except MemoryRefused:
        await _toast(query, GONE)
        return
    await _toast(query, "" if reaction.question else reaction.text)
    await _show(outbox, message, reaction)


async def _toast(query: CallbackQuery, text: str) -> None:
    try:
        await query.answer(text[:TOAST])
    except TelegramError as error:
        logger.info("a toast came too late: %s", error)


async def _show(outbox: Outbox, message: Message, reaction: Reaction) -> None:
    try:
        await outbox.edit(message.chat.id, message.message_id, Marked(reaction.text))
        if reaction.question is not None:
            thread = message.message_thread_id if message.is_topic_message else None
            await outbox.send(Address(message.chat.id, thread), Marked(reaction.question), ForceReply(selective=True))
    except (NotSent, AnswerLost) as error:
        logger.warning("a button's effect could not be shown: %s", error)
