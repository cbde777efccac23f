"""The public contract of the agent tools: jobs of the write-ahead queue, what they hold and what answers them."""

from typing import Annotated, Final, Literal, get_args

from pydantic import AwareDatetime, Field

from chatmem.contract import Clean, Contract, JobKind, MemoryKind, Role, Text
from chatmem.moments import Instant

CLAIM_WORK = "claim_work"
EXTEND_WORK = "extend_work"
SUBMIT_WORK = "submit_work"
FAIL_WORK = "fail_work"
QUEUE_STATUS = "queue_status"

JobState = Literal["pending_summarization", "ready_to_write", "complete", "dead"]
Rung = Literal["claude", "ollama", "offline"]
"""Who may do a piece of work, the best first: a paid model, a local one, code."""

RUNGS: Final[tuple[Rung, ...]] = get_args(Rung)

Fence = Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)]
JobId = Annotated[str, Field(pattern=r"^-?\d{1,19}:-?\d{1,19}:\d{1,19}$", description="owner:chat:number")]


class WorkMessage(Contract):
    """One message as a worker sees it: secrets masked, recalled text fenced. `at` carries the sender's offset."""

    id: int
    role: Role
    at: AwareDatetime
    text: str
    routine: str | None = None


class KnownMemory(Contract):
    id: int
    kind: MemoryKind
    text: str
    status: Literal["active", "uncertain"]
    user_confirmed: bool = False


class SummaryBody(Contract):
    """The structured part of a summary; each line stands alone, oldest first."""

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
    """Extract memories from `messages` and carry the canonical summary forward. `before` only helps with pronouns."""

    kind: Literal["exchange"] = "exchange"
    timezone: str
    before: tuple[WorkMessage, ...] = ()
    messages: tuple[WorkMessage, ...]
    canonical: Canonical
    canonical_cap_tokens: int
    known: tuple[KnownMemory, ...] = ()


class ChunkInput(Contract):
    """Summarise one contiguous run of messages of one lane."""

    kind: Literal["chunk_summary"] = "chunk_summary"
    timezone: str
    messages: tuple[WorkMessage, ...]


class ChunkText(Contract):
    text: str
    body: SummaryBody
    from_at: AwareDatetime
    to_at: AwareDatetime
    count: int


class ThreadInput(Contract):
    """Fold newly finished chunk summaries into the lane's (or the chat's) one rolling summary."""

    kind: Literal["thread_summary"] = "thread_summary"
    timezone: str
    level: Literal["thread", "session"]
    prior_text: str
    prior_body: SummaryBody
    chunks: tuple[ChunkText, ...]
    cap_tokens: int


class ProfileInput(Contract):
    """Write the user's narrative from their memories, of which the first tell most."""

    kind: Literal["profile"] = "profile"
    timezone: str
    memories: tuple[KnownMemory, ...]
    cap_tokens: int


class RoutineInput(Contract):
    """Summarise one proactive message in two or three sentences."""

    kind: Literal["routine_summary"] = "routine_summary"
    timezone: str
    name: str
    message: WorkMessage


class ErasureInput(Contract):
    """Write a chunk summary anew after something in its messages was forgotten."""

    kind: Literal["erasure"] = "erasure"
    timezone: str
    messages: tuple[WorkMessage, ...]


WorkInput = Annotated[
    ExchangeInput | ChunkInput | ThreadInput | ProfileInput | RoutineInput | ErasureInput, Field(discriminator="kind")
]


class WorkItem(Contract):
    """A claimed job. `fence` must come back with every call about it; a newer claim makes it void."""

    job_id: JobId
    kind: JobKind
    fence: int
    attempt: int = Field(ge=1)
    lease_seconds: float = Field(gt=0)
    best_rung: Rung = Field(
        description="The best rung to ask: `ollama` once the month's budget is spent, `offline` when the chat has no calls left."
    )
    traceparent: str | None = Field(default=None, description="W3C trace context of what queued the job.")
    input: WorkInput


