"""Stores and changes memories for the user or an assistant: `remember` and `update`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pgvector import HalfVector

from tellonce import contract as c
from tellonce_server.core.errors import Refused
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope, unknown_memory
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.redaction import GONE
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.domain.location import message_named, message_of_id
from tellonce_server.domain.memory import dedup, retraction, statements
from tellonce_server.domain.memory.check import Verdict, contains_quote
from tellonce_server.domain.memory.extraction_results import PRIORITY, REJECTED
from tellonce_server.domain.memory.statements import CERTAIN, UNCERTAIN, Stored, worth_showing
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.embedding.protocol import vector_or_none
from tellonce_server.services.assistant_statements import StatementChecker, checker_at
from tellonce_server.services.unread_exchanges import take_over
from tellonce_server.store import chats, memories, messages, tombstones
from tellonce_server.store.database import Queries
from tellonce_server.store.memories import Intent, Near, NewMemory, Quoted
from tellonce_server.store.messages import StoredMessage
from tellonce_server.store.tombstones import Tombstone
from tellonce_text.dates.annotation import annotated
from tellonce_text.dates.clock import local_day
from tellonce_text.dates.meanings import due_date, event_due, names_day
from tellonce_text.dates.readings import Said
from tellonce_text.dates.zones import region_of
from tellonce_text.importance import statement_importance
from tellonce_text.own_words import written_at
from tellonce_text.secrets import mask

DEFAULT_IMPORTANCE = 0.6


class NoSuchMemory(Refused):
    """This chat has no memory with that number, or may not change it. The error text says where to find the number."""


class MemoryUnfit(Refused):
    """The statement or the change is not valid. The error text says why."""


@dataclass(frozen=True)
class _ReadyStatement:
    """A statement that is ready to be stored. `checked` is the verdict on a statement of an assistant; None for the
    user's own."""

    statement: c.Statement
    text: str
    kind: c.MemoryKind
    source: StoredMessage | None
    replaced: Sequence[c.Memory]
    checked: Verdict | None
    due: datetime | None
    vector: HalfVector | None

    @property
    def certain(self) -> bool:
        return self.checked is None or self.checked.certain

    @property
    def reasons(self) -> tuple[str, ...]:
        return self.checked.reasons if self.checked is not None else ()

    @property
    def quotes(self) -> tuple[Quoted, ...]:
        quote = self.statement.quote if isinstance(self.statement, c.QuotedStatement) else None
        if quote is None or self.source is None or not contains_quote(self.source.content, quote):
            return ()
        return (Quoted(self.source.id, mask(quote)),)


