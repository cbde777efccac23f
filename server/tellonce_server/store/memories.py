"""Memories: typed statements about the user, with their history."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Annotated, Any

from pgvector import HalfVector
from pydantic import Field

from tellonce.contract import ListedKind, Memory, MemoryKind, MemoryOrigin, MemoryStatus, When
from tellonce.work import KnownMemory, Tier
from tellonce_server.core.scope import ChatId, MemoryId, MessageId, OwnerId
from tellonce_server.store.database import Queries, Row, one
from tellonce_server.store.messages import TextVersion
from tellonce_server.store.named_queries import MaybeRow, Rows, Run, Value, column, named, placed
from tellonce_sql import arguments
from tellonce_text.changes import Change, Changes, MessageRange

_FIELDS = frozenset(Memory.model_fields) - {"scope", "sources", "when"}


@dataclass(frozen=True)
class Quoted:
    """The user's words in a message."""

    message_id: int
    text: str


@dataclass(frozen=True)
class Intent:
    """The memories that an uncertain statement replaces or ends as soon as the user confirms it."""

    replaces: Sequence[int] = ()
    ends: Sequence[int] = ()

    def __bool__(self) -> bool:
        return bool(self.replaces or self.ends)


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(max_length=128)]


@dataclass(frozen=True, kw_only=True)
class Stated:
    """The fields of a memory that a copy, an export and an import keep, with the limits that an import checks."""

    content: str
    kind: MemoryKind
    status: MemoryStatus
    confidence: Share
    priority: Annotated[int, Field(ge=0, le=100)]
    importance: Share
    pinned: bool
    valid_from: datetime
    origin: MemoryOrigin
    user_confirmed: bool
    valid_to: datetime | None = None
    deadline: datetime | None = None
    superseded_by: int | None = None
    model: Name | None = None
    shown: bool = True
    about: Name = "user"
    user_name: Name | None = None
    categories: Sequence[Name] | None = None
    note: bool = False
    reason: Annotated[str, Field(max_length=2_000)] | None = None
    when: When | None = None


@dataclass(frozen=True, kw_only=True)
class NewMemory(Stated):
    """A statement to be stored."""

    owner_id: int
    chat_id: int | None
    source_chat_id: int
    source_ids: Sequence[int]
    quotes: Sequence[Quoted] = ()
    provisional: bool = False
    tier: Tier | None = None
    intends: Intent | None = None


def like(source: object, **own: Any) -> NewMemory:
    """A new memory with the common fields of `source`. The values in `own` have priority."""
    same = {field.name: getattr(source, field.name) for field in fields(NewMemory) if hasattr(source, field.name)}
    return NewMemory(**same | own)


@dataclass(frozen=True)
class Near:
    """A memory that may mean the same as a new statement. Without embeddings, `cosine` is None."""

    memory: Memory
    cosine: float | None


@dataclass(frozen=True)
class Provenance:
    """The origin of a memory. `model` is None if the user worded it. `overdue_at` is the time at which an overdue goal
    became uncertain."""

    model: str | None = None
    source_chat_id: int | None = None
    quotes: Sequence[Quoted] = ()
    intends: Intent | None = None
    overdue_at: datetime | None = None


def memory(row: Row) -> Memory:
    values = {name: row[name] for name in _FIELDS}
    # These values are stored as float4, which holds six digits.
    values |= {name: round(values[name], 6) for name in ("confidence", "importance")}
    scope = "global" if row["chat_id"] is None else "chat"
    return Memory.model_construct(**values, scope=scope, sources=tuple(row["source_ids"]), when=_when(row))


def _when(row: Row) -> When | None:
    if row["happens_precision"] is None:
        return None
    return When(start=row["happens_from"], end=row["happens_to"], precision=row["happens_precision"])


