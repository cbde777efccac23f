"""Runs the turns of each thread in order. A turn waits for the model as long as necessary and is answered exactly once.
The person can stop a turn."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from tellonce import tracing
from tellonce.client import MemoryRefused
from tellonce.shutdown import Stopped, pause_or_stop, unless_stopped
from tellonce_relay import buttons
from tellonce_relay.catalogue import phrase, server_text, use_language
from tellonce_relay.memory_outage import FOREVER, Outage, with_retries
from tellonce_relay.telegram.attachment_reader import UnusableAttachment
from tellonce_relay.telegram.message_sender import Markup
from tellonce_relay.turn import turn
from tellonce_relay.turn.model_call import trouble
from tellonce_relay.turn.tag_effects import Done, keep_order
from tellonce_relay.turn.tags import parse
from tellonce_relay.updates.asides import Asides, log_not_shown, tell_or_log
from tellonce_relay.updates.case import Case
from tellonce_relay.updates.dependencies import Dependencies
from tellonce_relay.updates.open_turn import OpenTurn
from tellonce_relay.updates.pending_messages import PendingMessages, Thread
from tellonce_relay.updates.threads import Threads
from tellonce_relay.updates.turn_attachments import TurnAttachments
from tellonce_text.own_words import own_words
from tellonce_text.sentences import is_question

logger = logging.getLogger(__name__)

AGREED, NOTED = "👍", "✍"
"""The reactions that replace a text. The first is for thanks. The second is for an edit, for a message that waits for
the model, and for a statement in a group without a model."""

ResultT = TypeVar("ResultT")


class ShuttingDown(Exception):
    """The process is ending; the next process continues the turn."""


RunOrder = Callable[[Case], Awaitable[buttons.Reply | None]]
"""Carries out a case that is an order in words; None if the case is not an order."""


class Conversations:
    """Runs turns in `threads`. The bot uses `threads` also for other work that must be done in order."""

    def __init__(
        self,
        dependencies: Dependencies,
        threads: Threads,
        outage: Outage,
        pending: PendingMessages,
        run_order: RunOrder,
    ) -> None:
        self._e = dependencies
        self._threads = threads
        self._pending = pending
        self._outage = outage
        self._run_order = run_order
        self._attachments = TurnAttachments(dependencies)
        self._asides = Asides(dependencies)
        self._newest: dict[Thread, OpenTurn] = {}
        self._current: dict[Thread, OpenTurn] = {}
        self._waiting: list[OpenTurn] = []
        self._answered: dict[Thread, str] = {}
        self._texts: dict[Thread, str] = {}
        self._albums: dict[Thread, str] = {}
        # The chats that were notified of the model's outage, and the turns that wait for the end of this outage.
        self._troubled: set[int] = set()
        self._nudges: dict[Thread, asyncio.Event] = {}
        self._captions = asyncio.Lock()
        self._leaving = asyncio.Event()
        self._left: set[Thread] = set()

    def is_awaited(self, case: Case) -> bool:
        """Whether a message is part of an open turn, even if it does not address the bot."""
        return self._opened_for(case) is not None

    def is_of_answered_album(self, case: Case) -> bool:
        """Whether a message is a picture of the thread's last album. The answer to the album is its answer, too."""
        album = case.message.media_group_id
        return album is not None and self._albums.get(case.thread) == album

    def submit(self, case: Case) -> None:
        """Answer after the thread's earlier messages, or together with the one that it directly follows."""
        now, newest = asyncio.get_running_loop().time(), self._opened_for(case)
        self._pending.ended(case.update_id)
        self.note_text(case.thread, case.incoming.text)
        if newest is not None:
            newest.join(case, now)
            self._e.inbox.put(case.update_id, case.entry)
            return
        if case.message.media_group_id is not None:
            self._albums[case.thread] = case.message.media_group_id
        opened = OpenTurn([case], now)
        opened.progress.said = case.entry.begun
        if "owed" in case.entry.asides:
            self._troubled.add(case.chat_id)
        self._newest[case.thread] = opened
        self._waiting.append(opened)
        self._nudge(case.thread)
        self._threads.submit(case.thread, lambda: self._run_turn(opened))

    def _opened_for(self, case: Case) -> OpenTurn | None:
        newest = self._newest.get(case.thread)
        if newest is None:
            return None
        fetched = self._pending.at(case.update_id, asyncio.get_running_loop().time())
        belongs = case.entry.part_of == newest.head.update_id
        return newest if belongs or newest.takes(case, fetched, self._e.settings.breath_seconds) else None

    def reword(self, edit: Case) -> bool:
        """Apply an edit to a turn without an answer, and ask the model again. The edit is stored in the entry for the
        next process. An owed answer starts again, because the part that the person has seen answers the former
        question. Returns whether there is such a turn."""
        reworded = False
        for opened in (*self._waiting, *self._current.values()):
            for place, case in enumerate(opened.cases if opened.owed or not opened.closed else ()):
                if case.name == edit.name and case.incoming.text != edit.incoming.text:
                    case.entry.update = edit.entry.update | {"update_id": case.update_id}
                    opened.cases[place] = replace(case, incoming=edit.incoming)
                    if opened.owed:
                        opened.reworded = True
                        opened.head.entry.begun = ""
                        self._e.inbox.put(opened.head.update_id, opened.head.entry)
                        self._nudge(opened.head.thread)
                    elif opened.begun:
                        opened.interrupted.set()
                    self._e.inbox.put(case.update_id, case.entry)
                    reworded = True
        return reworded

    def is_writing(self, thread: Thread) -> bool:
        """Whether an answer is being written."""
        opened = self._current.get(thread)
        return opened is not None and not opened.closed

    def trouble_of(self, thread: Thread) -> str:
        """The sentence about a question of the thread that waits for the model; empty if no question waits."""
        opened = self._current.get(thread)
        return trouble(opened.owed, owed=True) if opened is not None and opened.owed is not None else ""

    async def last_answer(self, thread: Thread) -> str | None:
        """The id of the message with the latest answer in the thread, as far as this process knows. If an answer is
        being sent, wait until it is recorded."""
        opened = self._current.get(thread)
        if opened is not None and opened.closed and opened.owed is None:
            await opened.finished.wait()
        return self._answered.get(thread)

    def note_text(self, thread: Thread, text: str) -> None:
        """Store the newest recorded text of the thread."""
        self._texts[thread] = text

    def last_text(self, thread: Thread) -> str:
        """The newest text of the thread that the memory keeps; empty if this process does not know it."""
        return self._texts.get(thread, "")

    async def stop(self, thread: Thread, *, owed: bool = True) -> str | None:
        """End the thread's current answer and wait until the turn is finished. If `owed` is false, an answer that waits
        for the model continues to wait. Returns the question if its answer was waiting for the model, and an empty text
        if the answer was being written. None if no answer was ended."""
        opened = self._current.get(thread)
        if opened is None or (opened.owed is not None and not owed):
            return None
        opened.stop()
        await opened.finished.wait()
        return opened.incoming.text if opened.owed is not None else ""

    def leave(self) -> None:
        """Stop waiting for unavailable models, because the process is ending."""
        self._leaving.set()

    async def say(self, case: Case, text: str, markup: Markup | None = None) -> None:
        """Send a sentence beside the answer. A failure to send it is only logged."""
        with log_not_shown():
            await case.surface.say(text, markup)

    async def with_notice(self, case: Case, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        """Call until the memory is reachable, and return the result. Meanwhile, notify the person."""
        result = await with_retries(call, FOREVER, lambda seconds: self.report_outage(case, seconds))
        self._outage.is_over()
        return result

    async def report_outage(self, case: Case, seconds: float) -> None:
        """Notify the chat that the memory is unreachable, once per outage."""
        if seconds >= self._e.away_seconds and self._outage.is_news(case.chat_id):
            await self.say(case, phrase("turn.memory_away"))

    def options(self, case: Case) -> turn.TurnOptions:
        """The options for turns in the chat and topic of the message."""
        e = self._e
        agent = e.agents.at(case.chat_id, case.incoming.message_thread_id)
        profile = e.profile_at(case.chat_id)
        return turn.TurnOptions(
            e.zone, e.now, agent.prompt, profile, agent.id, FOREVER, e.emit, e.persistence, e.sleep, self._captions
        )

    async def _run_turn(self, opened: OpenTurn) -> None:
        head = opened.head
        if head.thread in self._left:
            return
        self._waiting.remove(opened)
        self._current[head.thread] = opened
        opened.begun = True
        with tracing.traced("turn", head.entry.traceparent), use_language(head.language):
            try:
                await self._answer(opened)
            except ShuttingDown:
                self._left.add(head.thread)
                return
            except Exception as error:
                logger.exception("update %s failed", head.update_id)
                self._e.emit("turn_failed", reason=type(error).__name__)
                await self.say(head, phrase("turn.broken"))
            finally:
                self._closed(opened)
                opened.finished.set()
                await head.surface.close()
        # The head's entry is deleted first. Entries that remain after a kill have no head, so the next process knows
        # that they were answered.
        for case in opened.cases:
            self._e.inbox.done(case.update_id)

    def _closed(self, opened: OpenTurn) -> None:
        opened.closed = True
        thread = opened.head.thread
        self._current.pop(thread, None)
        if self._newest.get(thread) is opened:
            del self._newest[thread]

    async def _answer(self, opened: OpenTurn) -> None:
        e, case, options = self._e, opened.head, self.options(opened.head)
        if case.entry.draft is None:
            case.entry.draft = await self._draft(opened, options)
            e.inbox.put(case.update_id, case.entry)
        draft = case.entry.draft
        if draft.stopped and not draft.said:
            return
        if case.chat_id < 0 and draft.said == phrase("offline.kept"):
            await e.sender.react(case.message.chat.id, case.message.message_id, NOTED)
            await self._asides.say_unset(case)
            return
        outcome = await turn.deliver(e.command_context.memory, case.surface, opened.incoming, draft, options)
        for part in outcome.message_ids[1:]:
            e.stores.parts.put(f"{case.chat_id}:{part}", outcome.message_ids[0])
        if outcome.message_ids and not draft.failure:
            self._answered[case.thread] = outcome.message_ids[0]
            await self._asides.tell(case, opened.incoming, outcome.effects, draft.notices)

    async def _draft(self, opened: OpenTurn, options: turn.TurnOptions) -> turn.DraftAnswer:
        """The model is asked again whenever the person adds a message."""
        while True:
            try:
                return await unless_stopped(opened.interrupted, self._attempt(opened, options))
            except Stopped:
                opened.interrupted.clear()
            if opened.stopped:
                self._troubled.discard(opened.head.chat_id)  # the next failure is explained again
                await opened.head.surface.settle(None)
                self._e.emit("turn_stopped", owed=opened.owed is not None)
                return turn.DraftAnswer(parse(opened.progress.said).visible, claims=False, stopped=True)
            opened.progress.said = ""

    async def _attempt(self, opened: OpenTurn, options: turn.TurnOptions) -> turn.DraftAnswer:
        if opened.goes_on:  # the turn's further messages are already fetched, and the model must see them
            await self._pending.recorded(opened.head.thread)
        try:
            draft = await self._process_attachments(opened)
            draft = draft or await self._run_spoken_order(opened) or await self._model_draft(opened, options)
        except MemoryRefused as error:
            draft = turn.failure_draft(phrase("turn.refused", reason=server_text(error.text)), error, options)
        await self._wait_for_more(opened)
        if opened.interrupted.is_set():
            # Wait until `_draft` cancels this attempt. Then `_draft` asks again, or ends the answer if the user stopped
            # it.
            await asyncio.Event().wait()
        opened.closed = True
        self._attachments.mark_said(opened)
        return draft

    async def _wait_for_more(self, opened: OpenTurn) -> None:
        thread, loop = opened.head.thread, asyncio.get_running_loop()
        hold = opened.hold(self._e.settings.breath_seconds)
        await asyncio.sleep(opened.arrived + hold - loop.time())
        # A message that was fetched in time may still be waiting to be recorded.
        await self._pending.recorded(thread)

    async def _process_attachments(self, opened: OpenTurn) -> turn.DraftAnswer | None:
        """Returns a reply if the turn contains nothing usable."""
        if not any(self._attachments.attachment(case) for case in opened.cases):
            return None
        await opened.head.surface.typing()
        reads = await self._e.command_context.responder.reads()
        for place in range(len(opened.cases)):
            await self._attachments.process(opened, place, reads, self.with_notice)
        return await self._report_problems(opened, "unperceived")

    async def _run_spoken_order(self, opened: OpenTurn) -> turn.DraftAnswer | None:
        """Without a model, carry out a voice message that is an order."""
        case = opened.head
        if self._e.command_context.responder.claims or len(opened.cases) > 1 or not case.entry.transcript:
            return None
        said = await self.with_notice(case, lambda: self._run_order(case))
        if said is None:
            return None
        await tell_or_log(case, "order", said.text, said.markup)
        return turn.DraftAnswer("", claims=False, stopped=True)

    async def _report_problems(self, opened: OpenTurn, aside: str) -> turn.DraftAnswer | None:
        """Tell the person about problems with files. Returns the whole reply if the turn has no words. Without a model,
        also returns it for a question about a file."""
        said = opened.incoming
        captioned = said.quoted and own_words(said.quoted).strip()
        asks = not self._e.command_context.responder.claims and is_question(said.text) and not captioned
        if opened.problems and (opened.is_wordless or asks):
            return turn.DraftAnswer(self._attachments.problems(opened), failure=True)
        sentence = self._attachments.new_problems(opened)
        if sentence:
            await tell_or_log(opened.head, aside, sentence)
            self._attachments.mark_said(opened)
        return None

    async def _model_draft(self, opened: OpenTurn, options: turn.TurnOptions) -> turn.DraftAnswer:
        pause, longest = self._e.owed_pauses
        draft = await self._ask_with_files(opened, options)
        while draft.owed or opened.reworded:
            if not opened.reworded:
                if await self._set_orders(opened, options):
                    return turn.DraftAnswer("", claims=False, stopped=True)
                await self._report_owed(opened, draft)
                await self._pause(opened.head.thread, pause, draft.retry_after)
                pause = min(longest, 2 * pause)
            if opened.reworded:
                opened.progress.said, opened.reworded = "", False
            draft = await self._ask_with_files(opened, replace(options, persistence=options.persistence.briefly))
        self._model_is_back(opened.head)
        return draft

    async def _ask_with_files(self, opened: OpenTurn, options: turn.TurnOptions) -> turn.DraftAnswer:
        """A model that refuses files, for example for too many pages, is asked once more without them."""
        draft = await self._ask_model(opened, options)
        if draft.cause != "refused" or not opened.incoming.files:
            return draft
        opened.files = dict.fromkeys(opened.files, ())
        opened.problems = [UnusableAttachment(phrase("senses.not_accepted"))]
        return await self._report_problems(opened, "not accepted") or await self._ask_model(opened, options)

    async def _ask_model(self, opened: OpenTurn, options: turn.TurnOptions) -> turn.DraftAnswer:
        e, case = self._e, opened.head
        memory, responder = e.command_context.memory, e.command_context.responder
        return await self.with_notice(
            case, lambda: turn.draft_answer(memory, responder, case.surface, opened.incoming, options, opened.progress)
        )

    async def _set_orders(self, opened: OpenTurn, options: turn.TurnOptions) -> bool:
        """Set the reminders that the message orders, because they may be due before the model is available again.
        Returns whether there are such reminders; their confirmation is then the answer."""
        done = Done()
        await keep_order(self._e.command_context.memory, opened.incoming, options.patience, done)
        if done.saved:
            opened.closed = True
            await self._asides.show_saved(opened.head, done.saved)
        return bool(done.saved)

    async def _report_owed(self, opened: OpenTurn, draft: turn.DraftAnswer) -> None:
        case = opened.head
        opened.owed, opened.closed = draft.cause, True
        case.surface.quote(case.message.message_id)
        case.entry.begun = opened.progress.said
        begun = parse(opened.progress.said).visible
        with log_not_shown():
            await case.surface.keep_partial(begun)
            if case.chat_id not in self._troubled:
                self._troubled.add(case.chat_id)
                assert draft.cause is not None  # the answer is given later
                await case.tell("owed", trouble(draft.cause, owed=True))
        await case.surface.close()
        self._e.inbox.put(case.update_id, case.entry)
        self._e.emit("answer_owed", cause=draft.cause)

    async def _pause(self, thread: Thread, seconds: float, retry_after: float | None) -> None:
        """Ends early if a message arrives in the thread or another turn succeeds."""
        nudge = self._nudges[thread] = asyncio.Event()
        try:
            await unless_stopped(self._leaving, self._nudged(nudge, seconds, retry_after or 0.0))
        except Stopped:
            raise ShuttingDown from None
        finally:
            del self._nudges[thread]

    async def _nudged(self, nudge: asyncio.Event, seconds: float, at_least: float) -> None:
        await self._e.sleep(at_least)
        await pause_or_stop(nudge, seconds)

    def _nudge(self, thread: Thread) -> None:
        if thread in self._nudges:
            self._nudges[thread].set()

    def _model_is_back(self, case: Case) -> None:
        self._troubled.discard(case.chat_id)
        for thread in self._nudges:
            self._nudge(thread)
