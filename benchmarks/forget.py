"""Measures how long `forget` takes, and how long other calls wait during `forget`. There are three cases: a name in few
messages, a name in all messages, and all memories.

    python -m benchmarks.forget [--messages N] [--memories N]

Each case has a separate owner on the real server, without embeddings. During `forget`, three callers repeat a short
call. The first caller records messages of another owner. The second caller records messages of the same owner. The
third caller looks up one row through the same connection pool. The duration of the callers' calls shows how long
`forget` delays others. The line `before` gives the durations of these calls while nothing is being forgotten. With
`--quiet`, there are no other callers.
"""

import argparse
import asyncio
import gc
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from benchmarks.memory import FIRST_USER, NOW, Memory, open_memory
from benchmarks.timing import quantile
from tellonce import contract as c
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.import_messages import BATCH, Importer, ImportMessage

NAME = "Quzibro"
FEW, ALL, EVERYTHING, OTHER = range(FIRST_USER, FIRST_USER + 4)
EVERY = 60
"""In the first case, the name is in every message whose number is a multiple of EVERY."""
WORDS = (
    "we they walked talked bought green old house river market again because under seven morning coffee train".split()
)
PAUSE = 0.004
SAID = c.RecordMessageArgs(role="user", content="Something quite different.")
ResultT = TypeVar("ResultT")


@dataclass
class Waits:
    """The seconds of each call by one of the other callers."""

    seconds: list[float] = field(default_factory=list)

    def summary(self) -> str:
        ordered = sorted(self.seconds)
        half, most, longest = (1000 * quantile(ordered, share) for share in (0.5, 0.95, 1))
        return f"p50 {half:.0f} p95 {most:.0f} max {longest:.0f} ms of {len(ordered)}"


async def _main(messages: int, memories: int, *, quiet: bool) -> None:
    async with open_memory(None, 4) as memory:
        gc.collect()
        gc.freeze()  # a server process also freezes its objects after its imports
        chance = random.Random(7)
        await _talk(memory, FEW, messages, lambda n: _said(chance, n % EVERY == 0))
        await _talk(memory, ALL, messages, lambda n: _said(chance, True))
        await _talk(memory, EVERYTHING, messages, lambda n: _said(chance, False))
        await _remember(memory, EVERYTHING, memories)
        async with memory.tables() as tables:
            await tables.execute("vacuum analyze")
        print(f"{messages} messages an owner, {memories} memories")
        for title, user, what in (
            (f"a name in {-(-messages // EVERY)} messages", FEW, {"topic": NAME}),
            ("a name in all messages", ALL, {"topic": NAME}),
            (f"everything: {memories} memories", EVERYTHING, {"everything": True}),
        ):
            await _case(memory, title, user, what, quiet=quiet)


async def _talk(memory: Memory, user: int, count: int, said: Callable[[int], str]) -> None:
    importer = Importer(memory.services.deps, ChatScope(user, user))
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        begin = NOW - timedelta(minutes=count)
        await importer.add(
            [ImportMessage("user", said(n), f"turn:{n}", begin + timedelta(minutes=n), "benchmark") for n in numbers]
        )


def _said(chance: random.Random, named: bool) -> str:
    words = [chance.choice(WORDS) for _ in range(22)]
    return f"{' '.join(words[:11])}{f' {NAME}' if named else ''} {' '.join(words[11:])} {chance.randrange(10**6)}."


async def _remember(memory: Memory, user: int, count: int) -> None:
    async with memory.tables() as tables:
        await tables.execute(
            "insert into memories (owner_id, id, chat_id, kind, status, content, confidence, priority, importance, pinned,"
            " valid_from, origin, user_confirmed, source_chat_id, created_at, updated_at, tsv)"
            " select $1, n, $1, 'fact', 'active', 'Owns lamp ' || n || ' of the ' || md5(n::text) || ' shelf', 1, 1, 1, false,"
            " $3, 'user', true, $1, $3, $3, to_tsvector('chatmem', 'Owns lamp ' || n || ' of the ' || md5(n::text) || ' shelf')"
            " || array_to_tsvector(array['@o' || $4, '@c' || $4])"
            " from generate_series(1, $2::int) n",
            user,
            count,
            NOW,
            str(user),
        )
        await tables.execute("update user_profile set last_memory_id = $2 where owner_id = $1", user, count)


async def _case(memory: Memory, title: str, user: int, what: dict[str, Any], *, quiet: bool) -> None:
    async with memory.client(user) as client, memory.client(OTHER) as other, memory.client(user) as same:
        callers: dict[str, Callable[[], Awaitable[object]]] = {
            "another owner": lambda: other.record_message(SAID),
            "the same owner": lambda: same.record_message(SAID),
            "a look-up": lambda: memory.services.deps.database.row("forget.preview", user, ""),
        }
        callers = {} if quiet else callers
        print(title)
        await _watched("before ", asyncio.sleep(0 if quiet else 2), callers)
        preview = await _watched("preview", client.forget(c.ForgetArgs.model_validate(what)), callers)
        confirm = c.ForgetArgs.model_validate({**what, "confirm": preview.confirm})
        done = await _watched("erasure", client.forget(confirm), callers)
    print(f"  {len(preview.matches)} matches listed, {done.erased}, traces left {done.traces_left}", flush=True)


async def _watched(
    title: str, call: Awaitable[ResultT], callers: dict[str, Callable[[], Awaitable[object]]]
) -> ResultT:
    waits = {name: Waits() for name in callers}
    watching = [asyncio.create_task(_repeat(callers[name], wait)) for name, wait in waits.items()]
    began = time.perf_counter()
    try:
        return await call
    finally:
        taken = time.perf_counter() - began
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
        print(f"  {title} {taken:.2f} s; {'; '.join(f'{name}: {wait.summary()}' for name, wait in waits.items())}")


async def _repeat(call: Callable[[], Awaitable[object]], waits: Waits) -> None:
    while True:
        began = time.perf_counter()
        try:
            await call()
        finally:
            waits.seconds.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--memories", type=int, default=1_200)
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args()
    asyncio.run(_main(given.messages, given.memories, quiet=given.quiet))
