"""Declares the places where texts of an owner are stored. Searches, previews, erasures, edits and the queue read this.

A new place needs an entry in `PLACES`, a part of `find` and a statement `clean_<place>` in `texts.sql`. A test fails if
one is missing, or if a column for a person's words belongs to no place.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from tellonce.contract import JobKind
from tellonce_server.domain.erasure.rebuild import queue_canonical, queue_summary
from tellonce_server.store.database import Queries
from tellonce_server.store.texts import TextRow

Group = Literal["derived", "former", "names"]
"""`derived`: texts made from messages. `former`: messages, quotes and former versions. `names`: names of conversations,
threads and channels."""
Rebuild = Callable[[Queries, int, TextRow, datetime], Awaitable[JobKind | None]]
"""Queues the rewriting of a shortened text and returns the kind of the job."""


@dataclass(frozen=True)
class TextPlace:
    """`counted` names the place in previews and results, and the page translates it. If `with_messages` is true, a
    search without messages skips the place. If `after_edit` is true, the texts are also cleaned after an edit."""

    counted: str
    group: Group = "former"
    with_messages: bool = False
    after_edit: bool = False
    rebuild: Rebuild | None = None


PLACES: Final[Mapping[str, TextPlace]] = {
    "message": TextPlace("messages", with_messages=True),
    "message_version": TextPlace("message_versions", with_messages=True),
    "memory": TextPlace("memory_quotes"),
    "memory_version": TextPlace("memory_versions"),
    "summary": TextPlace("conversation_summaries", "derived", after_edit=True, rebuild=queue_summary),
    "canonical": TextPlace("chat_metadata", "derived", after_edit=True, rebuild=queue_canonical),
    "profile": TextPlace("user_profile", "derived", after_edit=True),
    "routine": TextPlace("routine_summaries", "derived", with_messages=True, after_edit=True),
    "former": TextPlace("former_lines", "derived"),
    "slot": TextPlace("thread_state", "derived", after_edit=True),
    "job": TextPlace("chat_context_queue", "derived"),
    "model_call": TextPlace("model_calls", "derived"),
    "chat": TextPlace("conversation_names", "names"),
    "thread": TextPlace("conversation_names", "names"),
    "channel": TextPlace("conversation_names", "names"),
}
"""A profile has no `rebuild`. Its job is also due if only memories changed, so the callers queue this job. The place
`memory` is for a memory's texts besides its content, such as quotes. Contents of memories and messages are erased
separately."""

COUNTED: Final = frozenset(
    ("memories", "sentences", "tombstones", "context_receipts", *(place.counted for place in PLACES.values()))
)
"""Everything that previews and erasures count."""
DERIVED: Final = frozenset(name for name, place in PLACES.items() if place.group == "derived")
"""Derived texts are rebuilt, so removing too much from them does no harm."""
NAMES: Final = frozenset(name for name, place in PLACES.items() if place.group == "names")
"""The names that clients give to conversations, threads and channels."""
AFTER_EDIT: Final = frozenset(name for name, place in PLACES.items() if place.after_edit)


def searched(*, messages: bool) -> list[str]:
    return [name for name, place in PLACES.items() if messages or not place.with_messages]


@dataclass
class Cleaned:
    """The number of changed texts of each place, and the texts that must be rewritten."""

    counts: Counter[str] = field(default_factory=Counter[str])
    due: list[TextRow] = field(default_factory=list)

    def note(self, row: TextRow) -> None:
        self.counts[PLACES[row.place].counted] += 1
        self.due.append(row)

    async def queue_rebuild(self, q: Queries, owner_id: int, now: datetime) -> list[JobKind]:
        """Queue a job for every shortened text, and return their kinds. Chunk summaries come first, because rolling
        summaries are made from them."""
        kinds: list[JobKind] = []
        for row in sorted(self.due, key=lambda row: row.subject != "chunk"):
            rebuild = PLACES[row.place].rebuild
            if rebuild is not None and (kind := await rebuild(q, owner_id, row, now)) is not None:
                kinds.append(kind)
        return kinds
