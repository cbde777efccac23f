"""Queries for the memory page: filtered lists, days of conversation, answers, names, and undoing a change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeAlias

from tellonce.contract import MAX_BIGINT
from tellonce.page_contract import (
    AnswerEntry,
    FormerState,
    MonthEntry,
    NameEntry,
    NameLink,
    PageEntry,
    PageMemoriesArgs,
    RecalledLine,
    SaidLine,
    TalkEntry,
)
from tellonce_server.core.scope import ChatId, MemoryId, MessageId, OwnerId
from tellonce_server.store import memories
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.named_queries import Found, OneRow, Rows, Run, Value, named
from tellonce_sql import arguments

Position: TypeAlias = tuple[datetime, int]
"""The position of a memory in the list: its time and number."""

FIRST_PAGE: Final[Position] = (datetime.max.replace(tzinfo=UTC), MAX_BIGINT)
"""The position before the first memory of the list."""


@dataclass(frozen=True)
class SpanSummary:
    chat_id: int
    from_id: int
    to_id: int
    from_at: datetime
    to_at: datetime
    count: int
    text: str


def _quoted(row: Row) -> PageEntry:
    quotes = row["quotes"]
    memory = memories.memory(row).model_copy(update={"content": row["words"]})
    quote = quotes[0]["text"] if quotes else None
    return PageEntry(memory=memory, quote=quote)


async def found(
    q: Queries,
    owner_id: int,
    wanted: PageMemoriesArgs,
    after: Position = FIRST_PAGE,
    *,
    limit: int,
    learned_since: datetime | None = None,
    counted: bool = False,
) -> tuple[list[PageEntry], int]:
    """At most `limit` memories after a position, newest first, and, if `counted`, the number of all matches. A filter
    that is None does not restrict the result. `as_of` selects the memories that were valid at that time, with any
    current status."""
    own = {"owner_id": owner_id, "learned_since": learned_since, "limit": limit, "counted": counted}
    values = {**dict(wanted), **own, "after_time": after[0], "after_id": after[1]}
    rows = await q.rows("page.memories", *arguments("page.memories", values))
    return [_quoted(row) for row in rows], rows[0]["total"] or 0 if rows else 0


dated = Rows[[OwnerId, datetime, datetime], PageEntry]("page.dated", _quoted)
"""Dates and deadlines from `now` until `until`, and goals with a past deadline."""

told = Rows[[OwnerId, Sequence[int], int], PageEntry]("page.told", _quoted)
"""The newest current memories, except those in `listed`."""


totals = OneRow[[OwnerId], dict[str, int]]("page.totals", dict)
"""The numbers of memories, messages and chats."""


async def answers(
    q: Queries,
    owner_id: int,
    limit: int,
    *,
    before: datetime | None = None,
    shown: int | None = None,
    receipt_id: str | None = None,
) -> list[AnswerEntry]:
    """The contexts built before `before`, newest first; with `shown`, only those with this memory. The entries'
    `budgets` are empty."""
    args = (owner_id, before or FIRST_PAGE[0], shown, limit, receipt_id)
    return [AnswerEntry(**row) for row in await q.rows("page.answers", *args)]


replies = Rows[[OwnerId, str], SaidLine]("page.replies", named(SaidLine))


@dataclass(frozen=True)
class QuotedMessage:
    chat_id: int
    id: int
    at: datetime
    text: str


quoted = Rows[[OwnerId, Sequence[str], datetime, int], QuotedMessage]("page.quoted", named(QuotedMessage))
stated = Rows[[OwnerId, str, int, datetime, int], RecalledLine]("page.stated", named(RecalledLine))
erased = Value[[OwnerId], bool]("page.erased")
"""Whether the records of earlier answers were erased."""

months = Rows[[OwnerId, str], MonthEntry]("page.months", named(MonthEntry))


async def days(q: Queries, owner_id: int, zone: str, start: datetime, end: datetime) -> list[tuple[str, TalkEntry]]:
    """The messages of each chat on each day of the user's calendar, with the day. The entries' `summaries` are
    empty."""
    rows = [dict(row) for row in await q.rows("page.days", owner_id, zone, start, end)]
    return [(row.pop("day"), TalkEntry(**row)) for row in rows]


summaries = Rows[[OwnerId, datetime, datetime], SpanSummary]("page.summaries", named(SpanSummary))
words = Rows[[OwnerId, ChatId, MessageId, MessageId, int], SaidLine]("page.words", named(SaidLine))
names = Rows[[OwnerId, int], NameEntry]("page.names", named(NameEntry))
links = Rows[[OwnerId, Sequence[str]], NameLink]("page.links", named(NameLink))


async def restore(q: Queries, owner_id: int, former: FormerState, now: datetime, since: datetime) -> bool:
    """Restore a memory's former state if the memory was changed after `since`. Returns whether the state was
    restored."""
    args = (former.memory_id, former.status, former.user_confirmed, former.pinned, now, since)
    return await q.row("page.restore", owner_id, *args) is not None


revive = Run[[OwnerId, MemoryId, datetime, datetime]]("page.revive")
"""Reactivate the memories that this memory replaced or ended after `since`. Returns their number."""

unshare = Run[[OwnerId, Sequence[int], datetime]]("page.unshare")
"""Erase the given copies of another owner's memories if the copies were made after `since`."""

withdraw = Found[[OwnerId, MemoryId, int | None, datetime, datetime]]("page.withdraw")
"""Withdraw a statement that was made after `since`. `by` is the statement that the withdrawn one had replaced, if
any."""
