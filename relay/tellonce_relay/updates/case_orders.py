"""Reads which messages are orders to the bot: commands, orders in words, and answers to its own messages."""

from tellonce_relay.buttons import CallbackData, undo_under
from tellonce_relay.catalogue import use_language
from tellonce_relay.commands import confirmations
from tellonce_relay.incoming_message import command_of, is_command
from tellonce_relay.orders import Order, off_record, order_of
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.telegram.messages import words_of
from tellonce_relay.turn.reminders import is_plain_order, is_unfit
from tellonce_relay.updates.access import is_addressed
from tellonce_relay.updates.case import Case
from tellonce_relay.updates.conversations import Conversations
from tellonce_relay.updates.dependencies import Dependencies


class CaseOrders:
    def __init__(self, dependencies: Dependencies, conversations: Conversations) -> None:
        self._e = dependencies
        self._conversations = conversations

    def is_order(self, case: Case) -> bool:
        """Whether the message is a command or answers one of our questions, so that no model has to answer."""
        words = self.in_words(case)
        answers = self.memory_put_right(case) is not None or self.undo(case) is not None
        return is_command(case.incoming.text) or words is not None or answers

    def is_recorded(self, case: Case) -> bool:
        """Orders are not recorded, except reminders. The text of a reminder does not contain all words of its order."""
        words = self.in_words(case)
        name, text = command_of(words.command or "" if words is not None else case.incoming.text)
        return case.incoming.kept and (not self.is_order(case) or (name == "/remind" and bool(text)))

    def kept(self, case: Case) -> str:
        """The text that the memory keeps because of an order; empty for other orders."""
        words = self.in_words(case)
        name, text = command_of(words.command or "" if words is not None else case.incoming.text)
        return case.incoming.text if self.is_recorded(case) else text if name == "/remember" else ""

    def in_words(self, case: Case) -> Order | None:
        """The request that the message gives in plain words, if a command can carry it out. If there is a model, only
        two orders are recognized here: to stop, and not to store a message. The model understands the other orders."""
        e, sticker = self._e, case.message.sticker
        text = (sticker.emoji or "") if sticker is not None else words(case)
        if is_command(text) or not is_addressed(case.message, e.bot.bot, e.settings, e.stores.moved):
            return None
        with use_language(case.language):
            offline = isinstance(e.command_context.responder, OfflineResponder)
            ordered = offline or case.entry.direct or off_record(text) == ""
            order = order_of(text) if ordered else None
        return order if order is not None and (order.command is not None or order.kind == "nod") else None

    def needs_no_model(self, case: Case) -> bool:
        """Whether the message gives one of two orders in plain words instead of a command. The first order ends the
        answer that is being written in the private chat. The second order requests a reminder while the model is
        unavailable, because the reminder may be due before the model is available again."""
        with use_language(case.language):
            order = order_of(words(case))
            if order is None or order.kind == "stop":
                return order is not None and case.chat_id > 0 and self._conversations.is_writing(case.thread)
            at, waits = case.incoming.sent_at, self._conversations.trouble_of(case.thread)
            asked = order.rest, at, self._e.zone
            return order.kind == "remind" and bool(waits) and is_plain_order(*asked) and not is_unfit(*asked)

    def requests_reminder(self, case: Case) -> bool:
        """Whether the message asks the bot for a reminder in plain words instead of a command. A model may have set
        this reminder."""
        e = self._e
        with use_language(case.language):
            order = order_of(words(case))
        addressed = is_addressed(case.message, e.bot.bot, e.settings, e.stores.moved)
        return addressed and order is not None and order.kind == "remind"

    def memory_put_right(self, case: Case) -> int | None:
        """The number of the memory that this answer to our question corrects, or None."""
        return None if is_command(case.incoming.text) else confirmations.reworded(case.message, self._e.bot.id)

    def undo(self, case: Case) -> CallbackData | None:
        """The button under the bot's message to which the person replies with a word such as "undo"."""
        target = case.message.reply_to_message
        button = undo_under(target) if target is not None and target.from_user == self._e.bot.bot else None
        if button is None:
            return None
        with use_language(case.language):
            order = order_of(words(case))
        return button if order is not None and order.kind in ("undo", "stop") else None


def words(case: Case) -> str:
    """The person's own words: text, caption or transcript."""
    return words_of(case.message, case.entry.transcript) or case.incoming.text
