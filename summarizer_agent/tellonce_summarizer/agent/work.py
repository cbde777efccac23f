"""Selects the task for a kind of work, and builds the submission of the task's result."""

from tellonce.journal import Emit
from tellonce.work import TIERS, ExchangeInput, SubmitWorkArgs, Tier, WorkInput, WorkItem, WorkResult
from tellonce_summarizer.models.fallback_chain import FallbackChain, Outcome
from tellonce_summarizer.tasks.exchange import exchange_task
from tellonce_summarizer.tasks.second_reading import read_again
from tellonce_summarizer.tasks.summaries import summary_task

Done = Outcome[WorkResult]


async def done(
    work: WorkInput,
    chain: FallbackChain,
    emit: Emit,
    *,
    best_tier: Tier = TIERS[0],
    second_reading: bool = True,
    owner: str | None = None,
) -> Done:
    """The result of one piece of work, by the best tier that answers.

    `second_reading` says whether a second reading is allowed. Pieces of work of the same `owner` may share a call; a
    piece of work without an owner gets a call of its own.
    """
    if not isinstance(work, ExchangeInput):
        return await chain.climb(summary_task(work), emit, best_tier=best_tier)
    first = await chain.climb(exchange_task(work, emit), emit, best_tier=best_tier, together=owner)
    return await read_again(work, first, chain, emit, admitted=second_reading, together=owner)


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
