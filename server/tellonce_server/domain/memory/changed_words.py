"""Finds the words in shown texts that are no longer true, with the memories that state the facts now."""

from collections.abc import Sequence
from typing import Final

from tellonce_server.store import memories
from tellonce_server.store.database import Queries
from tellonce_text.changes import Change, MessageRange, Passage, changes_at, marked, with_repeated

MOST_FORMER: Final = 100
"""Maximum number of memories whose former wordings are looked for in texts from which they were not learned."""

Changes = dict[tuple[int, int], list[Change]]
"""The changes by chat and message number."""


async def changes_in(
    q: Queries, owner_id: int, passages: Sequence[Passage], chat_id: int | None, beside: Sequence[MessageRange] = ()
) -> Changes:
    """The changes of the passages' messages, and of the messages `beside` them, whose texts are not known. The current
    memories must be visible in `chat_id` (None: in any chat)."""
    places = [*(passage.place for passage in passages), *beside]
    if not places:
        return {}
    changes = await memories.changes(q, owner_id, (), places, chat_id)
    formers = await memories.former_wordings(q, owner_id, chat_id, MOST_FORMER)
    return with_repeated(changes, passages, formers)


async def marked_texts(q: Queries, owner_id: int, passages: Sequence[Passage], chat_id: int | None) -> list[str]:
    """The texts of the passages, with a mark after each statement that no longer holds."""
    changes = await changes_in(q, owner_id, passages, chat_id)
    return [marked(passage.text, changes_at(passage.place, changes)) for passage in passages]
