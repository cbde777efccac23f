"""The bot's messages in addition to an answer: saved memories, open questions, and the memory's notices."""

import logging
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from telegram import InlineKeyboardMarkup

from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.contract import ExplainArgs, Explanation, Memory
from tellonce.reminders import Reminder
from tellonce_relay import buttons, views
from tellonce_relay.catalogue import phrase
from tellonce_relay.commands.confirmations import Confirmations, ask_for_confirmations
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.orders import order_of
from tellonce_relay.turn import reminders, turn
from tellonce_relay.turn.tag_effects import Done, Saved
from tellonce_relay.updates.case import Case
from tellonce_relay.updates.dependencies import Dependencies
from tellonce_text.sentences import is_question

logger = logging.getLogger(__name__)


async def tell_or_log(case: Case, name: str, text: str, markup: InlineKeyboardMarkup | None = None) -> None:
    """Send a text as `Case.tell` does. If this fails, the failure is logged."""
    with log_not_shown():
        await case.tell(name, text, markup)


@contextmanager
def log_not_shown() -> Generator[None]:
    """Log that a sentence could not be sent, instead of raising NotShown."""
    try:
        yield
    except turn.NotShown as error:
        logger.warning("a sentence could not be sent to the person: %s", error)


class Asides:
    def __init__(self, dependencies: Dependencies) -> None:
        self._e = dependencies
        self._confirmations = Confirmations(dependencies.stores.asked, dependencies.now)
        self._noticed: set[int] = set()

    async def tell(self, case: Case, incoming: Incoming, effects: Done, notices: Sequence[str]) -> None:
        """Send all these messages after an answer. Each is sent only once, even across restarts."""
        if not incoming.kept:  # the person asked for this
            await tell_or_log(case, "unsaid", phrase("turn.unsaid"))
        await self.show_saved(case, effects.saved)
        await self._ask_to_close(case, effects.unclosed)
        await self._ask_to_set(case, effects.doubtful)
        if effects.unset:  # the answer may have promised these reminders
            await tell_or_log(case, "unset", "\n".join(effects.unset))
        await self.say_unset(case)
        await self._pass_on(case, notices)
        await self._ask(case)

    async def _pass_on(self, case: Case, notices: Sequence[str]) -> None:
        """The memory repeats its notices in many turns; each is shown once."""
        if not notices:
            self._noticed.discard(case.chat_id)
        elif case.chat_id not in self._noticed:
            self._noticed.add(case.chat_id)
            for notice in notices:
                with log_not_shown():
                    await case.surface.say(notice)

    async def show_saved(self, case: Case, saved: Sequence[Saved]) -> None:
        """Show each saved memory with a button that reverts it."""
        for one in saved:
            said = self._saved_reply(one)
            await tell_or_log(case, f"{one.undo} {one.memory.id}", said.text, said.markup)

    async def _ask_to_close(self, case: Case, unclosed: Sequence[Memory]) -> None:
        for one in unclosed:
            asked = phrase("memory.is_it_done", content=views.in_days(one.content))
            await tell_or_log(case, f"close {one.id}", asked, buttons.close_buttons(one.id))

    async def _ask_to_set(self, case: Case, doubtful: Sequence[Reminder]) -> None:
        """Ask at once, even if other questions are open, because the answer may have promised these reminders. In a
        group, say that they are not set."""
        e = self._e
        for one in doubtful:
            if case.chat_id < 0:
                reason = phrase("reminder.misread")
                asked = phrase("reminder.not_set", what=reminders.what_of(one), reason=reason)
                await tell_or_log(case, f"doubt {one.memory.id}", asked)
                continue
            self._confirmations.asked(case.chat_id, one.memory)
            shown = one.memory.model_copy(update={"content": reminders.with_times(one, e.now(), e.zone)})
            asked = self._confirmations.question(shown, await self._explained(case, one.memory))
            await tell_or_log(case, f"doubt {one.memory.id}", asked, buttons.uncertain_buttons(one.memory.id))

    async def _explained(self, case: Case, one: Memory) -> Explanation | None:
        try:
            args = ExplainArgs(memory_id=one.id, chat_id=case.chat_id)
            return await self._e.command_context.memory.explain(args)
        except (MemoryUnreachable, MemoryRefused) as error:
            logger.info("a question is asked without the user's words: %s", error)
            return None

    async def say_unset(self, case: Case) -> None:
        """Without a model, some requests for a reminder are not understood. For such a statement, say that no reminder
        was set."""
        e, incoming = self._e, case.incoming
        order = order_of(incoming.text)  # the answer to a task says that the bot can do nothing without a model
        refused = order is not None and order.kind == "task"
        statement = not e.command_context.responder.claims and not is_question(incoming.text) and not refused
        if statement and reminders.asks_in_vain(incoming.text, incoming.sent_at, e.zone):
            await tell_or_log(case, "unset", phrase("reminder.unset", example=phrase("reminder.example")))

    def _saved_reply(self, one: Saved) -> buttons.Reply:
        if one.reminder is not None:
            self._e.wake_alarms.set()
            if one.undo == "restore":
                return reminders.cancelled_reply(one.reminder)
            return reminders.set_reply(one.reminder, self._e.now(), self._e.zone)
        undo = buttons.undo_buttons(one.memory.id, reopens=one.undo == "reopen")
        return buttons.Reply(views.saved_view(one.memory), undo)

    async def _ask(self, case: Case) -> None:
        try:
            await ask_for_confirmations(self._e.command_context.memory, case.surface, case.chat_id, self._confirmations)
        except (MemoryUnreachable, MemoryRefused, turn.NotShown) as error:
            logger.info("the user could not be asked about uncertain memories: %s", error)
