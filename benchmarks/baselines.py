"""Common methods of ranking messages, applied to the database rows that our search uses: full text with AND and OR,
BM25, dense vectors, and reciprocal rank fusion."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from benchmarks.dialogue import Dialogue, Probe
from benchmarks.memory import Memory
from tellonce_server.domain.retrieval.lexical import index_text

K1 = 0.9
RRF = 60

AND = """
select id from message_fts
where owner_id = $1 and chat_id = $1 and tsv @@ websearch_to_tsquery('chatmem', $2)
order by ts_rank_cd(tsv, websearch_to_tsquery('chatmem', $2)) desc, id limit 50
"""
OR = """
select id
from message_fts, (select replace(plainto_tsquery('chatmem', $2)::text, '&', '|')::tsquery as query) q
where owner_id = $1 and chat_id = $1 and tsv @@ query
order by ts_rank(tsv, query) desc, id limit 50
"""
LEXEMES = """
select id, array(select lexeme from unnest(tsv) where lexeme not like '@%') as lexemes,
  array(select coalesce(cardinality(positions), 1) from unnest(tsv) where lexeme not like '@%') as counts
from message_fts where owner_id = $1 and chat_id = $1 order by id
"""
VECTORS = "select embedding from messages where owner_id = $1 and chat_id = $1 order by id"


@dataclass(frozen=True)
class Chat:
    """The words and vectors of one dialogue. Each message has the counts of its words, and a unit vector. `vectors` is
    None without embeddings."""

    user: int
    words: Sequence[Counter[str]]
    vectors: "np.ndarray[Any, Any] | None"
    speakers: frozenset[str]
    b: float


async def load(memory: Memory, user: int, dialogue: Dialogue) -> Chat:
    async with memory.tables() as tables:
        words = [Counter(dict(zip(r["lexemes"], r["counts"], strict=True))) for r in await tables.fetch(LEXEMES, user)]
        raw = [row["embedding"] for row in await tables.fetch(VECTORS, user)]
    vectors = np.stack([value.to_numpy().astype(np.float32) for value in raw]) if all(raw) else None
    speakers = frozenset(turn.speaker for turn in dialogue.turns if turn.speaker)
    return Chat(user, words, vectors, speakers, 0.75 if dialogue.regime == "assistant" else 0.4)


async def rankings(memory: Memory, chat: Chat, probe: Probe) -> dict[str, list[int]]:
    """For each method, return the message ids, best first."""
    async with memory.tables() as tables:
        found = {
            "full text, AND": [r["id"] for r in await tables.fetch(AND, chat.user, probe.text)],
            "full text, OR, ts_rank": [
                r["id"] for r in await tables.fetch(OR, chat.user, index_text(probe.text, None))
            ],
        }
    lexemes = await memory.services.deps.database.value("retrieval.query_lexemes", index_text(probe.text, None))
    words = _best(_bm25(chat, lexemes or []))
    found["BM25 with speaker"] = words
    if chat.vectors is not None:
        embed = memory.storage.embedder.embed
        plain, bare = await embed([probe.text, _without(probe.text, chat.speakers)], urgent=True)
        dense = _best(chat.vectors @ np.array(plain))
        found |= {
            "dense": dense,
            "dense, names taken out": _best(chat.vectors @ np.array(bare)),
            "RRF of BM25 and dense": _fused(words[:100], dense[:100]),
        }
    return found


def _bm25(chat: Chat, lexemes: Sequence[str]) -> "np.ndarray[Any, Any]":
    n = len(chat.words)
    mean = sum(message.total() for message in chat.words) / n
    frequency = {x: sum(x in message for message in chat.words) for x in lexemes}
    idf = {x: log(1 + (n - f + 0.5) / (f + 0.5)) for x, f in frequency.items()}
    return np.array([_bm25_of(message, idf, chat.b, mean) for message in chat.words])


def _bm25_of(message: Counter[str], idf: dict[str, float], b: float, mean: float) -> float:
    length = K1 * (1 - b + b * message.total() / mean)
    return sum(idf[x] * message[x] * (K1 + 1) / (message[x] + length) for x in idf if message[x])


def _best(scores: "np.ndarray[Any, Any]") -> list[int]:
    return [int(index) + 1 for index in np.argsort(-scores, kind="stable")]


def _fused(*rankings: Sequence[int]) -> list[int]:
    scores: Counter[int] = Counter()
    for ranking in rankings:
        for place, number in enumerate(ranking, 1):
            scores[number] += 1 / (RRF + place)  # type: ignore[assignment]  # a Counter of floats
    return [number for number, _ in scores.most_common()]


def _without(text: str, names: frozenset[str]) -> str:
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b(?:'s)?", " ", text)
    return text
