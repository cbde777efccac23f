"""Finds outdated statements in shown texts, and the memories that state the present facts."""

from collections.abc import Sequence
from typing import Final

from tellonce_server.store import memories
from tellonce_server.store.database import Queries
from tellonce_text.changes import Change, MessageRange, Passage, changes_at, marked, with_repeated

MOST_FORMER: Final = 100
"""A text can repeat the former wording of a memory that was learned from other texts. At most this many memories are
tested for such a repetition."""

Changes = dict[tuple[int, int], list[Change]]
"""The changes by chat and message number."""


async def changes_in(
    q: Queries, owner_id: int, passages: Sequence[Passage], chat_id: int | None, beside: Sequence[MessageRange] = ()
) -> Changes:
    """The changes of the messages in `passages` and in `beside`. The texts of the messages in `beside` are not known.
    The current memories must be visible in `chat_id` (None: in any chat)."""
    places = [*(passage.place for passage in passages), *beside]
    if not places:
        return {}
    changes = await memories.changes(q, owner_id, (), places, chat_id)
    formers = await memories.former_wordings(q, owner_id, chat_id, MOST_FORMER)
    return with_repeated(changes, passages, formers)


async def marked_texts(q: Queries, owner_id: int, passages: Sequence[Passage], chat_id: int | None) -> list[str]:
    """The texts of the passages, with a mark after each statement that is no longer true."""
    changes = await changes_in(q, owner_id, passages, chat_id)
    return [marked(passage.text, changes_at(passage.place, changes)) for passage in passages]
