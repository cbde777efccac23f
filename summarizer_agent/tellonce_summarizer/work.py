"""Which task answers which kind of work."""

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
    Rung,
    SummaryResult,
    ThreadInput,
    WorkInput,
)
from tellonce_summarizer.exchange import exchange_task
from tellonce_summarizer.ladder import Ladder, Outcome
from tellonce_summarizer.second_reading import read_again
from tellonce_summarizer.summarize import chunk_task, profile_task, routine_task, thread_task

Done = Outcome[ExchangeResult] | Outcome[SummaryResult] | Outcome[ProfileResult] | Outcome[RoutineResult]


async def done(
    work: WorkInput,
    ladder: Ladder,
    emit: Emit,
    *,
    best_rung: Rung = "claude",
    second_reading: bool = True,
    owner: str | None = None,
) -> Done:
    """The result of one piece of work, by the best rung that answers.

    `second_reading`: whether one is admitted. Work of one `owner` may be asked in one call; without, each alone.
    """
    match work:
        case ExchangeInput():
            first = await ladder.climb(exchange_task(work, emit), emit, best_rung=best_rung, together=owner)
            return await read_again(work, first, ladder, emit, admitted=second_reading, together=owner)
        case ChunkInput() | ErasureInput():
            return await ladder.climb(chunk_task(work), emit, best_rung=best_rung)
        case ThreadInput():
            return await ladder.climb(thread_task(work), emit, best_rung=best_rung)
        case ProfileInput():
            return await ladder.climb(profile_task(work), emit, best_rung=best_rung)
        case RoutineInput():
            return await ladder.climb(routine_task(work), emit, best_rung=best_rung)
