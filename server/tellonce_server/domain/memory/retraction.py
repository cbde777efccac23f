"""Removes sentences that repeat ended statements from the profile and the canonical summaries, and queues a new
profile.

A sentence can repeat a statement by its words or by its meaning, in any language. A doubtful sentence is removed. The
profile is rewritten soon, and a missing sentence misleads nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tellonce.contract import JobKind, Memory
from tellonce_server.domain.memory import literals
from tellonce_server.embedding.protocol import Embedder, Similarity, similarity_of
from tellonce_server.store import chats, memories, queue, texts, threads
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import NewJob
from tellonce_server.store.texts import NewText, TextRow
from tellonce_text.sentences import split_sentences
from tellonce_text.tokens import estimate

SHARE: Final = 0.75
"""A sentence with at least this share of a statement's content repeats the statement."""

COSINE: Final = 0.75
"""A sentence with at least this cosine repeats a statement in other words."""

MOST_LINES: Final = 60
"""Maximum sentences that are compared by meaning, counted from the start of the texts."""

PRESENT: Final = ("profile", "canonical")
"""The places of the texts that describe the present."""


@dataclass(frozen=True)
class Ended:
    """`texts` are the wordings of an ended statement, and `instead` is the text of its replacement."""

    texts: Sequence[str]
    instead: str


def struck(text: str, ended: Sequence[Ended], cosine: Similarity) -> str:
    """The text without the sentences that repeat an ended statement. Pure."""
    lines = (_struck_line(line, ended, cosine) for line in text.split("\n"))
    return "\n".join(line for line in lines if line is not None)


def _struck_line(line: str, ended: Sequence[Ended], cosine: Similarity) -> str | None:
    parts = split_sentences(line)
    kept = [part for part in parts if not any(carries(part, x, cosine) for x in ended)]
    if len(kept) == len(parts):
        return line
    return " ".join(kept) if kept else None


def carries(sentence: str, ended: Ended, cosine: Similarity) -> bool:
    """Whether the sentence repeats the ended statement, and is not more similar to the replacement."""
    said = literals.said_numbers(sentence)
    best = max((_similarity(sentence, said, text, cosine) for text in ended.texts), default=0.0)
    return best >= 1.0 and best >= _similarity(sentence, said, ended.instead, cosine)


def _similarity(sentence: str, numbers: frozenset[str], statement: str, cosine: Similarity) -> float:
    """The similarity divided by its threshold, so 1 or more is a repetition."""
    if not literals.said_numbers(statement) <= numbers:
        return 0.0
    if literals.phrase(statement) in literals.phrase(sentence):
        return 2.0
    wanted, there = literals.content(statement), literals.content(sentence)
    weight = sum(wanted.values())
    share = sum(w for part, w in wanted.items() if part in there) / weight if weight else 0.0
    return max(share / SHARE, cosine(sentence, statement) / COSINE)


async def warm(embedder: Embedder, q: Queries, owner_id: int, ids: Sequence[int], instead: Sequence[str]) -> None:
    """Embed the texts that `strike` will compare, before its transaction begins. The embedder caches the vectors."""
    if ids:
        rows = await texts.current(q, owner_id, PRESENT)
        ended = [Ended(await _texts(q, owner_id, m), "") for m in await memories.by_ids(q, owner_id, ids)]
        await _cosine(embedder, [*instead, *map(_said, rows)], ended)


async def strike(
    embedder: Embedder, t: Queries, owner_id: int, ended: Sequence[tuple[Memory, str]], now: datetime
) -> bool:
    """Remove the sentences that repeat an ended statement. `ended` are memories, each with the statement that replaced
    it. Returns whether the profile changed."""
    if not ended:
        return False
    rows = await texts.current(t, owner_id, PRESENT)
    found = [Ended(await _texts(t, owner_id, memory), instead) for memory, instead in ended]
    cosine = await _cosine(embedder, [*map(_said, rows)], found)
    changed = [row.place for row in rows if await _write(t, owner_id, row, found, cosine, now)]
    return "profile" in changed


async def _texts(t: Queries, owner_id: int, memory: Memory) -> list[str]:
    quotes = (await memories.provenance(t, owner_id, memory.id)).quotes
    return [memory.content, *(quote.text for quote in quotes)]


async def _cosine(embedder: Embedder, texts: Sequence[str], ended: Sequence[Ended]) -> Similarity:
    lines = [part for text in texts for part in split_sentences(text)]
    asked = list(dict.fromkeys([*(s for x in ended for s in (*x.texts, x.instead)), *lines[:MOST_LINES]]))
    return await similarity_of(embedder, asked) or (lambda one, other: 0.0)


async def _write(
    t: Queries, owner_id: int, row: TextRow, ended: Sequence[Ended], cosine: Similarity, now: datetime
) -> bool:
    """Write the row without the sentences that repeat an ended statement. Returns whether it changed."""
    parts = [struck(part or "", ended, cosine) for part in row.texts]
    if parts == row.texts:
        return False
    lists: dict[str, list[str]] = row.body or {}
    body = {name: [line for line in lines if struck(line, ended, cosine)] for name, lines in lists.items()}
    await texts.clean(t, owner_id, row.place, [NewText(row, parts, body, estimate("\n".join(parts)))], now)
    return True


async def queue_profile(q: Queries, owner_id: int, chat_id: int, now: datetime) -> JobKind:
    """Queue a rewrite of the profile's narrative. The job belongs to the chat of the request."""
    of_chat = await threads.of_chat(q, owner_id, chat_id)
    key = of_chat[0].thread_key if of_chat else ""
    job = NewJob(owner_id, chat_id, "profile", key, "profile", 0, 0, now)
    await queue.enqueue(q, job, now)
    return job.kind


async def queue_profile_of(q: Queries, owner_id: int, now: datetime) -> None:
    """As `queue_profile`. The job belongs to the owner's newest chat."""
    known = await chats.of_owner(q, owner_id)
    if known:
        newest = max(known, key=lambda chat: chat.created_at).chat_id
        await chats.lock(q, owner_id, newest)
        await queue_profile(q, owner_id, newest, now)


def _said(row: TextRow) -> str:
    return "\n".join(filter(None, row.texts))
