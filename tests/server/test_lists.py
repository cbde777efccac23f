"""Questions for all things of a category ("which sports"): all statements of the category are found together and
listed."""

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_server.domain.context.assembly import assemble
from tellonce_server.domain.context.lines import LIST, SOME
from tellonce_server.domain.retrieval.search_results import Result
from tests.contexts import material_of, rows_of
from tests.hand_worker import item, number_of, read, say
from tests.local_model import with_local_model
from tests.memory_fixtures import Clock, Memory

pytestmark = pytest.mark.anyio

TOLD = {
    "I started bouldering in March": ("bouldering", ("climbing", "sport", "hobby")),
    "On Sundays I do my laps at the pool": ("laps at the pool", ("swimming", "sport")),
    "My cello lessons begin in May": ("cello lessons", ("instrument", "music")),
    "I play squash with Ravi": ("squash with Ravi", ("squash", "sport")),
}


async def learned(client: MemoryClient, clock: Clock, memory: Memory) -> None:
    async with memory.agent() as agent:
        for said, (_, categories) in TOLD.items():
            await say(client, clock, said)
            await read(
                agent, lambda x, said=said, kinds=categories: [item(x, f"The user says: {said}", categories=kinds)]
            )


async def listed(client: MemoryClient, question: str, title: str = LIST) -> list[str]:
    """The lines of the list in the context for a question. The list must have this title."""
    context = await client.get_context(c.GetContextArgs(query=question))
    _, found, after = (context.context or "").partition(f"\n{title}\n")
    lines = after.splitlines() if found else []
    return lines[: next((n for n, line in enumerate(lines) if not line.startswith("- ")), len(lines))]


async def test_all_of_a_kind_are_listed_once_oldest_first_and_found_before_others(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await learned(client, clock, memory)
        sports = await listed(client, "Which sports do I do?")
        assert ["bouldering" in sports[0], "laps" in sports[1], "squash" in sports[2]] == [True] * 3
        assert len(sports) == 3
        assert sports[0].startswith("- #")
        context = await client.get_context(c.GetContextArgs(query="Which sports do I do?"))
        assert (context.context or "").count("The user says: I play squash with Ravi") == 1
        # If a category has only one statement, there is no list. A question that names no category gets no list either.
        assert await listed(client, "Which instruments do I play?") == []
        assert await listed(client, "Where is Ravi?") == []
        found = await client.search_memory(c.SearchMemoryArgs(query="all my sports", kinds=("fact",), limit=3))
        assert all("cello" not in result.text for result in found.results)
        # An ended statement is no longer listed.
        await say(client, clock, "I gave up squash with Ravi")
        ended = "The user says: I play squash with Ravi"
        await read(agent, lambda x: [item(x, "The user gave up squash", kind="outcome", ends=[number_of(x, ended)])])
        for question in ("Which sports do I do?", "Which sports did I use to do before?"):
            assert len(await listed(client, question)) == 2


async def test_a_list_that_lacks_a_statement_or_rests_on_likeness_is_not_called_complete() -> None:
    def titled(*results: Result, total: int = 4_300) -> str:
        rows = rows_of()
        built = assemble(material_of(rows, query="Which sports do I do?", results=results, total=total))
        return next(s.text.split("\n")[2] for s in built.sections if s.name == "memories")

    at = Clock()()
    sports = [
        Result(
            "fact",
            n,
            None,
            None,
            f"I do sport {n}. " * 9,
            None,
            None,
            at,
            9,
            9.0,
            None,
            (),
            1.0,
            listed=True,
            named=True,
        )
        for n in range(40)
    ]
    assert titled(*sports[:3]) == LIST
    assert titled(*sports[:2], sports[2]._replace(named=False)) == SOME
    assert titled(*sports) == SOME


async def test_a_category_is_a_text_that_forget_finds_and_erases(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await learned(client, clock, memory)
        plan = await client.forget(c.ForgetArgs(literal="hobby"))
        assert plan.would_erase == {"memory_quotes": 1}
        erased = await client.forget(c.ForgetArgs(literal="hobby", confirm=plan.confirm))
        assert erased.traces_left == 0
        assert len(await listed(client, "Which sports do I do?")) == 2
    async with memory.tables() as tables:
        assert await tables.fetchval("select count(*) from memories where '@khobbi' = any(tsvector_to_array(tsv))") == 0


async def test_without_a_model_the_nearest_kinds_are_taken_by_similarity(
    settings: ServerSettings, clock: Clock
) -> None:
    async with with_local_model(settings, clock) as memory, memory.client() as client:
        for said in (
            "I took up the cello again",
            "Toby is our new puppy",
            "We adopted two kittens",
            "I play the viola",
        ):
            clock.forward(minutes=1)
            await client.remember(c.RememberArgs(content=said))
        services = await memory.storage.services()
        assert await services.categories.assign() == 4
        assert await services.categories.assign() == 0
        instruments = await listed(client, "Which instruments do I play?", SOME)
        assert ["cello" in instruments[0], "viola" in instruments[1], len(instruments)] == [True, True, 2]
        assert len(await listed(client, "What pets do we have?", SOME)) == 2
