"""What a search asks for and what it finds; plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tellonce.contract import MemoryStatus, ResultKind, Role


class Hit(NamedTuple):
    """One thing found. `text` is what to show: of a long message the sentences that match; `full_text` is all of it.

    `cosine` is None where one of the two has no vector. `source_ids` are message numbers.
    """

    kind: ResultKind
    id: int
    chat_id: int | None
    thread_key: str | None
    text: str
    full_text: str
    role: Role | None
    speaker: str | None
    at: datetime
    tokens: int
    score: float
    cosine: float | None
    source_ids: Sequence[int]
    routine: str | None
    memory_status: MemoryStatus | None


@dataclass(frozen=True)
class SearchRequest:
    """`chat_id` None: all chats of the owner. `before_id`: only messages with a smaller number (what no window shows).

    `since` and `until` bound when something was said; memories are those believed at the end of that time. With `as_of`
    summaries and edited texts, too, are those of that moment.
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

    @property
    def ends(self) -> datetime | None:
        """The first moment whose messages are not looked at; None: all are."""
        bounds = [bound for bound in (self.until, self.as_of) if bound is not None]
        return min(bounds, default=None)


@dataclass(frozen=True)
class SearchPage:
    hits: Sequence[Hit]
    next_cursor: str | None
