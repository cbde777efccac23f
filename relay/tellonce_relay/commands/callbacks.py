"""Handles tapped buttons: runs the button's action, shows a toast, and updates the text of the message."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from telegram import CallbackQuery, ForceReply, InlineKeyboardMarkup, MaybeInaccessibleMessage, Message, User
from telegram.error import TelegramError

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce_relay import buttons, views
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import phrase, server_text
from tellonce_relay.commands import confirmations, forget_list, memory_browser
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.stores import MovedGroups
from tellonce_relay.telegram.markdown import Marked
from tellonce_relay.telegram.message_sender import Address, AnswerLost, MessageSender, NotSent
from tellonce_relay.turn import reminders

logger = logging.getLogger(__name__)

TOAST = 180
"""Maximum number of characters of a toast, the notice that Telegram shows for a moment after a tap. Telegram allows
200."""


@dataclass(frozen=True)
class Reaction:
    """The reaction to a tapped button. `text` and `buttons` replace the message that has the button. `question` is a
    further message that asks for a reply. The notice of the tap is `toast` if it is set, otherwise `text`."""

    text: str
    question: str | None = None
    buttons: InlineKeyboardMarkup | None = None
    toast: str | None = None

    @property
    def notice(self) -> str:
        return self.toast if self.toast is not None else "" if self.question else self.text


async def run_action(context: CommandContext, chat_id: int, callback: buttons.CallbackData, now: datetime) -> Reaction:
    """Handle a button. Raises MemoryUnreachable and MemoryRefused."""
    memory = context.memory
    match callback.action:
        case "wipe":
            return Reaction(await _wipe(memory, c.ForgetArgs(everything=True, chat_id=chat_id)))
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=callback.number, action=callback.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            if callback.action == "confirm":
                return Reaction(phrase("memory.confirmed", content=views.in_days(changed.content)))
            over = changed.status == "completed"  # an overdue goal is not wrong, but no longer a goal
            return Reaction(
                phrase("memory.closed", content=views.in_days(changed.content)) if over else phrase("memory.rejected")
            )
        case "undo" | "reopen":
            action: c.MemoryAction = "reject" if callback.action == "undo" else "reopen"
            undoing = c.UpdateMemoryArgs(memory_id=callback.number, action=action, chat_id=chat_id)
            undone = await memory.update_memory(undoing)
            return Reaction(views.undone_view(undone, reopened=callback.action == "reopen"))
        case "close":
            closing = c.UpdateMemoryArgs(memory_id=callback.number, action="complete", chat_id=chat_id)
            closed = await memory.update_memory(closing)
            return Reaction(views.saved_view(closed), buttons=buttons.undo_buttons(closed.id, reopens=True), toast="")
        case "edit":
            known = await memory.explain(c.ExplainArgs(memory_id=callback.number, chat_id=chat_id))
            return Reaction(known.text, confirmations.right_wording(known.text, callback.number))
        case "keep" | "cancel":
            context.lists.drop(callback.number, chat_id)
            return Reaction(phrase("forget.kept"))
        case "unremind" | "remind again" | "later" | "done":
            return _shown(await reminders.run_action(memory, chat_id, callback, now, context.zone))
        case "tab" | "open" | "remove" | "restore" | "pin" | "unpin":
            return _shown(await memory_browser.run_action(memory, chat_id, callback, now, context.zone))
        case _:
            return await _run_list_action(context, chat_id, callback, now.astimezone(context.zone))


def _shown(said: Reply) -> Reaction:
    return Reaction(said.text, None, said.markup, None if said.markup is None else "")


async def _run_list_action(
    context: CommandContext, chat_id: int, callback: buttons.CallbackData, now: datetime
) -> Reaction:
    shown = context.lists.get(callback.number, chat_id)
    if shown is None:
        return Reaction(phrase("forget.list_gone"))
    if callback.action == "erase" and shown.ticked:
        done = await context.memory.forget(shown.confirmation)
        context.lists.drop(callback.number, chat_id)
        return Reaction(views.forgotten_view(done))
    changed = forget_list.after(shown, callback)
    context.lists.put(callback.number, changed)
    toast = phrase("forget.none_ticked") if callback.action == "erase" else ""
    return Reaction(forget_list.text(changed, now), None, forget_list.markup(callback.number, changed), toast)


async def _wipe(memory: MemoryClient, target: c.ForgetArgs) -> str:
    preview = await memory.forget(target)
    if preview.confirm is None:
        return phrase("forget.wiped_already")
    return views.forgotten_view(await memory.forget(target.model_copy(update={"confirm": preview.confirm})))


class Callbacks:
    """Handles taps. Of several taps on one message, only the first that succeeds counts."""

    def __init__(
        self,
        context: CommandContext,
        sender: MessageSender,
        moved: MovedGroups,
        now: Callable[[], datetime],
        may_erase_all: Callable[[User, int], bool],
    ) -> None:
        self._context = context
        self._may_erase_all = may_erase_all
        self._sender = sender
        self._moved = moved
        self._now = now
        # A second tap may have been sent before the first removed the buttons.
        self._done = SeenStore()

    async def handle(self, query: CallbackQuery) -> None:
        """Handle a tap. A failure is shown in the toast, and the buttons stay for another try."""
        message, callback = query.message, buttons.read(query.data or "")
        if callback is None or message is None:
            await _toast(query, phrase("memory.old_button"))
            return
        if self._done.get(_name(message)) is not None:
            await _toast(query, phrase("memory.used"))
            return
        chat = self._moved.memory_chat(message.chat.id)
        if callback.action == "wipe" and not self._may_erase_all(query.from_user, chat):
            await _toast(query, phrase("forget.wipe_refused"))
            return
        try:
            reaction = await run_action(self._context, chat, callback, self._now())
        except MemoryUnreachable:
            await _toast(query, phrase("memory.away"))
            return
        except MemoryRefused as error:
            await _toast(query, server_text(error.text))
            return
        self._note(message, reaction, callback)
        await _toast(query, reaction.notice)
        await _show(self._sender, message, reaction)

    async def undo(self, message: Message, callback: buttons.CallbackData) -> None:
        """Run a button's action without a tap. Raises MemoryUnreachable and MemoryRefused."""
        if self._done.get(_name(message)) is None:
            chat = self._moved.memory_chat(message.chat.id)
            reaction = await run_action(self._context, chat, callback, self._now())
            self._note(message, reaction, callback)
            await _show(self._sender, message, reaction)

    def _note(self, message: MaybeInaccessibleMessage, reaction: Reaction, callback: buttons.CallbackData) -> None:
        if reaction.buttons is None:
            self._done.put(_name(message), callback.action)


def _name(message: MaybeInaccessibleMessage) -> str:
    return f"{message.chat.id}:{message.message_id}"


async def _toast(query: CallbackQuery, text: str) -> None:
    try:
        await query.answer(text[:TOAST])
    except TelegramError as error:
        logger.info("Telegram no longer accepts the toast of a button: %s", error)


async def _show(sender: MessageSender, message: MaybeInaccessibleMessage, reaction: Reaction) -> None:
    thread = message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
    to = Address(message.chat.id, thread)
    try:
        await sender.edit(message.chat.id, message.message_id, Marked(reaction.text), reaction.buttons)
        if reaction.question is not None:
            await sender.send(to, Marked(reaction.question), ForceReply(selective=True))
    except (NotSent, AnswerLost) as error:
        logger.warning("a message could not be updated after a button was tapped: %s", error)
