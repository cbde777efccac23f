"""Turns what a worker extracted into memories: only what the user said, supported, and not forgotten."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial

from chatmem.contract import MemoryKind
from chatmem.work import ExtractedItem, ExtractedLists, Extraction
from chatmem_server.context.memory_order import worth_showing
from chatmem_server.dates.clock import local_day, long_date
from chatmem_server.dates.due import speaks_of_time
from chatmem_server.erasure.tombstones import Tombstones
from chatmem_server.memories.categories import pin_importance, pin_reason, priority
from chatmem_server.memories.dedup import is_retold
from chatmem_server.memories.eligibility import eligible_sentences
from chatmem_server.memories.evidence import Source, check, contains_quote, stated
from chatmem_server.memories.statements import Statements
from chatmem_server.offload import offloaded
from chatmem_server.places import Where
from chatmem_server.services import Kit
from chatmem_server.store import memories, messages
from chatmem_server.store.database import Queries
from chatmem_server.store.memories import NewMemory
from chatmem_server.store.messages import Line
from chatmem_server.store.queue import Job
from chatmem_server.store.tombstones import Tombstone
from chatmem_server.text.secrets import mask
from chatmem_text.dates.deadlines import due_date

CERTAIN = 0.9
UNCERTAIN = 0.5
DEFAULT_IMPORTANCE = 0.5
MOST_LINES = 500

_KINDS: tuple[tuple[str, MemoryKind], ...] = (
    ("facts", "fact"),
    ("preferences", "preference"),
    ("goals", "goal"),
    ("dates", "date"),
)


@dataclass(frozen=True)
class _Gone:
    """What is not to be learned: what was forgotten, what the user said no to, and what has ended since it was said."""

    stones: Sequence[Tombstone]
    rejected: frozenset[str]
    ended: Sequence[memories.Ended]


@dataclass(frozen=True)
class _Candidate:
    """One extracted item with the user's messages it rests on."""

    item: ExtractedItem
    kind: MemoryKind
    certain: bool
    sources: list[Line]

    @property
    def said_at(self) -> datetime:
        return max(line.sent_at for line in self.sources)