class Rememberer:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._keeper = Keeper(deps.embedder)

    async def remember(self, scope: ChatScope, args: c.RememberArgs, repeated: str = "") -> c.Remembered:
        """Store one statement of the user, or several statements of the connected assistant. The user's statement is
        certain. The assistant's statements are checked against the user's words. A certain statement lifts its
        tombstone. `repeated` is the end of a reminder's text that says when it repeats. It gets no dates.

        Raises MemoryUnfit if a statement states nothing, was rejected before, or was forgotten after its source was
        sent. Raises NoSuchMemory if `replaces` has an unknown number.
        """
        if args.statements is None:
            (one,) = await self._keep(scope, [await self._ready(scope, args.statement, None, repeated)], None)
            return c.Remembered(memory=one.memory, outcome=one.outcome, superseded=one.superseded)
        checker = await checker_at(self._deps, scope, args)
        ready = [await self._ready(scope, statement, checker, repeated) for statement in args.statements]
        return c.Remembered(results=tuple(await self._keep(scope, ready, checker)))

    async def update(self, scope: ChatScope, args: c.UpdateMemoryArgs, share_to: ChatScope | None) -> c.Memory:
        """Change a memory. Raises NoSuchMemory and MemoryUnfit."""
        memory = await self._find(scope, args.memory_id)
        updated = await self._act(scope, memory, args, share_to)
        self._changed(share_to or scope)
        return updated

    async def _ready(
        self, scope: ChatScope, statement: c.Statement, checker: StatementChecker | None, repeated: str
    ) -> _ReadyStatement:
        words = text = await offloaded(len(statement.content), lambda: mask(statement.content.strip()))
        if not worth_showing(text):
            raise MemoryUnfit("That states nothing about the user; send a sentence.", "nothing_stated")
        source = await self._source(scope, statement)
        if source is None and checker is not None and isinstance(statement, c.QuotedStatement):
            source = await checker.source(statement)
        said_at = self._deps.now()
        if source is not None and checker is not None:
            said_at = written_at(source.content, source.sent_at, self._deps.zone) or source.sent_at
        if statement.kind != "pin":  # a pinned text is kept verbatim, because it may be an account number or a code
            plain = text.removesuffix(repeated)
            said = Said(said_at, self._deps.zone, region_of(self._deps.zone))
            dated = await offloaded(len(plain), lambda: annotated(plain, said))
            text = f"{dated}{text[len(plain) :]}"
        replaced = [await self._find(scope, number) for number in dict.fromkeys(statement.replaces)]
        kind, due = await self._kind_and_due(statement, words, text, said_at)
        checked = None
        if checker is not None and isinstance(statement, c.QuotedStatement):
            checked = await checker.check(statement, text, source, due)
        return _ReadyStatement(
            statement, text, kind, source, replaced, checked, due, await vector_or_none(self._deps.embedder, text)
        )

    async def _kind_and_due(
        self, statement: c.Statement, words: str, text: str, said_at: datetime
    ) -> tuple[c.MemoryKind, datetime | None]:
        """The kind and the due time of a statement. `text` is its words with added dates. Without a given kind, a
        statement that names a future day for certain is a date. Otherwise the scorer decides."""
        zone, due = self._deps.zone, statement.deadline
        if statement.kind is None:
            event = await offloaded(len(words), lambda: event_due(words, said_at, zone))
            if event is not None:
                return "date", due or event
        kind = statement.kind or ("preference" if await self._keeper.is_wish(text) else "fact")
        if due is None and kind in ("goal", "date"):
            due = await offloaded(len(text), lambda: due_date(text, said_at, zone))
        return kind, due

    async def _keep(
        self, scope: ChatScope, ready: Sequence[_ReadyStatement], checker: StatementChecker | None
    ) -> list[c.RememberedStatement]:
        now = self._deps.now()
        ended: list[tuple[c.Memory, str]] = []
        over = [m.id for one in ready for m in one.replaced]
        await retraction.warm(
            self._deps.embedder, self._deps.database, scope.owner_id, over, [one.text for one in ready]
        )
        async with self._deps.database.transaction() as t:
            if any(one.statement.scope == "chat" for one in ready):
                await chats.open_chat(t, *scope.key, scope.home, scope.conversation, now)
            await chats.lock(t, *scope.key)
            await statements.lock(t, scope.owner_id, [one.text for one in ready])
            stored = [await self._store(t, scope, one, now) for one in ready]
            for x in stored:
                ended += [(old, x.memory.content) for old in x.ended]
            if checker is not None:
                sources = [one.source.id for one in ready if one.source is not None]
                await take_over(t, scope, frozenset(x.memory.id for x in stored), sources, now)
                if any(x.memory.status == "active" for x in stored):
                    await checker.queue_second_reading(t, sources, now)
            await self._strike(t, scope, ended, now)
        self._changed(scope)
        return [
            c.RememberedStatement(
                memory=x.memory,
                outcome=x.outcome,
                superseded=next(iter(x.ended), None),
                reasons=one.reasons if x.memory.status == "uncertain" else (),
            )
            for x, one in zip(stored, ready, strict=True)
        ]

    async def _store(self, t: Queries, scope: ChatScope, ready: _ReadyStatement, now: datetime) -> Stored:
        """Store one statement, and then read the tombstones. The insert waits for a running erasure, which can add
        tombstones."""
        new = self._statement(scope, ready, now)
        if ready.checked is not None:
            await self._require_not_denied(t, scope, ready)
        replaced = ready.replaced or await self._put_off(t, new, ready)
        if replaced and new.status == "active":
            stored = await statements.put(t, new, ready.vector, now, replaced=replaced)
        else:
            stored = await statements.store(t, new, ready.vector, now)
        standing = await tombstones.standing(t, scope.owner_id)
        covering = await offloaded(len(ready.text), lambda: self._deps.tombstones.covering(standing, ready.text))
        doubted = not ready.certain and bool(covering)
        if doubted or (ready.source is not None and await self._is_gone(t, scope, ready.source, covering)):
            raise MemoryUnfit(
                "The user asked to forget that after this message was sent; keep it only if they say it again.",
                "forgotten_since",
            )
        await tombstones.lift(t, scope.owner_id, covering, now)
        return stored

    async def _put_off(self, t: Queries, new: NewMemory, ready: _ReadyStatement) -> Sequence[c.Memory]:
        """The known memory that the user's new statement replaces. Both have the same words, but different due days."""
        known = await statements.same(t, new) if ready.checked is None else None
        if known is None or known.deadline is None or new.deadline is None:
            return ()
        zone = self._deps.zone
        return () if local_day(known.deadline, zone) == local_day(new.deadline, zone) else (known,)

    async def _require_not_denied(self, t: Queries, scope: ChatScope, ready: _ReadyStatement) -> None:
        near = await memories.rejected_near(t, *scope.key, ready.vector, dedup.key(ready.text), REJECTED)
        since = [n for n in near if not _is_restated(n.memory, ready)]
        if await offloaded(len(ready.text), lambda: _is_denied(ready.text, since)):
            said = ready.text[:80]
            raise MemoryUnfit(f"The user said that this is not so; leave it out: {said}", "denied", statement=said)

    def _statement(self, scope: ChatScope, ready: _ReadyStatement, now: datetime) -> NewMemory:
        asked, certain, of_user = ready.statement, ready.certain, ready.checked is None
        importance = asked.importance
        if importance is None:
            importance = statement_importance(ready.text, DEFAULT_IMPORTANCE)
        return NewMemory(
            owner_id=scope.owner_id,
            chat_id=None if asked.scope == "global" else scope.chat_id,
            source_chat_id=scope.chat_id,
            kind=ready.kind,
            status="active" if certain else "uncertain",
            content=ready.text,
            confidence=1.0 if of_user else CERTAIN if certain else UNCERTAIN,
            priority=PRIORITY,
            importance=importance,
            pinned=(asked.pinned or ready.kind == "pin") and certain,
            deadline=ready.due,
            valid_from=now if of_user or ready.source is None else ready.source.sent_at,
            origin="user" if of_user else "model",
            user_confirmed=of_user,
            source_ids=(ready.source.id,) if ready.source else (),
            model=None if of_user else "assistant",
            quotes=ready.quotes,
            reason=" ".join(ready.reasons) or None,
            tier=None if of_user else "assistant",
            provisional=not of_user,  # until a second reading
            intends=Intent(tuple(m.id for m in ready.replaced)) if not certain else None,
        )

    async def _is_gone(
        self, t: Queries, scope: ChatScope, source: StoredMessage, tombstones: Sequence[Tombstone]
    ) -> bool:
        if any(tombstone.created_at >= source.sent_at for tombstone in tombstones):
            return True
        left = await messages.by_id(t, *scope.key, source.id)
        return left is not None and left.content == GONE

    async def _source(self, scope: ChatScope, statement: c.Statement) -> StoredMessage | None:
        """The source message, by its id in the channel. An assistant may give its number instead, because some messages
        have no such id."""
        wanted = statement.source_message_id
        if wanted is None:
            return None
        found = message_named if isinstance(statement, c.QuotedStatement) else message_of_id
        source = await found(self._deps, scope, wanted)
        if source is None:
            raise MemoryUnfit(f"No message {wanted} in this chat; leave source_message_id out.", "no_message")
        return source

    async def _strike(self, t: Queries, scope: ChatScope, ended: Sequence[tuple[c.Memory, str]], now: datetime) -> None:
        if await retraction.strike(self._deps.embedder, t, scope.owner_id, ended, now):
            await retraction.queue_profile(t, *scope.key, now)
            self._deps.tell_workers()

    async def _find(self, scope: ChatScope, memory_id: int) -> c.Memory:
        memory = await memories.by_id(self._deps.database, scope.owner_id, memory_id)
        if memory is None or not scope.sees(memory.chat_id):
            text = unknown_memory(scope, memory_id, memory.chat_id if memory is not None else None)
            raise NoSuchMemory(text, "no_memory", id=memory_id)
        return memory

    async def _act(
        self, scope: ChatScope, memory: c.Memory, args: c.UpdateMemoryArgs, share_to: ChatScope | None
    ) -> c.Memory:
        db, owner, now = self._deps.database, scope.owner_id, self._deps.now()
        match args.action:
            case "confirm" | "reopen":
                async with db.transaction() as t:
                    changed = await self._held(t, scope, memory, now, confirmed=args.action == "confirm")
            case "reject":
                async with db.transaction() as t:
                    changed = await self._rejected(t, owner, memory, now)
                    await self._strike(t, scope, [(memory, "")], now)
            case "complete":
                async with db.transaction() as t:
                    changed = await memories.set_status(t, owner, memory.id, "completed", now, valid_to=now)
                    await self._strike(t, scope, [(memory, "")], now)
            case "edit":
                changed = await self._edit(scope, memory, args.content or "")
            case "pin" | "unpin":
                changed = await memories.set_pinned(db, owner, memory.id, args.action == "pin", now)
            case "make_global":
                changed = await memories.make_global(db, owner, memory.id, now)
            case "share":
                assert share_to is not None  # the contract requires to_chat_id
                changed = await self._share(scope, memory, share_to)
        if changed is None:
            raise NoSuchMemory(f"Memory {memory.id} is gone.", "no_memory", id=memory.id)
        return changed

    async def _rejected(self, t: Queries, owner_id: int, memory: c.Memory, now: datetime) -> c.Memory | None:
        """End an overdue goal about which the user was asked. Any other rejected memory is withdrawn, because it was
        never true."""
        if memory.status == "uncertain" and (await memories.provenance(t, owner_id, memory.id)).overdue_at is not None:
            return await memories.set_status(t, owner_id, memory.id, "completed", now, valid_to=now)
        return await statements.withdraw(t, owner_id, memory, now, denied=True)

    async def _edit(self, scope: ChatScope, memory: c.Memory, content: str) -> c.Memory | None:
        text = await offloaded(len(content), lambda: mask(content.strip()))
        if not worth_showing(text):
            raise MemoryUnfit("That states nothing; to remove a memory use forget.", "nothing_stated")
        now = self._deps.now()
        vector = await vector_or_none(self._deps.embedder, text)
        deadline = await offloaded(len(text), lambda: self._due_after_edit(memory, text))
        indexed = await offloaded(len(text), lambda: index_text(text, None))
        async with self._deps.database.transaction() as t:
            if text != memory.content:
                made = (indexed, vector, deadline, dedup.key(text))
                await memories.rewrite(t, scope.owner_id, memory.id, text, now, *made)
                await self._strike(t, scope, [(memory, text)], now)
            return await self._held(t, scope, memory, now, confirmed=True)

    async def _held(
        self, t: Queries, scope: ChatScope, memory: c.Memory, now: datetime, *, confirmed: bool
    ) -> c.Memory | None:
        """Make a memory active again or confirm it. None if it no longer exists."""
        held, gone = await statements.affirm(t, scope.owner_id, memory, now, confirmed=confirmed)
        await self._strike(t, scope, [(old, memory.content) for old in gone], now)
        return held

    def _due_after_edit(self, memory: c.Memory, text: str) -> datetime | None:
        """The due time that the edited text names. It stays if neither the edited nor the former text names a day."""
        if memory.kind not in ("goal", "date"):
            return memory.deadline
        now, zone = self._deps.now(), self._deps.zone
        named_before = names_day(memory.content, memory.valid_from, zone)
        return due_date(text, now, zone) or (None if named_before else memory.deadline)

    async def _share(self, scope: ChatScope, memory: c.Memory, target: ChatScope) -> c.Memory:
        """Copy the memory with its date to another owner, because an owner never reads the rows of another. Raises
        MemoryUnfit if the memory is not active."""
        if memory.status != "active":
            text = f"Memory {memory.id} is {memory.status}, so it cannot be shared; confirm or reopen it first."
            raise MemoryUnfit(text, "call")
        copy = memories.like(
            memory,
            owner_id=target.owner_id,
            chat_id=target.chat_id,
            source_chat_id=target.chat_id,
            status="active",
            valid_to=None,
            superseded_by=None,
            reason=None,
            shown=True,
            origin="user",
            user_confirmed=True,
            source_ids=(),
            model=None,
        )
        vector = await vector_or_none(self._deps.embedder, copy.content)
        async with self._deps.database.transaction() as t:
            await statements.lock(t, copy.owner_id, [copy.content])
            shared = (await statements.store(t, copy, vector, self._deps.now())).memory
            if target.owner_id != scope.owner_id:
                await memories.add_copy(t, scope.owner_id, memory.id, target.owner_id, shared.id)
            return shared

    def _changed(self, scope: ChatScope) -> None:
        self._deps.tell_subscribers(scope.owner_id, "memory://profile")


def _is_restated(rejected: c.Memory, ready: _ReadyStatement) -> bool:
    """Whether the user supported the rejected statement again: it is certain, and its source is later than the
    rejection."""
    return ready.certain and ready.source is not None and dedup.is_later(ready.source.sent_at, rejected.valid_to)


def _is_denied(text: str, near: Sequence[Near]) -> bool:
    return any(dedup.is_denied(text, n.memory.content, n.cosine, same_source=False, certain=True) for n in near)
