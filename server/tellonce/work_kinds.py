"""The kinds of jobs, and the tiers, which are the kinds of models that do the jobs; both with their traits."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

Tier = Literal["claude", "claude-cli", "ollama", "assistant", "keep"]
"""The tiers that do work, best first.

- `claude`: the Anthropic API.
- `claude-cli`: the `claude` command with the user's own subscription.
- `ollama`: a local model.
- `assistant`: the connected assistant, which calls `remember` and claims no jobs.
- `keep`: no model; a trained scorer selects sentences of the user.
"""


class TierTraits(NamedTuple):
    """`title` is the tier's name for people. Calls of a `paid` tier count towards the budget. A `local` model is small:
    it gets shorter requests, and its answers are checked more strictly."""

    title: str
    paid: bool = False
    local: bool = False


TRAITS: Final[dict[Tier, TierTraits]] = {
    "claude": TierTraits("Claude", paid=True),
    "claude-cli": TierTraits("claude -p", paid=True),
    "ollama": TierTraits("Ollama", local=True),
    "assistant": TierTraits("the connected assistant"),
    "keep": TierTraits("no model (sentences kept)"),
}

KEEP_MODEL: Final = "keep"
"""The name of the model in results and in the ledger if the work was done without a language model."""

TIERS: Final[tuple[Tier, ...]] = get_args(Tier)

JobKind = Literal[
    "exchange", "second_reading", "chunk_summary", "thread_summary", "profile", "routine_summary", "erasure"
]


Rolling = Literal["thread", "session"]
"""The rolling summaries. They are made from chunk summaries: `thread` from those of its thread, all others from those
of its chat."""


class JobTraits(NamedTuple):
    """`reads` is the input of a kind of job: the job's `messages`, these and earlier messages of the `chat`, the
    `summaries` of a thread, or the `memories`. `replaces` says which former texts the job's result replaces: the texts
    of the same `messages`, of the same `thread`, or of the `owner`. `rolling` are the rolling summaries that the job
    writes."""

    reads: Literal["messages", "chat", "summaries", "memories"]
    replaces: Literal["messages", "thread", "owner"] | None = None
    rolling: tuple[Rolling, ...] = ()


JOBS: Final[dict[JobKind, JobTraits]] = {
    "exchange": JobTraits("chat"),
    "second_reading": JobTraits("chat"),
    "chunk_summary": JobTraits("messages", "messages"),
    "thread_summary": JobTraits("summaries", "thread", ("thread", "session")),
    "profile": JobTraits("memories", "owner"),
    "routine_summary": JobTraits("messages"),
    "erasure": JobTraits("messages", "messages"),
}
WRITERS: Final[Mapping[str, JobKind]] = {level: kind for kind, traits in JOBS.items() for level in traits.rolling}
"""The kind of job that writes each rolling summary."""
