"""The public contract of the assistant tools: names, and pydantic models of the arguments and results."""

from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, WithJsonSchema, model_validator

from tellonce.contract_types import (
    ABSENT_IF_EMPTY,
    Bigint,
    ChatPlace,
    Contract,
    End,
    ExternalId,
    Instant,
    Moment,
    RowId,
    Text,
    ThreadPlace,
    Unit,
)
from tellonce.contract_types import MAX_BIGINT as MAX_BIGINT
from tellonce.contract_types import MAX_TEXT_BYTES as MAX_TEXT_BYTES
from tellonce.contract_types import Clean as Clean
from tellonce.contract_types import ListedKind as ListedKind
from tellonce.contract_types import MemoryAction as MemoryAction
from tellonce.contract_types import MemoryKind as MemoryKind
from tellonce.contract_types import MemoryOrigin as MemoryOrigin
from tellonce.contract_types import MemoryStatus as MemoryStatus
from tellonce.contract_types import Place as Place
from tellonce.contract_types import ResultKind as ResultKind
from tellonce.contract_types import Role as Role
from tellonce.contract_types import Scope as Scope
from tellonce.contract_types import SectionName as SectionName
from tellonce.contract_types import ShownName as ShownName
from tellonce.contract_types import SlotType as SlotType
from tellonce.contract_types import Stability as Stability
from tellonce.contract_types import When as When
from tellonce.forget_contract import ForgetArgs as ForgetArgs
from tellonce.forget_contract import ForgetMatch as ForgetMatch
from tellonce.forget_contract import Forgotten as Forgotten
from tellonce.server_text import ServerText
from tellonce.work import JobKind as JobKind


class Expects(Contract):
    """A value for which the assistant asked the user. The next message fills the slot only if it matches the type."""

    slot: Annotated[Text, Field(max_length=64)] = Field(description="Its name.")
    type: SlotType = Field(default="text", description="Default text.")
    choices: tuple[Text, ...] = Field(default=(), description="For type choice.")

    @model_validator(mode="after")
    def _choice_has_choices(self) -> "Expects":
        if self.type == "choice" and not self.choices:
            raise ValueError("a slot of type choice needs choices")
        return self


class RecordMessageArgs(Place):
    role: Role = Field(description="Who wrote it.")
    content: Text = Field(description="The exact text.")
    message_id: ExternalId | None = Field(default=None, description="Its id; repeating it is safe.")
    sent_at: Instant | None = Field(default=None, description="ISO 8601 with offset; else now.")
    channel: Annotated[Text, Field(max_length=32, pattern=r"^[a-z0-9_-]+$")] | None = Field(
        default=None, description="Default: your client."
    )
    speaker: Annotated[Text, Field(max_length=128)] | None = Field(default=None, description="Writer, in a group.")
    agent_id: Annotated[Text, Field(max_length=64)] | None = Field(default=None, description="Which agent.")
    routine: Annotated[Text, Field(max_length=64)] | None = Field(default=None, description="Routine's name.")
    summary: Text | None = Field(default=None, description="Its short form.")
    expects: Expects | None = Field(default=None, description="What you ask for.")
    exchange_of: ExternalId | None = Field(default=None, description="message_id it answers.")


class RecordedMessage(Contract):
    """The outcome of recording a message. `duplicate` means that a message with this id and text was already stored, so
    nothing changed."""

    id: int = Field(description="The message's number in its chat.")
    thread_key: str
    session_id: str
    outcome: Literal["created", "duplicate", "edited"]
    importance: float
    tokens: int = Field(description="Estimated tokens.")
    queued: tuple[JobKind, ...] = Field(description="Background jobs that this message started.")


TOKEN_BUDGET: Final = 4300
"""The default size of a context, in tokens."""


