"""A worker for tests, and the messages that it reads. Each test writes the worker's results by hand."""

from collections.abc import Callable, Sequence

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tests.memory_fixtures import Clock

Reader = Callable[[w.ExchangeInput], Sequence[w.ExchangeItem]]


async def say(client: MemoryClient, clock: Clock, text: str, number: str | None = None) -> None:
    """Record a message of the user and the assistant's answer."""
    clock.forward(minutes=5)
    await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=number, sent_at=clock()))
    await client.record_message(c.RecordMessageArgs(role="assistant", content="I see.", sent_at=clock()))


async def talk(client: MemoryClient, exchanges: int, start: int = 0) -> None:
    for i in range(start, start + exchanges):
        said = c.RecordMessageArgs(role="user", content=f"I own {i + 2} bikes", message_id=f"u{i}")
        answered = c.RecordMessageArgs(
            role="assistant", content=f"Answer {i}", message_id=f"a{i}", exchange_of=said.message_id
        )
        await client.record_message(said)
        await client.record_message(answered)


async def profile(client: MemoryClient) -> c.Profile:
    return await client.get_profile(c.GetProfileArgs())


async def facts(client: MemoryClient) -> list[str]:
    return [fact.content for fact in (await profile(client)).facts]


def item(work: w.WorkInput, text: str, quote: str | None = None, **fields: object) -> w.ExchangeItem:
    """An item that quotes the user's newest message. If `quote` is given, the item quotes only this part."""
    assert isinstance(work, w.ExchangeInput)
    said = [m for m in work.messages if m.role == "user"][-1]
    quotes = [{"message_id": said.id, "text": quote or said.text}]
    return w.ExchangeItem.model_validate({"text": text, "kind": "fact", "quotes": quotes, **fields})


def number_of(work: w.ExchangeInput, text: str) -> int:
    """The memory's number in the list of known memories."""
    return next(m.id for m in work.known if m.text == text)


def nothing(_: w.ExchangeInput) -> Sequence[w.ExchangeItem]:
    return ()


def exchange(*items: w.ExchangeItem, **canonical: str) -> w.ExchangeResult:
    return w.ExchangeResult(items=items, canonical=w.Canonical.model_validate(canonical))


def answer(job: w.WorkItem) -> w.WorkResult:
    """The result that the simplest possible worker gives."""
    match job.input:
        case w.ExchangeInput():
            return exchange(general_summary=f"up to {job.input.messages[-1].id}")
        case w.SecondReadingInput():
            return w.SecondReadingResult()
        case w.ProfileInput():
            return w.ProfileResult(narrative="\n".join(m.text for m in job.input.memories))
        case w.RoutineInput():
            return w.RoutineResult(summary="A routine.")
        case _:
            return w.SummaryResult(text=f"Summary by {job.job_id}")


async def claim(agent: MemoryClient, **args: object) -> w.WorkItem:
    """The next due job."""
    return (await agent.claim_work(w.ClaimWorkArgs.model_validate({"worker": "one", **args}))).jobs[0]


async def submit(
    agent: MemoryClient, job: w.WorkItem, result: w.WorkResult | None = None, tier: w.Tier = "keep", **more: object
) -> w.Submitted:
    """Submit a result of the job. By default, the result is what `answer` returns for the job."""
    args = {"job_id": job.job_id, "fence": job.fence, "model": "m", "tier": tier, **more}
    return await agent.submit_work(w.SubmitWorkArgs.model_validate({**args, "result": result or answer(job)}))


async def drain(agent: MemoryClient, tier: w.Tier = "keep") -> list[w.WorkItem]:
    """Do every due job with the results of `answer`. Returns the jobs."""
    done: list[w.WorkItem] = []
    while jobs := (await agent.claim_work(w.ClaimWorkArgs(worker="test", limit=5))).jobs:
        for job in jobs:
            assert (await submit(agent, job, tier=tier)).state == "complete"
            done.append(job)
    return done


async def read(
    agent: MemoryClient, reader: Reader, tier: w.Tier = "claude", canonical: str = ""
) -> list[dict[str, int]]:
    """Do all jobs as a worker of this tier. Returns the outcome of each exchange."""
    stored: list[dict[str, int]] = []
    for _ in range(2):  # an empty claim requeues the results of lower tiers
        while jobs := (await agent.claim_work(w.ClaimWorkArgs(worker="reader", best_tier=tier))).jobs:
            for job in jobs:
                if isinstance(job.input, w.ExchangeInput):
                    read = exchange(*reader(job.input), llm_inferred=canonical)
                    stored.append((await submit(agent, job, read, tier)).stored)
                else:
                    await submit(agent, job, tier=tier)
    return stored
