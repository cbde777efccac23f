"""`python -m benchmarks.soak`: simulates people who use one server for an hour, and reports whether its RAM use and
latency stay constant.

The people write, ask, remember, search, edit and forget at a steady pace over HTTP, for an hour or for `--minutes`.
Each minute the command prints the number of connections, the number of open jobs, and four figures of RAM: for the
server, the summarizer, PostgreSQL, and PostgreSQL's shared buffers. At the end it prints a verdict, and a table with
the latency of each tool in slices of five minutes. Each run begins with a new database that already contains some
history. In an empty database, all calls would be fast, and the caches of texts would fill slowly. A fixed computation
is timed every second, and latencies are divided by its time, because the speed of a shared machine changes by half
within minutes. The first minutes are not judged, because RAM use grows until connections have prepared their statements
and caches are full (`tests/unit/test_caches.py` limits them). PostgreSQL's use of its shared buffers is not judged
either. The size of these buffers is a setting, and they fill while tables grow.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median
from typing import TypeVar

import asyncpg

from benchmarks.soak_report import SLICE, Minute, Soak, figures, table, verdict
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import ChatScope
from tellonce_server.postgres.embedded_cluster import postmaster
from tellonce_server.services.import_messages import BATCH, Importer, ImportMessage
from tests.crash.invariants import OPEN
from tests.crash.load import PLACES, SAYINGS, THINGS
from tests.crash.world import World, children_of

USERS = tuple(range(1, 9))
TURN_SECONDS = 4.0
"""Seconds between the turns of one person. All people together make two turns per second. The pace is low, so that the
server is idle most of the time. On a busy server, a little more load doubles the waiting times."""

BEFORE = 5_000
"""Number of exchanges in each person's history at the start. In an hour, a sixth of this number is added. The history
is large, because a search for a frequent word reads every message that contains it."""
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)
WARM_UP = 10
"""Minutes."""

OWN, SHARED = ("Pss_Anon", "Pss_File"), ("Pss_Shmem",)
"""The kernel's fields for a process's own RAM, and for PostgreSQL's shared buffers. PostgreSQL reserves the buffers at
its start, and uses more of them as tables grow."""

REPORT = Path("benchmarks/results/soak.json")

ResultT = TypeVar("ResultT")


class Person:
    """A person who makes calls at a steady pace and records their durations."""

    def __init__(self, client: MemoryClient, chat: int, took: dict[str, list[float]]) -> None:
        self._client = client
        self._chat = chat
        self._took = took
        self._chance = Random(chat)
        self._turns = 0

    async def import_talk(self, storage: Storage, exchanges: int) -> None:
        """Import this number of exchanges with their memories. They are stored in the same form as by the tools
        below."""
        importer = Importer((await storage.services()).deps, ChatScope(self._chat, self._chat))
        for start in range(0, exchanges, BATCH // 2):
            numbers = range(start + 1, min(start + BATCH // 2, exchanges) + 1)
            await importer.add([message for n in numbers for message in self._exchange(n)])
        for n in range(1, exchanges + 1):
            await self._remember_some(n)
        self._turns = exchanges

    def _exchange(self, n: int) -> tuple[ImportMessage, ImportMessage]:
        at = LONG_AGO + timedelta(minutes=n)
        return (
            ImportMessage("user", self._saying(n), f"u{n}", at, "soak"),
            ImportMessage("assistant", f"Noted, number {n}.", f"a{n}", at, "soak"),
        )

    async def live(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, TURN_SECONDS))
        while True:
            self._turns += 1
            began = time.monotonic()
            await self._turn(self._turns)
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
        await self._remember_some(n)
        if n % 25 == 0:
            edited = f"{said}, to be exact"
            await self._say(c.RecordMessageArgs(chat_id=chat, role="user", content=edited, message_id=f"u{n}"))
        if n % 50 == 0:
            await self._forget(f"Shelf {n}")

    async def _remember_some(self, n: int) -> None:
        if n % 10 == 0:
            text = f"Shelf {n} of user {self._chat} holds the {self._chance.choice(THINGS)}"
            await self._timed("remember", self._client.remember(c.RememberArgs(chat_id=self._chat, content=text)))

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


class Pace:
    """Measures the machine's speed by a computation of about two milliseconds."""

    def __init__(self) -> None:
        self._took: list[float] = []

    async def keep(self) -> None:
        while True:
            began = time.perf_counter()
            sum(n * n for n in range(30_000))
            self._took.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(1)

    def since_last(self) -> float:
        """The median milliseconds of the measurements since the last call of this method."""
        took, self._took = self._took, []
        return round(median(took), 3)


