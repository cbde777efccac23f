"""Arguments and results of the tools that only the page calls. No model sees these tools."""

from typing import Annotated, Final, Literal, get_args

from pydantic import AwareDatetime, Field

from tellonce.contract import Explanation, Memory, MemoryOrigin, MemoryStatus, Role, Section, ShownName
from tellonce.contract_types import (
    CURRENT,
    HOLDING,
    LISTED_KINDS,
    STATUSES,
    Bigint,
    Contract,
    Instant,
    ListedKind,
    Moment,
    RestorableStatus,
    RowId,
    Text,
    Unit,
)
from tellonce.work import CostSummary, QueueStatus, ReadingStatus

Limit = Annotated[int, Field(ge=1, le=200, strict=True)]


class PageMemoriesArgs(Contract):
    query: Text | None = None
    kinds: tuple[ListedKind, ...] | None = None
    statuses: tuple[MemoryStatus, ...] = HOLDING
    origins: tuple[MemoryOrigin, ...] | None = None
    chat_id: Bigint | None = None
    least_confidence: Unit = 0
    as_of: Moment | None = None
    about: Text | None = None
    cursor: Text | None = None
    limit: Limit = 100


class PageEntry(Contract):
    """A memory with the user's words that support it."""

    memory: Memory
    quote: str | None


class PageChat(Contract):
    chat_id: int
    channel: str
    conversation: str | None


class PageGroup(Contract):
    chat_id: int
    name: str | None = Field(description="Null before the bot has seen a message in the group.")


class PageGroups(Contract):
    """The groups with which the caller may share a memory."""

    groups: tuple[PageGroup, ...]


FILTERS: Final[dict[str, tuple[str, ...]]] = {
    "kind": ("", *LISTED_KINDS),
    "status": ("live", *(status for status in STATUSES if status not in CURRENT)),
    "origin": ("", *get_args(MemoryOrigin)),
}
"""The values of the filters of the list. An empty text stands for all values, `live` for the default statuses."""


class PageMemories(Contract):
    filters: dict[str, tuple[str, ...]] | None = Field(description="Only on the first page.")
    entries: tuple[PageEntry, ...]
    chats: tuple[PageChat, ...] = Field(description="All chats of the owner, for a filter; only on the first page.")
    total: int | None = Field(description="The number of matches; only on the first page.")
    next_cursor: str | None


class NoArgs(Contract):
    """The arguments of a tool that has none."""


class PageToday(Contract):
    """Today's overview. `reading` is shown only to the operator of the memory."""

    narrative: str = Field(description="Empty unless a language model wrote the profile.")
    uncertain: tuple[PageEntry, ...]
    overdue: tuple[PageEntry, ...]
    coming: tuple[PageEntry, ...]
    learned: tuple[PageEntry, ...]
    told: tuple[PageEntry, ...] = Field(
        description="Shown instead of the narrative: memories that are in no other list."
    )
    wishes: tuple[PageEntry, ...] = Field(description="The preferences and goals among these memories.")
    memories: int
    messages: int
    chats: int
    reading: ReadingStatus | None = None
    cost: CostSummary | None = None


class PageMemoryArgs(Contract):
    memory_id: RowId


class SaidLine(Contract):
    id: int
    role: Role
    speaker: str | None
    at: AwareDatetime
    text: str
    source: bool = Field(default=False, description="Whether it is a source of the memory.")


class SourceTalk(Contract):
    chat_id: int
    lines: tuple[SaidLine, ...]


class AnswerEntry(Contract):
    receipt_id: str
    chat_id: int
    channel: str
    at: AwareDatetime
    question: str
    preceded: bool = Field(description="Whether the context was read before the question was recorded.")
    tokens: int
    token_budget: int
    budgets: dict[ShownName, int] = Field(default={}, description="Maximum tokens of each section that has a maximum.")
    truncated: bool


class PageMemory(Contract):
    explanation: Explanation
    talks: tuple[SourceTalk, ...]
    answers: tuple[AnswerEntry, ...]


