"""Measures the effect of a slow disk on a memory: `python -m benchmarks.slow_disk [--writes 10]` (Linux, root, cgroup
v1 `blkio`).

A person repeatedly records a message and requests a context over HTTP. After a while, all processes of PostgreSQL
together are limited to a number of writes per second; then the limit is removed. The durations of calls are printed for
all three phases. At the end, every acknowledged message must be stored once and in order.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

from benchmarks.soak_report import Figures, figures
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce_server.postgres.embedded_cluster import postmaster
from tests.crash.world import World, children_of

USER = 1
CGROUP = Path("/sys/fs/cgroup/blkio")


@contextmanager
def throttled(world: World, writes: int) -> Generator[None]:
    """Limit all processes of PostgreSQL, including those started later, to `writes` writes per second."""
    group = CGROUP / f"tellonce-{os.getpid()}"
    group.mkdir()
    disk = os.stat(world.postgres.cluster).st_dev
    # The limit is for the whole disk, because a partition cannot be throttled separately.
    device = (Path("/sys/dev/block") / f"{os.major(disk)}:{os.minor(disk)}").resolve()
    whole = device.parent if (device / "partition").exists() else device
    (group / "blkio.throttle.write_iops_device").write_text(f"{(whole / 'dev').read_text().strip()} {writes}")
    try:
        _move(world, group)
        yield
    finally:
        _move(world, CGROUP)
        group.rmdir()


def _move(world: World, group: Path) -> None:
    head = postmaster(world.postgres.cluster)
    assert head is not None  # PostgreSQL's processes exist by now
    for pid in (head, *children_of(head)):
        (group / "cgroup.procs").write_text(str(pid))


async def turns(client: MemoryClient, first: int, count: int) -> dict[str, Figures]:
    took: dict[str, list[float]] = {"record_message": [], "get_context": []}
    for n in range(first, first + count):
        said = f"Number {n}: the kettle is on shelf {n}"
        began = time.perf_counter()
        await client.record_message(c.RecordMessageArgs(chat_id=USER, role="user", content=said, message_id=f"m{n}"))
        recorded = time.perf_counter()
        await client.get_context(c.GetContextArgs(chat_id=USER, query=f"Where is kettle {n}?"))
        took["record_message"].append((recorded - began) * 1000)
        took["get_context"].append((time.perf_counter() - recorded) * 1000)
    return {tool: figures(times) for tool, times in took.items()}


async def run(writes: int, count: int) -> bool:
    """Print the table. Returns whether every message is stored."""
    with tempfile.TemporaryDirectory(prefix="tellonce-slow-", ignore_cleanup_errors=True) as folder:
        world = World(Path(folder) / "world", (USER,), TELLONCE_QUEUE="", TELLONCE_COMPACTION="")
        async with world.running(), connect_http(world.url, world.token("relay")) as client:
            await turns(client, 0, 20)
            print("| | record_message p50 / p95 | get_context p50 / p95 |\n|---|--:|--:|")
            _row("before", await turns(client, 20, count))
            with throttled(world, writes):
                _row(f"{writes} writes a second", await turns(client, 20 + count, count))
            _row("after", await turns(client, 20 + 2 * count, count))
            complete = await _numbers(world) == [f"m{n}" for n in range(20 + 3 * count)]
        world.remove()
    print(
        "Every acknowledged message is stored once and in order."
        if complete
        else "Messages are missing or stored twice."
    )
    return complete


def _row(name: str, took: dict[str, Figures]) -> None:
    cells = (f"{took[tool][1]} / {took[tool][2]} ms" for tool in ("record_message", "get_context"))
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


async def _numbers(world: World) -> list[str]:
    connection = await asyncpg.connect(world.dsn)
    try:
        rows = await connection.fetch("select ext_id from messages where owner_id = $1 order by id", USER)
    finally:
        await connection.close()
    return [row["ext_id"] for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writes", type=int, default=10, help="maximum writes per second of the device")
    parser.add_argument("--turns", type=int, default=60, help="in each of the three phases")
    args = parser.parse_args()
    if not os.access(CGROUP, os.W_OK):
        sys.exit("This needs root and the cgroup v1 controller `blkio`.")
    sys.exit(0 if asyncio.run(run(args.writes, args.turns)) else 1)


if __name__ == "__main__":
    main()
