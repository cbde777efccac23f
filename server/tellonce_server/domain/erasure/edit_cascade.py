"""When a message is edited, updates the memories, summaries and jobs that depend on its text."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tellonce.contract import JobKind, Memory
from tellonce_server.core.offload import offloaded
from tellonce_server.core.scope import ChatScope, session_thread
from tellonce_server.domain.erasure.forget_query import DEGREES, Source, Stated, StatementQuery
from tellonce_server.domain.erasure.rebuild import Cleaned, queue_chunk, queue_profile, queue_rebuild
from tellonce_server.domain.erasure.redaction import marks_of, redact, redact_all
from tellonce_server.domain.memory import literals
from tellonce_server.domain.memory.check import contains_quote
from tellonce_server.domain.memory.statements import Statements
from tellonce_server.domain.retrieval.lexical import index_text, scope_lexemes
from tellonce_server.store import derived, memories, queue, summaries, threads
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import TextRow
from tellonce_server.store.messages import StoredMessage
from tellonce_server.store.queue import NewJob
from tellonce_text.sentences import sentences
from tellonce_text.tokens import estimate

TELLING = 3
"""Minimum content words of a sentence. A sentence with fewer words cannot be recognized in a derived text."""

MOST_COMPARED = 200
"""Maximum sentences of an edited message that are compared with the new text. The chunk's summary is rewritten in any
case."""


class EditCascade:
    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    async def after_edit(
        self, t: Queries, where: ChatScope, old: StoredMessage, new_text: str, now: datetime
    ) -> tuple[JobKind, ...]:
        """Withdraw the memories that the new text no longer supports, and queue extraction and summary jobs again."""
        retired = await self._retire(t, where, old, new_text, now)
        session = session_thread(where.chat_id)
        await queue.void_readers(t, where.owner_id, where.chat_id, old.id, old.thread_key, session)
        taken_back = await offloaded(len(old.content) + len(new_text), lambda: _taken_back(old.content, new_text))
        gone = [*(m.content for m in retired), *taken_back]
        cleaned = await take_back_derived(t, where.owner_id, gone, now)
        kinds = self._learn_again(old)
        for kind in kinds:
            job = NewJob(where.owner_id, where.chat_id, kind, old.thread_key, f"edit:{old.id}", old.id, old.id, now)
            await queue.enqueue(t, job, now)
        covering = await summaries.of_message(t, where.owner_id, where.chat_id, old.thread_key, old.thread_no)
        if covering is not None:
            span = (covering.from_id, covering.to_id)
            await queue_chunk(t, where.owner_id, where.chat_id, old.thread_key, *span, now)
            kinds.append("erasure")
        kinds += await queue_rebuild(t, where.owner_id, cleaned, now)
        if retired or "user_profile" in cleaned.counts:
            await queue_profile(t, where.owner_id, where.chat_id, now)
            kinds.append("profile")
        return tuple(dict.fromkeys(kinds))

    def _learn_again(self, old: StoredMessage) -> list[JobKind]:
        return ["exchange"] if old.role == "user" else []

    async def _retire(
        self, t: Queries, where: ChatScope, old: StoredMessage, new_text: str, now: datetime
    ) -> list[Memory]:
        """Withdraw and return the memories that were learned from this message alone, unless the new text contains all
        quotes of the memory."""
        learned = await memories.from_message(t, where.owner_id, where.chat_id, old.id)
        stale = [m for m in learned if _only_from(m, old.id) and not await self._holds(t, where, m, new_text)]
        for memory in stale:
            await self._statements.withdraw(t, where.owner_id, memory, now, denied=False)
        return stale

    async def _holds(self, t: Queries, where: ChatScope, memory: Memory, new_text: str) -> bool:
        """Whether the text still contains all words that support the memory."""
        quotes = (await memories.provenance(t, where.owner_id, memory.id)).quotes
        return bool(quotes) and all(contains_quote(new_text, quote.text) for quote in quotes)


def _taken_back(old_text: str, new_text: str) -> Sequence[str]:
    """The sentences of the former text that the new text no longer contains. Summaries may repeat such a sentence even
    if no memory was learned from it."""
    said = [part.strip() for part in sentences(old_text)]
    # The number of sentences is limited, because each is compared with the whole new text, which may be long.
    telling = (part for part in said[:MOST_COMPARED] if len(literals.content(part)) >= TELLING)
    return [part for part in telling if not contains_quote(new_text, part)]


def _only_from(memory: Memory, message_id: int) -> bool:
    live = memory.valid_to is None and memory.origin == "extracted" and not memory.user_confirmed
    return live and memory.sources == (message_id,)


async def take_back_derived(q: Queries, owner_id: int, texts: Sequence[str], now: datetime) -> Cleaned:
    """Remove the sentences that make one of the statements `texts` from the derived texts. The former texts are kept as
    versions."""
    cleaned = Cleaned()
    rows = await derived.texts(q, owner_id)
    for row, text, body in await asyncio.to_thread(_without, rows, StatementQuery(map(Stated, texts))):
        await _write(q, owner_id, row, text, body, now)
        cleaned.note(row)
    return cleaned


def _without(rows: Sequence[TextRow], query: StatementQuery) -> list[tuple[TextRow, str, Any]]:
    """Return the rows that make one of the statements, each with its new text and body."""
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
            await derived.set_summary(
                *(q, owner_id, chat, row.id, text, body),
                tokens=estimate(text),
                index_text=index_text(text, None),
                scope=scope_lexemes(owner_id, chat),
                now=now,
            )
        case "canonical":
            parts = (body["user_confirmed"], body["llm_inferred"], body["general_summary"])
            await derived.set_canonical(q, owner_id, chat, row.id, parts, estimate("\n".join(parts)), now)
        case "profile":
            lists = (body["facts"], body["preferences"], body["goals"], body["dates"])
            await derived.set_profile(q, owner_id, text, lists, now)
        case "slot":
            await threads.clear_slot(q, owner_id, chat, row.thread_key)
        case "message":
            await derived.set_routine(q, owner_id, chat, row.id, text or None)
        case "former" | "job" | "model_call" | "message_version" | "memory" | "memory_version" | "chat" | "thread":
            raise ValueError(f"the query of derived texts does not read {row.place}")
