"""Marks the outdated statements of shown texts."""

from collections.abc import Sequence

from tellonce_server.store import memories
from tellonce_server.store.database import Queries
from tellonce_text.changes import MessageRange, marked


async def marked_texts(
    q: Queries, owner_id: int, texts: Sequence[tuple[MessageRange, str]], chat_id: int | None
) -> list[str]:
    """The texts with their marks. The current memories must be visible in `chat_id` (None: in any chat)."""
    changes = await memories.changes(q, owner_id, [place for place, _ in texts], chat_id)
    return [marked(text, place, changes) for place, text in texts]
