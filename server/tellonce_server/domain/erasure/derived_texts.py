"""Removes forgotten statements from derived texts, former versions, and names of conversations and threads."""

import asyncio
from collections.abc import Sequence
from itertools import groupby

from tellonce_server.core.scope import renamed_thread
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.forget_query import NAMES, Degree, ForgetQuery
from tellonce_server.domain.erasure.rebuild import Cleaned
from tellonce_server.domain.erasure.redaction import Marks, marks_of, redact, redact_all
from tellonce_server.domain.erasure.scan import MatchingRow, source_of
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.store import forget, threads
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import NewSummary, TextPlace, TextRow
from tellonce_text.tokens import estimate

BATCH = 100
"""Texts per transaction."""


async def clean(
    deps: Dependencies,
    owner_id: int,
    found: Sequence[MatchingRow],
    query: ForgetQuery,
    degrees: frozenset[Degree],
    cleaned: Cleaned,
) -> None:
    """Write the cleaned texts, table by table. A text that changed since it was read is left for the next search."""
    for place, hits in groupby(sorted(found, key=_place), key=_place):
        rows = [hit.row for hit in hits]
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            texts = await asyncio.to_thread(_redacted, batch, query, degrees)
            async with deps.database.transaction() as t:
                await forget.lock(t, owner_id, {row.chat_id for row in batch if row.chat_id is not None})
                if place in NAMES:
                    await _replace_names(deps, t, owner_id, place, batch)
                else:
                    await _write(t, owner_id, place, texts)
            for row in batch:
                cleaned.note(row)


Redacted = list[tuple[TextRow, list[str], object]]
"""Rows, each with its new column values and its new JSON value."""


def _redacted(rows: Sequence[TextRow], query: ForgetQuery, degrees: frozenset[Degree]) -> Redacted:
    redacted: Redacted = []
    for row in rows:
        marks: list[Marks] = [marks_of(query, degrees, source_of(row, column)) for column in range(len(row.texts))]
        texts = [redact(text or "", mark)[0] for text, mark in zip(row.texts, marks, strict=True)]
        redacted.append((row, texts, redact_all(row.body, marks_of(query, degrees, source_of(row, -1)))))
    return redacted


async def _write(t: Queries, owner_id: int, place: TextPlace, texts: Redacted) -> None:
    rows = [row for row, _, _ in texts]
    match place:
        case "summary":
            await forget.set_summaries(t, owner_id, [_summary(*each) for each in texts])
        case "canonical":
            for row, parts, _ in texts:
                await forget.set_canonical(t, owner_id, row, parts, estimate("\n".join(parts)))
        case "profile":
            for row, parts, body in texts:
                await forget.set_profile(t, owner_id, row, parts[0], body)
        case "former":
            await forget.set_former_lines(t, owner_id, [(row.id, parts[0]) for row, parts, _ in texts])
        case "slot":
            for row in rows:
                await threads.clear_slot(t, owner_id, row.chat_id or 0, row.thread_key)
        case "job":
            await forget.clear_errors(t, owner_id, [(row.chat_id or 0, row.id) for row in rows])
        case "model_call":
            await forget.clear_notes(t, owner_id, [row.id for row in rows])
        case "message_version":
            await forget.drop_message_versions(t, owner_id, [(row.chat_id or 0, row.id, row.version) for row in rows])
        case "memory_version":
            await forget.drop_memory_versions(t, owner_id, [(row.id, row.version) for row in rows])
        case "memory":
            await forget.drop_details(t, owner_id, [row.id for row in rows if any(row.texts[1:])])
        case "message" | "chat" | "thread":
            raise ValueError(f"a {place} is not derived")


async def _replace_names(
    deps: Dependencies, t: Queries, owner_id: int, place: TextPlace, rows: Sequence[TextRow]
) -> None:
    """Replace forgotten names, and mark them as forgotten."""
    names = [row.texts[0] or "" for row in rows]
    await deps.tombstones.add_names(t, owner_id, names, deps.now())
    if place == "chat":
        await forget.clear_names(t, owner_id, [row.chat_id or 0 for row in rows])
        return
    new = await deps.tombstones.forgotten_names(t, owner_id, names)
    keys = [(row.chat_id or 0, row.thread_key, new[name]) for row, name in zip(rows, names, strict=True)]
    await forget.rename_threads(t, owner_id, [(chat, key, renamed_thread(key, name)) for chat, key, name in keys])


def _summary(row: TextRow, parts: Sequence[str], body: object) -> NewSummary:
    text = parts[0]
    return NewSummary(row.chat_id or 0, row.id, row.version, text, body, estimate(text), index_text(text, None))


def _place(hit: MatchingRow) -> TextPlace:
    return hit.row.place
