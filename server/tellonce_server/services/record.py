"""Records a message once, in its thread, and queues the resulting jobs."""

from dataclasses import replace
from datetime import timedelta
from typing import Literal

import asyncpg

from tellonce.contract import JobKind, RecordedMessage, RecordMessageArgs, Role
from tellonce_server.core.errors import Refused
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope, session_id
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.edit_cascade import after_edit, taken_back
from tellonce_server.domain.erasure.redaction import GONE
from tellonce_server.domain.location import message_of_id, stored_id, thread_of
from tellonce_server.domain.queue import compaction
from tellonce_server.domain.queue.compaction import compact_thread
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.embedding.question_cache import Foresight
from tellonce_server.store import chats, messages, tombstones
from tellonce_server.store.messages import FollowUp, MessageText, NewMessage, Recorded, StoredMessage
from tellonce_text.dates.clock import not_ahead
from tellonce_text.importance import message_importance
from tellonce_text.secrets import mask
from tellonce_text.tokens import estimate

PATIENCE = timedelta(seconds=30)
"""Maximum time for which extraction waits for the answer to a user message, so that one job covers the exchange."""


Outcome = Literal["created", "duplicate", "edited"]


class MessageRefused(Refused):
    """The message cannot be recorded in this form. The error text says what to change."""


