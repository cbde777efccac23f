"""The profile of a user, for `get_profile`, and the cursors of lists that begin with the newest entry."""

import re
from datetime import UTC, datetime
from typing import Final

from tellonce.contract import Conversation, GetProfileArgs, Memory, MemoryKind, MemoryStatus, Profile
from tellonce.contract_types import MEMORY_KINDS
from tellonce_server.core.errors import Refused
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory.statements import worth_showing
from tellonce_server.store import memories, profile
from tellonce_server.store.page import FIRST_PAGE

FACTS: Final[tuple[MemoryKind, ...]] = tuple(
    kind for kind in MEMORY_KINDS if kind not in ("preference", "goal", "date", "pin")
)
"""The kinds without a list of their own."""


class ProfileReader:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def profile(self, where: ChatScope, args: GetProfileArgs, most: int) -> Profile:
        """A page with at most `most` memories of the chat's owner that are visible in this chat.

        Raises: Refused: the cursor is not valid.
        """
        stored = await profile.find(self._deps.database, where.owner_id)
        found = await self._page(where, args, (args.limit or most) + 1)
        live = found[: args.limit or most]
        counts = await profile.counts(self._deps.database, *where.key, _statuses(args))
        return Profile(
            user_name=await memories.user_name(self._deps.database, *where.key),
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
            next_cursor=page_cursor(live[-1].valid_from, live[-1].id) if len(found) > len(live) else None,
        )

    async def _page(self, where: ChatScope, args: GetProfileArgs, limit: int) -> list[Memory]:
        after = cursor_place(args.cursor) if args.cursor is not None else FIRST_PAGE
        return await memories.page(self._deps.database, *where.key, _statuses(args), args.kinds, *after, limit)


def _statuses(args: GetProfileArgs) -> tuple[MemoryStatus, ...]:
    return (args.status,) if args.status else ("active", "uncertain")


def _of(live: list[Memory], *kinds: MemoryKind) -> tuple[Memory, ...]:
    return tuple(m for m in live if m.kind in kinds and m.status != "uncertain" and worth_showing(m.content))


def page_cursor(moment: datetime, number: int) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%f}.{number}"


def cursor_place(cursor: str) -> tuple[datetime, int]:
    """Return the time and the id of the previous page's last entry, which the cursor names. Raises: Refused: the cursor
    is not valid."""
    moment, _, number = cursor.partition(".")
    try:
        if re.fullmatch(r"[0-9]{1,18}", number):
            return datetime.strptime(moment, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC), int(number)
    except ValueError:
        pass
    raise Refused("That is not a cursor of this tool; use next_cursor of the previous page.", "call")
