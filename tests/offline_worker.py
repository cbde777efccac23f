"""The summarizer's own work, done in the test's process, on the deterministic rung unless told otherwise."""

from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce.journal import silent
from tellonce_summarizer.ladder import Ladder
from tellonce_summarizer.work import done


async def work_off(agent: MemoryClient, ladder: Ladder | None = None) -> list[str]:
    """Work every job that is due; their kinds."""
    kinds: list[str] = []
    ladder = ladder or Ladder([])
    while True:
        claimed = await agent.claim_work(w.ClaimWorkArgs(worker="test", limit=5))
        if not claimed.jobs:
            return kinds
        for item in claimed.jobs:
            outcome = await done(item.input, ladder, silent, best_rung=item.best_rung)
            submitted = await agent.submit_work(
                w.SubmitWorkArgs(
                    job_id=item.job_id,
                    fence=item.fence,
                    result=outcome.result,
                    model=outcome.model,
                    rung=outcome.rung,
                    provisional=outcome.provisional,
                    calls=outcome.calls,
                )
            )
            assert submitted.state == "complete"
            kinds.append(item.kind)
