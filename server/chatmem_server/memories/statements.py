"""Puts a statement beside what is known: again, instead of something, or new."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from chatmem.contract import Memory
from chatmem_server.dates.clock import local_day
from chatmem_server.memories import dedup
from chatmem_server.memories.attributes import attributes
from chatmem_server.offload import offloaded
from chatmem_server.retrieval.lexical import index_text
from chatmem_server.services import Kit
from chatmem_server.store import memories
from chatmem_server.store.database import Queries
from chatmem_server.store.memories import Near, NewMemory
from chatmem_server.text.tsquery import any_of, owner_scope
from chatmem_server.vectors import halfvec_or_none

NEAREST = 12
"""Known statements a new one is compared with: so many by meaning, by words, by attributes, and of the newest."""

NEWEST = 48
"""Of the newest for a statement that gives an attribute: in memories of before attributes were indexed it shows only there."""


@dataclass(frozen=True)
class Stored:
    memory: Memory
    outcome: Literal["stored", "duplicate", "superseded"]
    superseded: Memory | None = None


class Statements:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def vector(self, text: str) -> bytes | None:
        """What `store` takes for a statement; asked for before the transaction, which a slow embedder would hold open."""
        return await halfvec_or_none(self._kit.embedder, text)

    async def store(self, q: Queries, new: NewMemory, vector: bytes | None, now: datetime) -> Stored:
        """Add the statement, support the one that says the same, or let it supersede the one it contradicts."""
        near = await self.near(q, new.owner_id, new.source_chat_id, new.content, vector)
        known = {x.memory.id: x.memory for x in near}
        zone = self._kit.zone
        decision = await _decided(_comparable(new, zone), [(_known(x.memory, zone), x.cosine) for x in near])
        targets = [known[i] for i in decision.memory_ids if i is not None]
        match decision.verdict:
            case "duplicate" if new.status == "active" and _due_another_day(targets[0], new, zone):
                return await self._supersede(q, targets[:1], new, vector, now)
            case "duplicate":
                return Stored(await self._support(q, targets[0], new, now), "duplicate")
            case "supersedes" if new.status == "active":
                return await self._supersede(q, targets, new, vector, now)
            case _:
                return Stored(await self.add(q, new, vector, now), "stored")

    async def near(self, q: Queries, owner_id: int, chat_id: int, text: str, vector: bytes | None) -> list[Near]:
        indexed, given = await offloaded(len(text), lambda: (index_text(text, None), _attribute_lexemes(text)))
        lexemes: list[str] = await q.value("retrieval.query_lexemes", indexed) or []
        return await memories.similar(
            q,
            owner_id,
            chat_id,
            vector,
            lexemes=any_of(lexemes),
            attributes=any_of(given),
            scope=owner_scope(owner_id),
            limit=NEAREST,
            newest=NEWEST if given else NEAREST,
        )

    async def add(self, q: Queries, new: NewMemory, vector: bytes | None, now: datetime) -> Memory:
        """Add the statement as it is, beside whatever is known."""
        text, scope = await offloaded(
            len(new.content), lambda: (index_text(new.content, None), memory_lexemes(new.owner_id, new.content))
        )
        return await memories.add(q, new, now, index_text=text, scope=scope, embedding=vector)

    async def affirm(
        self,
        q: Queries,
        owner_id: int,
        chat_id: int,
        known: Memory,
        vector: bytes | None,
        now: datetime,
        *,
        confirmed: bool,
    ) -> Memory | None:
        """The user says that a known statement holds: what it contradicts holds no more."""
        held = await memories.set_status(q, owner_id, known.id, "active", now, user_confirmed=confirmed)
        if held is not None:
            near = [x for x in await self.near(q, owner_id, chat_id, held.content, vector) if x.memory.id != held.id]
            zone = self._kit.zone
            decision = await _decided(_known(held, zone), [(_known(x.memory, zone), x.cosine) for x in near])
            outdated = decision.memory_ids if decision.verdict == "supersedes" else ()
            for number in filter(None, outdated):
                await memories.set_status(q, owner_id, number, "superseded", now, valid_to=now, superseded_by=held.id)
        return held

    async def withdraw(self, q: Queries, owner_id: int, known: Memory, now: datetime, *, denied: bool) -> Memory | None:
        """A known statement never held, `denied`: by the user's own word. What it had replaced holds again."""
        if known.status == "active":
            for former in await memories.predecessors(q, owner_id, known.id):
                if former.id < known.id:  # one told after it was history when it came
                    await memories.set_status(q, owner_id, former.id, "active", now)
        return await memories.set_status(q, owner_id, known.id, "rejected", now, valid_to=now, user_confirmed=denied)

    async def _support(self, q: Queries, known: Memory, new: NewMemory, now: datetime) -> Memory:
        """Said again: more sources, a day it is due; an uncertain statement that is now certain becomes active."""
        supported = await memories.support(
            q,
            new.owner_id,
            known.id,
            new.source_ids,
            now,
            confirmed=new.user_confirmed,
            pinned=new.pinned,
            importance=new.importance,
            deadline=new.deadline,
            said_in=new.source_chat_id,
        )
        if known.status == "uncertain" and new.status == "active":
            supported = await memories.set_status(q, new.owner_id, known.id, "active", now)
        if known.chat_id is not None and new.chat_id is None:
            supported = await memories.make_global(q, new.owner_id, known.id, now)
        return supported or known

    async def _supersede(
        self, q: Queries, contradicted: Sequence[Memory], new: NewMemory, vector: bytes | None, now: datetime
    ) -> Stored:
        """The later statement holds; told out of order, the older one is only history."""
        later = [m for m in contradicted if _is_later(m, new)]
        pinned = replace(new, pinned=new.pinned or any(m.pinned for m in contradicted))
        memory = await self.add(q, new if later else pinned, vector, now)
        if later:
            past = await self._retire(q, new.owner_id, memory, later[0], now)
            return Stored(past, "stored")
        retired = [await self._retire(q, new.owner_id, old, memory, now) for old in contradicted]
        return Stored(memory, "superseded", retired[0])

    async def _retire(self, q: Queries, owner_id: int, old: Memory, by: Memory, now: datetime) -> Memory:
        retired = await memories.set_status(
            q, owner_id, old.id, "superseded", now, valid_to=max(by.valid_from, old.valid_from), superseded_by=by.id
        )
        return retired or old


