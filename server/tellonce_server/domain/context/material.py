"""What is read for one context before anything is selected. Plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from tellonce.contract import ResultKind, SectionName
from tellonce.contract_types import MEMORY_KINDS
from tellonce.settings import Budgets
from tellonce_server.domain.context.lines import View
from tellonce_server.domain.retrieval.question import asks
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import ContextRows, LogRows
from tellonce_server.store.messages import Line
from tellonce_text.changes import Changes, changed_by


@dataclass(frozen=True)
class Material:
    """`results` are in rank order. `around` are the neighbors of a quoted message. `excluded` is the number of the
    message being answered. `total` is the token budget. `clock` says whether the context shows the current time. `keep`
    is the number of messages that are shown even if they are summarized. `names` are the names of other chats with
    results."""

    rows: ContextRows
    results: Sequence[Result]
    around: Sequence[Line]
    excluded: int | None
    query: str | None
    thread_key: str
    now: datetime
    zone: ZoneInfo
    total: int
    budgets: Budgets
    canonical_cap: int
    log: LogRows = field(default_factory=LogRows)
    include: frozenset[SectionName] | None = None
    keep: int = 20
    clock: bool = False
    chat_id: int = 0
    changes: Changes = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def view(self) -> View:
        known = {memory.id for memory in self.rows.memories} | {result.id for result in self.results_of(*MEMORY_KINDS)}
        return View(self.now, self.zone, self.thread_key, self.chat_id, self.changes, frozenset(known), self.names)

    @property
    def changed(self) -> list[int]:
        """The memories that correct a statement in a message of this context."""
        here = (self.view.at(line.id) for line in (*self.rows.window, *self.around))
        return changed_by([*here, *(result.place for result in self.results_of("message"))], self.changes)

    def results_of(self, *kinds: ResultKind) -> list[Result]:
        return [result for result in self.results if result.kind in kinds]

    @cached_property
    def asked(self) -> bool:
        """Whether the context answers a question for which something was found."""
        return bool(self.results) and asks(self.query or "")
