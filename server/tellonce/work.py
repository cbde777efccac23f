"""The contract of the agent tools: the jobs of the queue, their inputs and their results."""

from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, Field, model_validator

from tellonce.contract_types import Clean, Contract, Instant, KnownStatus, MemoryKind, Role, Scope, Text
from tellonce.contract_types import LearnedKind as LearnedKind
from tellonce.contract_types import When as When
from tellonce.work_kinds import JOBS as JOBS
from tellonce.work_kinds import KEEP_MODEL as KEEP_MODEL
from tellonce.work_kinds import TIERS as TIERS
from tellonce.work_kinds import TRAITS as TRAITS
from tellonce.work_kinds import WRITERS as WRITERS
from tellonce.work_kinds import JobKind as JobKind
from tellonce.work_kinds import Rolling as Rolling
from tellonce.work_kinds import Tier as Tier

JobState = Literal["pending_summarization", "ready_to_write", "complete", "dead"]
Fence = Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)]
JobId = Annotated[str, Field(pattern=r"^-?\d{1,19}:-?\d{1,19}:\d{1,19}$", description="owner:chat:number")]


class WorkMessage(Contract):
    """One message as a worker sees it: secrets are masked, and text that came from memory is marked. `at` has the
    sender's UTC offset."""

    id: int
    role: Role
    speaker: str | None = Field(default=None, description="The writer's name, if it is not the user or the assistant.")
    at: AwareDatetime
    text: str
    routine: str | None = None


class NotableSentence(Contract):
    """A sentence of the user that the scorer selected, verbatim."""

    message_id: int
    text: str
    score: float = Field(description="Log-odds that it is worth keeping; 0 means 50 %.")
    group: Literal["fact", "wish"]
    shown: bool = Field(description="Whether contexts show it; otherwise it is kept for search only.")
    before: str | None = Field(default=None, description="The previous sentence, if it cannot be understood alone.")


class KnownMemory(Contract):
    """An existing memory. The model may refer to the memory by its number."""

    id: int
    kind: MemoryKind
    text: str
    since: AwareDatetime = Field(description="When it was said.")
    status: KnownStatus
    user_confirmed: bool = False
    note: bool = Field(default=False, description="The text is the user's own sentence, verbatim.")
    deadline: AwareDatetime | None = None


class SummaryBody(Contract):
    """The structured part of a summary. Each line makes sense by itself. In each list, the oldest line is first."""

    goals: tuple[Clean, ...] = Field(default=(), description="Goals and open questions.")
    decisions: tuple[Clean, ...] = ()
    facts: tuple[Clean, ...] = Field(default=(), description="Important facts.")
    outcomes: tuple[Clean, ...] = Field(default=(), description="What was tried, and whether it worked.")
    pending: tuple[Clean, ...] = Field(default=(), description="Actions still to be done.")


class Canonical(Contract):
    """A chat's canonical summary."""

    user_confirmed: Clean = ""
    llm_inferred: Clean = ""
    general_summary: Clean = ""


class ExchangeInput(Contract):
    """Extract memories from `messages` and update the canonical summary. `before` contains earlier messages, which only
    help to resolve pronouns."""

    kind: Literal["exchange"] = "exchange"
    timezone: str
    now: AwareDatetime = Field(
        description="The time of the last message. Relative times refer to the time of their own message."
    )
    user_name: str | None = Field(default=None, description="The user's name, if it is known.")
    before: tuple[WorkMessage, ...] = ()
    messages: tuple[WorkMessage, ...]
    known: tuple[KnownMemory, ...] = Field(default=(), description="At most 40, the most similar to the exchange.")
    notable: tuple[NotableSentence, ...] = ()
    canonical: Canonical
    canonical_cap_tokens: int


class ChunkInput(Contract):
    """Summarize one contiguous run of messages of one thread."""

    kind: Literal["chunk_summary"] = "chunk_summary"
    timezone: str
    messages: tuple[WorkMessage, ...]
    notable: tuple[NotableSentence, ...] = ()


class ChunkText(Contract):
    text: str
    body: SummaryBody
    from_at: AwareDatetime
    to_at: AwareDatetime
    count: int


class ThreadInput(Contract):
    """Update the rolling summary of the thread or chat with newly finished chunk summaries."""

    kind: Literal["thread_summary"] = "thread_summary"
    timezone: str
    level: Rolling
    prior_text: str
    prior_body: SummaryBody
    chunks: tuple[ChunkText, ...]
    cap_tokens: int


class ProfileInput(Contract):
    """Write the narrative about the user from `memories`. Confirmed and pinned memories come first, then the most
    important, then the newest."""

    kind: Literal["profile"] = "profile"
    timezone: str
    memories: tuple[KnownMemory, ...]
    cap_tokens: int


