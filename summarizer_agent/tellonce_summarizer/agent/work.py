"""Selects the task for a kind of work, and builds the submission of the task's result."""

from tellonce.journal import Emit
from tellonce.work import (
    ChunkInput,
    ErasureInput,
    ExchangeInput,
    ExchangeResult,
    ProfileInput,
    ProfileResult,
    RoutineInput,
    RoutineResult,
    SubmitWorkArgs,
    SummaryResult,
    ThreadInput,
    Tier,
    WorkInput,
    WorkItem,
)
from tellonce_summarizer.models.fallback_chain import FallbackChain, Outcome
from tellonce_summarizer.tasks.exchange import exchange_task
from tellonce_summarizer.tasks.second_reading import read_again
from tellonce_summarizer.tasks.summaries import chunk_task, profile_task, routine_task, thread_task

Done = Outcome[ExchangeResult] | Outcome[SummaryResult] | Outcome[ProfileResult] | Outcome[RoutineResult]


async def done(
    work: WorkInput,
    chain: FallbackChain,
    emit: Emit,
    *,
    best_tier: Tier = "claude",
    second_reading: bool = True,
    owner: str | None = None,
) -> Done:
    """The result of one piece of work, by the best tier that answers.

    `second_reading` says whether a second reading is allowed. Pieces of work of the same `owner` may share a call; a
    piece of work without an owner gets a call of its own.
    """
    match work:
        case ExchangeInput():
            first = await chain.climb(exchange_task(work, emit), emit, best_tier=best_tier, together=owner)
            return await read_again(work, first, chain, emit, admitted=second_reading, together=owner)
        case ChunkInput() | ErasureInput():
            return await chain.climb(chunk_task(work), emit, best_tier=best_tier)
        case ThreadInput():
            return await chain.climb(thread_task(work), emit, best_tier=best_tier)
        case ProfileInput():
            return await chain.climb(profile_task(work), emit, best_tier=best_tier)
        case RoutineInput():
            return await chain.climb(routine_task(work), emit, best_tier=best_tier)


def submission(item: WorkItem, outcome: Done) -> SubmitWorkArgs:
    """The submission for a completed job."""
    return SubmitWorkArgs(
        job_id=item.job_id,
        fence=item.fence,
        result=outcome.result,
        model=outcome.model,
        tier=outcome.tier,
        provisional=outcome.provisional,
        calls=outcome.calls,
    )