class GetContextArgs(Place):
    query: Clean | None = Field(default=None, description="The message to answer.")
    token_budget: int = Field(
        default=TOKEN_BUDGET, ge=100, le=100_000, strict=True, description=f"Default {TOKEN_BUDGET}."
    )
    exclude_message_id: ExternalId | None = Field(default=None, description="That message, if recorded.")
    as_of: Moment | None = Field(default=None, description="As of this ISO 8601 time.")
    include: Annotated[tuple[SectionName, ...] | None, ABSENT_IF_EMPTY] = Field(
        default=None, description="Only these; omit history if you keep it."
    )
    detail: Literal["text", "sections"] = Field(default="text", description="sections: a list.")


class Section(Contract):
    name: ShownName
    title: str
    text: str
    tokens: int
    stability: Stability = Field(description="How often the text changes; for prompt-cache breakpoints.")


class Coverage(Contract):
    """How many messages of the thread are verbatim, summarized, or pending. `gap` counts all other messages; it is
    always 0."""

    verbatim: int
    summarised: int
    pending: int
    gap: int


class Focus(Contract):
    """The message or slot to which the user's message most likely refers."""

    source: Literal["reply", "latest", "slot"]
    message_id: int | None = None
    role: Role | None = None
    text: str
    slot: str | None = None
    value: str | None = None


class Context(Contract):
    """The text for a model's prompt. Either `context` or `sections` is set; both are forms of the same text."""

    context: str | None = None
    sections: tuple[Section, ...] | None = None
    tokens: int
    token_budget: int
    truncated: bool
    thread_key: str
    session_id: str
    focus: Focus | None
    notices: tuple[ServerText, ...]
    coverage: Coverage
    receipt_id: str


class SearchMemoryArgs(ThreadPlace):
    query: Text = Field(description="What to find.")
    kinds: Annotated[tuple[ResultKind, ...] | None, ABSENT_IF_EMPTY] = Field(default=None, description="Default all.")
    where: Literal["thread", "chat", "all"] = Field(default="chat", description="Default chat plus global.")
    since: Moment | None = Field(default=None, description="ISO 8601.")
    until: End | None = Field(default=None, description="Inclusive.")
    limit: int = Field(default=8, ge=1, le=100, strict=True, description="Default 8.")
    cursor: Text | None = Field(default=None, description="next_cursor.")


class SearchResult(Contract):
    id: int
    kind: ResultKind
    text: str
    role: Role | None
    speaker: str | None
    at: AwareDatetime
    age: str
    chat_id: int | None = Field(description="Null: it belongs to all chats.")
    thread_key: str | None
    score: float = Field(description="Higher is better; comparable within one answer only.")
    sources: tuple[int, ...] = Field(description="Numbers of the messages it comes from.")
    due: AwareDatetime | None = Field(default=None, description="When the goal or date is due.")
    status: MemoryStatus | None = Field(default=None, description="Of a memory that ended: superseded or completed.")


class SearchResults(Contract):
    results: tuple[SearchResult, ...]
    next_cursor: str | None


class StatementFields(Contract):
    """The fields of a statement. `content` is optional here, because `remember` also accepts a list of statements."""

    content: Text | None = Field(default=None, description="The statement.")
    kind: MemoryKind | None = Field(default=None, description="Default: detected.")
    scope: Scope = Field(default="global", description="Default global.")
    deadline: Moment | None = Field(default=None, description="When due; ISO 8601.")
    pinned: bool = Field(default=False, description="Always show.")
    importance: Unit | None = Field(default=None, description="0-1.")
    source_message_id: ExternalId | None = Field(default=None, description="Message that says it.")
    replaces: Annotated[tuple[RowId, ...], Field(max_length=20)] = Field(default=(), description="Memories it ends.")


class Statement(StatementFields):
    """One lasting statement about the user."""

    # The base class allows None, but the field is required here. The override is safe because the model is frozen.
    content: Text  # pyright: ignore[reportGeneralTypeIssues, reportIncompatibleVariableOverride]


class QuotedStatement(Statement):
    """A statement that the connected assistant learned, with the user's words that support it."""

    quote: Annotated[Text, Field(max_length=2000)] | None = Field(default=None, description="The user's exact words.")


