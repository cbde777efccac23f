"""Stores imported memories with their dates, except those that the user has forgotten.

A statement of another assistant is marked as imported and follows the usual rules. A memory from `tellonce export` is
restored unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from functools import partial
from typing import Literal, Self
from zoneinfo import ZoneInfo

from tellonce.contract import MAX_TEXT_BYTES, Memory, MemoryKind, Scope
from tellonce.contract_types import HOLDING, Instant, When
from tellonce_server.core.scope import ChatScope, room
from tellonce_server.domain.location import message_of_id
from tellonce_server.domain.memory import statements
from tellonce_server.domain.memory.extraction_results import PRIORITY
from tellonce_server.domain.memory.statements import worth_showing
from tellonce_server.embedding.protocol import vector_or_none
from tellonce_server.services.import_messages import Importers, OwnConversation, clean
from tellonce_server.services.services import Services
from tellonce_server.store import memories, reminders, tombstones
from tellonce_server.store.database import Queries
from tellonce_server.store.memories import NewMemory, Quoted, Stated
from tellonce_server.store.reminders import Alarm
from tellonce_text.dates.clock import STAMP, is_day, local, not_ahead, same_day
from tellonce_text.dates.meanings import due_date
from tellonce_text.importance import statement_importance
from tellonce_text.secrets import mask

Outcome = Literal["kept", "known", "forgotten", "unfit"]

CONFIDENCE = 0.9
IMPORTANCE = 0.5
_ANOTHER_TIME = timedelta(days=1_000)


@dataclass(frozen=True)
class ImportMemory:
    """A statement that another assistant remembered. If the export gives no time (`said_at`), `not_after` is the latest
    possible time."""

    content: str
    kind: MemoryKind | None = None
    said_at: datetime | None = None
    about: str = "user"
    not_after: datetime | None = None


@dataclass(frozen=True)
class ExportedSource:
    """A message from which a memory was learned."""

    message_id: str
    channel: str


@dataclass(frozen=True)
class ExportedQuote(ExportedSource):
    """The user's words in a source message that support a memory."""

    text: str


@dataclass(frozen=True)
class ExportedText:
    """A text of a memory before an edit, and the time of the edit."""

    content: str
    replaced_at: Instant


@dataclass(frozen=True, kw_only=True)
class ExportedMemory(Stated):
    """A memory written by `tellonce export`. `number` and `superseded_by` are ids in the exporting database. `zone` is
    the time zone in which its whole days begin; None in older exports."""

    number: int
    scope: Scope
    source_messages: tuple[ExportedSource, ...] = ()
    quotes: tuple[ExportedQuote, ...] = ()
    conversation: OwnConversation | None = None
    former: tuple[ExportedText, ...] = ()
    alarm: Alarm | None = None
    zone: ZoneInfo | None = None

    def here(self, zone: ZoneInfo) -> Self:
        """The memory after its whole days were converted to another time zone. A reminder keeps its moment. If the
        reminder is not repeated, the time in its text is converted to the new zone."""
        if self.zone is None or self.zone == zone:
            return self
        if self.alarm is not None:
            due = self.deadline or self.alarm.due_at
            former, present = (f" ({local(due, at):{STAMP}})" for at in (self.zone, zone))
            stamped = self.alarm.repeats is None and self.content.endswith(former)
            return replace(self, content=self.content.removesuffix(former) + present) if stamped else self
        moved = partial(_moved, former=self.zone, zone=zone)
        when, end = self.when, self.valid_to
        on_days = when is not None and when.precision != "instant" and _on_days(when, self.zone)
        last, whole = (when.end, on_days) if when is not None and when.end is not None else (self.deadline, True)
        ends_on_day = end is not None and (_at_midnight(end, self.zone) or (whole and end == last))
        if when is not None and on_days:
            when = when.model_copy(update={"start": moved(when.start), "end": moved(when.end)})
        start = self.valid_from
        return replace(
            self,
            valid_from=same_day(start, self.zone, zone) if _at_midnight(start, self.zone) else start,
            valid_to=moved(end) if ends_on_day else end,
            deadline=moved(self.deadline),
            when=when,
        )


