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
    """One result. `text` is the text to show. For a long message, it consists of the matching sentences. `full_text` is
    the whole text. `full_text` is empty until the whole text is read. `clipped` is true as long as `text` is only the
    beginning of a long text.

    `cosine` is None if the query or the result has no vector. `covered` is the weighted share of the query's words that
    the text contains. `source_ids` are message ids. If `listed` is true, the query names a category, and the result is
    one of several members of this category. `named` says whether a model named the memory's categories. `own_score` is
    a message's score without the addition from memories. `since` is the start of a summary's period. `due` is the due
    time of a goal or date. If `by_time` is true, the query names only a time, and `covered` is the match of this time.
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
    own_score: float = 0.0
    full_text: str = ""
    named: bool = False
    since: datetime | None = None
    due: datetime | None = None
    by_time: bool = False

    @property
    def place(self) -> MessageRange | None:
        """The messages that the result shows or summarizes; None for a memory."""
        if self.chat_id is not None and self.kind == "message":
            return MessageRange(self.chat_id, self.id, self.id)
        if self.chat_id is not None and self.kind == "summary" and self.source_ids:
            return MessageRange(self.chat_id, self.source_ids[0], self.source_ids[-1])
        return None


PER_PAGE = frozenset(("now", "limit", "cursor"))
"""The fields of a search request that may differ from page to page."""


@dataclass(frozen=True)
class SearchRequest:
    """A search. If `chat_id` is None, all chats of the owner are searched. `asked_in` is the chat of the call if this
    chat differs from `chat_id`. Memories of `chat` scope are found only in searches from their own chat. `before_id`
    limits the search to messages with a smaller number.

    `since` and `until` limit the time at which something was said. Memories are searched in their state at the end of
    that period. With `as_of`, summaries and edited texts are searched in their state at the time `as_of`.
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
        """Return a checksum of all fields of the search that must be the same for every page. A cursor contains this
        checksum."""
        fixed = [(field.name, getattr(self, field.name)) for field in fields(self) if field.name not in PER_PAGE]
        return crc32(repr(fixed).encode())

    @property
    def ends(self) -> datetime | None:
        """The end of the searched period: messages from this time on are excluded. None if there is no limit."""
        bounds = [bound for bound in (self.until, self.as_of) if bound is not None]
        return min(bounds, default=None)

    @property
    def is_narrow(self) -> bool:
        """Whether the search is limited to some messages, for example to one thread. The query `messages_within` then
        compares only these messages."""
        return any(limit is not None for limit in (self.thread_key, self.since, self.ends))


def requested(args: SearchMemoryArgs | GetContextArgs, scope: ChatScope, **own: Any) -> SearchRequest:
    """Return the search request of a tool call. The owner and the chat come from `scope`. Other fields are copied from
    the arguments with the same names. The values in `own` replace all other values."""
    same = {field.name: getattr(args, field.name) for field in fields(SearchRequest) if hasattr(args, field.name)}
    wanted: dict[str, Any] = {**same, "owner_id": scope.owner_id, "chat_id": scope.chat_id, **own}
    return SearchRequest(**wanted)


@dataclass(frozen=True)
class SearchPage:
    results: Sequence[Result]
    next_cursor: str | None
