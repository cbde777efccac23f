"""When a message is edited, updates the memories, summaries and jobs that depend on its text."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from tellonce.contract import JobKind, Memory
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope, session_thread
from tellonce_server.domain.erasure import derived_texts
from tellonce_server.domain.erasure.rebuild import queue_chunk
from tellonce_server.domain.memory import literals
from tellonce_server.domain.memory.check import Quoted, check_claim, contains_quote, quotes_in
from tellonce_server.domain.memory.retraction import queue_profile
from tellonce_server.domain.memory.statements import withdraw
from tellonce_server.store import memories, queue, reminders, summaries
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import StoredMessage
from tellonce_server.store.queue import NewJob
from tellonce_text.sentences import whole_sentences

DISTINCTIVE = 2
"""A former sentence is searched for in derived texts only if it has at least this many content words. A shorter
sentence cannot be recognized there."""

MOST_COMPARED = 200
"""Maximum sentences of the former text that are compared with the new text. The chunk's summary is always rewritten."""


async def after_edit(
    zone: ZoneInfo, t: Queries, scope: ChatScope, old: StoredMessage, new_text: str, gone: Sequence[str], now: datetime
) -> tuple[JobKind, ...]:
    """Withdraw the memories that the new text no longer supports, and queue extraction and summary jobs again. `gone`
    are the sentences that the edit takes back (`taken_back`)."""
    owner, chat = scope.key
    retired = await _retire(t, scope, old, Quoted(new_text, new_text, old.role, old.sent_at, zone), now)
    await queue.void_readers(t, owner, chat, old.id, old.thread_key, session_thread(chat))
    cleaned = await derived_texts.take_back(t, owner, [*(m.content for m in retired), *gone], now)
    kinds: list[JobKind] = []
    if old.role == "user":
        kinds.append("exchange")
        job = NewJob(owner, chat, "exchange", old.thread_key, f"edit:{old.id}", old.id, old.id, now)
        await queue.enqueue(t, job, now)
    covering = await summaries.of_message(t, owner, chat, old.thread_key, old.thread_no)
    if covering is not None:
        span = (covering.from_id, covering.to_id)
        kinds.append(await queue_chunk(t, owner, chat, old.thread_key, *span, now))
    kinds += await cleaned.queue_rebuild(t, owner, now)
    if retired or "user_profile" in cleaned.counts:
        kinds.append(await queue_profile(t, owner, chat, now))
    return tuple(dict.fromkeys(kinds))


async def _retire(t: Queries, scope: ChatScope, old: StoredMessage, said: Quoted, now: datetime) -> list[Memory]:
    """Withdraw and return the memories that have no source except this message. A memory stays if the message's new
    text supports it. A memory with a reminder stays until the person cancels it, because the person relies on it."""
    found = await memories.from_message(t, *scope.key, old.id)
    learned = [m for m in found if await reminders.by_memory(t, scope.owner_id, m.id) is None]
    stale = [m for m in learned if _only_from(m, old.id) and not await _holds(t, scope, m, said)]
    for memory in stale:
        await withdraw(t, scope.owner_id, memory, now, denied=False)
    return stale


async def _holds(t: Queries, scope: ChatScope, memory: Memory, said: Quoted) -> bool:
    """Whether the text still contains all quotes of the memory. A memory from a tag in an answer has none, so its claim
    is checked against the whole text."""
    quotes = (await memories.provenance(t, scope.owner_id, memory.id)).quotes
    if not quotes:
        return await offloaded(len(said.quote), lambda: check_claim(memory.content, [said]).certain)
    return all(contains_quote(said.quote, quote.text) for quote in quotes)


def taken_back(old_text: str, new_text: str) -> Sequence[str]:
    """The sentences that the new text no longer contains. Summaries may repeat them even if no memory does. Call this
    outside a transaction."""
    said = [part.strip() for _, part in whole_sentences(old_text)]
    # The number of sentences is limited, because each sentence is searched for in the whole new text. The new text may
    # be long.
    distinctive = (part for part in said[:MOST_COMPARED] if len(literals.content(part)) >= DISTINCTIVE)
    contains = quotes_in(new_text)
    return [part for part in distinctive if not contains(part)]


def _only_from(memory: Memory, message_id: int) -> bool:
    live = memory.valid_to is None and memory.origin in ("extracted", "model") and not memory.user_confirmed
    return live and memory.sources == (message_id,)