class Recorder:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._foresight = Foresight(deps.embedder)

    async def record(self, scope: ChatScope, args: RecordMessageArgs) -> RecordedMessage:
        """Record a message. If its id is already known, it is a duplicate or an edit. Raises MessageRefused."""
        message = await self._incoming(scope, args)
        follow_up = _follow_up(message)
        try:
            recorded = await messages.record(self._deps.database, message, follow_up)
        except asyncpg.UniqueViolationError:
            return await self._again(message)
        queued: tuple[JobKind, ...] = (follow_up.kind,) if follow_up else ()
        if await self._compacted(message, recorded):
            queued = (*queued, "chunk_summary")
        self._announce(message, queued)
        if args.role == "user" and args.routine is None:
            self._foresight.expect(message.text.content)
        return self._result(message, recorded.id, "created", queued)

    async def _incoming(self, scope: ChatScope, args: RecordMessageArgs) -> NewMessage:
        now, asked = self._deps.now().astimezone(self._deps.zone), await self._asked(scope, args)
        place = (self._deps.database, *scope.key)
        # An erasure in a message changes its version. A message in its first version has therefore lost nothing, and
        # needs no query.
        if asked is not None and asked.version > 1 and await tombstones.in_message(*place, asked.id):
            # The answer was written from the text before the erasure. It may therefore repeat the forgotten words.
            args = args.model_copy(update={"content": GONE, "summary": None, "expects": None})
        thread_key = await thread_of(self._deps, scope, args)
        args = await self._with_stored_ids(scope, args)
        summary, sent_at = args.summary, not_ahead(args.sent_at or now, now)
        return NewMessage(
            scope=scope,
            args=args,
            now=now,
            thread_key=thread_key,
            text=await self._read(args, args.content),
            sent_at=sent_at,
            exchange_of=asked.id if asked is not None else None,
            routine_summary=await offloaded(len(summary), lambda: mask(summary)) if summary is not None else None,
            slot_until=sent_at + timedelta(minutes=self._deps.settings.context.slot_minutes),
        )

    async def _with_stored_ids(self, scope: ChatScope, args: RecordMessageArgs) -> RecordMessageArgs:
        """The message with its ids as they are stored, so that a message with a forgotten id is recognized."""
        ids = {"message_id": args.message_id, "reply_to_message_id": args.reply_to_message_id}
        stored = {
            name: await stored_id(self._deps, scope.owner_id, id_) for name, id_ in ids.items() if id_ is not None
        }
        return args.model_copy(update=stored)

    async def _read(self, args: RecordMessageArgs, content: str) -> MessageText:
        masked = self._deps.settings.mask_messages
        return await offloaded(
            len(content), lambda: message_text(args.role, mask(content) if masked else content, args.speaker)
        )

    async def _asked(self, scope: ChatScope, args: RecordMessageArgs) -> StoredMessage | None:
        if args.exchange_of is None:
            return None
        asked = await message_of_id(self._deps, scope, args.exchange_of)
        if asked is None:
            raise MessageRefused(
                f"No message {args.exchange_of} in this chat to answer; record it first or leave exchange_of out.",
                "call",
            )
        return asked

    async def _again(self, m: NewMessage) -> RecordedMessage:
        """Handle a message with a known id: a duplicate if the text is the same, otherwise an edit."""
        assert m.args.message_id is not None  # only a message with an external id can be a duplicate
        old = await self._stored(m)
        if old.role != m.args.role:
            text = f"Message {m.args.message_id} is the {old.role}'s; give this one an id of its own."
            raise MessageRefused(text, "call")
        text = old.content if m.text.content == old.content else await self._still_said(m, old)
        if text == old.content:
            return self._result(m, old.id, "duplicate", (), thread_key=old.thread_key)
        m = replace(m, text=await self._read(m.args, text))
        queued = await self._edit(m, old)
        if queued is None:
            return await self._again(m)
        self._announce(m, queued)
        self._deps.tell_subscribers(m.scope.owner_id, "memory://profile")
        return self._result(m, old.id, "edited", queued, thread_key=old.thread_key)

    async def _still_said(self, m: NewMessage, old: StoredMessage) -> str:
        """The new text without the parts of this message that were forgotten. Sending the message again restores
        nothing."""
        place = (*m.scope.key, old.id)
        text = await self._deps.tombstones.without_forgotten(self._deps.database, *place, m.text.content)
        return old.content if text is None else text or GONE

    async def _edit(self, m: NewMessage, old: StoredMessage) -> tuple[JobKind, ...] | None:
        """Store the new text and queue its jobs, in one transaction. None if another call changed the message first."""
        new = m.text.content
        gone = await offloaded(len(old.content) + len(new), lambda: taken_back(old.content, new))
        async with self._deps.database.transaction() as t:
            await chats.lock(t, *m.scope.key)
            changed = await messages.edit(t, m, old)
            return await after_edit(self._deps.zone, t, m.scope, old, new, gone, m.now) if changed else None

    async def _stored(self, m: NewMessage) -> StoredMessage:
        stored = await messages.by_ext_id(self._deps.database, *m.scope.key, m.args.message_id or "", m.scope.channel)
        assert stored is not None  # message rows are never deleted
        return stored

    async def _compacted(self, m: NewMessage, recorded: Recorded) -> bool:
        """Queue due summaries of the thread's older messages. After a crash, the next message queues them."""
        rules, count = self._deps.settings.compaction, recorded.last_no - recorded.queued_to
        if (
            compaction.keep(rules, messages=count, tokens=recorded.open_tokens, spoke=recorded.before, now=m.now)
            is None
        ):
            return False
        return await compact_thread(self._deps.database, m.scope, m.thread_key, rules, m.now) > 0

    def _announce(self, m: NewMessage, queued: tuple[JobKind, ...]) -> None:
        if queued:
            self._deps.tell_workers()
        self._deps.tell_subscribers(m.scope.owner_id, f"memory://chat/{m.scope.chat_id}/messages")

    def _result(
        self, m: NewMessage, number: int, outcome: Outcome, queued: tuple[JobKind, ...], thread_key: str | None = None
    ) -> RecordedMessage:
        self._deps.emit("message_received", outcome=outcome, role=m.args.role, message=number)
        if queued:
            self._deps.emit("ltm_enqueued", kinds=list(queued))
        return RecordedMessage(
            id=number,
            thread_key=thread_key or m.thread_key,
            session_id=session_id(m.scope.channel, m.scope.chat_id),
            outcome=outcome,
            importance=m.text.importance,
            tokens=m.text.tokens,
            queued=queued,
        )


def message_text(role: Role, content: str, speaker: str | None) -> MessageText:
    return MessageText(content, message_importance(role, content), estimate(content), index_text(content, speaker))


def _follow_up(m: NewMessage) -> FollowUp | None:
    if m.args.routine is not None:
        return FollowUp("routine_summary", None, None, m.now) if m.args.summary is None else None
    start = m.now if m.args.role == "assistant" else m.now + PATIENCE
    return FollowUp("exchange", m.thread_key, m.exchange_of, start)
