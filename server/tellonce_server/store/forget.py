"""The queries of `forget` for memories, locks and previews. A preview contains no text. The queries for texts are in
`texts`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tellonce.contract import MemoryKind
from tellonce_server.core.scope import ChatId, OwnerId
from tellonce_server.store.database import Queries, unzip
from tellonce_server.store.named_queries import MaybeRow, Rows, Value, named


@dataclass(frozen=True)
class Statement:
    """A memory with the fields that `forget` needs; its sources are messages of `source_chat_id`."""

    id: int
    version: int
    chat_id: int | None
    kind: MemoryKind
    content: str
    quotes: Sequence[str]
    valid_from: datetime
    source_chat_id: int | None
    source_ids: Sequence[int]


@dataclass(frozen=True)
class Preview:
    """A stored preview. `asked` is a keyed hash of the request, and later also of the confirmed selection. `hits` are
    the matches as JSON, by number."""

    chat_id: int
    until: datetime
    asked: bytes
    hits: str


commit_soon = Value[[], str]("forget.commit_soon")
memories = Rows[[OwnerId, Sequence[int]], Statement]("forget.memories", named(Statement))
memories_of = Rows[[OwnerId, ChatId | None, datetime | None, datetime | None], Statement](
    "forget.memories_of", named(Statement)
)
copies = Rows[[OwnerId, Sequence[int]], tuple[int, int, int]](
    "forget.copies", lambda row: (row["memory"], row["owner"], row["id"])
)


async def resting_on(
    q: Queries, owner_id: int, keys: Sequence[tuple[int, int]], without: Sequence[int], limit: int
) -> list[Statement]:
    """The current memories that were learned from the messages `keys`, except those in `without`."""
    rows = await q.rows("forget.resting_on", owner_id, *unzip(keys, 2), without, limit)
    return [Statement(**row) for row in rows]


async def add_preview(q: Queries, owner_id: int, preview_id: str, preview: Preview, now: datetime) -> None:
    p = preview
    await q.run("forget.add_preview", owner_id, preview_id, p.chat_id, p.until, p.asked, p.hits, now)


preview = MaybeRow[[OwnerId, str], Preview]("forget.preview", named(Preview))


async def bind_preview(q: Queries, owner_id: int, preview_id: str, asked: bytes, selected: bytes) -> bool:
    """Bind a preview to the selection of its first confirmation. Returns whether it is bound to `selected`."""
    bound: bytes | None = await q.value("forget.bind_preview", owner_id, preview_id, asked, selected)
    return bound == asked + selected


async def follow_erasure(
    q: Queries, owner_id: int, preview_id: str, redacted: Mapping[tuple[int, int], int], now: datetime
) -> None:
    """Keep the owner's other previews valid, although this erasure changed messages in them. `redacted` maps each
    message, as (chat, number), to its version before the erasure."""
    if redacted:
        keys = unzip(list(redacted), 2)
        await q.run("forget.follow_erasure", owner_id, preview_id, *keys, list(redacted.values()), now)


async def covering(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]]) -> list[tuple[int, str, int, int]]:
    """The chunk summaries that cover these messages, as (chat, thread, first message, last message)."""
    return [tuple(row) for row in await q.rows("forget.covering", owner_id, *unzip(keys, 2))]


async def lock(q: Queries, owner_id: int, chat_ids: Iterable[int] = ()) -> None:
    """Lock the chats, then the owner, so that only one erasure at a time adds tombstones."""
    await q.value("forget.lock", owner_id, list(chat_ids))
