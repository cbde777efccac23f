"""Removes statements from derived texts, former versions, and names of conversations and threads. The user forgot the
statements, or an edit removed them from a message."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from tellonce_server.core.limits import paced
from tellonce_server.core.scope import renamed_thread, replaced_channel
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.forget_query import DEGREES, Degree, ForgetQuery, Stated, StatementQuery
from tellonce_server.domain.erasure.redaction import marks_of, redact_all, redact_derived
from tellonce_server.domain.erasure.scan import MatchingRow, source_of
from tellonce_server.domain.erasure.text_places import AFTER_EDIT, NAMES, Cleaned
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.store import forget, texts
from tellonce_server.store.database import Queries
from tellonce_server.store.texts import NewText, TextRow
from tellonce_text.tokens import estimate

BATCH = 100
"""Number of texts per transaction."""
BY_PLACE = attrgetter("place")


async def clean(
    deps: Dependencies,
    owner_id: int,
    found: Sequence[MatchingRow],
    query: ForgetQuery,
    degrees: frozenset[Degree],
    cleaned: Cleaned,
) -> None:
    """Clean the matching texts, one place after the other. A text that changed in the meantime is left to the next
    search."""
    distinct = {id(matching.row): matching.row for matching in found}.values()
    for place, of_place in groupby(sorted(distinct, key=BY_PLACE), key=BY_PLACE):
        rows = list(of_place)
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            new = await asyncio.to_thread(_redacted, batch, query, degrees)
            async with deps.database.transaction() as t:
                await forget.lock(t, owner_id, {row.chat_id for row in batch if row.chat_id is not None})
                if place in NAMES:
                    new = await _renamed(deps, t, owner_id, batch)
                await texts.clean(t, owner_id, place, new, None)
            for row in batch:
                cleaned.note(row)


async def _renamed(deps: Dependencies, t: Queries, owner_id: int, rows: Sequence[TextRow]) -> list[NewText]:
    """Mark the names of the rows as forgotten, and return the rows with their replacements. For a thread, the
    replacement is a new thread key."""
    names = [row.texts[0] or "" for row in rows]
    await deps.tombstones.add_names(t, owner_id, names, deps.now())
    new = await deps.tombstones.forgotten_names(t, owner_id, names)
    return [NewText(row, [_name(row, new[name])], None, 0) for row, name in zip(rows, names, strict=True)]


def _name(row: TextRow, new: str) -> str:
    if row.place == "channel":
        return replaced_channel(new)
    return renamed_thread(row.thread_key, new) if row.place == "thread" else new


async def take_back(q: Queries, owner_id: int, taken_back: Sequence[str], now: datetime) -> Cleaned:
    """Remove every sentence that makes one of the statements from the current derived texts. The former texts stay as
    versions."""
    cleaned = Cleaned()
    rows = await texts.current(q, owner_id, AFTER_EDIT)
    query = await asyncio.to_thread(StatementQuery, map(Stated, taken_back))
    for new in await asyncio.to_thread(_changed, rows, query):
        await texts.clean(q, owner_id, new.row.place, [new], now)
        cleaned.note(new.row)
    return cleaned


def _changed(rows: Sequence[TextRow], query: StatementQuery) -> list[NewText]:
    redacted = _redacted(rows, query, frozenset(DEGREES))
    return [new for new in redacted if new.body != new.row.body or new.texts != _plain(new.row)]


def _redacted(rows: Sequence[TextRow], query: ForgetQuery, degrees: frozenset[Degree]) -> list[NewText]:
    new: list[NewText] = []
    for row in paced(rows):
        marks = [marks_of(query, degrees, source_of(row, column)) for column in range(len(row.texts))]
        left = [redact_derived(text, of_column) for text, of_column in zip(_plain(row), marks, strict=True)]
        body = redact_all(row.body, marks_of(query, degrees, source_of(row, -1)))
        text = "\n".join(left)
        new.append(NewText(row, left, body, estimate(text), index_text(text, None)))
    return new


def _plain(row: TextRow) -> list[str]:
    return [text or "" for text in row.texts]