def _on_days(when: When, zone: ZoneInfo) -> bool:
    return all(is_day(local(at, zone)) for at in (when.start, when.end) if at is not None)


def _at_midnight(at: datetime, zone: ZoneInfo) -> bool:
    return local(at, zone).time() == time()


def _moved(at: datetime | None, former: ZoneInfo, zone: ZoneInfo) -> datetime | None:
    return same_day(at, former, zone) if at is not None else None


@dataclass
class Keeper:
    """Stores each memory in the conversation that it names, or in the chat of the import. `numbers` maps the ids in the
    exporting database to the ids in this one."""

    services: Services
    importers: Importers
    known: list[Memory]
    numbers: dict[int, int] = field(default_factory=dict)
    _history: list[ExportedMemory] = field(default_factory=list)

    @property
    def scope(self) -> ChatScope:
        return self.importers.scope

    async def keep(self, item: ImportMemory | ExportedMemory) -> Outcome:
        """Store one statement, unless it says nothing, is too long, is already known, or was forgotten."""
        item = item.here(self.services.deps.zone) if isinstance(item, ExportedMemory) else item
        text = mask(clean(item.content).strip())
        if not worth_showing(text) or len(text.encode()) > MAX_TEXT_BYTES:
            return "unfit"
        if await self._forgotten(text):
            return "forgotten"
        if isinstance(item, ImportMemory):
            return await self._learn(item, text)
        if item.status == "superseded" and item.superseded_by is not None:
            self._history.append(item)
            return "known" if self._find(item, text) else "kept"
        return await self._restore(item, text)

    async def finish(self) -> None:
        """Restore superseded memories, successors first. A memory is left out if its successor was not stored."""
        waiting = self._history
        while ready := [item for item in waiting if item.superseded_by in self.numbers]:
            waiting = [item for item in waiting if item.superseded_by not in self.numbers]
            for item in ready:
                await self._restore(item, mask(clean(item.content).strip()))
        self._history = []
        self.services.deps.tell_subscribers(self.scope.owner_id, "memory://profile")

    async def _forgotten(self, text: str) -> bool:
        """Whether the user has forgotten the statement. An import does not remove a tombstone."""
        deps = self.services.deps
        standing = await tombstones.standing(deps.database, self.scope.owner_id)
        return bool(deps.tombstones.covering(standing, text))

    async def _learn(self, item: ImportMemory, text: str) -> Outcome:
        if any(m.content == text for m in self.known):
            return "known"
        deps = self.services.deps
        said_at = not_ahead(item.said_at or item.not_after or deps.now(), deps.now())
        kind = item.kind or "fact"
        new = NewMemory(
            owner_id=self.scope.owner_id,
            chat_id=None if self.scope.is_own else self.scope.chat_id,
            source_chat_id=self.scope.chat_id,
            kind=kind,
            status="active",
            content=text,
            confidence=CONFIDENCE,
            priority=PRIORITY,
            importance=statement_importance(text, IMPORTANCE),
            pinned=kind == "pin",
            deadline=_due(item, text, said_at, deps.zone) if kind in ("goal", "date") else None,
            valid_from=said_at,
            origin="import",
            user_confirmed=False,
            source_ids=(),
            model=None,
            about=item.about,
        )
        vector = await vector_or_none(deps.embedder, text)
        async with deps.database.transaction() as t:
            await statements.lock(t, new.owner_id, [text])
            stored = await statements.store(t, new, vector, deps.now())
        return "known" if stored.outcome == "duplicate" else "kept"

    async def _restore(self, item: ExportedMemory, text: str) -> Outcome:
        known = self._find(item, text)
        deps, owner = self.services.deps, self.scope.owner_id
        if known is not None:
            self.numbers[item.number] = known.id
            await self._set_alarm(deps.database, item, known.id)
            return "known"
        by = self.numbers.get(item.superseded_by or 0)
        new = await self._restored(item, text)
        former = await self._former(item)
        async with deps.database.transaction() as t:
            added = await statements.add(t, new, None, deps.now())
            if former:
                await memories.restore_versions(t, owner, added.id, former)
            await self._set_alarm(t, item, added.id)
            if item.status != "active":
                end = item.valid_to or (None if item.status in HOLDING else deps.now())
                await memories.set_status(
                    *(t, owner, added.id, item.status, deps.now()), valid_to=end, superseded_by=by, reason=item.reason
                )
        self.numbers[item.number] = added.id
        return "kept"

    async def _former(self, item: ExportedMemory) -> list[tuple[str, datetime]]:
        """The former texts of a memory, without those that the user asked to forget."""
        masked = [(mask(clean(former.content)), former.replaced_at) for former in item.former]
        return [(text, at) for text, at in masked if not await self._forgotten(text)]

    async def _set_alarm(self, q: Queries, item: ExportedMemory, memory_id: int) -> None:
        """Restore the memory's alarm in the chat of the import. Its topic is restored only if it was set in this
        chat."""
        alarm, chat = item.alarm, room(self.scope)
        if alarm is not None:
            topic = alarm.message_thread_id if alarm.chat_id == chat else None
            here = replace(alarm, chat_id=chat, message_thread_id=topic)
            await reminders.set_alarm(q, self.scope.owner_id, memory_id, here, self.services.deps.now())

    def _find(self, item: ExportedMemory, text: str) -> Memory | None:
        """The known memory with the same text and start. Otherwise one with the same text, if neither has ended."""
        same = [m for m in self.known if m.content == text]
        exact = (m for m in same if m.valid_from == item.valid_from)
        return next(exact, None) or next((m for m in same if m.valid_to is None and item.valid_to is None), None)

    async def _restored(self, item: ExportedMemory, text: str) -> NewMemory:
        scope = self.importers.place(item.conversation)
        sources = await self._sources(scope, item)
        return memories.like(
            item,
            owner_id=scope.owner_id,
            chat_id=None if item.scope == "global" else scope.chat_id,
            source_chat_id=scope.chat_id,
            source_ids=list(sources.values()),
            quotes=await self._quotes(item, sources),
            content=text,
            categories=[mask(name) for name in item.categories] if item.categories is not None else None,
            status="active",
            superseded_by=None,
            valid_from=not_ahead(item.valid_from, self.services.deps.now()),
        )

    async def _sources(self, scope: ChatScope, item: ExportedMemory) -> dict[tuple[str, str], int]:
        """The ids of the source messages in this database, by external id and channel."""
        found = {
            (s.message_id, s.channel): await message_of_id(self.services.deps, scope, s.message_id, s.channel)
            for s in item.source_messages
        }
        return {source: message.id for source, message in found.items() if message is not None}

    async def _quotes(self, item: ExportedMemory, sources: Mapping[tuple[str, str], int]) -> list[Quoted]:
        """The quotes whose messages are stored, without those that the user asked to forget."""
        masked = [(sources.get((q.message_id, q.channel)), mask(clean(q.text))) for q in item.quotes]
        return [Quoted(id_, text) for id_, text in masked if id_ is not None and not await self._forgotten(text)]


def _due(item: ImportMemory, text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The due time that an imported statement names. Without the statement's time, "tomorrow" may be any day, so the
    statement must name the day with its year."""
    due = due_date(text, said_at, zone)
    if item.said_at is None and due is not None and due_date(text, said_at - _ANOTHER_TIME, zone) != due:
        return None
    return due


async def make_keeper(services: Services, importers: Importers) -> Keeper:
    return Keeper(services, importers, await memories.all_of_owner(services.deps.database, importers.scope.owner_id))
