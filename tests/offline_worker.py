"""Does the summarizer's work in the test's process. By default, it uses the tier without a model."""

from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce.journal import silent
from tellonce_summarizer.agent.agent import done, submission
from tellonce_summarizer.models.fallback_chain import FallbackChain


async def work_off(agent: MemoryClient, chain: FallbackChain | None = None) -> list[str]:
    """Do every due job. Returns their kinds."""
    kinds: list[str] = []
    chain = chain or FallbackChain([])
    while True:
        claimed = await agent.claim_work(w.ClaimWorkArgs(worker="test", limit=5))
        if not claimed.jobs:
            return kinds
        for item in claimed.jobs:
            outcome = await done(item.input, chain, silent, best_tier=item.best_tier)
            submitted = await agent.submit_work(submission(item, outcome))
            assert submitted.state == "complete"
            kinds.append(item.kind)
