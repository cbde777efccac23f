"""Undoes a person's change on the page within a few minutes. Erased text cannot be restored."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from tellonce.contract_types import Bigint, Contract, Instant, RestorableStatus, RowId
from tellonce_server.core.errors import Refused
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import dedup
from tellonce_server.domain.memory.retraction import queue_profile
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.store import memories, page
from tellonce_server.store.database import Queries

UNDO_MINUTES = 3
"""Minutes during which a change can be undone. The page offers the undo for a shorter time, because the request may
take long on a slow connection."""


class FormerText(Contract):
    """The state of a memory before an edit: its deadline, and whether it was a note."""

    note: bool
    deadline: Instant | None = None


class FormerState(Contract):
    """A former state of a memory. `edited` is set if the change edited the text of the memory."""

    memory_id: RowId
    status: RestorableStatus
    user_confirmed: bool
    pinned: bool
    edited: FormerText | None = None


class PageUndoArgs(Contract):
    memories: Annotated[tuple[FormerState, ...], Field(max_length=200)] = ()
    withdraw: RowId | None = Field(default=None, description="A new statement, and the one that replaced `memories`.")
    copies: Annotated[tuple[RowId, ...], Field(max_length=200, description="New copies in `shared_with`.")] = ()
    shared_with: Bigint | None = None


class PageUndone(Contract):
    restored: int


class TooLate(Refused):
    """The memory was not changed in the last few minutes, so there is nothing to undo."""


class Undoer:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def undo(self, owner_id: int, args: PageUndoArgs, shared_with: ChatScope | None) -> PageUndone:
        """Restore all former states, or none of them. Erase the copies in the chat `shared_with` that were created in
        the last few minutes. Raises TooLate."""
        now = self._deps.now()
        since = now - timedelta(minutes=UNDO_MINUTES)
        async with self._deps.database.transaction() as t:
            for entry in args.memories:
                await page.revive(t, owner_id, entry.memory_id, now, since)
                reworded = entry.edited is None or await _restore_text(
                    t, owner_id, entry.memory_id, entry.edited, since
                )
                former = (entry.memory_id, entry.status, entry.user_confirmed, entry.pinned)
                if not (reworded and await page.restore(t, owner_id, *former, now, since)):
                    text = f"Memory {entry.memory_id} was not changed just now; change it by hand."
                    raise TooLate(text, "undo_late", id=entry.memory_id)
            if args.withdraw is not None:
                first = args.memories[0].memory_id if args.memories else None
                if not await page.withdraw(t, owner_id, args.withdraw, first, now, since):
                    text = f"Memory {args.withdraw} was not created just now; change it by hand."
                    raise TooLate(text, "undo_late", id=args.withdraw)
            owners = {owner_id: owner_id}
            if shared_with is not None and args.copies:
                await page.unshare(t, shared_with.owner_id, args.copies, since)
                owners[shared_with.owner_id] = shared_with.chat_id
            for owner, chat_id in owners.items():
                await queue_profile(t, owner, chat_id, now)
        self._deps.tell_workers()
        for owner in owners:
            self._deps.tell_subscribers(owner, "memory://profile")
        return PageUndone(restored=len(args.memories))


async def _restore_text(t: Queries, owner_id: int, memory_id: int, former: FormerText, since: datetime) -> bool:
    """Restore the text that the last edit replaced. Returns False if the memory was not edited after the time
    `since`."""
    versions = await memories.versions(t, owner_id, memory_id)
    if not versions or versions[-1].replaced_at < since:
        return False
    last = versions[-1]
    indexed = await offloaded(len(last.text), lambda: index_text(last.text, None))
    made = (former.note, former.deadline, indexed, dedup.key(last.text))
    await memories.take_back_edit(t, owner_id, memory_id, last.version, *made)
    return True