class Learner:
    def __init__(self, kit: Kit, statements: Statements, tombstones: Tombstones) -> None:
        self._kit = kit
        self._statements = statements
        self._tombstones = tombstones

    async def learn(self, t: Queries, job: Job, extraction: Extraction, now: datetime) -> dict[str, int]:
        """Store what passes; the counts say what became of each item."""
        lines = await self._user_lines(t, job)
        gone = await self._gone(t, job, list(lines))
        counts: dict[str, int] = {}
        for item, kind, certain in _items(extraction):
            sources = [lines[i] for i in item.source_ids if i in lines]
            verdict = await offloaded(_characters(item, sources), partial(self._judge, item, sources, gone))
            if verdict == "learned":
                candidate = _Candidate(item, kind, certain, sources)
                verdict = await self._store(t, job, candidate, gone.stones, now)
            counts[verdict] = counts.get(verdict, 0) + 1
        return counts

    async def prepare(self, extraction: Extraction) -> None:
        """Embed what may be stored, ahead of the transaction that stores it: the embedder keeps its latest vectors."""
        for item, _, _ in _items(extraction):
            await self._statements.vector(mask(item.text.strip()))

    async def _user_lines(self, t: Queries, job: Job) -> dict[int, Line]:
        """Only the user's own words make facts about the user; routines are the assistant's."""
        key = job.key
        found = await messages.id_range(
            t, key.owner_id, key.chat_id, job.thread_key, job.from_id, job.to_id, MOST_LINES
        )
        return {line.id: line for line in found if line.role == "user" and may_tell(job, line)}

    async def _gone(self, t: Queries, job: Job, message_ids: Sequence[int]) -> _Gone:
        place = (job.key.owner_id, job.key.chat_id)
        return _Gone(
            stones=await self._tombstones.standing(t, job.key.owner_id),
            rejected=frozenset(map(_bare, await memories.rejections(t, *place))),
            ended=await memories.ended(t, *place, message_ids),
        )

    def _judge(self, item: ExtractedItem, sources: list[Line], gone: _Gone) -> str:
        if not sources:
            return "not_the_users_words"
        if not worth_showing(item.text):
            return "junk"
        said_at = max((line.sent_at for line in sources if states(line.content, item)), default=None)
        if said_at is None:
            return "not_a_statement"
        if any(stone.created_at >= said_at for stone in self._tombstones.covering(gone.stones, item.text)):
            return "forgotten"
        if any(end.at >= said_at and is_retold(item.text, end.content) for end in gone.ended):
            return "ended_since"
        return "rejected_before" if _bare(item.text) in gone.rejected else "learned"

    async def _store(self, t: Queries, job: Job, c: _Candidate, stones: Sequence[Tombstone], now: datetime) -> str:
        sources = [Source(line.content, line.sent_at, self._kit.zone) for line in c.sources]
        size = _characters(c.item, c.sources)
        verdict = await offloaded(size, lambda: check(c.item.text, c.item.quote, sources))
        if not verdict.supported:
            return "unsupported"
        c = replace(c, certain=c.certain and not verdict.hedged)
        text = mask(c.item.text.strip())
        await self._tombstones.lift(t, job.key.owner_id, self._tombstones.covering(stones, text), now)
        due = await offloaded(size, lambda: self._due(c, sources))
        new = self._statement(job, c, text, due)
        stored = await self._statements.store(t, new, await self._statements.vector(new.content), now)
        return {"stored": "memories", "duplicate": "duplicates", "superseded": "superseded"}[stored.outcome]

    def _due(self, c: _Candidate, sources: Sequence[Source]) -> datetime | None:
        """The day the worker gives, if the sources bear it out like any other date; else what the quote itself says.

        A day neither of us can read in words that do speak of time is the worker's to know; any other is made up.
        """
        given, zone = c.item.due, self._kit.zone
        if given is not None and _borne_out(c.item, local_day(given, zone), sources):
            return given
        own = due_date(c.item.quote, c.said_at, zone) if c.kind in ("goal", "date") else None
        return own or (given if speaks_of_time(c.item.quote) else None)

    def _statement(self, job: Job, c: _Candidate, text: str, due: datetime | None) -> NewMemory:
        pinned = c.item.pin or pin_reason(text) is not None
        return NewMemory(
            owner_id=job.key.owner_id,
            # What was said in a chat stays there until the user makes it global.
            chat_id=job.key.chat_id,
            source_chat_id=job.key.chat_id,
            kind=c.kind,
            status="active" if c.certain else "uncertain",
            content=f"{_speaker(job, c)}{text}",
            quote=mask(c.item.quote),
            confidence=CERTAIN if c.certain else UNCERTAIN,
            priority=priority(c.item.quote),
            importance=max(c.item.importance or DEFAULT_IMPORTANCE, pin_importance(text)),
            pinned=pinned and c.certain,
            deadline=due,
            valid_from=c.said_at,
            origin="extracted",
            user_confirmed=False,
            source_ids=tuple(line.id for line in c.sources),
            model=job.model,
        )


def _characters(item: ExtractedItem, sources: Sequence[Line]) -> int:
    return max(map(len, (item.text, item.quote, *(line.content for line in sources))))


def _bare(text: str) -> str:
    return text.casefold().strip(" .!")


def _borne_out(item: ExtractedItem, due: date, sources: Sequence[Source]) -> bool:
    return check(f"{item.text} by {long_date(due)}", item.quote, sources).supported


def may_tell(job: Job, line: Line) -> bool:
    """Whether a message can state facts for this memory: another person's words say nothing about the user.

    A shared group is the memory of all who talk in it; there a statement carries its speaker's name.
    """
    return line.speaker is None or _shared(job)


def _shared(job: Job) -> bool:
    return Where(job.key.owner_id, job.key.chat_id).shared


def _speaker(job: Job, c: _Candidate) -> str:
    name = c.sources[0].speaker
    return f"{name}: " if name and _shared(job) else ""


def states(message: str, item: ExtractedItem) -> bool:
    """Whether a sentence that may state facts states the item: no question, no hypothesis, no code, nobody else's."""
    sentences = [
        sentence.text
        for sentence in eligible_sentences(message)
        if contains_quote(sentence.text, item.quote) or contains_quote(item.quote, sentence.text)
    ]
    return bool(sentences) and stated(item.text, item.quote, sentences)


def _items(extraction: Extraction) -> Iterator[tuple[ExtractedItem, MemoryKind, bool]]:
    for lists, certain in ((extraction.certain, True), (extraction.uncertain, False)):
        yield from _of_lists(lists, certain)


def _of_lists(lists: ExtractedLists, certain: bool) -> Iterator[tuple[ExtractedItem, MemoryKind, bool]]:
    for name, kind in _KINDS:
        for item in getattr(lists, name):
            yield item, kind, certain
