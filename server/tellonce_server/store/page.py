"""Queries for the memory page: filtered lists, days of conversation, answers, names, and undoing a change. Most rows
are models that the page's tools return unchanged."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from pydantic import AwareDatetime, Field

from tellonce.contract import MAX_BIGINT, ListedKind, Memory, MemoryOrigin, MemoryStatus, Role, ShownName
from tellonce.contract_types import HOLDING, Bigint, Contract, Moment, RestorableStatus, Text, Unit
from tellonce_server.core.errors import Refused
from tellonce_server.core.scope import ChatId, MemoryId, MessageId, OwnerId
from tellonce_server.store import memories
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.named_queries import Found, OneRow, Rows, Run, Value, named
from tellonce_sql import arguments

Position: TypeAlias = tuple[datetime, int]
"""The position of a memory in the list: its time and number."""

FIRST_PAGE: Final[Position] = (datetime.max.replace(tzinfo=UTC), MAX_BIGINT)
"""The position before the first memory of the list."""


class MemoryFilter(Contract):
    """The filters of the list of memories. `as_of` selects the memories that were valid at that time, whatever their
    status is now."""

    query: Text | None = None
    kinds: tuple[ListedKind, ...] | None = None
    statuses: tuple[MemoryStatus, ...] = HOLDING
    origins: tuple[MemoryOrigin, ...] | None = None
    chat_id: Bigint | None = None
    least_confidence: Unit = 0
    as_of: Moment | None = None
    about: Text | None = None


class PageEntry(Contract):
    """A memory with the user's words that support it."""

    memory: Memory
    quote: str | None


class AnswerEntry(Contract):
    receipt_id: str
    chat_id: int
    channel: str
    at: AwareDatetime
    question: str
    preceded: bool = Field(description="Whether the context was read before the question was recorded.")
    tokens: int
    token_budget: int
    budgets: dict[ShownName, int] = Field(default={}, description="Maximum tokens of each section that has a maximum.")
    truncated: bool


class SaidLine(Contract):
    id: int
    role: Role
    speaker: str | None
    at: AwareDatetime
    text: str
    source: bool = Field(default=False, description="Whether it is a source of the memory.")


class RecalledLine(Contract):
    """A line of the context. `memory_id` is set only for a memory."""

    memory_id: int | None
    text: str


class MonthEntry(Contract):
    month: str
    messages: int


class TalkSummary(Contract):
    from_at: AwareDatetime
    to_at: AwareDatetime
    count: int
    text: str


class SpanSummary(TalkSummary):
    """A summary, with the messages that it covers."""

    chat_id: int
    from_id: int
    to_id: int


class TalkEntry(Contract):
    chat_id: int
    channel: str
    messages: int
    from_id: int
    to_id: int
    from_at: AwareDatetime
    to_at: AwareDatetime
    begins: str = Field(default="", description="The beginning of its first message, if it has no summary.")
    summaries: tuple[TalkSummary, ...] = ()


class NameEntry(Contract):
    name: str
    memories: int


class NameLink(Contract):
    one: str
    other: str
    memories: int


def _quoted(row: Row) -> PageEntry:
    quotes = row["quotes"]
    memory = memories.memory(row).model_copy(update={"content": row["words"]})
    quote = quotes[0]["text"] if quotes else None
    return PageEntry(memory=memory, quote=quote)


async def filtered_memories(
    q: Queries,
    owner_id: int,
    wanted: MemoryFilter,
    after: Position = FIRST_PAGE,
    *,
    limit: int,
    learned_since: datetime | None = None,
    counted: bool = False,
) -> tuple[list[PageEntry], int]:
    """Returns two values: at most `limit` memories after a position, newest first; and the number of all matches, or 0
    if `counted` is false."""
    own = {"owner_id": owner_id, "learned_since": learned_since, "limit": limit, "counted": counted}
    values = {**dict(wanted), **own, "after_time": after[0], "after_id": after[1]}
    rows = await q.rows("page.memories", *arguments("page.memories", values))
    return [_quoted(row) for row in rows], rows[0]["total"] or 0 if rows else 0


dated = Rows[[OwnerId, datetime, datetime], PageEntry]("page.dated", _quoted)
"""Dates and deadlines from the start of today until another time, and goals with a past deadline."""

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
    """The contexts built before `before`, newest first. `shown` selects the contexts that contained this memory.
    `budgets` stays empty."""
    args = (owner_id, before or FIRST_PAGE[0], shown, limit, receipt_id)
    return [AnswerEntry(**row) for row in await q.rows("page.answers", *args)]


replies = Rows[[OwnerId, str], SaidLine]("page.replies", named(SaidLine))


erased = Value[[OwnerId], bool]("page.erased")
"""Whether the records of earlier answers were erased."""

months = Rows[[OwnerId, str], MonthEntry]("page.months", named(MonthEntry))


async def days(q: Queries, owner_id: int, zone: str, start: datetime, end: datetime) -> list[tuple[str, TalkEntry]]:
    """An entry for each chat and each day of the period on which the chat has messages. Each entry comes with its day
    in the user's calendar. `summaries` stays empty."""
    rows = [dict(row) for row in await q.rows("page.days", owner_id, zone, start, end)]
    return [(row.pop("day"), TalkEntry(**row)) for row in rows]


summaries = Rows[[OwnerId, datetime, datetime], SpanSummary]("page.summaries", named(SpanSummary))
words = Rows[[OwnerId, ChatId, MessageId, MessageId, int], SaidLine]("page.words", named(SaidLine))
names = Rows[[OwnerId, int], NameEntry]("page.names", named(NameEntry))
links = Rows[[OwnerId, Sequence[str]], NameLink]("page.links", named(NameLink))


restore = Found[[OwnerId, MemoryId, RestorableStatus, bool, bool, datetime, datetime]]("page.restore")
"""Restore a former status, confirmation and pin of a memory that was changed after `since`."""

revive = Run[[OwnerId, MemoryId, datetime, datetime]]("page.revive")
"""Reactivate the memories that this memory replaced or ended after `since`. Returns their number."""

unshare = Run[[OwnerId, Sequence[int], datetime]]("page.unshare")
"""Erase the given copies of another owner's memories if the copies were made after `since`."""

withdraw = Found[[OwnerId, MemoryId, int | None, datetime, datetime]]("page.withdraw")
"""Withdraw a statement made after `since`. The third argument is the memory that it had replaced, or None."""


def cursor_of(moment: datetime, number: int) -> str:
    """The cursor that continues after the entry with this time and id."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%f}.{number}"


def position_of(cursor: str | None) -> Position:
    """The time and id in a cursor. Without a cursor, the position before the first entry. Raises Refused."""
    if cursor is None:
        return FIRST_PAGE
    moment, _, number = cursor.partition(".")
    try:
        if re.fullmatch(r"[0-9]{1,18}", number):
            return datetime.strptime(moment, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC), int(number)
    except ValueError:
        pass
    raise Refused("That is not a cursor of this tool; use next_cursor of the previous page.", "call")