async def add(
    q: Queries,
    m: NewMemory,
    now: datetime,
    *,
    index_text: str,
    embedding: HalfVector | None,
    words_key: int,
    category_words: str,
) -> Memory:
    when = m.when or When()
    values = {
        **vars(m),
        "quotes": _quotes(m.quotes),
        "intends": asdict(m.intends) if m.intends else None,
        "happens_from": when.start,
        "happens_to": when.end,
        "happens_precision": when.precision if m.when else None,
        "now": now,
        "index_text": index_text,
        "embedding": embedding,
        "words_key": words_key,
        "category_words": category_words,
    }
    row = await one(q, "memories.add", *arguments("memories.add", values))
    return memory(row)


user_name = Value[[OwnerId, ChatId], str | None]("memories.user_name")
by_id = MaybeRow[[OwnerId, MemoryId], Memory]("memories.by_id", memory)
by_ids = Rows[[OwnerId, Sequence[int]], Memory]("memories.by_ids", memory)
page = Rows[[OwnerId, ChatId, Sequence[MemoryStatus], Sequence[ListedKind] | None, datetime, MemoryId, int], Memory](
    "memories.page", memory
)
live = Rows[[OwnerId, ChatId, Sequence[MemoryStatus]], Memory]("memories.live", memory)
for_profile = Rows[[OwnerId, ChatId, int], KnownMemory]("memories.for_profile", named(KnownMemory))
known_for = Rows[[OwnerId, ChatId, Sequence[HalfVector], str, str, int, int, datetime, int], KnownMemory](
    "memories.known_for", named(KnownMemory)
)
read_by = Rows[[OwnerId, ChatId, Sequence[int], Sequence[Tier]], Memory]("memories.read_by", memory)
all_of_owner = Rows[[OwnerId], Memory]("memories.all_of_owner", memory)
from_message = Rows[[OwnerId, ChatId, MessageId], Memory]("memories.from_message", memory)
lock = Run[[OwnerId, Collection[int]]]("memories.lock")
add_copy = Run[[OwnerId, MemoryId, OwnerId, MemoryId]]("memories.add_copy")
same_words = Rows[[OwnerId, ChatId, int], Memory]("memories.same_words", memory)
rejected_near = Rows[[OwnerId, ChatId, HalfVector | None, int, int], Near](
    "memories.rejected_near", lambda row: Near(memory(row), row["cosine"])
)
show_later_notes = Run[[OwnerId, MemoryId, float, datetime]]("memories.show_later_notes")
"""Compare a new note with the other notes. If a similar statement is shown, notes that are newer than this statement
and kept only for search are shown, too."""

unkeyed = Rows[[int], tuple[int, int, str, int]]("memories.unkeyed", tuple)
"""Memories without a word key: owner, number, text and version."""


async def set_keys(q: Queries, keys: Sequence[tuple[int, int, int, int]]) -> None:
    """Store word keys. Each row is (owner, number, version, key)."""
    await q.run("memories.set_keys", *(list(column) for column in zip(*keys, strict=True)))


categorize = Run[[Sequence[str], Sequence[HalfVector], float, int, int]]("memories.categorize")


@dataclass(frozen=True)
class ToReadAgain:
    """A statement of the connected assistant that no second reading has checked. If the assistant named no sources,
    `source_ids` are the user's last messages before the statement. `over` are the texts of the replaced memories."""

    memory_id: int
    text: str
    quotes: Sequence[Quoted]
    source_ids: Sequence[int]
    deadline: datetime | None
    over: Sequence[str]


def _to_read_again(row: Row) -> ToReadAgain:
    values: dict[str, Any] = {**row, "quotes": tuple(Quoted(**quote) for quote in row["quotes"])}
    return ToReadAgain(**values)


to_read_again = Rows[[OwnerId, ChatId, int], ToReadAgain]("memories.to_read_again", _to_read_again)
hold = Run[[OwnerId, MemoryId]]("memories.hold")
"""Record that a second reading has confirmed the statement."""


async def mark_uncertain(q: Queries, owner_id: int, memory_id: int, confidence: float, intends: Intent) -> None:
    """Record that a second reading has not confirmed the statement."""
    await q.run("memories.mark_uncertain", owner_id, memory_id, confidence, asdict(intends) if intends else None)


