"""The request and the results of a search. Plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

from tellonce.contract import GetContextArgs, MemoryStatus, ResultKind, Role, SearchMemoryArgs
from tellonce_server.core.scope import ChatScope
from tellonce_text.changes import MessageRange


class Result(NamedTuple):
    """One result. `text` is the text to show. `full_text` is the whole text; it is empty until the text is loaded.
    `clipped` means that `text` is only the beginning of a long text.

    - `covered`: the weighted share of the query's words that are in the text. If `by_time` is true, it is the match of
      the query's time.
    - `source_ids`: message ids.
    - `listed`: the query names a category, and this result is one of several results of this category. `named`: a model
      named the category.
    - `since`: the start of a summary's period. `due`: the due time of a goal or date.
    """

    kind: ResultKind
    id: int
    chat_id: int | None
    thread_key: str | None
    text: str
    role: Role | None
    speaker: str | None
    at: datetime
    tokens: int
    score: float
    cosine: float | None
    source_ids: Sequence[int]
    covered: float
    routine: str | None = None
    memory_status: MemoryStatus | None = None
    listed: bool = False
    clipped: bool = False
    full_text: str = ""
    named: bool = False
    since: datetime | None = None
    due: datetime | None = None
    by_time: bool = False

    @property
    def place(self) -> MessageRange | None:
        """The messages that the result shows or summarizes, or None for a memory."""
        if self.chat_id is not None and self.kind == "message":
            return MessageRange(self.chat_id, self.id, self.id)
        if self.chat_id is not None and self.kind == "summary" and self.source_ids:
            return MessageRange(self.chat_id, self.source_ids[0], self.source_ids[-1])
        return None


PER_PAGE = frozenset(("now", "limit", "cursor"))
"""The fields of a search request that may differ from page to page."""


@dataclass(frozen=True)
class SearchRequest:
    """A search of one chat, or of all chats of the owner if `chat_id` is None.

    `asked_in` is the chat of the call: memories of `chat` scope are found only from their own chat. `since` and `until`
    limit when something was said. Memories are searched as they were at the end of that period. With `as_of`,
    everything is searched as it was at that time.
    """

    owner_id: int
    chat_id: int | None
    thread_key: str | None
    query: str
    now: datetime
    zone: ZoneInfo
    kinds: Sequence[ResultKind] | None = None
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 8
    cursor: str | None = None
    before_id: int | None = None
    as_of: datetime | None = None
    asked_in: int | None = None

    @property
    def mark(self) -> int:
        """A checksum of the fields that must be the same for every page of a search."""
        fixed = [(field.name, getattr(self, field.name)) for field in fields(self) if field.name not in PER_PAGE]
        return crc32(repr(fixed).encode())

    @property
    def ends(self) -> datetime | None:
        """Messages from this time on are excluded. None means no limit."""
        bounds = [bound for bound in (self.until, self.as_of) if bound is not None]
        return min(bounds, default=None)

    @property
    def is_narrow(self) -> bool:
        """Whether the search is limited to some messages, which `messages_within` selects first."""
        return any(limit is not None for limit in (self.thread_key, self.since, self.ends))


def requested(args: SearchMemoryArgs | GetContextArgs, scope: ChatScope, **own: Any) -> SearchRequest:
    """The search request of a tool call. The values in `own` replace all others."""
    same = {field.name: getattr(args, field.name) for field in fields(SearchRequest) if hasattr(args, field.name)}
    wanted: dict[str, Any] = {**same, "owner_id": scope.owner_id, "chat_id": scope.chat_id, **own}
    return SearchRequest(**wanted)


@dataclass(frozen=True)
class SearchPage:
    results: Sequence[Result]
    next_cursor: str | None
