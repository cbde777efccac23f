"""The bot: takes updates in, one by one and for good, and deals with each in its lane's order."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from telegram import Bot, CallbackQuery, Message, Update, User

from tellonce import tracing
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.journal import Emit, silent, timed
from tellonce.settings import RelaySettings
from tellonce_relay import buttons, commands, orders, questions, reminders, turn, views
from tellonce_relay.access import is_for_us, is_own, may_talk, why_deaf
from tellonce_relay.agents import Agents
from tellonce_relay.answers import Desk
from tellonce_relay.catalogue import Language, language_of, phrase, speaking
from tellonce_relay.chat_surface import ChatSurface
from tellonce_relay.doubts import Doubts, ask_about_doubts
from tellonce_relay.forget_list import ForgetLists
from tellonce_relay.inbox import Entry, Inbox
from tellonce_relay.incoming import Incoming, is_command
from tellonce_relay.lanes import Lanes
from tellonce_relay.memory_outage import FOREVER, Outage, patiently
from tellonce_relay.moved_groups import MovedGroups
from tellonce_relay.notebook import Notebook
from tellonce_relay.outbox import Address, Markup, Outbox
from tellonce_relay.presses import Presses
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.tag_effects import Saved
from tellonce_relay.updates import incoming

logger = logging.getLogger(__name__)

AWAY_SECONDS = 6.0
"""A memory that restarts is back sooner; of a longer outage the person hears once."""

MOST_SEEN = 1000

AGREED, NOTED = "👍", "✍"
"""Reactions where no words are needed: to a nod, and to an edit that was taken in."""

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Equipment:
    """What the bot works with. `parts`, `asked`, `languages` and `alarm_notes` are what it notes across restarts."""

    bot: Bot
    settings: RelaySettings
    outbox: Outbox
    desk: Desk
    agents: Agents
    inbox: Inbox
    moved: MovedGroups
    parts: Notebook
    asked: Notebook
    profile: str = ""
    languages: Notebook = field(default_factory=Notebook)
    alarm_notes: Notebook = field(default_factory=Notebook)
    wake_alarms: asyncio.Event = field(default_factory=asyncio.Event)
    emit: Emit = silent
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    away_seconds: float = AWAY_SECONDS
    drain_seconds: float = 5.0

    def profile_at(self, chat_id: int) -> str:
        """The default user's own words about themselves, where they may be spoken of."""
        return self.profile if is_own(chat_id, self.settings) else ""


@dataclass(frozen=True)
class _Case:
    """One message to deal with: the update it came in, what it says, and how an answer gets there."""

    update_id: int
    message: Message
    told: Incoming
    chat_id: int
    entry: Entry
    surface: ChatSurface

    @property
    def language(self) -> Language:
        return _language(self.message.from_user)


def _language(user: User | None) -> Language:
    return language_of(user.language_code if user is not None else None)


