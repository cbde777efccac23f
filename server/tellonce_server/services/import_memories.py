"""Stores imported memories with their original dates. A statement that the user has forgotten is not stored.

A statement from another assistant is marked as imported and follows the usual rules on duplicates and contradictions. A
memory from `tellonce export` is restored unchanged.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tellonce.contract import MAX_TEXT_BYTES, Memory, MemoryKind, MemoryOrigin, MemoryStatus, Scope, When
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.memory.extraction_results import PRIORITY
from tellonce_server.domain.memory.order import worth_showing
from tellonce_server.domain.memory.statements import Statements
from tellonce_server.domain.memory.tombstones import Tombstones
from tellonce_server.services.import_messages import clean
from tellonce_server.services.services import Services
from tellonce_server.store import memories, messages
from tellonce_server.store.memories import NewMemory
from tellonce_text.dates.meanings import due_date
from tellonce_text.importance import statement_importance
from tellonce_text.secrets import mask

Outcome = Literal["kept", "known", "forgotten", "unfit"]

CONFIDENCE = 0.9
IMPORTANCE = 0.5
_ENDED = ("superseded", "rejected")
"""Statuses whose memories must have an end (`valid_to`). A check constraint of the database enforces this."""


@dataclass(frozen=True)
class ImportMemory:
    """A statement that another assistant remembered. `said_at` is None if the export gives no time."""

    content: str
    kind: MemoryKind | None = None
    said_at: datetime | None = None
    about: str = "user"


@dataclass(frozen=True)
class ExportedMemory:
    """A memory written by `tellonce export`, to be restored unchanged. `number` and `superseded_by` are ids in the
    exporting database."""

    number: int
    content: str
    kind: MemoryKind
    status: MemoryStatus
    scope: Scope
    origin: MemoryOrigin
    user_confirmed: bool
    confidence: float
    priority: int
    importance: float
    pinned: bool
    valid_from: datetime
    valid_to: datetime | None = None
    deadline: datetime | None = None
    superseded_by: int | None = None
    source_message_ids: tuple[str, ...] = ()
    about: str = "user"
    note: bool = False
    reason: str | None = None
    when: When | None = None


@dataclass
class Keeper:
    """Stores memories in one chat. `numbers` maps a restored memory's old id to its new id."""

    services: Services
    where: ChatScope
    tombstones: Tombstones
    known: list[Memory]
    numbers: dict[int, int] = field(default_factory=dict)
    _history: list[ExportedMemory] = field(default_factory=list)

    async def keep(self, item: ImportMemory | ExportedMemory) -> Outcome:
        """Store one statement, unless it says nothing, is too long, is already known, or was forgotten."""
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
        self.services.deps.tell_subscribers(self.where.owner_id, "memory://profile")

    async def _forgotten(self, text: str) -> bool:
        """Whether the user has forgotten the statement. An import does not lift the tombstone of a forgotten statement;
        only a new statement by the user does."""
        standing = await self.tombstones.standing(self.services.deps.database, self.where.owner_id)
        return bool(self.tombstones.covering(standing, text))

    async def _learn(self, item: ImportMemory, text: str) -> Outcome:
        if any(m.content == text for m in self.known):
            return "known"
        deps = self.services.deps
        said_at = item.said_at or deps.now()
        kind = item.kind or "fact"
        new = NewMemory(
            owner_id=self.where.owner_id,
            chat_id=None if self.where.is_own else self.where.chat_id,
            source_chat_id=self.where.chat_id,
            kind=kind,
            status="active",
            content=text,
            confidence=CONFIDENCE,
            priority=PRIORITY,
            importance=statement_importance(text, IMPORTANCE),
            pinned=kind == "pin",
            deadline=due_date(text, said_at, deps.zone) if kind in ("goal", "date") else None,
            valid_from=said_at,
            origin="import",
            user_confirmed=False,
            source_ids=(),
            model=None,
            about=item.about,
        )
        statements = Statements(deps)
        vector = await statements.vector(text)
        async with deps.database.transaction() as t:
            stored = await statements.store(t, new, vector, deps.now())
        return "known" if stored.outcome == "duplicate" else "kept"

    async def _restore(self, item: ExportedMemory, text: str) -> Outcome:
        known = self._find(item, text)
        if known is not None:
            self.numbers[item.number] = known.id
            return "known"
        deps, owner = self.services.deps, self.where.owner_id
        by = self.numbers.get(item.superseded_by or 0)
        new = await self._restored(item, text)
        async with deps.database.transaction() as t:
            added = await Statements(deps).add(t, new, None, deps.now())
            if item.status != "active":
                end = item.valid_to or (deps.now() if item.status in _ENDED else None)
                await memories.set_status(
                    *(t, owner, added.id, item.status, deps.now()), valid_to=end, superseded_by=by, reason=item.reason
                )
        self.numbers[item.number] = added.id
        return "kept"

    def _find(self, item: ExportedMemory, text: str) -> Memory | None:
        """An existing memory with the same text and the same start. If there is none and the item has no end, a memory
        with the same text and no end."""
        same = [m for m in self.known if m.content == text]
        exact = (m for m in same if m.valid_from == item.valid_from)
        return next(exact, None) or next((m for m in same if m.valid_to is None and item.valid_to is None), None)

    async def _restored(self, item: ExportedMemory, text: str) -> NewMemory:
        return NewMemory(
            owner_id=self.where.owner_id,
            chat_id=None if item.scope == "global" else self.where.chat_id,
            kind=item.kind,
            status="active",
            content=text,
            confidence=item.confidence,
            priority=item.priority,
            importance=item.importance,
            pinned=item.pinned,
            deadline=item.deadline,
            valid_from=item.valid_from,
            origin=item.origin,
            user_confirmed=item.user_confirmed,
            source_chat_id=self.where.chat_id,
            source_ids=await self._sources(item),
            model=None,
            about=item.about,
            reason=item.reason,
            when=item.when,
            note=item.note,
        )

    async def _sources(self, item: ExportedMemory) -> list[int]:
        """Return the ids of those source messages that are stored in this database."""
        database, where = self.services.deps.database, self.where
        place = (where.owner_id, where.chat_id)
        found = [await messages.by_ext_id(database, *place, i, where.channel) for i in item.source_message_ids]
        return [message.id for message in found if message is not None]


async def make_keeper(services: Services, where: ChatScope) -> Keeper:
    deps = services.deps
    return Keeper(services, where, services.tombstones, await memories.all_of_owner(deps.database, where.owner_id))
