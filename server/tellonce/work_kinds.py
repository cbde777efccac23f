"""The kinds of jobs and the tiers, with their traits. A tier is a kind of model that does jobs."""

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
"""The rolling summaries. A `thread` summary is made from the chunk summaries of its thread. A `session` summary is made
from the chunk summaries of its chat."""


class JobTraits(NamedTuple):
    """What a kind of job reads and writes. The job reads one of these inputs:

    - `messages`: the job's messages.
    - `chat`: the job's messages and earlier messages of the chat.
    - `statements`: statements of the chat, with the messages around their sources.
    - `summaries`: the summaries of a thread.
    - `memories`: the memories.

    `replaces` says which former texts the job's result replaces: the texts of the same `messages`, of the same
    `thread`, or of the `owner`. `rolling` contains the rolling summaries that the job writes.
    """

    reads: Literal["messages", "chat", "statements", "summaries", "memories"]
    replaces: Literal["messages", "thread", "owner"] | None = None
    rolling: tuple[Rolling, ...] = ()


JOBS: Final[dict[JobKind, JobTraits]] = {
    "exchange": JobTraits("chat"),
    "second_reading": JobTraits("statements"),
    "chunk_summary": JobTraits("messages", "messages"),
    "thread_summary": JobTraits("summaries", "thread", ("thread", "session")),
    "profile": JobTraits("memories", "owner"),
    "routine_summary": JobTraits("messages"),
    "erasure": JobTraits("messages", "messages"),
}
WRITERS: Final[Mapping[str, JobKind]] = {level: kind for kind, traits in JOBS.items() for level in traits.rolling}
"""The kind of job that writes each rolling summary."""