class PageTimelineArgs(Contract):
    month: Annotated[str, Field(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")] | None = None


class MonthEntry(Contract):
    month: str
    messages: int


class TalkSummary(Contract):
    from_at: AwareDatetime
    to_at: AwareDatetime
    count: int
    text: str


class TalkEntry(Contract):
    chat_id: int
    channel: str
    messages: int
    from_id: int
    to_id: int
    from_at: AwareDatetime
    to_at: AwareDatetime
    begins: str = Field(default="", description="The beginning of its first message, if it has no summary.")
    summaries: tuple[TalkSummary, ...] = ()


class DayEntry(Contract):
    day: str
    talks: tuple[TalkEntry, ...]


class PageTimeline(Contract):
    """All months, and the days of the requested month. By default, the requested month is the newest."""

    today: str = Field(description="The day in the memory's time zone.")
    months: tuple[MonthEntry, ...]
    month: str | None
    days: tuple[DayEntry, ...]


class PageWordsArgs(Contract):
    chat_id: Bigint
    from_id: RowId
    to_id: RowId
    limit: Limit = 100


class PageWords(Contract):
    lines: tuple[SaidLine, ...]
    next_id: int | None


class PageAnswersArgs(Contract):
    before: Instant | None = None
    limit: Limit = 30


class PageAnswers(Contract):
    """The newest answers. `erased` means that the records of earlier answers were erased, because something was
    forgotten."""

    answers: tuple[AnswerEntry, ...]
    next_before: AwareDatetime | None
    erased: bool = False


class PageAnswerArgs(Contract):
    receipt_id: Text
    chat_id: Bigint | None = None


LeftOutWhy = Literal["full", "clipped", "enough"]


class LeftOut(Contract):
    """The things that were left out or clipped for one reason. `things` counts the things by kind; the kind
    `section.NAME` is a whole section."""

    why: LeftOutWhy
    things: dict[str, int]


class RecalledLine(Contract):
    """A line of the context, or a text that an answer repeats. `memory_id` is set only for a memory. `at` is set only for
    a message that an answer repeats."""

    memory_id: int | None
    text: str
    at: AwareDatetime | None = None


class PageAnswer(Contract):
    """The basis of an answer. `replies` are the assistant's messages to the question. `repeated` are the user's messages
    and the memories that these repeat word for word. `shown` and `found` count things by kind, as `LeftOut` does. `found` counts what a search
    for the question added; `shown` counts everything else that the assistant was shown."""

    answer: AnswerEntry | None
    at: AwareDatetime
    sections: tuple[Section, ...]
    shown: dict[str, int]
    found: dict[str, int]
    left: tuple[LeftOut, ...]
    recalled: tuple[RecalledLine, ...]
    replies: tuple[str, ...] = ()
    repeated: tuple[RecalledLine, ...] = ()


class PageNamesArgs(Contract):
    limit: Limit = 60


class NameEntry(Contract):
    name: str
    memories: int


class NameLink(Contract):
    one: str
    other: str
    memories: int


class PageNames(Contract):
    names: tuple[NameEntry, ...]
    links: tuple[NameLink, ...]


class FormerText(Contract):
    """Whether a memory was a note, and its deadline, before an edit."""

    note: bool
    deadline: Instant | None = None


class FormerState(Contract):
    """A former state of a memory. `edited` is set if undoing the change undoes an edit."""

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


class ClientEntry(Contract):
    """A program that can share this memory. `text` is the text of the client's configuration file with our entry
    added."""

    name: str
    title: str
    file: str
    connected: bool
    text: str
    trouble: str = ""


class TokenEntry(Contract):
    name: str
    created_at: AwareDatetime
    revoked_at: AwareDatetime | None
    local: bool = Field(description="Created by the server for our other processes on this machine.")
    elsewhere: bool = Field(default=False, description="Created in the same way, but in another data folder.")


class MonthCost(Contract):
    month: str
    calls: int
    price_usd: float


class BackupFile(Contract):
    file: str
    bytes: int
    at: AwareDatetime


class PageClients(Contract):
    clients: tuple[ClientEntry, ...]


class PageSetup(Contract):
    tokens: tuple[TokenEntry, ...]
    backups: tuple[BackupFile, ...]
    costs: tuple[MonthCost, ...]
    queue: QueueStatus
    health: dict[str, object]
    database: str | None = Field(description="The folder of the embedded PostgreSQL; null for an external one.")


class PageConnectArgs(Contract):
    client: Text
    undo: bool = False


class PageDone(Contract):
    done: bool = True


class PageTokenArgs(Contract):
    name: Annotated[Text, Field(max_length=64, pattern=r"^[\w .-]+$")]
    revoke: bool = False


class PageToken(Contract):
    token: str | None = Field(description="A new token, which is never shown again.")


class PageImportArgs(Contract):
    upload: Annotated[Text, Field(max_length=64)]
    me: Text | None = None
    dry_run: bool = True


class PageImport(Contract):
    """The result of an import. A dry run has `kind` and the file's contents; an import has the outcome."""

    kind: str | None = None
    messages: int = 0
    mine: int = 0
    names: tuple[str, ...] = Field(default=(), description="The person's names in the file.")
    memories: int = 0
    unreadable: int = 0
    left_out: dict[str, int] = Field(default={}, description="Entries of groups that are not imported, by their name.")
    first: AwareDatetime | None = None
    last: AwareDatetime | None = None
    seconds: float | None = None
    price_usd: float | None = None
    created: int = 0
    duplicates: int = 0