async def _decided(new: dedup.Statement, known: Sequence[tuple[dedup.Statement, float | None]]) -> dedup.Decision:
    longest = max(len(new.text), *(len(statement.text) for statement, _ in known), 0)
    return await offloaded(longest, lambda: dedup.decide(new, known))


def memory_lexemes(owner_id: int, content: str) -> list[str]:
    """What a memory is found by besides its words: whose it is, and the attributes it gives. Its chat is a column."""
    return [f"@o{owner_id}", *_attribute_lexemes(content)]


def _attribute_lexemes(text: str) -> list[str]:
    return sorted({f"@{given.name} of {given.subject}" for given in attributes(text)})


def _comparable(new: NewMemory, zone: ZoneInfo) -> dedup.Statement:
    """In the user's zone: `tomorrow` is a day of theirs."""
    return dedup.Statement(text=new.content, kind=new.kind, at=new.valid_from.astimezone(zone))


def _known(memory: Memory, zone: ZoneInfo) -> dedup.Statement:
    return dedup.Statement(text=memory.content, id=memory.id, kind=memory.kind, at=memory.valid_from.astimezone(zone))


def _is_later(known: Memory, new: NewMemory) -> bool:
    """Of two words on what was said in one moment the user's own is the later: a worker read, and they put it right."""
    if known.valid_from == new.valid_from:
        return known.user_confirmed and not new.user_confirmed
    return known.valid_from > new.valid_from


def _due_another_day(known: Memory, new: NewMemory, zone: ZoneInfo) -> bool:
    """The same words, put off or brought forward: what is due is a claim like any other."""
    if known.deadline is None or new.deadline is None:
        return False
    return local_day(known.deadline, zone) != local_day(new.deadline, zone)
