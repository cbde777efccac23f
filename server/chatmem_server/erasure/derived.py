"""Every text that was derived for an owner, gone through and cleaned of something forgotten."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chatmem_server.erasure.redaction import Target, redact, redact_all
from chatmem_server.retrieval.lexical import index_text, scope_lexemes
from chatmem_server.store.database import Queries, Row
from chatmem_server.text.tokens import estimate

TEXTS = "derived.texts"
"""The query that reads them all."""


@dataclass
class Cleaned:
    """How many texts of each kind were changed, and which ask to be written anew: chunks by (chat, number), rolling
    summaries by (chat, lane), canonical summaries by chat.
    """

    counts: dict[str, int] = field(default_factory=dict)
    chunks: list[tuple[int, int]] = field(default_factory=list)
    rolling: list[tuple[int, str]] = field(default_factory=list)
    canonicals: list[int] = field(default_factory=list)

    def note(self, row: Row) -> None:
        """One text was changed."""
        self.count(_NAMES[row["place"]])
        match row["place"], row["subject"]:
            case "summary", "chunk":
                self.chunks.append((row["chat_id"], row["id"]))
            case "summary", _:
                self.rolling.append((row["chat_id"], row["thread_key"]))
            case "canonical", "live":
                self.canonicals.append(row["chat_id"])
            case _:
                pass

    def count(self, place: str) -> None:
        self.counts[place] = self.counts.get(place, 0) + 1


async def redact_derived(q: Queries, owner_id: int, targets: Sequence[Target]) -> Cleaned:
    """Forget: take the targets' sentences out of summaries, canonical texts, the profile and all former versions."""
    return await _redact(q, owner_id, await q.rows(TEXTS, owner_id), targets, None)


async def take_back_derived(q: Queries, owner_id: int, targets: Sequence[Target], now: datetime) -> Cleaned:
    """Take the targets' sentences out of the texts in use; what those said until now becomes a former version."""
    rows = [row for row in await q.rows(TEXTS, owner_id) if row["place"] != "version" and row["subject"] != "archived"]
    return await _redact(q, owner_id, rows, targets, now)


async def _redact(
    q: Queries, owner_id: int, rows: Sequence[Row], targets: Sequence[Target], taken_back: datetime | None
) -> Cleaned:
    cleaned = Cleaned()
    # Beside the event loop: a long memory has thousands of texts, and others' calls must not wait for them.
    for row, text, body in await asyncio.to_thread(lambda: list(_changed(rows, targets))):
        await _write(q, owner_id, row, text, body, taken_back)
        cleaned.note(row)
    return cleaned


def _changed(rows: Sequence[Row], targets: Sequence[Target]) -> Iterator[tuple[Row, str, Any]]:
    """The rows that state a target, with their text and body without it."""
    for row in rows:
        text, gone = redact(row["text"] or "", targets)
        body, gone_body = redact_all(row["body"], targets)
        if gone or gone_body:
            yield row, text, body


_NAMES = {
    "summary": "conversation_summaries",
    "canonical": "chat_metadata",
    "profile": "user_profile",
    "version": "text_versions",
    "routine": "routine_summaries",
}


async def _write(q: Queries, owner_id: int, row: Row, text: str, body: Any, taken_back: datetime | None) -> None:
    chat, number = row["chat_id"], row["id"]
    match row["place"]:
        case "summary":
            index = index_text(text, None)
            scope = scope_lexemes(owner_id, chat)
            columns = (text, body, estimate(text), index, scope)
            await q.run("derived.set_summary", owner_id, chat, number, *columns, taken_back)
        case "canonical":
            parts = (body["user_confirmed"], body["llm_inferred"], body["general_summary"])
            await q.run("derived.set_canonical", owner_id, chat, number, *parts, estimate("\n".join(parts)), taken_back)
        case "profile":
            lists = (body["facts"], body["preferences"], body["goals"], body["dates"])
            await q.run("derived.set_profile", owner_id, text, *lists, taken_back)
        case "version":
            await q.run("derived.set_version", owner_id, chat, row["subject"], number, body)
        case _:
            await q.run("derived.set_routine", owner_id, chat, number, text or None)