async def set_status(
    q: Queries,
    owner_id: int,
    memory_id: int,
    status: MemoryStatus,
    now: datetime,
    *,
    valid_to: datetime | None = None,
    user_confirmed: bool = False,
    superseded_by: int | None = None,
    reason: str | None = None,
) -> Memory | None:
    args = (status, valid_to, user_confirmed, superseded_by, now, reason)
    return _maybe(await q.row("memories.set_status", owner_id, memory_id, *args))


rewrite = MaybeRow[[OwnerId, MemoryId, str, datetime, str, HalfVector | None, datetime | None, int], Memory](
    "memories.rewrite", memory
)
take_back_edit = Run[[OwnerId, MemoryId, int, bool, datetime | None, str, int]]("memories.take_back_edit")
set_pinned = MaybeRow[[OwnerId, MemoryId, bool, datetime], Memory]("memories.set_pinned", memory)
make_global = MaybeRow[[OwnerId, MemoryId, datetime], Memory]("memories.make_global", memory)


async def support(q: Queries, memory_id: int, new: NewMemory, now: datetime) -> Memory | None:
    """Add the sources of a repeated statement to its memory."""
    kept = (new.user_confirmed, new.pinned, new.importance, new.deadline)
    args = (new.source_ids, now, *kept, new.source_chat_id, _quotes(new.quotes))
    return _maybe(await q.row("memories.support", new.owner_id, memory_id, *args))


versions = Rows[[OwnerId, MemoryId], TextVersion]("memories.versions", placed(TextVersion))


async def restore_versions(q: Queries, owner_id: int, memory_id: int, former: Sequence[tuple[str, datetime]]) -> None:
    """Store the former texts of a new memory, oldest first, each with the time when it was replaced."""
    texts, times = [text for text, _ in former], [at for _, at in former]
    await q.run("memories.restore_versions", owner_id, memory_id, texts, times)


async def provenance(q: Queries, owner_id: int, memory_id: int) -> Provenance:
    row = await q.row("memories.provenance", owner_id, memory_id)
    if row is None:
        return Provenance()
    quotes = tuple(Quoted(**quote) for quote in row["quotes"])
    intends = Intent(**row["intends"]) if row["intends"] else None
    return Provenance(row["model"], row["source_chat_id"], quotes, intends, row["overdue_at"])


predecessors = Rows[[OwnerId, MemoryId], Memory]("memories.predecessors", memory)
erase = Rows[[OwnerId, Sequence[int]], str]("memories.erase", column("content"))


def _quotes(quotes: Sequence[Quoted]) -> list[dict[str, Any]]:
    return [asdict(quote) for quote in quotes]


def _maybe(row: Row | None) -> Memory | None:
    return memory(row) if row is not None else None


@dataclass(frozen=True)
class Ended:
    """A statement that no longer holds, or a former wording. A reminder has no `at`."""

    content: str
    at: datetime | None
    rejected: bool


ended = Rows[[OwnerId, ChatId, Sequence[int]], Ended]("memories.ended", placed(Ended))


async def changes(q: Queries, owner_id: int, places: Sequence[MessageRange], chat_id: int | None) -> Changes:
    """The statements that were learned from these messages and later reworded or replaced. The current memory must be
    visible in `chat_id` (None: in any chat)."""
    if not places:
        return {}
    # The arrays are passed as texts, because asyncpg takes ten times as long to encode arrays of two hundred elements.
    columns = (f"{{{','.join(map(str, column))}}}" for column in zip(*places, strict=True))
    found: dict[tuple[int, int], list[Change]] = {}
    for chat, message, number, content, quotes, former in await q.rows("memories.changes", owner_id, *columns, chat_id):
        said = [quote["text"] for quote in quotes or () if quote["message_id"] == message]
        found.setdefault((chat, message), []).append(Change(number, content, (*said, *(former or ()))))
    return found


owners_with_endings = Rows[[datetime], int]("memories.owners_with_endings", column("owner_id"))
end_passed_dates = Run[[OwnerId, datetime, str]]("memories.passed_dates")
ask_about_overdue_goals = Run[[OwnerId, datetime, datetime]]("memories.overdue_goals")
close_overdue_goals = Run[[OwnerId, datetime, datetime]]("memories.closed_goals")
