"""Memories by the user's or the assistant's word: remember and update."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chatmem.contract import (
    Memory,
    QuotedStatement,
    RememberArgs,
    Remembered,
    RememberedStatement,
    Statement,
    UpdateMemoryArgs,
)
from chatmem_server.context.memory_order import worth_showing
from chatmem_server.erasure.redaction import GONE
from chatmem_server.erasure.tombstones import Tombstones
from chatmem_server.memories.assistant_statements import StatementChecker, StatementCheckers
from chatmem_server.memories.categories import detect, pin_importance, pin_reason, priority
from chatmem_server.memories.learning import CERTAIN, UNCERTAIN
from chatmem_server.memories.statements import Statements, memory_lexemes
from chatmem_server.offload import offloaded
from chatmem_server.places import Where
from chatmem_server.refusals import Refused
from chatmem_server.retrieval.lexical import index_text
from chatmem_server.services import Kit
from chatmem_server.store import memories, messages
from chatmem_server.store.database import Queries
from chatmem_server.store.memories import NewMemory
from chatmem_server.store.messages import StoredMessage
from chatmem_server.store.tombstones import Tombstone
from chatmem_server.text.secrets import mask
from chatmem_text.dates.deadlines import appointment, due_date

DEFAULT_IMPORTANCE = 0.6


class NoSuchMemory(Refused):
    """No memory of that number may be touched from this chat; the text says where to find one."""


class MemoryUnfit(Refused):
    """The statement or the change makes no sense; the text says what would."""


@dataclass(frozen=True)
class _Told:
    """A statement ready to be stored. `reasons`: what speaks against a model's claim; None for the user's own word."""

    statement: Statement
    text: str
    source: StoredMessage | None
    reasons: tuple[str, ...] | None
    vector: bytes | None

    @property
    def is_users(self) -> bool:
        return self.reasons is None

    @property
    def confidence(self) -> float:
        return 1.0 if self.is_users else UNCERTAIN if self.reasons else CERTAIN


class Rememberer:
    def __init__(self, kit: Kit, statements: Statements, tombstones: Tombstones) -> None:
        self._kit = kit
        self._checkers = StatementCheckers(kit)
        self._statements = statements
        self._tombstones = tombstones

    async def remember(self, where: Where, args: RememberArgs) -> Remembered:
        """Store a statement the user made or wants kept, or what a model claims the user said.

        The first is the user's word: certain, and it lifts a tombstone. The second is held against the user's words.

        Raises:
            MemoryUnfit: for text that states nothing, and for what was forgotten after its source message was sent: an
                answer that was under way meanwhile.
        """
        if args.statements is None:
            told = await self._told(where, args.statement, None)
            one = (await self._keep(where, [told]))[0]
            return Remembered(memory=one.memory, outcome=one.outcome, superseded=one.superseded)
        checker = await self._checkers.at(where, args)
        claims = [await self._told(where, statement, checker) for statement in args.statements]
        return Remembered(results=tuple(await self._keep(where, claims)))

    async def update(self, where: Where, args: UpdateMemoryArgs, share_to: Where | None) -> Memory:
        """Raises NoSuchMemory and MemoryUnfit."""
        memory = await self._find(where, args.memory_id)
        updated = await self._act(where, memory, args, share_to)
        self._changed(where)
        return updated

    async def _told(self, where: Where, statement: Statement, checker: StatementChecker | None) -> _Told:
        text = await offloaded(len(statement.content), lambda: mask(statement.content.strip()))
        if not worth_showing(text):
            raise MemoryUnfit("That states nothing about the user; send a sentence.")
        source = await self._source(where, statement)
        reasons = None
        if checker is not None and isinstance(statement, QuotedStatement):
            due = statement.deadline or due_date(text, self._kit.now(), self._kit.zone)
            reasons = (await checker.check(statement, text, source, due)).reasons
        return _Told(statement, text, source, reasons, await self._statements.vector(text))

    async def _keep(self, where: Where, told: Sequence[_Told]) -> list[RememberedStatement]:
        now = self._kit.now()
        size = sum(len(one.text) for one in told)
        new = await offloaded(size, lambda: [self._statement(where, one, now) for one in told])
        async with self._kit.database.transaction() as t:
            stored = [await self._store(t, where, one, x, now) for one, x in zip(told, new, strict=True)]
        self._changed(where)
        return stored

    async def _store(self, t: Queries, where: Where, told: _Told, new: NewMemory, now: datetime) -> RememberedStatement:
        # Storing comes first, for it waits for an erasure that is under way.
        stored = await self._statements.store(t, new, told.vector, now)
        stones = self._tombstones.covering(await self._tombstones.standing(t, where.owner_id), told.text)
        doubted = bool(told.reasons) and bool(stones)
        if doubted or (told.source is not None and await self._is_gone(t, where, told.source, stones)):
            raise MemoryUnfit("The user had that forgotten after this message; keep it only if they say it again.")
        await self._tombstones.lift(t, where.owner_id, stones, now)
        return RememberedStatement(
            memory=stored.memory,
            outcome=stored.outcome,
            superseded=stored.superseded,
            reasons=told.reasons or () if stored.memory.status == "uncertain" else (),
        )

    def _statement(self, where: Where, told: _Told, now: datetime) -> NewMemory:
        statement, text, certain = told.statement, told.text, not told.reasons
        kind = statement.kind or detect(text)
        if statement.kind is None and kind == "fact" and appointment(text, now, self._kit.zone):
            kind = "date"
        pinned = statement.pinned or kind == "pin" or pin_reason(text) is not None
        given = statement.importance
        due = statement.deadline or (due_date(text, now, self._kit.zone) if kind in ("goal", "date") else None)
        return NewMemory(
            owner_id=where.owner_id,
            chat_id=None if statement.scope == "global" else where.chat_id,
            source_chat_id=where.chat_id,
            kind=kind,
            status="active" if certain else "uncertain",
            content=text,
            quote=mask(statement.quote) if isinstance(statement, QuotedStatement) and statement.quote else None,
            confidence=told.confidence,
            priority=priority(text),
            importance=given if given is not None else max(DEFAULT_IMPORTANCE, pin_importance(text)),
            pinned=pinned and certain,
            deadline=due,
            valid_from=now,
            origin="user" if told.is_users else "model",
            user_confirmed=told.is_users,
            source_ids=(told.source.id,) if told.source else (),
            model=None,
        )

    async def _is_gone(self, t: Queries, where: Where, source: StoredMessage, stones: Sequence[Tombstone]) -> bool:
        if any(stone.created_at >= source.sent_at for stone in stones):
            return True
        left = await messages.by_id(t, where.owner_id, where.chat_id, source.id)
        return left is not None and left.content == GONE

    async def _source(self, where: Where, statement: Statement) -> StoredMessage | None:
        wanted = statement.source_message_id
        if wanted is None:
            return None
        source = await messages.by_ext_id(self._kit.database, where.owner_id, where.chat_id, wanted, where.channel)
        if source is None:
            raise MemoryUnfit(f"No message {wanted} in this chat; leave source_message_id out.")
        return source

    async def _find(self, where: Where, memory_id: int) -> Memory:
        memory = await memories.by_id(self._kit.database, where.owner_id, memory_id)
        if memory is None or not where.sees(memory.chat_id):
            raise NoSuchMemory(f"No memory {memory_id} in this chat; find its number with search_memory.")
        return memory

    async def _act(self, where: Where, memory: Memory, args: UpdateMemoryArgs, share_to: Where | None) -> Memory:
        db, owner, now = self._kit.database, where.owner_id, self._kit.now()
        match args.action:
            case "confirm" | "reopen":
                changed = await self._affirm(where, memory, confirmed=args.action == "confirm")
            case "reject":
                async with db.transaction() as t:
                    changed = await self._statements.withdraw(t, owner, memory, now, denied=True)
            case "complete":
                changed = await memories.set_status(db, owner, memory.id, "completed", now, valid_to=now)
            case "edit":
                changed = await self._edit(where, memory, args.content or "")
            case "pin" | "unpin":
                changed = await memories.set_pinned(db, owner, memory.id, args.action == "pin", now)
            case "make_global":
                changed = await memories.make_global(db, owner, memory.id, now)
            case "share":
                assert share_to is not None  # the contract asks for to_chat_id
                changed = await self._share(memory, share_to)
        if changed is None:
            raise NoSuchMemory(f"Memory {memory.id} is gone.")
        return changed

    async def _edit(self, where: Where, memory: Memory, content: str) -> Memory | None:
        text = await offloaded(len(content), lambda: mask(content.strip()))
        if not worth_showing(text):
            raise MemoryUnfit("That states nothing; to remove a memory use forget.")
        now = self._kit.now()
        vector = await self._statements.vector(text)
        deadline, indexed, scope = await offloaded(
            len(text),
            lambda: (
                self._due_after_edit(memory, text),
                index_text(text, None),
                memory_lexemes(where.owner_id, text),
            ),
        )
        async with self._kit.database.transaction() as t:
            if text != memory.content:
                await memories.rewrite(
                    t,
                    where.owner_id,
                    memory.id,
                    content=text,
                    kind=memory.kind,
                    deadline=deadline,
                    index_text=indexed,
                    scope=scope,
                    embedding=vector,
                    now=now,
                )
            return await self._statements.affirm(t, where.owner_id, where.chat_id, memory, vector, now, confirmed=True)

    async def _affirm(self, where: Where, memory: Memory, *, confirmed: bool) -> Memory | None:
        vector = await self._statements.vector(memory.content)
        async with self._kit.database.transaction() as t:
            return await self._statements.affirm(
                t, where.owner_id, where.chat_id, memory, vector, self._kit.now(), confirmed=confirmed
            )

    def _due_after_edit(self, memory: Memory, text: str) -> datetime | None:
        """By the new words; where neither they nor the old ones name a day, the one that was given beside them stays."""
        if memory.kind not in ("goal", "date"):
            return memory.deadline
        now, zone = self._kit.now(), self._kit.zone
        named_before = due_date(memory.content, memory.valid_from, zone) is not None
        return due_date(text, now, zone) or (None if named_before else memory.deadline)

    async def _share(self, memory: Memory, target: Where) -> Memory:
        """An explicit copy: nothing of one owner is ever read for another."""
        copy = NewMemory(
            owner_id=target.owner_id,
            chat_id=target.chat_id,
            source_chat_id=target.chat_id,
            kind=memory.kind,
            status="active",
            content=memory.content,
            quote=None,
            confidence=memory.confidence,
            priority=memory.priority,
            importance=memory.importance,
            pinned=memory.pinned,
            deadline=memory.deadline,
            valid_from=self._kit.now(),
            origin="user",
            user_confirmed=True,
            source_ids=(),
            model=None,
        )
        vector = await self._statements.vector(copy.content)
        async with self._kit.database.transaction() as t:
            return (await self._statements.store(t, copy, vector, self._kit.now())).memory

    def _changed(self, where: Where) -> None:
        self._kit.tell_subscribers(where.owner_id, "memory://profile", f"memory://chat/{where.chat_id}/context")
