"""Measures the cost of row-level security and of changing a connection's owner. The benchmark calls `get_context` and
`search_memory` alternately with and without row-level security.

    python -m benchmarks.isolation [--rounds N] [--copies N]

"Without" means the same statements on connections of the role that owns the tables. This role is exempt from policies.
Each case is a ratio of medians from one run, so that other load affects both sides equally.
"""

import argparse
import asyncio
import dataclasses
import statistics
import time
from contextlib import AsyncExitStack
from unittest.mock import patch

from benchmarks.dialogue import Dialogue
from benchmarks.generator import corpus
from benchmarks.memory import FIRST_USER, Memory, fill, open_memory
from tellonce import contract as c
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.services import Services
from tellonce_server.store.database import Database, open_database
from tellonce_server.store.pools import OWNER, SET

KEY = bytes(32)


async def _main(rounds: int, copies: int) -> None:
    small = corpus(2)
    large = dataclasses.replace(small[0], turns=[t for _ in range(copies) for t in small[0].turns])
    large = dataclasses.replace(large, turns=[dataclasses.replace(t, id=i) for i, t in enumerate(large.turns, 1)])
    dialogues = [*small, large]
    async with open_memory(None, len(dialogues)) as memory, AsyncExitStack() as stack:
        await fill(memory, dialogues)
        guarded = Services(memory.services.deps, KEY)
        free = Services(dataclasses.replace(memory.services.deps, database=await _unguarded(memory, stack)), KEY)
        sides = {"guarded": guarded, "free": free}
        for user in (FIRST_USER, FIRST_USER + len(dialogues) - 1):
            dialogue = dialogues[user - FIRST_USER]
            figures = await _interleaved(sides, dialogue, user, rounds)
            print(f"a chat of {len(dialogue.turns)} messages", *figures, sep="\n  ", flush=True)
        print(f"a change of owner: {await _change(memory, rounds):.3f} ms, once a connection that served another")


async def _unguarded(memory: Memory, stack: AsyncExitStack) -> Database:
    assert memory.settings.database_url is not None
    with patch("tellonce_server.store.database.SERVER_ROLE", "none"):
        database = await open_database(memory.settings.database_url.get_secret_value())
    stack.push_async_callback(database.close)
    return database


async def _interleaved(sides: dict[str, Services], dialogue: Dialogue, user: int, rounds: int) -> list[str]:
    taken: dict[tuple[str, str], list[float]] = {}
    for turn in range(rounds):
        query = dialogue.probes[turn % len(dialogue.probes)].text
        for side, services in sorted(sides.items(), reverse=bool(turn % 2)):
            for call, seconds in (await _calls(services, user, query)).items():
                taken.setdefault((call, side), []).append(seconds * 1000)
    return [_row(call, taken) for call in ("get_context", "search_memory")]


async def _change(memory: Memory, rounds: int) -> float:
    taken: list[float] = []
    async with memory.tables() as tables:
        for owner in range(rounds):
            started = time.perf_counter()
            await tables.fetchval(SET, OWNER, str(owner), False)
            taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


async def _calls(services: Services, user: int, query: str) -> dict[str, float]:
    where = ChatScope(user, user)
    started = time.perf_counter()
    await services.reader.context(where, c.GetContextArgs(query=query))
    between = time.perf_counter()
    await services.searcher.search(where, c.SearchMemoryArgs(query=query))
    return {"get_context": between - started, "search_memory": time.perf_counter() - between}


def _row(call: str, taken: dict[tuple[str, str], list[float]]) -> str:
    guarded, free = (statistics.median(taken[call, side]) for side in ("guarded", "free"))
    return f"{call}: {guarded:.2f} ms guarded, {free:.2f} ms free, ratio {guarded / free:.3f} (n={len(taken[call, 'free'])})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400, help="calls of each kind on each side")
    parser.add_argument(
        "--copies", type=int, default=15, help="number of copies of the first dialogue in the large chat"
    )
    given = parser.parse_args()
    asyncio.run(_main(given.rounds, given.copies))