class RoutineInput(Contract):
    """Summarize one proactive message in two or three sentences."""

    kind: Literal["routine_summary"] = "routine_summary"
    timezone: str
    name: str
    message: WorkMessage


class ErasureInput(Contract):
    """Rewrite a chunk summary after something in its messages was forgotten."""

    kind: Literal["erasure"] = "erasure"
    timezone: str
    messages: tuple[WorkMessage, ...]
    notable: tuple[NotableSentence, ...] = ()


class Quote(Contract):
    """One or more sentences of the user, word for word."""

    message_id: int
    text: Annotated[Text, Field(max_length=2000)]


class Claim(Contract):
    """A statement for the second reading, in which a model compares it with the messages."""

    memory_id: int = Field(description="Its number; the verdict repeats it.")
    about: str | None = Field(default=None, description="The person or thing that it is about, if the reader said so.")
    text: str
    quotes: tuple[Quote, ...] = ()
    when: When | None = None
    deadline: AwareDatetime | None = None
    over: tuple[str, ...] = Field(default=(), description="The statements that are over or replaced if it is true.")


class SecondReadingInput(Contract):
    """Compare statements of the connected assistant with the messages that support them."""

    kind: Literal["second_reading"] = "second_reading"
    timezone: str
    user_name: str | None = Field(default=None, description="The user's name, if it is known.")
    before: tuple[WorkMessage, ...] = ()
    messages: tuple[WorkMessage, ...]
    claims: tuple[Claim, ...]


SummaryInput = ChunkInput | ThreadInput | ProfileInput | RoutineInput | ErasureInput
WorkInput = Annotated[ExchangeInput | SecondReadingInput | SummaryInput, Field(discriminator="kind")]


class WorkItem(Contract):
    """A claimed job. Every call about this job must pass the job's `fence`. The fence becomes invalid when the job is
    claimed again."""

    job_id: JobId
    kind: JobKind
    fence: int
    attempt: int = Field(ge=1)
    lease_seconds: float = Field(gt=0)
    best_tier: Tier = Field(
        description="The best tier to use; `ollama` if the month's budget or the allowance for this kind is spent."
    )
    second_reading: bool = Field(default=True, description="Whether the allowance permits a second reading now.")
    traceparent: str | None = Field(default=None, description="W3C trace context of the call that queued the job.")
    input: WorkInput


class ExchangeItem(Contract):
    """One statement learned from an exchange. `same_as`, `replaces` and `ends` are numbers of memories in `known`."""

    text: Annotated[Text, Field(max_length=600)]
    kind: LearnedKind
    about: Annotated[Text, Field(max_length=128)] = Field(
        default="user", description='"user", or the name of the person or thing it is about.'
    )
    scope: Scope = "global"
    quotes: Annotated[tuple[Quote, ...], Field(min_length=1, max_length=8)]
    when: When | None = None
    deadline: Instant | None = None
    certain: bool = True
    doubt: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="Why it is not certain, if the worker knows."
    )
    importance: float = Field(default=0.5, ge=0, le=1)
    pin: bool = False
    categories: Annotated[tuple[Annotated[Text, Field(max_length=40)], ...], Field(max_length=6)] = Field(
        default=(), description="General words for its subject, the narrowest first."
    )
    note: bool = Field(default=False, description="`text` is the user's own sentence, kept without a model.")
    shown: bool = Field(default=True, description="For a note: false if it is kept for search only.")
    user_name: Annotated[Text, Field(max_length=64)] | None = Field(
        default=None, description="The user's own name, if this item states it."
    )
    same_as: int | None = None
    replaces: Annotated[tuple[int, ...], Field(max_length=20)] = ()
    ends: Annotated[tuple[int, ...], Field(max_length=20)] = ()


class ExchangeResult(Contract):
    kind: Literal["exchange"] = "exchange"
    items: Annotated[tuple[ExchangeItem, ...], Field(max_length=60)] = ()
    canonical: Canonical


class ClaimVerdict(Contract):
    """The verdict on one statement. `doubt` is the reason why the messages do not support the statement. It is None if
    they support the statement."""

    memory_id: int
    doubt: Annotated[str, Field(max_length=200)] | None = None


class SecondReadingResult(Contract):
    """A statement without a verdict keeps its status, and a later job checks it."""

    kind: Literal["second_reading"] = "second_reading"
    verdicts: Annotated[tuple[ClaimVerdict, ...], Field(max_length=60)] = ()


class SummaryResult(Contract):
    """The result of jobs of the kinds chunk_summary, thread_summary and erasure."""

    kind: Literal["summary"] = "summary"
    text: Text
    body: SummaryBody = SummaryBody()


