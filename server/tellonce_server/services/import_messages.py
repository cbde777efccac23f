"""Imports whole histories: each message is stored once, in its thread, and the jobs are queued."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta

from tellonce.contract import Role
from tellonce_server.core.limits import paced
from tellonce_server.core.scope import (
    PROGRAMS,
    ChatScope,
    conversation,
    replaced_channel,
    reply_thread,
    root_thread,
    topic_thread,
)
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.redaction import GONE
from tellonce_server.domain.location import with_stored_channel, without_forgotten_names
from tellonce_server.domain.queue.compaction import compact_thread
from tellonce_server.services.record import message_text
from tellonce_server.store import bulk, chats, forget, queue, tombstones
from tellonce_server.store.bulk import Named, Placed
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import ImportMessage as ImportMessage
from tellonce_server.store.messages import MessageText
from tellonce_server.store.messages import OwnConversation as OwnConversation
from tellonce_server.store.queue import NewJob
from tellonce_text.dates.clock import not_ahead
from tellonce_text.secrets import mask

BATCH = 500
"""Messages per transaction. A crash loses at most these, and repeating the import adds them."""


HELD = timedelta(minutes=4)
"""Delay of the extraction from imported exchanges, because memories at the end of an import may correct or reject them.
It is less than LATEST_START. With a later date, the queue would assume a wrong clock and not wait."""


@dataclass(frozen=True)
class Imported:
    """Numbers of messages. `forgotten` counts messages from which a forgotten sentence was removed."""

    created: int
    duplicates: int
    forgotten: int = 0


class Importers:
    """Imports into several chats. A message is stored in the conversation that it names, or in `scope`. With `fixed`,
    all are stored in `scope`. Workers read the imported exchanges after `finish`."""

    def __init__(self, deps: Dependencies, scope: ChatScope, *, fixed: bool = False) -> None:
        self._deps = deps
        self.scope = scope
        self._fixed = fixed
        self._importers: dict[OwnConversation | None, Importer] = {}
        self._held_at: datetime | None = None

    async def add(self, batch: Sequence[ImportMessage]) -> Imported:
        """Store each chat's part of the batch, as `Importer.add` does."""
        parts: defaultdict[OwnConversation | None, list[ImportMessage]] = defaultdict(list)
        for message in batch:
            parts[None if self._fixed else message.conversation].append(message)
        await self.hold()
        done = [await (await self._importer(of)).add(part) for of, part in parts.items()]
        return Imported(*(sum(counts) for counts in zip(*map(astuple, done), strict=True)))

    async def hold(self) -> None:
        """Extend the delay of the imported exchanges if more than a quarter of it has passed."""
        now = self._deps.now()
        if self._held_at is not None and now - self._held_at > HELD / 4:
            await queue.hold(self._deps.database, self.scope.owner_id, now, now + HELD)
            self._held_at = now
        self._held_at = self._held_at or now

    async def finish(self) -> None:
        """Let the workers read the imported exchanges."""
        now = self._deps.now()
        await queue.hold(self._deps.database, self.scope.owner_id, now, now)
        self._deps.tell_workers()

    def place(self, of: OwnConversation | None) -> ChatScope:
        """The chat that receives the messages of a conversation."""
        return self.scope if of is None or self._fixed else conversation(self.scope.owner_id, *of)

    async def _importer(self, of: OwnConversation | None) -> "Importer":
        if of not in self._importers:
            place = await with_stored_channel(self._deps, self.place(of))
            self._importers[of] = Importer(self._deps, place, held=HELD)
        return self._importers[of]


