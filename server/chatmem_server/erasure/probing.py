"""Looks for what was forgotten in every text, every full-text row and every vector of an owner."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from chatmem_server.erasure.derived import stating
from chatmem_server.erasure.targets import Sentence, Sought, Target
from chatmem_server.retrieval.lexical import index_text
from chatmem_server.services import Kit
from chatmem_server.store import memories, messages
from chatmem_server.store.messages import Located
from chatmem_server.text.tsquery import all_of, owner_scope
from chatmem_server.vectors import halfvec_or_none

SAME_MEANING = 0.95
"""Cosine at which a memory would be the forgotten statement in other words."""


@dataclass(frozen=True)
class Probed:
    """What is looked for: a topic, statements word for word, and what `messages` are not to state any more.

    `everywhere`: in all texts of the owner, the messages that were left alone included.
    """

    owner_id: int
    topic: str | None
    statements: Sequence[str]
    sought: Sought
    messages: Sequence[Located]
    everywhere: bool


class Prober:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def traces(self, f: Probed) -> int:
        """How many places still hold it: 0, or something is wrong."""
        return await self._stated(f) + (await self._texts(f) + await self._lexemes(f) if f.everywhere else 0)

    async def near(self, f: Probed) -> int:
        """Memories that say the same in other words: for the user to look at, not to be erased unasked."""
        count = 0
        for statement in f.statements:
            vector = await halfvec_or_none(self._kit.embedder, statement)
            if vector is not None:
                count += await self._kit.database.value("probe.near", f.owner_id, vector, SAME_MEANING)
        return count

    async def _stated(self, f: Probed) -> int:
        """Derived texts, former ones and touched messages that still have a sentence stating it."""
        database = self._kit.database
        former = [text.text for text in await memories.former(database, f.owner_id)]
        if f.everywhere:
            former += [text.text for text in await messages.former(database, f.owner_id)]
        left = await asyncio.to_thread(lambda: sum(map(f.sought.in_text, former)))
        async for rows in stating(database, f.owner_id, f.sought, former=True):
            left += len(rows)
        for at in f.messages:
            lines = await messages.by_ids(database, f.owner_id, at.chat_id, [at.line.id])
            left += sum(f.sought.in_text(line.content) for line in lines)
        return left

    async def _texts(self, f: Probed) -> int:
        """Texts that still state the topic, or hold a statement word for word."""
        topic = Target.topic(f.topic or "")
        patterns = [*map(_pattern, f.statements), *topic.patterns]
        rows = await self._kit.database.rows("probe.texts", f.owner_id, patterns)
        named = Sought([topic] if topic.topic_words else [])
        return await asyncio.to_thread(lambda: sum(_still_says(row["text"], f, named) for row in rows))

    async def _lexemes(self, f: Probed) -> int:
        """Full-text rows that hold the topic's words though their text does not."""
        topic = Target.topic(f.topic or "")
        if not topic.topic_words or topic.is_spaceless:
            return 0
        lexemes = await self._kit.database.value("retrieval.query_lexemes", index_text(f.topic or "", None)) or []
        rows = await self._kit.database.rows("probe.lexemes", f.owner_id, all_of(lexemes), owner_scope(f.owner_id))
        return sum(not topic.named_in(Sentence(row["text"])) for row in rows)


def _still_says(text: str, f: Probed, named: Sought) -> bool:
    """Whether it holds a statement word for word, or states the topic; like it, another memory may well be."""
    lowered = text.lower()
    if any(statement.strip().lower() in lowered for statement in f.statements):
        return True
    # All that is sought, the topic too, was looked for in most lines before.
    return f.sought.in_text(text) and named.in_text(text)


def _pattern(text: str) -> str:
    escaped = text.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