class ExtractedItem(Contract):
    """One statement about the user. `quote` is verbatim from one of `source_ids`."""

    text: Annotated[Text, Field(max_length=600)]
    quote: Annotated[Text, Field(max_length=2000)]
    source_ids: Annotated[tuple[int, ...], Field(min_length=1)]
    due: Instant | None = Field(default=None, description="A goal's deadline or a date's moment.")
    importance: float | None = Field(default=None, ge=0, le=1)
    pin: bool = False


class ExtractedLists(Contract):
    facts: tuple[ExtractedItem, ...] = ()
    preferences: tuple[ExtractedItem, ...] = ()
    goals: tuple[ExtractedItem, ...] = ()
    dates: tuple[ExtractedItem, ...] = ()


class Extraction(Contract):
    certain: ExtractedLists = ExtractedLists()
    uncertain: ExtractedLists = ExtractedLists()


class ExchangeResult(Contract):
    kind: Literal["exchange"] = "exchange"
    extraction: Extraction
    canonical: Canonical


class SummaryResult(Contract):
    """Answers chunk_summary, thread_summary and erasure."""

    kind: Literal["summary"] = "summary"
    text: Text
    body: SummaryBody = SummaryBody()


class ProfileResult(Contract):
    kind: Literal["profile"] = "profile"
    narrative: Clean


class RoutineResult(Contract):
    kind: Literal["routine_summary"] = "routine_summary"
    summary: Text


WorkResult = Annotated[ExchangeResult | SummaryResult | ProfileResult | RoutineResult, Field(discriminator="kind")]


class ModelCall(Contract):
    """One call of a language model, for the cost ledger. Price in US dollars; 0 for local models."""

    model: str
    rung: Rung
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0, ge=0)
    price_usd: float = Field(default=0, ge=0)
    ok: bool = True
    down: bool = Field(default=False, description="The provider could not be reached; nothing came back.")
    note: str = ""


class ClaimWorkArgs(Contract):
    worker: Annotated[Text, Field(max_length=128)]
    kinds: tuple[JobKind, ...] | None = None
    limit: int = Field(default=1, ge=1, le=50, strict=True)
    wait_seconds: float = Field(default=0, ge=0, le=60)
    best_rung: Rung = Field(
        default="offline", description="The best rung up now; provisional results below it are redone."
    )


class ClaimedWork(Contract):
    jobs: tuple[WorkItem, ...]


class ExtendWorkArgs(Contract):
    job_id: JobId
    fence: Fence


class Extended(Contract):
    lease_until: AwareDatetime


class SubmitWorkArgs(Contract):
    job_id: JobId
    fence: Fence
    result: WorkResult
    model: Annotated[Text, Field(max_length=128)]
    rung: Rung
    provisional: bool = Field(default=False, description="Made by a lower rung than the best one configured.")
    calls: tuple[ModelCall, ...] = ()


class Submitted(Contract):
    """`state` is `complete` once applied; `ready_to_write` while an earlier job of the chat is still open."""

    job_id: JobId
    state: JobState
    stored: dict[str, int] = {}


class FailWorkArgs(Contract):
    job_id: JobId
    fence: Fence
    reason: Annotated[Text, Field(max_length=2000)]
    retryable: bool = True
    provider_down: bool = Field(default=False, description="The model was unreachable: the attempt is not counted.")
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
    """This calendar month, in UTC."""

    calls: int
    input_tokens: int
    output_tokens: int
    price_usd: float
    cap_usd: float | None


class ProviderDown(Contract):
    """A model nobody reached since `since`. Work goes on with the next rung and is done again when it is back."""

    model: str
    rung: Rung
    since: AwareDatetime
    reason: str


class QueueStatus(Contract):
    kinds: tuple[KindStatus, ...]
    oldest_seconds: float | None
    dead_letters: tuple[DeadLetter, ...]
    providers_down: tuple[ProviderDown, ...] = ()
    cost: CostSummary
