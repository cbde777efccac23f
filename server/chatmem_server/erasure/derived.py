"""Every text that was derived for an owner, gone through and cleaned of something forgotten."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chatmem_server.erasure.redaction import redact, redact_all
from chatmem_server.erasure.targets import Sought, Target
from chatmem_server.retrieval.lexical import index_text, scope_lexemes
from chatmem_server.store import lanes
from chatmem_server.store.database import Queries, Row
from chatmem_server.text.tokens import estimate

BATCH = 2_000
"""Former lines read at a time: there is one or two for every exchange there ever was."""


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


async def stating(q: Queries, owner_id: int, sought: Sought, *, former: bool) -> AsyncIterator[Sequence[Row]]:
    """Derived texts that state what is sought, with what it takes to write them back; `former`: archived ones and former
    versions too.

    Texts are read beside the event loop: a long memory has many, and others' calls must not wait for them.
    """
    texts = await q.rows("derived.texts", owner_id, former)
    yield await asyncio.to_thread(_stating, texts, sought)
    after = 0
    while former and (lines := await q.rows("derived.former_lines", owner_id, after, BATCH)):
        yield await asyncio.to_thread(_stating, lines, sought)
        after = lines[-1]["id"]


def _stating(texts: Sequence[Row], sought: Sought) -> list[Row]:
    return [row for row in texts if sought.in_text(row["said"] or "")]


async def redact_derived(q: Queries, owner_id: int, sought: Sought) -> Cleaned:
    """Forget: take the sentences that state what is sought out of summaries, canonical texts, the profile and all former versions."""
    return await _redact(q, owner_id, sought, None)


async def take_back_derived(q: Queries, owner_id: int, targets: Sequence[Target], now: datetime) -> Cleaned:
    """Take the targets' sentences out of the texts in use; what those said until now becomes a former version."""
    return await _redact(q, owner_id, Sought(targets), now)


async def _redact(q: Queries, owner_id: int, sought: Sought, taken_back: datetime | None) -> Cleaned:
    cleaned = Cleaned()
    async for rows in stating(q, owner_id, sought, former=taken_back is None):
        for row, text, body in await asyncio.to_thread(_without, rows, sought):
            await _write(q, owner_id, row, text, body, taken_back)
            cleaned.note(row)
    return cleaned


def _without(rows: Sequence[Row], sought: Sought) -> list[tuple[Row, str, Any]]:
    """The rows, which state what is sought, with their text and body without it."""
    return [(row, redact(row["text"] or "", sought)[0], redact_all(row["body"], sought)) for row in rows]


_NAMES = {
    "summary": "conversation_summaries",
    "canonical": "chat_metadata",
    "profile": "user_profile",
    "former": "former_lines",
    "routine": "routine_summaries",
    "slot": "thread_state",
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
        case "slot":
            await lanes.clear_slot(q, owner_id, chat, row["thread_key"])
        case "former" if text:
            await q.run("derived.set_former_line", owner_id, number, text)
        case "former":
            await q.run("derived.drop_former_line", owner_id, number)
        case _:
            await q.run("derived.set_routine", owner_id, chat, number, text or None)
