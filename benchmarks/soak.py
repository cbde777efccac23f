"""Uses one memory evenly for a long time and reports, minute by minute, whether it stays as it was.

`python -m benchmarks.soak --minutes 60`: people talk, ask, remember, search, edit and forget at a steady pace over HTTP.
Each minute: memory (PSS) of server, summarizer and PostgreSQL, connections, open jobs, and the latency of each tool. A
slope is the change over the run by a straight line through the minutes, as a share of their mean; the first minutes, in
which caches and pools fill, are left out.
"""

import argparse
import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Sequence
from pathlib import Path
from random import Random
from statistics import linear_regression, mean, quantiles
from typing import TypeVar

import asyncpg
from pydantic import BaseModel

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem.connect import connect_http
from chatmem_server.postgres.embedded_cluster import postmaster
from tests.crash.invariants import OPEN
from tests.crash.load import PLACES, SAYINGS, THINGS
from tests.crash.world import World, children_of

USERS = tuple(range(1, 9))
TURN_SECONDS = 2.0
WARM_UP = 3
REPORT = Path("benchmarks/results/soak.json")

ResultT = TypeVar("ResultT")


class Minute(BaseModel):
    """Memory in MiB, latencies in milliseconds: tool -> (calls, p50, p95)."""

    server_mb: float
    summarizer_mb: float
    postgres_mb: float
    connections: int
    open_jobs: int
    tools: dict[str, tuple[int, float, float]]


class Person:
    """Talks at a steady pace and notes how long each call took."""

    def __init__(self, client: MemoryClient, chat: int, took: dict[str, list[float]]) -> None:
        self._client = client
        self._chat = chat
        self._took = took
        self._chance = Random(chat)

    async def live(self) -> None:
        n = 0
        await asyncio.sleep(self._chance.uniform(0, TURN_SECONDS))
        while True:
            n += 1
            began = time.monotonic()
            await self._turn(n)
            await asyncio.sleep(max(0.0, TURN_SECONDS * self._chance.uniform(0.5, 1.5) - time.monotonic() + began))

    async def _turn(self, n: int) -> None:
        chat, said = self._chat, self._saying(n)
        await self._say(c.RecordMessageArgs(chat_id=chat, role="user", content=said, message_id=f"u{n}"))
        asked = c.GetContextArgs(chat_id=chat, query=said, exclude_message_id=f"u{n}")
        await self._timed("get_context", self._client.get_context(asked))
        answer = f"Noted, number {n}."
        await self._say(
            c.RecordMessageArgs(chat_id=chat, role="assistant", content=answer, message_id=f"a{n}", exchange_of=f"u{n}")
        )
        if n % 5 == 0:
            await self._timed("search_memory", self._client.search_memory(c.SearchMemoryArgs(chat_id=chat, query=said)))
        if n % 10 == 0:
            text = f"Shelf {n} of user {chat} holds the {self._chance.choice(THINGS)}"
            await self._timed("remember", self._client.remember(c.RememberArgs(chat_id=chat, content=text)))
        if n % 25 == 0:
            edited = f"{said}, to be exact"
            await self._say(c.RecordMessageArgs(chat_id=chat, role="user", content=edited, message_id=f"u{n}"))
        if n % 50 == 0:
            await self._forget(f"Shelf {n}")

    async def _say(self, args: c.RecordMessageArgs) -> None:
        await self._timed("record_message", self._client.record_message(args))

    async def _forget(self, topic: str) -> None:
        shown = await self._timed("forget", self._client.forget(c.ForgetArgs(chat_id=self._chat, topic=topic)))
        if shown.confirm is not None:
            args = c.ForgetArgs(chat_id=self._chat, topic=topic, confirm=shown.confirm)
            await self._timed("forget", self._client.forget(args))

    async def _timed(self, tool: str, call: Awaitable[ResultT]) -> ResultT:
        began = time.perf_counter()
        result = await call
        self._took[tool].append((time.perf_counter() - began) * 1000)
        return result

    def _saying(self, n: int) -> str:
        thing, place = self._chance.choice(THINGS), self._chance.choice(PLACES)
        return self._chance.choice(SAYINGS).format(n=n, thing=thing, place=place)


