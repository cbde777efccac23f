"""Measures latency and throughput of every assistant tool over MCP at several database sizes. For comparison, it also
measures the minimal server of `benchmarks.floor`.

    python -m benchmarks.latency --folder DIR [--messages 10k 100k 1M] [--at-once 1 8 32] [--rounds N] [--against CHECKOUT]
        [--json FILE]

Missing databases below DIR are created (`benchmarks.scale`) and kept. There is one server process per size, all on one
embedded PostgreSQL. Sizes, tools and the minimal server alternate in small rounds, so that other load affects all
equally. First calls are timed with a cold cache. All other calls are timed with the database's files in the kernel's
cache. With `--against`, the server of another checkout alternates with ours on the same databases; its rows are named
"before". `--tools reading` leaves out writing tools. By default, the run takes two minutes and measures reading and
writing tools at 10k messages with 1 and 8 clients.
"""

import argparse
import asyncio
import json
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from benchmarks.scale import cluster, ensure, name_of, sizes_of
from benchmarks.subjects import WRITTEN_OWNER, Floor, Ours, floor_http, floor_stdio, our_server, our_stdio
from benchmarks.timing import Call, Timed, interleaved, run
from benchmarks.toolcalls import others, reading, writing
from tellonce import contract as c
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres

FLOOR = "dict look-up (floor)"
TENANT_TABLES = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'owner_id'
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
"""


@dataclass
class Report:
    """The figures of each combination of transport, messages, clients and tool, and single figures by name."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def add(self, transport: str, at_once: int, found: dict[str, Timed]) -> None:
        floor = found[FLOOR].at(0.5)
        for name, timed in found.items():
            size, _, tool = name.rpartition(" | ")
            row = {"transport": transport, "messages": size, "clients": at_once, "tool": tool, **timed.row()}
            row["of_floor"] = round(timed.at(0.5) / floor, 1)
            self.rows.append(row)
            print(
                f"{transport:5} {at_once:3} {size:>14} {tool:34} n {row['n']:5} min {row['min_ms']:7.2f}"
                f" p50 {row['p50_ms']:7.2f} p95 {row['p95_ms']:7.2f} ms {row['per_second']:7.0f}/s {row['of_floor']:5.1f} x",
                flush=True,
            )


async def measure() -> None:
    args = _arguments()
    seed = int(time.time())
    report = Report()
    async with cluster(args.folder) as postgres:
        for size in args.messages:
            await ensure(postgres, args.folder, size)
        try:
            await _over_http(postgres, args, seed, report)
            if "stdio" in args.transports:
                await _over_stdio(postgres, args, seed, report)
        finally:
            for size in args.messages:
                await emptied(postgres, size)
    if args.json:
        args.json.write_text(json.dumps({"rows": report.rows, "figures": report.figures}, indent=1))


async def _over_http(postgres: EmbeddedPostgres, args: argparse.Namespace, seed: int, report: Report) -> None:
    async with AsyncExitStack() as stack:
        floor = await stack.enter_async_context(floor_http())
        servers: dict[str, Ours] = {}
        for size, source in ((size, source) for size in args.messages for source in {None, args.against}):
            dsn = await ensure(postgres, args.folder, size)
            label = f"{size} before" if source else str(size)
            servers[label] = await stack.enter_async_context(our_server(args.folder, dsn, source=source))
            report.figures |= await _cold(servers[label], label)
        await asyncio.to_thread(_read_through, postgres.cluster / "base")
        for at_once in args.at_once:
            calls = await _calls(floor, {size: server.client for size, server in servers.items()}, args, seed, at_once)
            report.add("http", at_once, await _measured(calls, args, at_once))
        for size, server in servers.items():
            report.figures[f"{size} resident MiB"] = round(server.process.resident(), 1)
    print(json.dumps(report.figures, indent=1))


async def _over_stdio(postgres: EmbeddedPostgres, args: argparse.Namespace, seed: int, report: Report) -> None:
    size = max(args.messages)
    dsn = await ensure(postgres, args.folder, size)
    async with floor_stdio() as floor, our_stdio(args.folder, dsn) as client:
        calls = {FLOOR: lambda n: floor.look_up("tea")} | {
            f"{size} | {name}": call for name, call in _own_chat(client, seed).items()
        }
        report.add("stdio", 1, await _measured(calls, args, 1))


async def _cold(server: Ours, size: str) -> dict[str, float]:
    """The times of two calls of a new server: its first call, and the first call after its model is loaded."""
    started = time.perf_counter()
    await server.client.get_context(c.GetContextArgs(chat_id=1_001, query="What was the first thing?"))
    first = time.perf_counter() - started
    idle = server.process.resident()
    await server.model_loaded()
    started = time.perf_counter()
    await server.client.get_context(c.GetContextArgs(chat_id=1_001, query="What was the second thing?"))
    return {
        f"{size} start ms": round(1000 * server.process.seconds_to_start),
        f"{size} first call ms": round(1000 * first, 1),
        f"{size} first call with a vector ms": round(1000 * (time.perf_counter() - started), 1),
        f"{size} resident MiB before the model": round(idle, 1),
    }


def _read_through(folder: Path) -> None:
    """Read every table and index into the kernel's cache. This cache contains most files of a database that is in
    use."""
    for file in filter(Path.is_file, folder.rglob("*")):
        with file.open("rb") as stream:
            while stream.read(1 << 20):
                pass


async def _calls(
    floor: Floor, clients: dict[str, Any], args: argparse.Namespace, seed: int, at_once: int
) -> dict[str, Call]:
    calls: dict[str, Call] = {FLOOR: lambda n: floor.look_up("tea")}
    for size, client in clients.items():
        found = reading(client, seed + 10 * at_once, big=int(size.partition(" ")[0]) >= 100_000)
        if args.tools == "all":
            found |= writing(client, seed + at_once)
            found |= await others(client) if at_once == 1 else {}
        calls |= {f"{size} | {name}": call for name, call in found.items() if args.only in name}
    return calls


def _own_chat(client: Any, seed: int) -> dict[str, Call]:
    return {name: call for name, call in reading(client, seed, big=False).items() if "fresh" in name}


async def _measured(calls: dict[str, Call], args: argparse.Namespace, at_once: int) -> dict[str, Timed]:
    for call in calls.values():
        await run(call, Timed(), count=8, at_once=min(8, at_once), first=1_000_000)
    count = args.calls * (1 if at_once == 1 else 4)
    return await interleaved(calls, rounds=args.rounds, count=count, at_once=at_once)


async def emptied(postgres: EmbeddedPostgres, size: int) -> None:
    """Remove the rows that the run wrote, so that the database is the same next time."""
    connection: Any = await asyncpg.connect(postgres.dsn(SUPERUSER, name_of(size)))
    try:
        await connection.execute("set session_replication_role = replica")
        for row in await connection.fetch(TENANT_TABLES):
            await connection.execute(f"delete from {row['relname']} where owner_id = {WRITTEN_OWNER}")
        await connection.execute("delete from context_receipts")
    finally:
        await connection.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder of the databases, outside the project")
    parser.add_argument("--messages", type=sizes_of, nargs="+", default=[10_000])
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument(
        "--calls", type=int, default=20, help="calls of each kind in a round; four times as many for several clients"
    )
    parser.add_argument("--tools", choices=("all", "reading"), default="all")
    parser.add_argument("--only", default="", help="only calls whose name contains this text")
    parser.add_argument("--transports", nargs="+", choices=("http", "stdio"), default=["http", "stdio"])
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(measure())