class ProfileResult(Contract):
    kind: Literal["profile"] = "profile"
    narrative: Clean


class RoutineResult(Contract):
    kind: Literal["routine_summary"] = "routine_summary"
    summary: Text


WorkResult = Annotated[
    ExchangeResult | SecondReadingResult | SummaryResult | ProfileResult | RoutineResult, Field(discriminator="kind")
]


FORMER_FIELDS: Final = {"rung": "tier", "best_rung": "best_tier"}


class _TakesFormerNames(Contract):
    """A base class for models that also accept fields under their former names, in this release only."""

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, given: Any) -> Any:
        return (
            {FORMER_FIELDS.get(name, name): value for name, value in given.items()}
            if isinstance(given, dict)
            else given
        )


class ModelCall(_TakesFormerNames):
    """One call of a language model, for the record of costs. The price of a local model is 0."""

    model: str
    tier: Tier
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0, ge=0)
    price_usd: float = Field(default=0, ge=0)
    ok: bool = True
    down: bool = Field(default=False, description="Whether the provider could not be reached.")
    note: str = ""


class ClaimWorkArgs(_TakesFormerNames):
    worker: Annotated[Text, Field(max_length=128)]
    kinds: tuple[JobKind, ...] | None = None
    limit: int = Field(default=1, ge=1, le=50, strict=True)
    wait_seconds: float = Field(default=0, ge=0, le=60)
    best_tier: Tier = Field(
        default="keep", description="The best available tier; provisional results of lower tiers are redone."
    )


class ClaimedWork(Contract):
    jobs: tuple[WorkItem, ...]


class ExtendWorkArgs(Contract):
    job_id: JobId
    fence: Fence


class Extended(Contract):
    lease_until: AwareDatetime


class SubmitWorkArgs(_TakesFormerNames):
    job_id: JobId
    fence: Fence
    result: WorkResult
    model: Annotated[Text, Field(max_length=128)]
    tier: Tier
    provisional: bool = Field(default=False, description="Whether a better tier could exist, configured or not.")
    calls: tuple[ModelCall, ...] = ()


class Submitted(Contract):
    """The outcome of a submission. `state` is `complete` if the result was applied, or `ready_to_write` if it waits for
    an earlier job of the chat."""

    job_id: JobId
    state: JobState
    stored: dict[str, int] = {}


class FailWorkArgs(Contract):
    job_id: JobId
    fence: Fence
    reason: Annotated[Text, Field(max_length=2000)]
    retryable: bool = True
    provider_down: bool = Field(
        default=False, description="Whether the model was unreachable; the attempt is then not counted."
    )
    calls: tuple[ModelCall, ...] = ()


class Failed(Contract):
    state: JobState
    attempts: int
    retry_at: AwareDatetime | None


class QueueStatusArgs(Contract):
    pass


class KindStatus(Contract):
    kind: JobKind
    pending: int
    claimed: int
    ready: int
    dead: int


class DeadLetter(Contract):
    job_id: JobId
    kind: JobKind
    attempts: int
    error: str
    at: AwareDatetime


class CostSummary(Contract):
    """The cost of this calendar month in UTC."""

    calls: int
    input_tokens: int
    output_tokens: int
    price_usd: float
    cap_usd: float | None


class ReadBy(Contract):
    """How many exchanges one tier has read. A better tier may read some of these exchanges again."""

    tier: Tier
    exchanges: int


class ReadingStatus(Contract):
    """The number of exchanges that each tier has read, and the number that a better tier will read again."""

    read_by: tuple[ReadBy, ...] = ()
    waiting: int = Field(default=0, description="Exchanges that no tier has read yet.")
    to_read_again: int = Field(default=0, description="Exchanges that wait for a better tier.")
    estimate_usd: float | None = Field(default=None, description="The estimated cost of reading them again, if known.")
    estimate_seconds: float | None = None
    dropped: dict[str, int] = Field(default={}, description="Items dropped since the start of the month, by reason.")


class ProviderDown(Contract):
    """A model that has been unreachable since `since`. Until the provider is reachable again, the next tier does the
    work of this tier. Later, this tier replaces the results of the next tier."""

    model: str
    tier: Tier
    since: AwareDatetime
    reason: str


class QueueStatus(Contract):
    kinds: tuple[KindStatus, ...]
    oldest_seconds: float | None
    dead_letters: tuple[DeadLetter, ...]
    providers_down: tuple[ProviderDown, ...] = ()
    reading: ReadingStatus = ReadingStatus()
    without_vector: int = Field(
        default=0, description="Texts that have no vector yet, so that search finds them only by their words."
    )
    cost: CostSummary
