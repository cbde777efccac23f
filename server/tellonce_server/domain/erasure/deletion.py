"""Erases the selected rows in short transactions, so that other calls wait for at most one batch.

Messages are erased first, and then the sentences in texts that were made from them. All earlier claims of jobs are
invalidated, and their results are refused. Texts are therefore made only from sources without the erased statement.
Memories are erased last, because the searches need their texts. Repeating the request completes an interrupted erasure.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import TypeVar

from tellonce.shutdown import ended
from tellonce_server.core.limits import paced
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import FORGOTTEN, Dependencies
from tellonce_server.domain.erasure import derived_texts
from tellonce_server.domain.erasure.forget_query import (
    Degree,
    ForgetQuery,
    LiteralQuery,
    RowQuery,
    Source,
    StatementQuery,
    TopicQuery,
    accepted,
)
from tellonce_server.domain.erasure.previews import Match, is_own, unchanged
from tellonce_server.domain.erasure.rebuild import queue_chunk
from tellonce_server.domain.erasure.redaction import GONE, marks_of, redact
from tellonce_server.domain.erasure.request import stated
from tellonce_server.domain.erasure.scan import (
    CONTENT,
    IDS,
    ROUTINE,
    SPEAKER,
    MatchingRow,
    is_machine_id,
    matching_rows,
    scan,
    source_of,
)
from tellonce_server.domain.erasure.text_places import DERIVED, Cleaned
from tellonce_server.domain.memory.retraction import queue_profile
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.domain.tombstones import Mark
from tellonce_server.store import forget, memories, profile, queue, receipts, scrub, texts, tombstones
from tellonce_server.store.database import announce
from tellonce_server.store.forget import Statement
from tellonce_server.store.texts import NewText, TextRow
from tellonce_text.tokens import estimate

ItemT = TypeVar("ItemT")

BATCH = 100
"""Messages per transaction, which locks their chats for about 10 ms on a quiet machine."""
READ = 5 * BATCH
"""Number of messages that are read together."""
MEMORY_BATCH = 50
ROUNDS = 5
"""Maximum number of searches of the derived texts. Each search finds only texts that were written after the previous
one."""

LAST_STEPS = 2
"""Number of steps that are reported after the chosen matches: cleaning the derived texts, and the last search."""

MessageKey = tuple[int, int]
"""The chat and the number of a message."""

Report = Callable[[float, float, str], Awaitable[None]]
"""Takes the completed steps, the total steps, and a description of the last step."""


async def unreported(done: float, total: float, doing: str) -> None:
    """Reports nothing."""


@dataclass
class Erased:
    """`redacted` maps each message that lost text to its version before the erasure. `changed` are the messages and
    memories that were not erased, because they changed after the preview. `left` are the matches of a final search of
    all texts."""

    counts: Counter[str] = field(default_factory=lambda: Counter(memories=0, messages=0, sentences=0))
    redacted: dict[tuple[int, int], int] = field(default_factory=dict)
    changed: set[tuple[str, int, int]] = field(default_factory=set)
    left: list[MatchingRow] = field(default_factory=list)


@dataclass(frozen=True)
class Order:
    """An erasure to carry out. `chat_id` limits it to one chat; None means all chats of the owner. Derived texts stay
    if their match has a degree in `kept`. If `messages` is true, texts of messages are searched too. `shown` are all
    matches of the preview."""

    scope: ChatScope
    chat_id: int | None
    query: ForgetQuery
    chosen: Sequence[Match]
    kept: frozenset[Degree]
    messages: bool
    report: Report = unreported
    shown: Sequence[Match] = ()

    @cached_property
    def message_degrees(self) -> dict[MessageKey, frozenset[Degree]]:
        """For each chosen message, the degrees of the matches to erase. A preview shows one match for each degree of a
        message, and the user may choose some of them."""
        degrees: dict[MessageKey, frozenset[Degree]] = {}
        for match in self.chosen:
            if match.kind == "message":
                key = match.chat_id, match.ref
                degrees[key] = degrees.get(key, frozenset()) | accepted(match.degree)
        chosen = frozenset(self.chosen)
        for match in self.shown:
            key = match.chat_id, match.ref
            if match.kind == "message" and key in degrees and match not in chosen:
                degrees[key] -= {match.degree}
        return degrees

    @property
    def degrees(self) -> frozenset[Degree]:
        """The degree of the least certain chosen match, and all degrees that are more certain."""
        return frozenset[Degree](("exact",)).union(*(accepted(match.degree) for match in self.chosen))


@dataclass(frozen=True)
class _Planned:
    """A message with its new texts. `claims` are the hashes of its former text and of the removed sentences. `gone` is
    the number of these sentences. `names` are values that were removed from other columns, such as an id or a
    speaker."""

    new: NewText
    claims: Sequence[bytes]
    gone: int
    names: Sequence[str]

    @property
    def key(self) -> tuple[int, int]:
        return self.new.row.chat_id or 0, self.new.row.id


async def erase(deps: Dependencies, order: Order) -> Erased:
    return await _Erasure(deps, order).run()


class _Erasure:
    """One erasure in progress. `_meant` are the memories to erase."""

    def __init__(self, deps: Dependencies, order: Order) -> None:
        self._deps = deps
        self._database = deps.database
        self._order = order
        self._owner = order.scope.owner_id
        self._now = deps.now()
        self._done, self._total = 0, len(order.chosen) + LAST_STEPS
        self._meant: Sequence[Statement] = ()
        self._cleaned = Cleaned()
        self._erased = Erased()

    async def run(self) -> Erased:
        erased = self._erased
        await self._erase_messages()
        self._meant = await self._meant_memories()
        found = await self._clean()
        await self._report(1, "Texts made from the messages are clean.")
        await self._erase_memories()
        if erased.counts["memories"]:
            # A profile job that ran during the erasure possibly wrote the erased statements again.
            found = await self._clean()
        await self._finish()
        erased.counts.update(self._cleaned.counts)
        # If `found` is not None, it is the result of a search that ran after the last change. No further search is
        # needed.
        erased.left = found if found is not None else await self._look()
        await self._report(self._total - self._done, "Every text was searched again.")
        return erased

    async def _report(self, number: int, doing: str) -> None:
        self._done += number
        await self._order.report(self._done, self._total, doing)

    async def _meant_memories(self) -> list[Statement]:
        """The memories to erase: the chosen memories that did not change after the preview, and matching memories that
        the preview did not show. A memory of the second kind is erased only if all its source messages were redacted.
        """
        shown = {match.ref: match.version for match in self._order.chosen if match.kind == "memory"}
        stored = await forget.memories(self._database, self._owner, list(shown))
        self._erased.changed |= {("memory", 0, memory.id) for memory in stored if memory.version != shown[memory.id]}
        same = [memory for memory in stored if memory.version == shown[memory.id]]
        keys = list(self._erased.redacted)
        if not keys:
            return same
        known = [*shown, *(match.ref for match in self._order.shown if match.kind == "memory")]
        later = await forget.resting_on(self._database, self._owner, keys, known, MEMORY_BATCH)
        return [*same, *await asyncio.to_thread(_restating, later, self._order, frozenset(keys))]

    async def _erase_memories(self) -> None:
        for batch in _batches(self._meant, MEMORY_BATCH):
            said = dict.fromkeys(memory.content for memory in batch)
            marks = await asyncio.to_thread(self._marks, said)
            async with self._database.transaction() as t:
                await forget.lock(t, self._owner)
                contents = await memories.erase(t, self._owner, [memory.id for memory in batch])
                former = set(contents).difference(said)
                await tombstones.add(t, self._owner, [*marks, *self._marks(former)], self._now)
            self._erased.counts.update(memories=len(contents), tombstones=len(contents))
            await self._report(len(batch), "Erasing memories.")

    def _marks(self, said: Iterable[str]) -> list[Mark]:
        return [self._deps.tombstones.mark(text) for text in said]

    async def _erase_messages(self) -> None:
        """Write each batch in a short transaction, while the next batch is computed. A power failure can undo batches
        until the erasure ends. The last commit is durable and makes the earlier ones durable too."""
        owner, now, erased = self._owner, self._now, self._erased
        async for read, planned in self._planned_batches():
            done: set[tuple[int, int]] = set()
            for batch in _batches(planned, BATCH):
                async with self._database.transaction() as t:
                    await forget.commit_soon(t)
                    await forget.lock(t, owner, {plan.key[0] for plan in batch})
                    done |= await texts.redact_messages(t, owner, [(plan.new, plan.claims) for plan in batch], now)
                    names = [name for plan in batch if plan.key in done for name in plan.names]
                    await self._deps.tombstones.add_names(t, owner, names, now)
            erased.redacted |= {plan.key: plan.new.row.version for plan in planned if plan.key in done}
            erased.counts.update(messages=len(done), sentences=sum(plan.gone for plan in planned if plan.key in done))
            erased.changed |= {match.key for match in read if (match.chat_id, match.ref) not in done}
            await self._report(len(read), "Erasing messages.")

    async def _planned_batches(self) -> AsyncGenerator[tuple[Sequence[Match], list[_Planned]]]:
        """Batches of messages with their new texts. Each batch is planned while the caller writes the previous batch."""
        chosen = {(match.chat_id, match.ref): match for match in self._order.chosen if match.kind == "message"}
        batches = _batches(list(chosen.values()), READ)
        ahead: asyncio.Task[list[_Planned]] | None = None
        try:
            for batch, following in zip_longest(batches, batches[1:]):
                planned = await (ahead or self._read_and_planned(batch))
                ahead = asyncio.create_task(self._read_and_planned(following)) if following else None
                yield batch, planned
        finally:
            if ahead is not None:
                await ended(ahead)

    async def _read_and_planned(self, batch: Sequence[Match]) -> list[_Planned]:
        same = await unchanged(self._database, self._owner, batch)
        plans = await asyncio.to_thread(lambda: [self._plan(row) for row, _ in paced(same)])
        return [plan for plan in plans if plan is not None]

    def _plan(self, row: TextRow) -> _Planned | None:
        degrees = self._order.message_degrees[row.chat_id or 0, row.id]
        left, gone = _redacted(row, self._order.query, degrees, self._deps.tombstones.replacement)
        if left == row.texts:
            return None
        words = index_text(left[CONTENT] or "", left[SPEAKER])
        content = row.texts[CONTENT] or ""
        claims = self._deps.tombstones.message_claims(content, gone) if gone else []
        names = [text for text, now in zip(row.texts[1:], left[1:], strict=True) if text and text != now]
        return _Planned(NewText(row, left, None, estimate(left[CONTENT] or ""), words), claims, len(gone), names)

    async def _clean(self) -> list[MatchingRow] | None:
        """Clean derived texts until a search finds nothing to clean. Returns the matches of this search; None if the
        last round still found something. Claims of jobs are invalidated before each round."""
        order = self._order
        for _ in range(ROUNDS):
            await queue.void_claims(self._database, self._owner)
            await self._clean_statements()
            found = await self._look()
            due = [matching for matching in found if _is_due(matching, order)]
            if not due:
                return found
            degrees = order.degrees - order.kept
            await derived_texts.clean(self._deps, self._owner, due, order.query, degrees, self._cleaned)
        return None

    async def _clean_statements(self) -> None:
        """Clean the derived texts that repeat the statement of a memory to erase. Such a text may contain the
        statement's words but not the topic's words."""
        order = self._order
        if not self._meant or "exact" in order.kept or not isinstance(order.query, TopicQuery | LiteralQuery):
            return
        query = await asyncio.to_thread(StatementQuery, stated(self._meant))
        found: list[MatchingRow] = []
        async for page in texts.find(self._database, self._owner, order.chat_id, query.patterns, DERIVED):
            found += await asyncio.to_thread(matching_rows, page, query)
        due = [matching for matching in found if matching.degree == "exact"]
        await derived_texts.clean(self._deps, self._owner, due, query, frozenset(("exact",)), self._cleaned)

    async def _look(self) -> list[MatchingRow]:
        order = self._order
        return await scan(self._database, self._owner, order.chat_id, order.query, messages=order.messages)

    async def _finish(self) -> None:
        """Erase the receipts of earlier contexts, and queue jobs that rewrite the shortened texts."""
        owner, order, now = self._owner, self._order, self._now
        async with self._database.transaction() as t:
            await profile.begin_erasure(t, owner)
        self._erased.counts["context_receipts"] += await receipts.erase_all(self._database, owner)
        async with self._database.transaction() as t:
            if order.messages:
                # If the user chose not to erase messages, a source message still contains the statement. A rewritten
                # text would then repeat the statement.
                await self._cleaned.queue_rebuild(t, owner, now)
            if isinstance(order.query, RowQuery):
                # A chunk's summary can repeat a completely erased message in other words.
                keys = [(match.chat_id, match.ref) for match in order.chosen if match.kind == "message"]
                for row in await forget.covering(t, owner, keys):
                    await queue_chunk(t, owner, *row, now)
            if self._erased.counts["memories"] or "user_profile" in self._cleaned.counts:
                await queue_profile(t, owner, order.scope.chat_id, now)
            await scrub.request(t, now)
            # The announcement is part of the commit. Other processes therefore clear their caches even if this process
            # dies after the commit.
            await announce(t, FORGOTTEN)


def _redacted(
    row: TextRow, query: ForgetQuery, degrees: frozenset[Degree], replacement: Callable[[str], str]
) -> tuple[list[str | None], list[str]]:
    """A message's columns without the forgotten text, and the sentences removed from the content. If an id contains
    forgotten text, a replacement is computed from the id's hash. So a message that is sent again is recognized."""
    columns: list[str | None] = list(row.texts)
    gone: list[str] = []
    for column, text in enumerate(row.texts):
        if not text or text == GONE or is_machine_id(row, column):
            continue
        marks = marks_of(query, degrees, source_of(row, column))
        if column == CONTENT:
            left, gone = redact(text, marks)
            columns[column] = left or GONE
        elif marks(text):
            columns[column] = replacement(text) if column in IDS else GONE if column == ROUTINE else None
    return columns, gone


def _restating(found: Sequence[Statement], order: Order, redacted: frozenset[tuple[int, int]]) -> list[Statement]:
    marks = marks_of(order.query, order.degrees, Source("memory", None, 0))
    return [
        memory
        for memory in found
        if redacted.issuperset((memory.source_chat_id or 0, source) for source in memory.source_ids)
        and marks(memory.content)
    ]


def _is_due(matching: MatchingRow, order: Order) -> bool:
    """Whether the matching text must be cleaned. Only derived texts and former versions are cleaned."""
    return not is_own(matching) and matching.degree in order.degrees and matching.degree not in order.kept


def _batches(items: Sequence[ItemT], size: int) -> list[Sequence[ItemT]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