class RememberArgs(StatementFields, ThreadPlace):
    """Arguments of `remember`: the fields of one `Statement`, or a list of several in `statements`."""

    statements: Annotated[Annotated[tuple[QuotedStatement, ...], Field(max_length=20)] | None, ABSENT_IF_EMPTY] = Field(
        default=None, description="Instead of content."
    )

    @model_validator(mode="after")
    def _one_form(self) -> "RememberArgs":
        if (self.content is None) == (self.statements is None):
            raise ValueError("give either content or statements")
        return self

    @property
    def statement(self) -> Statement:
        """The statement given by `content` and its fields, for a call without `statements`."""
        return Statement.model_construct(**{name: getattr(self, name) for name in Statement.model_fields})


class Memory(Contract):
    """One durable statement about the user."""

    id: int
    kind: MemoryKind
    content: str
    scope: Scope
    chat_id: int | None
    status: MemoryStatus
    confidence: float
    priority: int = Field(description="1 is most urgent.")
    importance: float
    pinned: bool
    deadline: AwareDatetime | None
    valid_from: AwareDatetime
    valid_to: AwareDatetime | None
    origin: MemoryOrigin
    user_confirmed: bool
    sources: tuple[int, ...]
    superseded_by: int | None
    about: str = Field(default="user", description='"user", or the name of the person or thing it is about.')
    when: When | None = Field(default=None, description="When it holds or happens, if it was said.")
    note: bool = Field(default=False, description="The user's own sentence, verbatim, not a claim.")
    shown: bool = Field(default=True, description="False: only searches find it.")
    reason: str | None = Field(default=None, description="Why it is uncertain or has ended.")


class RememberedStatement(Contract):
    memory: Memory
    outcome: Literal["stored", "duplicate", "superseded"]
    superseded: Memory | None = None
    reasons: tuple[str, ...] = Field(default=(), description="Why it is uncertain.")


class Remembered(Contract):
    """The outcome of `remember`. For a list of statements, `results` holds one outcome for each, in the same order."""

    memory: Memory | None = None
    outcome: Literal["stored", "duplicate", "superseded"] | None = None
    superseded: Memory | None = None
    results: tuple[RememberedStatement, ...] = ()


class UpdateMemoryArgs(ChatPlace):
    memory_id: RowId = Field(description="Its number.")
    action: MemoryAction = Field(description="What to do.")
    content: Text | None = Field(default=None, description="New text, for edit.")
    to_chat_id: Bigint | None = Field(default=None, description="Chat, for share.")

    @model_validator(mode="after")
    def _action_has_its_argument(self) -> "UpdateMemoryArgs":
        if self.action == "edit" and self.content is None:
            raise ValueError("action edit needs content")
        if self.action == "share" and self.to_chat_id is None:
            raise ValueError("action share needs to_chat_id")
        if self.action != "edit" and self.content is not None:
            raise ValueError(f"action {self.action} changes no text: leave content out, or use action edit")
        return self


class Conversation(Contract):
    messages: int
    summaries: int
    verbatim: int


class Profile(Contract):
    """A page of memories, newest first. The narrative is on the first page."""

    user_name: str | None = Field(default=None, description="As the user gave it.")
    narrative: str
    facts: tuple[Memory, ...]
    preferences: tuple[Memory, ...]
    goals: tuple[Memory, ...]
    dates: tuple[Memory, ...]
    pins: tuple[Memory, ...]
    uncertain: tuple[Memory, ...]
    only_searched: int = Field(default=0, description="Further notes, not listed; kinds [note] lists them.")
    conversation: Conversation
    version: int
    next_cursor: str | None = Field(default=None, description="For the next page; null on the last page.")

    @property
    def lists(self) -> dict[str, tuple[Memory, ...]]:
        """The lists of memories by name, in the order in which they are shown. A memory may be in two lists."""
        return {name: getattr(self, name) for name in PROFILE_LISTS}


PROFILE_LISTS: Final = tuple(
    name for name, field in Profile.model_fields.items() if field.annotation == tuple[Memory, ...]
)


class SummarizeChatArgs(ThreadPlace):
    now: bool = Field(default=False, description="Also compact.")
    cursor: Text | None = Field(default=None, description="next_cursor.")


