"""The bot: accepts updates one by one and hands each update to the update's handler."""

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial

from telegram import CallbackQuery, Message, Update

from tellonce import tracing
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.journal import timed
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import phrase, server_text, use_language
from tellonce_relay.commands import confirmations, menu
from tellonce_relay.commands.callbacks import Callbacks
from tellonce_relay.incoming_message import Incoming, is_command
from tellonce_relay.memory_outage import FOREVER, Outage, with_retries
from tellonce_relay.orders import Order
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.stores import CONTESTED
from tellonce_relay.turn import reminders, turn
from tellonce_relay.updates.access import is_addressed, may_erase_all, may_talk, why_deaf
from tellonce_relay.updates.case import Case, case_of, language_of_user
from tellonce_relay.updates.case_orders import CaseOrders
from tellonce_relay.updates.conversations import AGREED, NOTED, Conversations
from tellonce_relay.updates.dependencies import Dependencies as Dependencies
from tellonce_relay.updates.inbox import Entry
from tellonce_relay.updates.pending_messages import PendingMessages
from tellonce_relay.updates.threads import Threads

logger = logging.getLogger(__name__)

MOST_SEEN = 1000

_ANSWER = "answer"
"""The key of the answer to a command, in `Entry.asides`."""


class Relay:
    def __init__(self, dependencies: Dependencies) -> None:
        self._e = dependencies
        self._threads = Threads()
        self._outage = Outage()
        self._pending = PendingMessages()
        self._conversations = Conversations(
            dependencies, self._threads, self._outage, self._pending, self._run_transcript
        )
        e = dependencies
        self._orders = CaseOrders(e, self._conversations)
        self._callbacks = Callbacks(
            e.command_context, e.sender, e.stores.moved, e.now, partial(may_erase_all, settings=e.settings)
        )
        self._seen = SeenStore(most=MOST_SEEN)
        self._wordings = SeenStore()
        self._deaf = SeenStore()

    def note(self, update: Update) -> None:
        """Record that an update was fetched: its message's id is in use, and the message may belong to an open turn."""
        if not self._was_taken(update.update_id):
            self._pending.fetched(update, asyncio.get_running_loop().time())
        message = update.message or update.edited_message
        if message is not None:
            if self._e.sender.is_closed(message.chat.id):
                self._e.wake_alarms.set()
            self._e.sender.saw(message.chat.id, message.message_id)

    async def take(self, update: Update) -> None:
        """Accept an update. Raises MemoryUnreachable if Telegram must repeat the delivery."""
        if self._was_taken(update.update_id):
            return
        self.note(update)
        try:
            with tracing.traced("take"), use_language(language_of_user(update.effective_user)):
                await self._take_or_tell(update)
        except MemoryUnreachable:
            raise
        except Exception as error:
            # An update that causes an error would be delivered again and again and block all later updates.
            self.pass_over(update.update_id, error)
        finally:
            self._pending.ended(update.update_id)
        self._seen.put(str(update.update_id), "")

    async def _take_or_tell(self, update: Update) -> None:
        try:
            await self._take(update)
        except MemoryUnreachable:
            seconds = self._outage.lasts()
            case = case_of(self._e, update, Entry({})) if update.message is not None else None
            if case is not None:
                await self._conversations.report_outage(case, seconds)
            raise

    def pass_over(self, update_id: int, error: Exception) -> None:
        """Skip an update that cannot be handled now or later."""
        logger.error("update %s cannot be handled and is skipped", update_id, exc_info=error)
        self._e.emit("update_passed_over", update=update_id, reason=type(error).__name__)
        self._e.inbox.done(update_id)

    def contested(self) -> None:
        self._e.stores.polling.put(CONTESTED, self._e.now().isoformat())

    async def resume(self) -> None:
        """Continue the last process's turns, before anything else is accepted or sent. First, check all deliveries and
        record all messages, to keep their order. Then continue the turns."""
        owed: list[Case] = []
        for update_id, entry in self._e.inbox.left():
            if entry.part_of is not None and entry.part_of not in self._e.inbox:
                self._e.inbox.done(update_id)
                continue
            case = case_of(self._e, Update.de_json(entry.update, self._e.bot), entry)
            if case is None:
                self._e.inbox.done(update_id)
                continue
            self._seen.put(str(update_id), "")
            with tracing.traced("resume", entry.traceparent), use_language(case.language):
                self._e.emit("turn_resumed", update=update_id, recorded=entry.recorded, draft=entry.draft is not None)
                if await self._is_settled(case):
                    owed.append(case)
        for case in owed:
            case.surface.quote(case.message.message_id)
            self._submit(case)

    async def drain(self) -> None:
        """Give running turns some seconds to end; the next process continues the turns that have not ended."""
        self._conversations.leave()
        self._pending.ended()
        await self._threads.drain(self._e.drain_seconds)

    async def _take(self, update: Update) -> None:
        if update.callback_query is not None:
            self._take_button(update.update_id, update.callback_query)
            return
        self._note_move(update.effective_message)
        case = case_of(self._e, update, Entry(update.to_dict()))
        if case is None:
            self._ignore(update)
            return
        if update.edited_message is not None and self._wordings.get(case.name) == case.wording:
            # Telegram reports the preview of a link as an edit.
            self._e.emit("update_ignored", update=update.update_id)
            self._e.inbox.done(update.update_id)
            return
        self._e.emit("message_received", update=update.update_id, chat=case.chat_id)
        self._e.stores.languages.put(str(case.chat_id), case.language)
        if update.edited_message is not None and self._orders.memory_put_right(case) is None:
            await self._take_edit(case)
            # If this edit were delivered again after a newer edit, it would restore the old wording.
            self._e.inbox.done(update.update_id)
            self._wordings.put(case.name, case.wording)
            return
        await self._take_message(update, case)
        self._wordings.put(case.name, case.wording)

    async def _take_message(self, update: Update, case: Case) -> None:
        owed = update.update_id in self._e.inbox
        case.entry.direct = self._orders.needs_no_model(case)
        self._e.inbox.put(update.update_id, case.entry)
        is_order = self._orders.is_order(case)
        is_new = (
            (self._orders.is_recorded(case) and await self._is_new(case)) or is_order or owed or not case.incoming.kept
        )
        if is_order or (is_new and self._wants_answer(case)):
            waits = not is_order and self._conversations.trouble_of(case.thread)
            self._submit(case)
            if waits:
                case.surface.quote(case.message.message_id)
                await self._e.sender.react(case.message.chat.id, case.message.message_id, NOTED)
            await self._e.inbox.secure(update.update_id)
        else:
            self._e.inbox.done(update.update_id)

    def _ignore(self, update: Update) -> None:
        """The log names the person or group once, because this helps to set up the bot."""
        self._e.emit("update_ignored", update=update.update_id)
        message = update.effective_message
        reason = why_deaf(message.from_user, message.chat, self._e.settings, self._e.stores.moved) if message else ""
        if reason and self._deaf.get(reason) is None:
            self._deaf.put(reason, "told")
            logger.warning("%s", reason)

    async def _is_new(self, case: Case) -> bool:
        """Record the message. Returns whether the message is new. A message that was recorded before was also handled
        before."""
        try:
            with timed(self._e.emit, "message_recorded") as found:
                outcome = (await turn.record_incoming(self._e.command_context.memory, case.incoming)).outcome
                found["outcome"] = outcome
        except MemoryRefused as error:
            case.entry.draft = turn.failure_draft(
                phrase("turn.refused", reason=server_text(error.text)), error, self._conversations.options(case)
            )
            outcome = "created"
        self._outage.is_over()
        case.entry.recorded = True
        self._e.inbox.put(case.update_id, case.entry)
        return outcome == "created"

    def _wants_answer(self, case: Case) -> bool:
        e, conversations = self._e, self._conversations
        addressed = is_addressed(case.message, e.bot.bot, e.settings, e.stores.moved)
        return conversations.is_awaited(case) or (addressed and not conversations.is_of_answered_album(case))

    async def _is_settled(self, case: Case) -> bool:
        try:
            await self._settle(case)
        except Exception as error:
            # Any error of one update is caught here. Otherwise this update would break every process that starts.
            self.pass_over(case.update_id, error)
            return False
        return True

    async def _settle(self, case: Case) -> None:
        """Find out which messages of the last process arrived, and record the person's message again if in doubt."""
        draft = case.entry.draft
        try:
            await case.surface.settle(turn.visible_text(draft) if draft is not None else None)
            for aside in case.entry.asides.values():
                await case.settle(aside)
        except turn.NotShown as error:
            logger.warning("it cannot be checked whether an answer was delivered: %s", error)
        if not case.entry.recorded and self._orders.is_recorded(case):
            # The last process may have recorded the message and then been killed.
            await with_retries(lambda: self._is_new(case), FOREVER)

    def _note_move(self, message: Message | None) -> None:
        if message is not None and message.migrate_to_chat_id is not None:
            self._e.stores.moved.moved(message.chat.id, message.migrate_to_chat_id)
        if message is not None and message.migrate_from_chat_id is not None:
            self._e.stores.moved.moved(message.migrate_from_chat_id, message.chat.id)

    def _take_button(self, update_id: int, query: CallbackQuery) -> None:
        chat = query.message.chat if query.message is not None else None
        if chat is not None and may_talk(query.from_user, chat, self._e.settings, self._e.stores.moved):
            self._threads.submit(("button", chat.id), lambda: self._handle_button(update_id, query))
        else:
            self._e.emit("update_ignored", update=update_id)

    async def _take_edit(self, case: Case) -> None:
        """Edits of live locations are ignored, and so are edits of voices, because they lack the transcript."""
        message, memory = case.message, self._e.command_context.memory
        moves = message.location is not None and message.location.live_period is not None
        if is_command(case.incoming.text) and case.chat_id > 0:
            await self._conversations.say(case, phrase("help.edited_command"))
        if not case.incoming.kept:
            await self._conversations.say(case, phrase("turn.unsaid_how"))
            return
        if is_command(case.incoming.text) or moves or message.voice is not None or message.video_note is not None:
            return
        reminds = await reminders.is_set_by(memory, case.incoming)
        try:
            with timed(self._e.emit, "message_recorded", outcome="edited"):
                await turn.record_edit(memory, case.incoming, self._conversations.options(case))
        except MemoryRefused as error:
            logger.warning("an edit was refused: %s", error)
            await self._conversations.say(case, phrase("turn.refused", reason=server_text(error.text)))
            return
        self._outage.is_over()
        await self._e.sender.react(case.message.chat.id, case.message.message_id, NOTED)
        if not self._conversations.reword(case) and (reminds or self._orders.requests_reminder(case)):
            await self._conversations.say(case, phrase("help.edited_command"))

    def _submit(self, case: Case) -> None:
        if self._orders.is_order(case):
            if kept := self._orders.kept(case):
                self._conversations.note_text(case.thread, kept)
            # A command does not wait for an answer in progress.
            self._threads.submit(("order", *case.thread), lambda: self._order(case))
        else:
            self._conversations.submit(case)

    async def _order(self, case: Case) -> None:
        with tracing.traced("turn", case.entry.traceparent), use_language(case.language):
            try:
                await self._answer_command(case)
            except Exception as error:
                logger.exception("update %s failed", case.update_id)
                self._e.emit("turn_failed", reason=type(error).__name__)
                await self._conversations.say(case, phrase("turn.broken"))
        self._e.inbox.done(case.update_id)

    async def _answer_command(self, case: Case) -> None:
        """Nothing is sent before the memory has answered, so that the command can be retried."""
        stored = case.entry.asides.get(_ANSWER)
        try:
            if stored is not None:
                await case.tell(_ANSWER, stored.text)
                return
            said = await self._conversations.with_notice(case, lambda: self._carry_out(case))
            self._e.wake_alarms.set()  # the command may have set a reminder
            if said is not None:
                await case.tell(_ANSWER, said.text, said.markup)
        except MemoryRefused as error:
            await self._conversations.say(case, server_text(error.text))
        except turn.NotShown as error:
            logger.warning("a command's answer was not shown: %s", error)

    async def _carry_out(self, case: Case) -> Reply | None:
        undo, target = self._orders.undo(case), case.message.reply_to_message
        if undo is not None and target is not None:
            await self._callbacks.undo(target, undo)
            await self._e.sender.react(case.message.chat.id, case.message.message_id, AGREED)
            return None
        order = self._orders.in_words(case)
        if order is not None:
            return await self._carry_out_words(case, order)
        number = self._orders.memory_put_right(case)
        if number is not None:
            return await confirmations.reword(self._e.command_context.memory, case.incoming, number)
        return await self._run(case, case.incoming)

    async def _run(self, case: Case, incoming: Incoming) -> Reply | None:
        return await menu.run(self._e.command_context, incoming, _CaseConversation(case, self._conversations))

    async def _run_transcript(self, case: Case) -> Reply | None:
        """None if the transcript is not an order."""
        order = self._orders.in_words(case)
        return await self._carry_out_words(case, order) if order is not None and order.command is not None else None

    async def _carry_out_words(self, case: Case, order: Order) -> Reply | None:
        if order.command is None:
            await self._e.sender.react(case.message.chat.id, case.message.message_id, AGREED)
            return None
        with use_language(order.language):
            if order.kind == "off_record":
                return Reply(phrase("turn.unsaid_how"))
            if order.kind == "unsaid":
                return await self._unsay(case, order)
            return await self._run(case, replace(case.incoming, text=order.command))

    async def _unsay(self, case: Case, order: Order) -> Reply | None:
        """If the order has no other text, offer to forget the quoted message or the last message."""
        if order.rest:
            return Reply(phrase("memory.rejected"))
        unsaid = case.incoming.meant or self._conversations.last_text(case.thread)
        if not unsaid:
            return Reply(phrase("forget.which"))
        return await self._run(case, replace(case.incoming, text="/forget", quoted=unsaid))

    async def _handle_button(self, update_id: int, query: CallbackQuery) -> None:
        # The tap is marked as handled before its action runs. After a kill, a tap without effect is better than a tap
        # that acts twice, because the person can tap again.
        self._e.inbox.done(update_id)
        with tracing.traced("button"), use_language(language_of_user(query.from_user)):
            try:
                with timed(self._e.emit, "button_pressed"):
                    await self._callbacks.handle(query)
                self._e.wake_alarms.set()
            except Exception as error:
                logger.exception("a button failed")
                self._e.emit("turn_failed", reason=type(error).__name__)

    def _was_taken(self, update_id: int) -> bool:
        """After a kill, Telegram delivers an update again."""
        return self._seen.get(str(update_id)) is not None or self._e.inbox.was_handled(update_id)


@dataclass(frozen=True)
class _CaseConversation:
    case: Case
    conversations: Conversations

    async def stop(self, *, owed: bool = True) -> str | None:
        return await self.conversations.stop(self.case.thread, owed=owed)

    async def last_answer(self) -> str | None:
        return await self.conversations.last_answer(self.case.thread)

    def trouble(self) -> str:
        return self.conversations.trouble_of(self.case.thread)

    def is_recorded(self) -> bool:
        # If this is false, the memory has refused the message.
        return self.case.entry.recorded and self.case.entry.draft is None
