"""Removes from current derived texts what an edit of a message took back."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tellonce_server.domain.erasure.forget_query import DEGREES, Source, Stated, StatementQuery
from tellonce_server.domain.erasure.rebuild import Cleaned
from tellonce_server.domain.erasure.redaction import marks_of, redact, redact_all
from tellonce_server.domain.retrieval.lexical import index_text, scope_lexemes
from tellonce_server.store import threads
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import TextRow
from tellonce_text.tokens import estimate


async def take_back_derived(q: Queries, owner_id: int, texts: Sequence[str], now: datetime) -> Cleaned:
    """Remove sentences that make these statements from the current texts. The former texts are kept as versions."""
    cleaned = Cleaned()
    rows = [TextRow(*row) for row in await q.rows("derived.texts", owner_id)]
    for row, text, body in await asyncio.to_thread(_without, rows, StatementQuery(map(Stated, texts))):
        await _write(q, owner_id, row, text, body, now)
        cleaned.note(row)
    return cleaned


def _without(rows: Sequence[TextRow], query: StatementQuery) -> list[tuple[TextRow, str, Any]]:
    """The rows that make the statement, with their new text and body."""
    changed: list[tuple[TextRow, str, Any]] = []
    for row in rows:
        # A routine's summary is stored on its message, but it is a derived text too.
        marks = marks_of(query, frozenset(DEGREES), Source("summary", row.chat_id, row.id))
        text, gone = redact(row.texts[0] or "", marks)
        body = redact_all(row.body, marks)
        if gone or body != row.body:
            changed.append((row, text, body))
    return changed


async def _write(q: Queries, owner_id: int, row: TextRow, text: str, body: Any, now: datetime) -> None:
    chat = row.chat_id or 0
    match row.place:
        case "summary":
            columns = (text, body, estimate(text), index_text(text, None), scope_lexemes(owner_id, chat))
            await q.run("derived.set_summary", owner_id, chat, row.id, *columns, now)
        case "canonical":
            parts = (body["user_confirmed"], body["llm_inferred"], body["general_summary"])
            await q.run("derived.set_canonical", owner_id, chat, row.id, *parts, estimate("\n".join(parts)), now)
        case "profile":
            lists = (body["facts"], body["preferences"], body["goals"], body["dates"])
            await q.run("derived.set_profile", owner_id, text, *lists, now)
        case "slot":
            await threads.clear_slot(q, owner_id, chat, row.thread_key)
        case _:
            await q.run("derived.set_routine", owner_id, chat, row.id, text or None)
