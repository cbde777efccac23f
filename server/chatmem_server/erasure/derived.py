"""Every text that was derived for an owner, gone through and cleaned of something forgotten."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chatmem_server.erasure.redaction import redact, redact_all
from chatmem_server.erasure.targets import Sought, Target
from chatmem_server.retrieval.lexical import index_text, scope_lexemes
from chatmem_server.store.database import Queries, Row, unzip
from chatmem_server.text.tokens import estimate

BATCH = 200
"""Former versions read at a time: there is one for every exchange there ever was."""

FIRST = (-(2**63), "", 0)
"""Before any version: chat, subject, number."""


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


async def in_batches(q: Queries, owner_id: int, *, former: bool) -> AsyncIterator[Sequence[Row]]:
    """Every text that was derived for the owner, its words in `said`; `former`: archived ones and former versions too."""
    yield await q.rows("derived.texts", owner_id, former)
    last = FIRST
    while former and (rows := await q.rows("derived.versions", owner_id, *last, BATCH)):
        yield rows
        last = (rows[-1]["chat_id"], rows[-1]["subject"], rows[-1]["id"])


def stating(rows: Sequence[Row], sought: Sought) -> list[Row]:
    """Those with a sentence that states what is sought."""
    return [row for row in rows if sought.in_text(row["said"] or "")]


async def redact_derived(q: Queries, owner_id: int, sought: Sought) -> Cleaned:
    """Forget: take the sentences that state what is sought out of summaries, canonical texts, the profile and all former versions."""
    return await _redact(q, owner_id, sought, None)


async def take_back_derived(q: Queries, owner_id: int, targets: Sequence[Target], now: datetime) -> Cleaned:
    """Take the targets' sentences out of the texts in use; what those said until now becomes a former version."""
    return await _redact(q, owner_id, Sought(targets), now)


async def _redact(q: Queries, owner_id: int, sought: Sought, taken_back: datetime | None) -> Cleaned:
    cleaned = Cleaned()
    async for rows in in_batches(q, owner_id, former=taken_back is None):
        # Beside the event loop: a long memory has thousands of texts, and others' calls must not wait for them.
        whole = await _whole(q, owner_id, await asyncio.to_thread(stating, rows, sought))
        for row, text, body in await asyncio.to_thread(_changed, whole, sought):
            await _write(q, owner_id, row, text, body, taken_back)
            cleaned.note(row)
    return cleaned


async def _whole(q: Queries, owner_id: int, rows: Sequence[Row]) -> Sequence[Row]:
    """The same rows with what it takes to write them back: those of former versions come without."""
    if not rows or "body" in rows[0]:
        return rows
    keys = [(row["chat_id"], row["subject"], row["id"]) for row in rows]
    return await q.rows("derived.versions_whole", owner_id, *unzip(keys, 3))


def _changed(rows: Sequence[Row], sought: Sought) -> list[tuple[Row, str, Any]]:
    """The rows that state what is sought, with their text and body without it."""
    changed: list[tuple[Row, str, Any]] = []
    for row in rows:
        text, gone = redact(row["text"] or "", sought)
        body, gone_body = redact_all(row["body"], sought)
        if gone or gone_body:
            changed.append((row, text, body))
    return changed


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
