"""The bot: takes updates in, one by one and for good, and deals with each in its lane's order."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from telegram import Bot, CallbackQuery, Message, Update

from chatmem.client import MemoryRefused, MemoryUnreachable
from chatmem.settings import RelaySettings
from chatmem_relay import commands, rewording, turn, views
from chatmem_relay.access import is_for_us, may_talk
from chatmem_relay.agents import Agents
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.commands import Desk
from chatmem_relay.events import Emit, silent
from chatmem_relay.inbox import Entry, Inbox
from chatmem_relay.incoming import Incoming
from chatmem_relay.moved_groups import MovedGroups
from chatmem_relay.order import Lanes
from chatmem_relay.outbox import Address, Outbox
from chatmem_relay.patience import patiently
from chatmem_relay.pressing import press
from chatmem_relay.uncertain import Doubts, ask_about_doubts
from chatmem_relay.updates import incoming

logger = logging.getLogger(__name__)

AWAY = "I can't reach my memory right now. Your message is safe; I answer as soon as it is back."
BROKEN = "Something went wrong on my side; your message is kept. Please ask me again."
DRAIN_SECONDS = 5.0
MOST_SEEN = 1000


@dataclass(frozen=True)
class Equipment:
    """What the bot works with."""

    bot: Bot
    settings: RelaySettings
    outbox: Outbox
    desk: Desk
    agents: Agents
    inbox: Inbox
    moved: MovedGroups
    profile: str = ""
    emit: Emit = silent
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True)
class _Case:
    """One message to deal with: the update it came in, what it says, and how an answer gets there."""

    update: Update
    message: Message
    told: Incoming
    trace_id: str
    surface: ChatSurface


class Relay:
    def __init__(self, equipment: Equipment) -> None:
        self._e = equipment
        self._zone = ZoneInfo(equipment.settings.timezone)
        self._lanes = Lanes()
        self._doubts = Doubts()
        self._noticed: set[int] = set()
        self._told_away: set[int] = set()
        self._seen: dict[int, None] = {}

    async def take(self, update: Update) -> None:
        """Take an update in; when this returns, Telegram may forget it.

        Raises:
            MemoryUnreachable: it could not be recorded. The person knows; it must come again.
        """
        if update.update_id in self._seen:
            return
        try:
            await self._take(update)
        except MemoryUnreachable:
            await self._tell_away(update)
            raise
        self._told_away.clear()
        self._seen[update.update_id] = None
        if len(self._seen) > MOST_SEEN:
            del self._seen[next(iter(self._seen))]

    def resume(self) -> None:
        """Take up what the end of the last process interrupted."""
        for update_id, entry in self._e.inbox.left():
            update = Update.de_json(entry.update, self._e.bot)
            case = self._case(update)
            if case is None or entry.stage == "sending":
                # The answer may have arrived: it is not given twice.
                self._e.inbox.done(update_id)
                continue
            self._seen[update_id] = None
            self._submit(case, self._resumed(case, entry))

    async def drain(self) -> None:
        """Let turns under way end, for some seconds; the rest is taken up by the next process."""
        await self._lanes.drain(DRAIN_SECONDS)

    async def _take(self, update: Update) -> None:
        if update.callback_query is not None:
            self._take_button(update.callback_query)
            return
        self._note_move(update.effective_message)
        case = self._case(update)
        if case is None:
            return
        if update.edited_message is not None:
            await self._take_edit(case)
        elif commands.is_command(case.told.text) or rewording.reworded(case.message, self._e.bot.id) is not None:
            self._keep(case)
            self._submit(case, lambda: self._obey(case))
        else:
            self._keep(case)
            if await self._recorded(case):
                self._submit(case, lambda: self._answer(case))
            else:
                self._e.inbox.done(update.update_id)

    def _case(self, update: Update) -> _Case | None:
        """None for what is none of ours: strangers, other bots' commands, service messages."""
        e, message = self._e, update.message or update.edited_message
        if message is None or not may_talk(message.from_user, message.chat, e.settings, e.moved):
            return None
        told = incoming(message, self._zone, e.settings.user_name, e.moved)
        if told is None or not is_for_us(message, e.bot.username):
            return None
        if told.reply_to_message_id is not None and told.chat_id is not None:
            known = e.desk.answers.first_of(told.chat_id, told.reply_to_message_id)
            told = replace(told, reply_to_message_id=known)
        return _Case(update, message, told, secrets.token_hex(16), self._surface(update, message, told))

    def _surface(self, update: Update, message: Message, told: Incoming) -> ChatSurface:
        e, chat = self._e, message.chat.id
        reply_to = message.message_id if told.reply_to_message_id is not None or chat < 0 else None
        return ChatSurface(
            e.outbox,
            Address(chat, told.message_thread_id, reply_to),
            external_id=lambda number: e.moved.external_id(chat, number),
            delivery=_Progress(e.inbox, update),
        )

    def _note_move(self, message: Message | None) -> None:
        if message is not None and message.migrate_to_chat_id is not None:
            self._e.moved.moved(message.chat.id, message.migrate_to_chat_id)
        if message is not None and message.migrate_from_chat_id is not None:
            self._e.moved.moved(message.migrate_from_chat_id, message.chat.id)

    def _take_button(self, query: CallbackQuery) -> None:
        chat = query.message.chat if query.message is not None else None
        if chat is not None and may_talk(query.from_user, chat, self._e.settings, self._e.moved):
            self._lanes.submit(("button", chat.id), lambda: self._press(query))

    async def _take_edit(self, case: _Case) -> None:
        """The memory learns the new wording; the answer stands. Commands are never recorded, edited or not."""
        if not commands.is_command(case.told.text):
            await self._recorded(case)

    async def _recorded(self, case: _Case) -> bool:
        """Whether the message is new and wants an answer."""
        try:
            recorded = await turn.record_incoming(self._e.desk.memory, case.told, case.trace_id)
        except MemoryRefused as error:
            logger.warning("update %s was refused: %s", case.update.update_id, error)
            await self._say(case.surface, turn.REFUSED.format(reason=error))
            return False
        return recorded.outcome == "created"

    def _keep(self, case: _Case) -> None:
        self._e.inbox.put(case.update.update_id, Entry(case.update.to_dict()))

    def _submit(self, case: _Case, work: Callable[[], Awaitable[None]]) -> None:
        lane = (case.message.chat.id, case.told.message_thread_id)
        self._lanes.submit(lane, lambda: self._at_the_edge(case, work))

    async def _at_the_edge(self, case: _Case, work: Callable[[], Awaitable[None]]) -> None:
        """Work of one update: whatever breaks in it, the person gets a sentence and the next update its turn."""
        try:
            await work()
        except Exception:
            logger.exception("update %s failed", case.update.update_id)
            await self._say(case.surface, BROKEN)
        finally:
            await case.surface.close()
        self._e.inbox.done(case.update.update_id)

    def _resumed(self, case: _Case, entry: Entry) -> Callable[[], Awaitable[None]]:
        told = case.told
        if commands.is_command(told.text) or rewording.reworded(case.message, self._e.bot.id) is not None:
            return lambda: self._obey(case)
        if entry.stage == "sent":
            return lambda: self._record_late(case, entry.text, entry.ids)
        return lambda: self._answer_late(case)

    async def _record_late(self, case: _Case, text: str, ids: Sequence[str]) -> None:
        manner = self._manner(case)
        await turn.record_answer(self._e.desk.memory, case.told, text, list(ids), manner, case.trace_id)

    async def _answer_late(self, case: _Case) -> None:
        """Its message may or may not be recorded yet: recording it again does no harm."""
        try:
            await patiently(lambda: turn.record_incoming(self._e.desk.memory, case.told, case.trace_id))
        except (MemoryUnreachable, MemoryRefused) as error:
            logger.warning("update %s could not be taken up: %s", case.update.update_id, error)
            await self._say(case.surface, turn.MEMORY_DOWN)
            return
        await self._answer(case)

    async def _answer(self, case: _Case) -> None:
        e, told = self._e, case.told
        outcome = await turn.answer(
            e.desk.memory, e.desk.responder, case.surface, told, self._manner(case), case.trace_id
        )
        if not outcome.answered:
            return
        chat = told.chat_id or case.message.chat.id
        e.desk.answers.given(chat, outcome.message_ids, outcome.receipt_id)
        await self._pass_on(case, chat, outcome.notices)
        await self._ask(case, chat)

    async def _pass_on(self, case: _Case, chat: int, notices: Sequence[str]) -> None:
        """A notice stays true for many turns; the person hears it once."""
        if not notices:
            self._noticed.discard(chat)
        elif chat not in self._noticed:
            self._noticed.add(chat)
            for notice in notices:
                await self._say(case.surface, views.notice_view(notice))

    async def _ask(self, case: _Case, chat: int) -> None:
        try:
            await ask_about_doubts(self._e.desk.memory, case.surface, chat, self._doubts)
        except (MemoryUnreachable, MemoryRefused, turn.NotShown) as error:
            logger.info("nobody was asked about doubts: %s", error)

    async def _obey(self, case: _Case) -> None:
        number = rewording.reworded(case.message, self._e.bot.id)
        try:
            if number is not None and not commands.is_command(case.told.text):
                await commands.reword(self._e.desk.memory, case.surface, case.told, number)
            else:
                await commands.run(self._e.desk, case.surface, case.told)
        except MemoryUnreachable:
            await self._say(case.surface, turn.MEMORY_DOWN)
        except MemoryRefused as error:
            await self._say(case.surface, str(error))
        except turn.NotShown as error:
            logger.warning("a command's answer was not shown: %s", error)

    async def _press(self, query: CallbackQuery) -> None:
        try:
            await press(query, self._e.desk.memory, self._e.outbox, self._e.moved)
        except Exception:
            logger.exception("a button failed")

    async def _tell_away(self, update: Update) -> None:
        """One sentence a chat and outage."""
        case = self._case(update)
        if case is not None and update.message is not None and case.message.chat.id not in self._told_away:
            self._told_away.add(case.message.chat.id)
            await self._say(case.surface, AWAY)

    async def _say(self, surface: ChatSurface, text: str) -> None:
        try:
            await surface.say(text)
        except turn.NotShown as error:
            logger.warning("the person could not be told: %s", error)

    def _manner(self, case: _Case) -> turn.Manner:
        e = self._e
        agent = e.agents.at(case.told.chat_id or 0, case.told.message_thread_id)
        return turn.Manner(self._zone, e.now, agent.prompt, e.profile, agent.id, e.emit)


class _Progress:
    """Writes into the inbox how far an answer got."""

    def __init__(self, inbox: Inbox, update: Update) -> None:
        self._inbox = inbox
        self._update = update

    def sending(self) -> None:
        self._inbox.put(self._update.update_id, Entry(self._update.to_dict(), "sending"))

    def sent(self, ids: Sequence[str], text: str) -> None:
        self._inbox.put(self._update.update_id, Entry(self._update.to_dict(), "sent", tuple(ids), text))