async def run(minutes: int, warm_up: int, report: Path) -> Soak:
    """Run for `minutes`. The report is written every minute."""
    soak = Soak(warm_up=warm_up)
    report.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tellonce-soak-", ignore_cleanup_errors=True) as folder:
        world = World(
            Path(folder) / "world", USERS, TELLONCE_QUEUE="", TELLONCE_COMPACTION="", OBSERVABILITY_ENABLED="0"
        )
        async with world.running(), connect_http(world.url, world.token("relay")) as client:
            took: dict[str, list[float]] = defaultdict(list)
            everybody = [Person(client, chat, took) for chat in USERS]
            await _import(world, everybody)
            await _worked_off(world)
            took.clear()
            pace = Pace()
            keeper = asyncio.create_task(pace.keep())
            people = [asyncio.create_task(person.live()) for person in everybody]
            try:
                for number in range(1, minutes + 1):
                    await _minute(people)
                    await _note(soak, number, world, took, pace)
                    report.write_text(soak.model_dump_json(indent=1) + "\n")
            finally:
                for task in (keeper, *people):
                    task.cancel()
                await asyncio.gather(keeper, *people, return_exceptions=True)
        world.remove()
    return soak


async def _import(world: World, everybody: Sequence[Person]) -> None:
    """Import the history of all people. The import does not run in the server's process."""
    settings = ServerSettings.model_validate(
        {
            "database_url": world.postgres.dsn(),
            "data_dir": world.folder / "data",
            "embeddings": "none",
            "user_ids": USERS,
        }
    )
    storage = Storage(settings)
    async with storage.running():
        await asyncio.gather(*(person.import_talk(storage, BEFORE) for person in everybody))


async def _worked_off(world: World) -> None:
    """Wait until all work for the import is done, which takes up to ten minutes of one core."""
    began = time.monotonic()
    while open_jobs := (await _look(world)).open_jobs:
        print(f"{time.monotonic() - began:4.0f} s: {open_jobs} open jobs of the import", flush=True)
        await asyncio.sleep(15)


async def _note(soak: Soak, number: int, world: World, took: dict[str, list[float]], pace: Pace) -> None:
    minute = await _look(world)
    soak.minutes.append(minute)
    if number % SLICE == 0:
        soak.tools.append({tool: figures(times) for tool, times in sorted(took.items())})
        soak.paces.append(pace.since_last())
        took.clear()
    memory = ", ".join(f"{name} {mib:.0f} MiB" for name, mib in minute.memory.items())
    print(f"{number:3} min: {memory}, {minute.connections} connections, {minute.open_jobs} open jobs", flush=True)


async def _minute(people: Sequence["asyncio.Task[None]"]) -> None:
    """Wait sixty seconds. If a call of a person fails, its error is raised."""
    done, _ = await asyncio.wait(people, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    for person in done:
        person.result()


async def _look(world: World) -> Minute:
    connection = await asyncpg.connect(world.dsn)
    head = postmaster(world.postgres.cluster)
    assert head is not None  # a connection was just opened
    processes = (head, *children_of(head))
    try:
        clients = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        return Minute(
            memory={
                "server": _pss(OWN, world.pid("server")),
                "summarizer": _pss(OWN, world.pid("summarizer")),
                "PostgreSQL": _pss(OWN, *processes),
                "shared buffers": _pss(SHARED, *processes),
            },
            connections=await connection.fetchval(clients) - 1,
            open_jobs=await connection.fetchval(OPEN),
            load=os.getloadavg()[0],
        )
    finally:
        await connection.close()


def _pss(kinds: Sequence[str], *pids: int | None) -> float:
    """MiB of memory pages of these kinds. A process that has just ended counts as 0."""
    total = 0
    for pid in pids:
        rollup = Path(f"/proc/{pid}/smaps_rollup")
        if rollup.exists():
            fields = dict(line.split(":") for line in rollup.read_text().splitlines()[1:])
            total += sum(int(fields[kind].removesuffix("kB")) for kind in kinds)
    return round(total / 1024, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="minutes that are not judged")
    parser.add_argument("--report", type=Path, default=REPORT)
    args = parser.parse_args()
    soak = asyncio.run(run(args.minutes, args.warm_up, args.report))
    flat, sentence = verdict(soak)
    print(f"\n{table(soak)}\n\n{sentence}\nReport: {args.report}")
    sys.exit(0 if flat else 1)


if __name__ == "__main__":
    main()