class Relay:
    def __init__(self, equipment: Equipment) -> None:
        self._e = equipment
        self._zone = ZoneInfo(equipment.settings.timezone)
        self._lanes = Lanes()
        self._lists = ForgetLists()
        counter = commands.Counter(equipment.desk.memory, self._lists, equipment.desk.zone, equipment.now)
        self._presses = Presses(counter, equipment.outbox, equipment.moved)
        # Turns not begun, by their updates' numbers.
        self._waiting: dict[int, _Case] = {}
        self._doubts = Doubts(equipment.asked, equipment.now)
        self._noticed: set[int] = set()
        self._outage = Outage()
        self._seen: dict[int, None] = {}
        self._albums = Notebook()
        self._deaf = Notebook()

    def note(self, update: Update) -> None:
        """An update was fetched, and may wait before it is taken: its message's number is somebody's."""
        message = update.message or update.edited_message
        if message is not None:
            self._e.outbox.saw(message.chat.id, message.message_id)

    async def take(self, update: Update) -> None:
        """Take an update in; when this returns, Telegram may forget it.

        Raises:
            MemoryUnreachable: it could not be recorded. It must come again.
        """
        if update.update_id in self._seen:
            return
        self.note(update)
        try:
            with tracing.traced("take"), speaking(_language(update.effective_user)):
                await self._take_or_tell(update)
        except MemoryUnreachable:
            raise
        except Exception as error:
            # An update that breaks us would come again and again, and nothing after it.
            self.pass_over(update.update_id, error)
        self._was_seen(update.update_id)

    async def _take_or_tell(self, update: Update) -> None:
        try:
            await self._take(update)
        except MemoryUnreachable:
            await self._still_away(update)
            raise

    def pass_over(self, update_id: int, error: Exception) -> None:
        """An update that cannot be dealt with, now or later."""
        logger.error("update %s could not be taken in and is passed over", update_id, exc_info=error)
        self._e.emit("update_passed_over", update=update_id, reason=type(error).__name__)
        self._e.inbox.done(update_id)

    async def resume(self) -> None:
        """Take up what the end of the last process interrupted, before anything else is taken in or sent.

        First it is found out what of it arrived, and recorded what is not: so the order of the talk stays.
        """
        owed: list[_Case] = []
        for update_id, entry in self._e.inbox.left():
            case = self._case(Update.de_json(entry.update, self._e.bot), entry)
            if case is None:
                self._e.inbox.done(update_id)
                continue
            self._was_seen(update_id)
            with tracing.traced("resume", entry.traceparent), speaking(case.language):
                self._e.emit(
                    "turn_resumed", update=update_id, recorded=entry.recorded, thought=entry.thought is not None
                )
                if await self._is_settled(case):
                    owed.append(case)
        for case in owed:
            self._submit(case)

    async def drain(self) -> None:
        """Let turns under way end, for some seconds; the rest is taken up by the next process."""
        await self._lanes.drain(self._e.drain_seconds)

    async def _take(self, update: Update) -> None:
        if update.callback_query is not None:
            self._take_button(update.update_id, update.callback_query)
            return
        self._note_move(update.effective_message)
        case = self._case(update, Entry(update.to_dict()))
        if case is None:
            self._ignore(update)
            return
        self._e.emit("message_received", update=update.update_id, chat=case.chat_id)
        self._e.languages.put(str(case.chat_id), case.language)
        if update.edited_message is not None and self._memory_put_right(case) is None:
            await self._take_edit(case)
            return
        owed = update.update_id in self._e.inbox
        self._e.inbox.put(update.update_id, case.entry)
        wants_answer = self._is_order(case) or await self._is_new(case) or owed
        if wants_answer and not self._is_of_answered_album(case):
            self._submit(case)
            await self._e.inbox.secure(update.update_id)
        else:
            self._e.inbox.done(update.update_id)

    def _ignore(self, update: Update) -> None:
        """Whoever sets the bot up reads in its log, once, whom or which group it does not hear."""
        self._e.emit("update_ignored", update=update.update_id)
        message = update.effective_message
        reason = why_deaf(message.from_user, message.chat, self._e.settings, self._e.moved) if message else ""
        if reason and self._deaf.get(reason) is None:
            self._deaf.put(reason, "told")
            logger.warning("%s", reason)

    async def _is_new(self, case: _Case) -> bool:
        """Record the message. One that the memory has already was dealt with, unless the inbox says it is owed."""
        try:
            with timed(self._e.emit, "message_recorded") as found:
                outcome = (await turn.record_incoming(self._e.desk.memory, case.told)).outcome
                found["outcome"] = outcome
        except MemoryRefused as error:
            case.entry.thought = turn.failed(turn.REFUSED.format(reason=error), error, self._manner(case))
            outcome = "created"
        self._outage.is_over()
        case.entry.recorded = True
        self._keep(case)
        return outcome == "created"

    async def _is_settled(self, case: _Case) -> bool:
        try:
            await self._settle(case)
        except Exception as error:
            # The edge of one update: one that breaks us must not break every process that starts.
            self.pass_over(case.update_id, error)
            return False
        return True

    async def _settle(self, case: _Case) -> None:
        """A message that may not be recorded yet: recording it again does no harm."""
        thought = case.entry.thought
        try:
            await case.surface.settle(turn.visible(thought) if thought is not None else None)
        except turn.NotShown as error:
            logger.warning("what became of an answer cannot be found out: %s", error)
        if not case.entry.recorded and not self._is_order(case):
            await patiently(lambda: self._is_new(case), FOREVER)

    def _case(self, update: Update | None, entry: Entry) -> _Case | None:
        """None for what is none of ours: strangers, other bots' commands, service messages."""
        e, message = self._e, (update.message or update.edited_message) if update is not None else None
        if update is None or message is None or not may_talk(message.from_user, message.chat, e.settings, e.moved):
            return None
        told = incoming(message, self._zone, self._name(message), e.moved)
        if told is None or not is_for_us(message, e.bot.username):
            return None
        chat_id = e.moved.memory_chat(message.chat.id)
        if told.reply_to_message_id is not None:
            first = e.parts.get(f"{chat_id}:{told.reply_to_message_id}")
            told = replace(told, reply_to_message_id=first or told.reply_to_message_id)
        surface = self._surface(update.update_id, entry, message, told)
        return _Case(update.update_id, message, told, chat_id, entry, surface)

    def _name(self, message: Message) -> str:
        """How the settings call the default user; others have their own names."""
        e, user = self._e, message.from_user
        return e.settings.user_name if user is not None and user.id == e.settings.default_user else ""

    def _surface(self, update_id: int, entry: Entry, message: Message, told: Incoming) -> ChatSurface:
        e, chat = self._e, message.chat.id
        reply_to = message.message_id if told.reply_to_message_id is not None or chat < 0 else None
        return ChatSurface(
            e.outbox,
            Address(chat, told.message_thread_id, reply_to),
            external_id=lambda number: e.moved.sent_id(chat, number),
            delivery=entry.delivery,
            keep=lambda: e.inbox.put(update_id, entry),
        )

    def _note_move(self, message: Message | None) -> None:
        if message is not None and message.migrate_to_chat_id is not None:
            self._e.moved.moved(message.chat.id, message.migrate_to_chat_id)
        if message is not None and message.migrate_from_chat_id is not None:
            self._e.moved.moved(message.migrate_from_chat_id, message.chat.id)

    def _take_button(self, update_id: int, query: CallbackQuery) -> None:
        chat = query.message.chat if query.message is not None else None
        if chat is not None and may_talk(query.from_user, chat, self._e.settings, self._e.moved):
            self._lanes.submit(("button", chat.id), lambda: self._press(query))
        else:
            self._e.emit("update_ignored", update=update_id)

    async def _take_edit(self, case: _Case) -> None:
        """The memory learns the new wording; an answer given or under way stands. Commands are never recorded."""
        if is_command(case.told.text):
            return
        try:
            with timed(self._e.emit, "message_recorded", outcome="edited"):
                await turn.record_incoming(self._e.desk.memory, case.told)
        except MemoryRefused as error:
            logger.warning("an edit was refused: %s", error)
            await self._say(case, turn.REFUSED.format(reason=error))
            return
        self._outage.is_over()
        await self._e.outbox.react(case.message.chat.id, case.message.message_id, NOTED)
        self._reword_waiting(case)

    def _reword_waiting(self, edit: _Case) -> None:
        """A turn that has not begun answers the message as it reads now, in the next process too."""
        for number, case in self._waiting.items():
            if (case.chat_id, case.told.message_id) == (edit.chat_id, edit.told.message_id):
                case.entry.update = edit.entry.update | {"update_id": number}
                self._waiting[number] = replace(case, told=edit.told)
                self._keep(case)

    def _is_order(self, case: _Case) -> bool:
        """A command, or an answer to one of our questions: carried out, never recorded."""
        words = self._order_in_words(case)
        return is_command(case.told.text) or words is not None or self._memory_put_right(case) is not None

    def _order_in_words(self, case: _Case) -> orders.Order | None:
        """The order that a message is, where a command carries it out. A language model needs no such help."""
        if is_command(case.told.text) or not isinstance(self._e.desk.responder, OfflineResponder):
            return None
        with speaking(case.language):
            order = orders.order_of(case.told.text)
        return order if order is not None and (order.command is not None or order.kind == "nod") else None

    def _memory_put_right(self, case: _Case) -> int | None:
        """The number of the memory for which this message has the right wording, if it answers our question for one."""
        return None if is_command(case.told.text) else questions.reworded(case.message, self._e.bot.id)

    def _is_of_answered_album(self, case: _Case) -> bool:
        """Pictures sent together come as one message each; the first is answered, all are recorded."""
        album, number = case.message.media_group_id, str(case.message.message_id)
        if album is None:
            return False
        first = self._albums.get(album)
        if first is None:
            self._albums.put(album, number)
        return first not in (None, number)

    def _keep(self, case: _Case) -> None:
        self._e.inbox.put(case.update_id, case.entry)

    def _submit(self, case: _Case) -> None:
        lane = (case.message.chat.id, case.told.message_thread_id)
        self._waiting[case.update_id] = case
        self._lanes.submit(lane, lambda: self._deal_with(self._waiting.pop(case.update_id)))

    async def _deal_with(self, case: _Case) -> None:
        """The edge of one update: whatever breaks in it, the person gets a sentence and the next update its turn."""
        with tracing.traced("turn", case.entry.traceparent), speaking(case.language):
            try:
                await (self._obey(case) if self._is_order(case) else self._answer(case))
            except Exception as error:
                logger.exception("update %s failed", case.update_id)
                self._e.emit("turn_failed", reason=type(error).__name__)
                await self._say(case, phrase("turn.broken"))
            finally:
                await case.surface.close()
        self._e.inbox.done(case.update_id)

    async def _answer(self, case: _Case) -> None:
        """A turn: begun when the message was recorded, or by a process before this one."""
        e, manner = self._e, self._manner(case)
        if case.entry.thought is None:
            case.entry.thought = await self._thought(case, manner)
            self._keep(case)
        outcome = await turn.give(e.desk.memory, case.surface, case.told, case.entry.thought, manner)
        for part in outcome.message_ids[1:]:
            e.parts.put(f"{case.chat_id}:{part}", outcome.message_ids[0])
        if outcome.message_ids and not case.entry.thought.failure:
            await self._show_saved(case, outcome.effects.saved)
            await self._pass_on(case, case.entry.thought.notices)
            await self._ask(case)

    async def _thought(self, case: _Case, manner: turn.Manner) -> turn.Thought:
        desk = self._e.desk
        try:
            return await self._when_back(
                case, lambda: turn.think(desk.memory, desk.responder, case.surface, case.told, manner)
            )
        except MemoryRefused as error:
            return turn.failed(turn.REFUSED.format(reason=error), error, manner)

    async def _when_back(self, case: _Case, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        """The call's result; while the memory is away it is tried again, and the person is told."""
        result = await patiently(call, FOREVER, lambda seconds: self._tell_away(case, seconds))
        self._outage.is_over()
        return result

    async def _pass_on(self, case: _Case, notices: Sequence[str]) -> None:
        """A notice stays true for many turns; the person hears it once."""
        if not notices:
            self._noticed.discard(case.chat_id)
        elif case.chat_id not in self._noticed:
            self._noticed.add(case.chat_id)
            for notice in notices:
                await self._say(case, views.notice_view(notice))

    async def _show_saved(self, case: _Case, saved: Sequence[Saved]) -> None:
        """Each with a button that takes it back."""
        for one in saved:
            if one.reminder is not None:
                said = reminders.set_reply(one.reminder, self._e.now(), self._zone)
                await self._say(case, said.text, said.markup)
                continue
            undo = buttons.undo_buttons(one.memory.id, reopens=one.undo == "reopen")
            await self._say(case, views.saved_view(one.memory), undo)
        self._e.wake_alarms.set()

    async def _ask(self, case: _Case) -> None:
        try:
            await ask_about_doubts(self._e.desk.memory, case.surface, case.chat_id, self._doubts)
        except (MemoryUnreachable, MemoryRefused, turn.NotShown) as error:
            logger.info("nobody was asked about doubts: %s", error)

    async def _obey(self, case: _Case) -> None:
        """Every command asks the memory before it says anything, so it can be tried again while the memory is away."""
        try:
            await self._when_back(case, lambda: self._carry_out(case))
        except MemoryRefused as error:
            await self._say(case, str(error))
        except turn.NotShown as error:
            logger.warning("a command's answer was not shown: %s", error)

    async def _carry_out(self, case: _Case) -> None:
        number = self._memory_put_right(case)
        self._e.wake_alarms.set()
        if number is not None:
            await commands.reword(self._e.desk.memory, case.surface, case.told, number)
        else:
            order = self._order_in_words(case)
            if order is not None and order.kind == "nod":
                await self._e.outbox.react(case.message.chat.id, case.message.message_id, AGREED)
                return
            told = replace(case.told, text=(order.command if order is not None else None) or case.told.text)
            with speaking(order.language if order is not None else case.language):
                await commands.run(self._e.desk, self._lists, case.surface, told)

    async def _press(self, query: CallbackQuery) -> None:
        with tracing.traced("button"), speaking(_language(query.from_user)):
            try:
                with timed(self._e.emit, "button_pressed"):
                    await self._presses.press(query)
                self._e.wake_alarms.set()
            except Exception as error:
                logger.exception("a button failed")
                self._e.emit("turn_failed", reason=type(error).__name__)

    async def _still_away(self, update: Update) -> None:
        seconds = self._outage.lasts()
        case = self._case(update, Entry({})) if update.message is not None else None
        if case is not None:
            await self._tell_away(case, seconds)

    async def _tell_away(self, case: _Case, seconds: float) -> None:
        """One sentence a chat and outage."""
        if seconds >= self._e.away_seconds and self._outage.is_news(case.chat_id):
            await self._say(case, phrase("turn.memory_away"))

    def _was_seen(self, update_id: int) -> None:
        self._seen[update_id] = None
        if len(self._seen) > MOST_SEEN:
            del self._seen[next(iter(self._seen))]

    async def _say(self, case: _Case, text: str, markup: Markup | None = None) -> None:
        try:
            await case.surface.say(text, markup)
        except turn.NotShown as error:
            logger.warning("the person could not be told: %s", error)

    def _manner(self, case: _Case) -> turn.Manner:
        e = self._e
        agent = e.agents.at(case.chat_id, case.told.message_thread_id)
        return turn.Manner(self._zone, e.now, agent.prompt, e.profile_at(case.chat_id), agent.id, FOREVER, e.emit)
