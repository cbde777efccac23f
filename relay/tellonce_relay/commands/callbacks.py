"""Handles tapped buttons: runs the button's action, shows a toast, and updates the text of the message."""

import logging
from collections.abc import Callable
from datetime import datetime

from telegram import CallbackQuery, ForceReply, MaybeInaccessibleMessage, Message
from telegram.error import TelegramError

from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce_relay import buttons
from tellonce_relay.catalogue import phrase, server_text
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.commands.button_effects import Reaction, pressed
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.telegram.markdown import Marked, rendered, split_marked
from tellonce_relay.telegram.moved_groups import MovedGroups
from tellonce_relay.telegram.outbox import Address, AnswerLost, NotSent, Outbox

logger = logging.getLogger(__name__)

TOAST = 180
"""Maximum characters of a toast, the notice that Telegram shows for a moment after a tap. Telegram allows 200."""


class Callbacks:
    """Handles a chat's taps one by one. If a message is tapped several times, only the first tap that succeeds
    counts."""

    def __init__(
        self, context: CommandContext, outbox: Outbox, moved: MovedGroups, now: Callable[[], datetime]
    ) -> None:
        self._context = context
        self._outbox = outbox
        self._moved = moved
        self._now = now
        # A second tap may have been sent before the first removed the buttons.
        self._done = SeenStore()

    async def press(self, query: CallbackQuery) -> None:
        """Handle a tap. A failure is shown in the toast, and the buttons stay for another try."""
        message, found = query.message, buttons.read(query.data or "")
        if found is None or message is None:
            await _toast(query, phrase("memory.old_button"))
            return
        if self._done.get(_name(message)) is not None:
            await _toast(query, phrase("memory.used"))
            return
        try:
            reaction = await pressed(self._context, self._moved.memory_chat(message.chat.id), found, self._now())
        except MemoryUnreachable:
            await _toast(query, phrase("memory.away"))
            return
        except MemoryRefused as error:
            await _toast(query, server_text(error.text))
            return
        if reaction.buttons is None and reaction.said is None:
            self._done.put(_name(message), found.action)
        await _toast(query, _toast_of(reaction))
        await _show(self._outbox, message, reaction)


def _toast_of(reaction: Reaction) -> str:
    return reaction.toast if reaction.toast is not None else "" if reaction.question else reaction.text


def _name(message: MaybeInaccessibleMessage) -> str:
    return f"{message.chat.id}:{message.message_id}"


async def _toast(query: CallbackQuery, text: str) -> None:
    try:
        await query.answer(text[:TOAST])
    except TelegramError as error:
        logger.info("Telegram no longer accepts the toast of a button: %s", error)


async def _show(outbox: Outbox, message: MaybeInaccessibleMessage, reaction: Reaction) -> None:
    thread = message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
    to = Address(message.chat.id, thread)
    try:
        if reaction.said is not None:
            for part in split_marked(rendered(reaction.said)):
                await outbox.send(to, part)
            return
        await outbox.edit(message.chat.id, message.message_id, Marked(reaction.text), reaction.buttons)
        if reaction.question is not None:
            await outbox.send(to, Marked(reaction.question), ForceReply(selective=True))
    except (NotSent, AnswerLost) as error:
        logger.warning("a message could not be updated after a button was tapped: %s", error)
