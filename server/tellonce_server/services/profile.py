"""The profile of a user, for `get_profile`."""

from typing import Final

from tellonce.contract import Conversation, GetProfileArgs, Memory, MemoryKind, MemoryStatus, Profile
from tellonce.contract_types import HOLDING, MEMORY_KINDS
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory.statements import worth_showing
from tellonce_server.store import memories, profile
from tellonce_server.store.page import cursor_of, position_of

FACTS: Final[tuple[MemoryKind, ...]] = tuple(
    kind for kind in MEMORY_KINDS if kind not in ("preference", "goal", "date", "pin")
)
"""The kinds of memories that the profile lists as facts, because they have no list of their own."""


class ProfileReader:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def profile(self, scope: ChatScope, args: GetProfileArgs, most: int) -> Profile:
        """At most `most` memories of the owner that are visible in this chat. Raises Refused for an invalid cursor."""
        stored = await profile.find(self._deps.database, scope.owner_id)
        statuses: tuple[MemoryStatus, ...] = (args.status,) if args.status else HOLDING
        shown, after, limit = (*scope.key, statuses), position_of(args.cursor), args.limit or most
        found = await memories.page(self._deps.database, *shown, args.kinds, *after, limit + 1)
        live = found[:limit]
        counts = await profile.counts(self._deps.database, *shown)
        return Profile(
            user_name=await memories.user_name(self._deps.database, *scope.key),
            narrative=stored.narrative if stored and args.cursor is None else "",
            facts=_of(live, *FACTS),
            preferences=_of(live, "preference"),
            goals=_of(live, "goal"),
            dates=_of(live, "date"),
            pins=tuple(m for m in live if m.status != "uncertain" and (m.pinned or m.kind == "pin")),
            uncertain=tuple(m for m in live if m.status == "uncertain"),
            only_searched=counts.only_searched,
            conversation=Conversation(messages=counts.messages, summaries=counts.summaries, verbatim=counts.verbatim),
            version=stored.version if stored else 0,
            next_cursor=cursor_of(live[-1].valid_from, live[-1].id) if len(found) > len(live) else None,
        )


def _of(live: list[Memory], *kinds: MemoryKind) -> tuple[Memory, ...]:
    return tuple(m for m in live if m.kind in kinds and m.status != "uncertain" and worth_showing(m.content))
