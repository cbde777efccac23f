"""Selects the known memories that are sent to a worker. The worker can then say which of them an exchange changes, ends
or repeats."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from tellonce.work import KnownMemory
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import literals
from tellonce_server.domain.retrieval.lexical import any_of, index_text, owner_scope
from tellonce_server.domain.retrieval.question import weight
from tellonce_server.embedding.protocol import vectors_or_none
from tellonce_server.store import memories, retrieval
from tellonce_server.store.codes import ModelVector

MOST: Final = 40
EACH: Final = 16
"""Maximum number of memories that are found by words. The same maximum applies to pinned memories and to recently
learned memories. Twice as many memories are found by similarity."""

DENIED: Final = 4
"""Maximum number of statements that the user rejected."""

JUST_NOW: Final = timedelta(minutes=10)

TEXTS: Final = 4
"""Maximum number of messages of the exchange that are compared by meaning. The longest messages are chosen."""

TERMS: Final = 6
"""Maximum number of words that are searched for. The rarest words are chosen, because common words would match every
memory."""

CHARACTERS: Final = 600


async def known_about(deps: Dependencies, owner_id: int, chat_id: int, texts: Sequence[str]) -> tuple[KnownMemory, ...]:
    """Up to 40 memories. These are memories similar to the messages in meaning or words, pinned memories, and memories
    learned in the last ten minutes. Similar statements that the user rejected are also included. The newest other
    memories fill the remaining places."""
    asked = sorted((text[:CHARACTERS] for text in texts if text.strip()), key=len, reverse=True)[:TEXTS]
    model, vectors = deps.embedder.model, await vectors_or_none(deps.embedder, asked)
    lexemes = any_of(await _terms(deps, " ".join(asked)))
    given = [ModelVector(vector, model) for vector in vectors or ()]
    scope, since = owner_scope(owner_id), deps.now() - JUST_NOW
    found = await memories.known_for(deps.database, owner_id, chat_id, given, lexemes, scope, EACH, MOST, since, DENIED)
    return tuple(found)


async def _terms(deps: Dependencies, text: str) -> list[str]:
    """The lexemes to search for. Numbers come first, and then the words that are probably the rarest. Longer words
    count as rarer, because no word statistics are available."""
    lexemes = await retrieval.query_lexemes(deps.database, index_text(text, None))
    numbers = literals.said_numbers(text)
    return sorted(lexemes, key=lambda x: (x not in numbers, -weight(x, {})))[:TERMS]