class Importer:
    """Imports into one chat. Batches must be in time order."""

    def __init__(self, deps: Dependencies, scope: ChatScope, held: timedelta = timedelta()) -> None:
        self._deps = deps
        self.scope = scope
        self._held = held
        self._threads: dict[tuple[str, str], str] = {}

    async def add(self, batch: Sequence[ImportMessage]) -> Imported:
        """Store the new messages and queue their jobs, in one transaction. Sentences that the user asked to forget
        after their message was sent are left out."""
        while (done := await self._added(batch)) is None:
            pass
        return done

    async def _added(self, batch: Sequence[ImportMessage]) -> Imported | None:
        """As `add`. None, with nothing stored, if the user erased something while the batch was processed."""
        scope, now = self.scope, self._deps.now()
        newest = await tombstones.newest(self._deps.database, scope.owner_id)
        batch, shortened = await self._without_forgotten(batch)
        texts = await asyncio.to_thread(self._texts, batch)
        async with self._deps.database.transaction() as t:
            # Concurrent imports of the same file wait for each other here, so that each message is stored once.
            await chats.open_chat(t, *scope.key, scope.home, scope.conversation, now)
            # An erasure adds tombstones under the same locks. A running erasure therefore reads these messages before
            # it ends.
            await forget.lock(t, scope.owner_id, [scope.chat_id])
            if await tombstones.newest(t, scope.owner_id) != newest:
                return None
            known = await bulk.known(t, *scope.key, _named(batch), self._numbered(batch))
            self._threads |= known
            fresh = [
                m for m in _unique(batch) if (m.channel, m.message_id) not in known and ("", m.message_id) not in known
            ]
            for m in fresh:
                self._threads[m.channel, m.message_id] = self._thread(m)
            await self._leave_out_forgotten_names(fresh)
            places = ((m.channel, m.message_id) for m in fresh)
            rows = [
                Placed(m, self._threads[place], texts[place], not_ahead(m.sent_at, now))
                for m, place in zip(fresh, places, strict=True)
            ]
            if rows:
                numbers = await bulk.add(t, scope, rows, now)
                await self._queue(t, rows, numbers, now)
        self._deps.tell_workers()
        if fresh:
            self._deps.tell_subscribers(scope.owner_id, f"memory://chat/{scope.chat_id}/messages")
        forgotten = sum((m.channel, m.message_id) in shortened for m in fresh)
        return Imported(len(fresh), len(batch) - len(fresh), forgotten)

    async def _without_forgotten(
        self, batch: Sequence[ImportMessage]
    ) -> tuple[Sequence[ImportMessage], set[tuple[str, str]]]:
        """The messages with their ids and channels as stored, without sentences and speakers that were forgotten after
        the message was sent. Also the channel and id of each message that lost a sentence."""
        hashes = self._deps.tombstones
        marks = await tombstones.of_texts(self._deps.database, self.scope.owner_id)
        if not marks:
            return batch, set()

        def left(m: ImportMessage) -> ImportMessage:
            return replace(
                m,
                content=hashes.without_later_forgotten(self._said(m), m.sent_at, marks) or GONE,
                message_id=self._stored(m.message_id, marks),
                reply_to_message_id=m.reply_to_message_id and self._stored(m.reply_to_message_id, marks),
                channel=m.channel if m.channel in PROGRAMS else replaced_channel(self._stored(m.channel, marks)),
                speaker=None if m.sent_at < (hashes.forgotten_at(m.speaker or "", marks) or m.sent_at) else m.speaker,
            )

        kept = await asyncio.to_thread(lambda: [left(m) for m in paced(batch)])
        changed = {
            (m.channel, m.message_id) for m, old in zip(kept, batch, strict=True) if m.content != self._said(old)
        }
        return kept, changed

    def _stored(self, name: str, marks: Mapping[bytes, datetime]) -> str:
        """The name as it is stored. For a forgotten name, this is its replacement."""
        gone = self._deps.tombstones.forgotten_at(name, marks) is not None
        return self._deps.tombstones.replacement(name) if gone else name

    def _said(self, m: ImportMessage) -> str:
        return mask(m.content) if self._deps.settings.mask_messages else m.content

    async def _leave_out_forgotten_names(self, fresh: Sequence[ImportMessage]) -> None:
        keys = {self._threads[m.channel, m.message_id] for m in fresh}
        now = await without_forgotten_names(self._deps, self.scope.owner_id, keys)
        self._threads |= {id_: now[key] for id_, key in self._threads.items() if now.get(key, key) != key}

    async def _queue(self, t: Queries, rows: Sequence[Placed], numbers: Sequence[int], now: datetime) -> None:
        owner, chat = self.scope.key
        by_thread: defaultdict[str, list[tuple[int, Role]]] = defaultdict(list)
        for row, number in zip(rows, numbers, strict=True):
            by_thread[row.thread_key].append((number, row.message.role))
        for thread, added in by_thread.items():
            exchanges = sum(role == "assistant" for _, role in added)
            span = (added[0][0], added[-1][0])
            start = now + self._held
            job = NewJob(owner, chat, "exchange", thread, thread, *span, start, exchanges, job_class="past")
            await queue.enqueue(t, job, now)
            await compact_thread(t, self.scope, thread, self._deps.settings.compaction, now, job_class="past")

    def _numbered(self, batch: Sequence[ImportMessage]) -> list[tuple[int, datetime]]:
        """The numbers and times of messages that were recorded without an external id. An export identifies them by
        number."""
        own = re.compile(re.escape(bulk.by_number(self.scope.chat_id, "")) + r"([0-9]{1,18})")
        found = ((own.fullmatch(m.message_id), m.sent_at) for m in batch)
        return [(int(match[1]), at) for match, at in found if match is not None]

    def _thread(self, m: ImportMessage) -> str:
        chat = self.scope.chat_id
        if m.message_thread_id is not None:
            return topic_thread(chat, m.message_thread_id)
        if m.reply_to_message_id is None:
            return root_thread(chat)
        target = m.reply_to_message_id
        known = self._threads.get((m.channel, target)) or self._threads.get(("", target))
        return reply_thread(chat, target, known, m.channel if m.channel != self.scope.home else None)

    def _texts(self, batch: Sequence[ImportMessage]) -> dict[tuple[str, str], MessageText]:
        said = ((m, self._said(m)) for m in paced(_unique(batch)))
        return {(m.channel, m.message_id): message_text(m.role, text, m.speaker) for m, text in said}


def clean(text: str) -> str:
    """The text without NUL and unpaired surrogates, which PostgreSQL cannot store."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _named(batch: Sequence[ImportMessage]) -> list[Named]:
    targets = (Named(m.channel, m.reply_to_message_id) for m in batch if m.reply_to_message_id)
    return [*(Named(m.channel, m.message_id, m.sent_at) for m in batch), *targets]


def _unique(batch: Sequence[ImportMessage]) -> list[ImportMessage]:
    return list({(m.channel, m.message_id): m for m in batch}.values())
