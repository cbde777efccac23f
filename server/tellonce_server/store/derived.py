"""The texts that were derived from messages, as an edit or a retraction changes them. Each change keeps the former text
as a version."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from tellonce_server.store.database import Queries
from tellonce_server.store.forget import TextRow


class Standing(NamedTuple):
    """A text that describes the present: the profile, or the current canonical summary of a chat. `said` is the whole
    text, `parts` its columns, and `lists` the lists of a profile."""

    place: Literal["profile", "canonical"]
    chat_id: int
    epoch: int
    parts: list[str]
    said: str
    lists: list[list[str]] | None


class ChunkRange(NamedTuple):
    """The messages that a chunk summary covers."""

    thread_key: str
    from_id: int
    to_id: int


async def texts(q: Queries, owner_id: int) -> list[TextRow]:
    return [TextRow(*row) for row in await q.rows("derived.texts", owner_id)]


async def standing(q: Queries, owner_id: int) -> list[Standing]:
    return [Standing(*row) for row in await q.rows("derived.standing", owner_id)]


async def chunk_range(q: Queries, owner_id: int, chat_id: int, number: int) -> ChunkRange | None:
    row = await q.row("derived.chunk_range", owner_id, chat_id, number)
    return ChunkRange(*row) if row is not None else None


async def set_summary(
    q: Queries,
    owner_id: int,
    chat_id: int,
    number: int,
    text: str,
    body: Any,
    *,
    tokens: int,
    index_text: str,
    scope: Sequence[str],
    now: datetime,
) -> None:
    await q.run("derived.set_summary", owner_id, chat_id, number, text, body, tokens, index_text, list(scope), now)


async def set_canonical(
    q: Queries, owner_id: int, chat_id: int, epoch: int, parts: Sequence[str], tokens: int, now: datetime
) -> None:
    """Replace a canonical summary. `parts` are what the user confirmed, what was inferred, and the general summary."""
    await q.run("derived.set_canonical", owner_id, chat_id, epoch, *parts, tokens, now)


async def set_profile(q: Queries, owner_id: int, narrative: str, lists: Sequence[Sequence[str]], now: datetime) -> None:
    """Replace the profile. `lists` are its facts, preferences, goals and dates."""
    await q.run("derived.set_profile", owner_id, narrative, *map(list, lists), now)


async def set_routine(q: Queries, owner_id: int, chat_id: int, message_id: int, summary: str | None) -> None:
    await q.run("derived.set_routine", owner_id, chat_id, message_id, summary)