async def run(minutes: int, report: Path) -> list[Minute]:
    """Soak for `minutes`; the report is written every minute."""
    seen: list[Minute] = []
    report.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="chatmem-soak-", ignore_cleanup_errors=True) as folder:
        world = World(Path(folder) / "world", USERS, CHATMEM_QUEUE="", CHATMEM_COMPACTION="", OBSERVABILITY_ENABLED="0")
        async with world.running(), connect_http(world.url, world.token("relay")) as client:
            took: dict[str, list[float]] = defaultdict(list)
            people = [asyncio.create_task(Person(client, chat, took).live()) for chat in USERS]
            try:
                for _ in range(minutes):
                    await _minute(people)
                    seen.append(await _look(world, took))
                    took.clear()
                    report.write_text("[\n" + ",\n".join(m.model_dump_json() for m in seen) + "\n]\n")
            finally:
                for person in people:
                    person.cancel()
                await asyncio.gather(*people, return_exceptions=True)
        world.remove()
    return seen


async def _minute(people: Sequence["asyncio.Task[None]"]) -> None:
    """Sixty seconds, unless somebody's call fails: then that failure."""
    done, _ = await asyncio.wait(people, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    for person in done:
        person.result()


async def _look(world: World, took: dict[str, list[float]]) -> Minute:
    connection = await asyncpg.connect(world.dsn)
    head = postmaster(world.postgres.cluster)
    assert head is not None  # a connection was just made
    try:
        clients = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        return Minute(
            server_mb=_pss(world.pid("server")),
            summarizer_mb=_pss(world.pid("summarizer")),
            postgres_mb=_pss(head, *children_of(head)),
            connections=await connection.fetchval(clients) - 1,
            open_jobs=await connection.fetchval(OPEN),
            tools={tool: _figures(times) for tool, times in sorted(took.items())},
        )
    finally:
        await connection.close()


def _pss(*pids: int | None) -> float:
    """MiB, shared pages counted by share; a process that just ended counts nothing."""
    total = 0
    for pid in pids:
        rollup = Path(f"/proc/{pid}/smaps_rollup")
        if rollup.exists():
            total += sum(int(line.split()[1]) for line in rollup.read_text().splitlines() if line.startswith("Pss:"))
    return round(total / 1024, 1)


def _figures(times: Sequence[float]) -> tuple[int, float, float]:
    cuts = quantiles(times, n=20) if len(times) > 1 else [times[0]] * 19
    return len(times), round(cuts[9], 1), round(cuts[18], 1)


def slope(values: Sequence[float]) -> float:
    """Change from the first to the last minute by a straight line, in percent of the mean."""
    line = linear_regression(range(len(values)), values)
    return 100 * line.slope * (len(values) - 1) / mean(values)


def table(seen: Sequence[Minute]) -> str:
    """Each series with its mean, its ends and its slope."""
    steady = seen[WARM_UP:] if len(seen) > WARM_UP + 1 else seen
    series = {
        "server, MiB": [m.server_mb for m in steady],
        "summarizer, MiB": [m.summarizer_mb for m in steady],
        "PostgreSQL, MiB": [m.postgres_mb for m in steady],
        "connections": [float(m.connections) for m in steady],
        "open jobs": [float(m.open_jobs) for m in steady],
    }
    for tool in ("record_message", "get_context", "search_memory"):
        for name, place in (("p50", 1), ("p95", 2)):
            series[f"{tool} {name}, ms"] = [m.tools[tool][place] for m in steady if tool in m.tools]
    rows = [
        f"| {name} | {mean(values):.1f} | {values[0]:.1f} | {values[-1]:.1f} | {slope(values):+.1f} % |"
        for name, values in series.items()
        if len(values) > 1 and mean(values) > 0
    ]
    return "\n".join(["| a minute | mean | first | last | slope over the run |", "|---|--:|--:|--:|--:|", *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--report", type=Path, default=REPORT)
    args = parser.parse_args()
    print(table(asyncio.run(run(args.minutes, args.report))))


if __name__ == "__main__":
    main()