class Period(Contract):
    """One chunk summary. `period` is a text such as `Feb 15–16`, in the user's zone."""

    id: int
    thread_key: str
    period: str
    from_at: AwareDatetime
    to_at: AwareDatetime
    count: int
    text: str
    provisional: bool


class RoutineEntry(Contract):
    name: str
    time: str
    summary: str


class CurrentSession(Contract):
    count: int
    since: AwareDatetime | None
    text: str


class CanonicalSummary(Contract):
    user_confirmed: str
    llm_inferred: str
    general_summary: str
    version: int
    tokens: int


class Backlog(Contract):
    waiting: int
    in_work: int
    dead: int
    oldest_seconds: float | None


class ChatSummary(Contract):
    periods: tuple[Period, ...]
    thread_summary: str
    session_summary: str
    current_session: CurrentSession
    canonical: CanonicalSummary
    routines_today: tuple[RoutineEntry, ...]
    backlog: Backlog
    coverage: Coverage
    queued: tuple[JobKind, ...]
    next_cursor: str | None = Field(default=None, description="For older periods; null if there are none.")


class ExplainArgs(ChatPlace):
    receipt_id: Text | None = Field(default=None, description="From get_context.")
    memory_id: RowId | None = Field(default=None, description="Its number.")
    message_id: ExternalId | None = Field(default=None, description="The channel's id, or number.")

    @model_validator(mode="after")
    def _one_subject(self) -> "ExplainArgs":
        if sum(value is not None for value in (self.receipt_id, self.memory_id, self.message_id)) != 1:
            raise ValueError("name exactly one of receipt_id, memory_id, message_id")
        return self


class Version(Contract):
    """A former version of a text."""

    text: str
    at: AwareDatetime


class Source(Contract):
    id: int
    role: Role
    at: AwareDatetime
    text: str


class Explanation(Contract):
    """The reason why something is known, or the context that was shown for an answer. A receipt contains the exact text
    of its context."""

    subject: Literal["receipt", "memory", "message"]
    id: str
    at: AwareDatetime
    text: str = Field(description="The context, the memory or the message itself.")
    model: str | None = Field(default=None, description="The model that worded a memory; null: the user worded it.")
    memory: Memory | None = None
    sources: tuple[Source, ...] = ()
    versions: tuple[Version, ...] = ()
    memories: tuple[Memory, ...] = ()
    sections: tuple[Section, ...] = ()
    included: dict[str, tuple[int, ...]] = {}
    left_out: tuple[str, ...] = ()
    receipts: tuple[str, ...] = ()
    reason: str | None = Field(default=None, description="Why a memory is uncertain or has ended.")
    quotes: tuple[str, ...] = Field(default=(), description="The user's words that support a memory.")
    would_replace: tuple[int, ...] = Field(default=(), description="Memories it replaces or ends once confirmed.")


class StartNewChatArgs(ChatPlace):
    pass


class NewChat(Contract):
    epoch: int = Field(description="Number of the conversation that begins now; 0 is the first.")
    archived: bool = Field(description="Whether a canonical summary was archived.")


_NAME = {"type": "string"}
_NAMES = {"type": "array", "items": _NAME}
"""A schema without the allowed values, because a list of the values costs tokens. The error for any other value lists
the allowed values."""


class GetProfileArgs(ChatPlace):
    """Arguments of `get_profile`. Without `limit`, an assistant gets 50 memories, because its model reads every line.
    The relay gets all memories."""

    kinds: Annotated[Annotated[tuple[ListedKind, ...], WithJsonSchema(_NAMES)] | None, ABSENT_IF_EMPTY] = Field(
        default=None, description="E.g. [goal]."
    )
    status: Annotated[MemoryStatus, WithJsonSchema(_NAME)] | None = Field(default=None, description="E.g. completed.")
    limit: int | None = Field(default=None, ge=1, le=1000, strict=True, description="Default 50.")
    cursor: Text | None = Field(default=None, description="next_cursor.")
