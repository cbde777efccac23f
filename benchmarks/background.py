"""Measures the speed of imports and embeddings. It also measures how much slower a turn is while a burst of messages is
embedded.

    python -m benchmarks.background --folder DIR [--messages 10k] [--burst 10000] [--turns 60] [--json FILE]

A turn is `record_message` and `get_context` with a new question, over HTTP. Turns are timed before the burst, while the
burst is embedded, and afterwards. Then memory and disk use are measured. A run takes about three minutes on a quiet
machine.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np

from benchmarks.latency import emptied
from benchmarks.population import Words
from benchmarks.scale import cluster, ensure, name_of, sizes_of
from benchmarks.subjects import WRITTEN_OWNER, Ours, environment, our_server
from benchmarks.timing import Timed, run
from benchmarks.toolcalls import reading, writing
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import ChatScope
from tellonce_server.postgres.embedded_server import SUPERUSER
from tellonce_server.services.import_messages import BATCH, Importer, ImportMessage

UNEMBEDDED = f"select count(*) from messages where owner_id = {WRITTEN_OWNER} and embedding is null"
WORDS = 14
"""Words per message. The local model splits each invented word into two or three tokens, so a message has 35 tokens."""


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    async with cluster(args.folder) as postgres:
        dsn = await ensure(postgres, args.folder, args.messages)
        connection: Any = await asyncpg.connect(postgres.dsn(SUPERUSER, name_of(args.messages)))
        try:
            async with our_server(args.folder, dsn) as server:
                found["resident MiB, idle"] = round(server.process.resident())
                await server.model_loaded()
                before = await _turns(server, args.turns, seed=1)
                found |= await _imported(args, dsn)
                found |= await _during(server, connection, args, before)
                found["resident MiB, with the model"] = round(server.process.resident())
            found["bytes a message on disk"] = await _weight(connection, args.messages)
        finally:
            await connection.close()
            await emptied(postgres, args.messages)
    return found


async def _turns(server: Ours, count: int, seed: int) -> Timed:
    """Run turns one after another, and measure the time of each whole turn."""
    stamp = time.time_ns() % 10**9 + seed
    record = writing(server.client, stamp)["record_message"]
    ask = reading(server.client, stamp, big=False)["get_context, fresh query"]

    async def turn(number: int) -> None:
        await record(number)
        await ask(number)

    timed = Timed()
    await run(turn, timed, count=count, at_once=1)
    return timed


async def _imported(args: argparse.Namespace, dsn: str) -> dict[str, float]:
    """Messages per second of an import, without embeddings. The import does not run in the server's process."""
    own = environment(args.folder, dsn, "none")
    settings = ServerSettings.model_validate(
        {"database_url": dsn, "data_dir": own["TELLONCE_DATA_DIR"], "embeddings": "none", "user_ids": (WRITTEN_OWNER,)}
    )
    storage = Storage(settings)
    async with storage.running():
        importer = Importer((await storage.services()).deps, ChatScope(WRITTEN_OWNER, WRITTEN_OWNER))
        history = _history(args.burst)
        started = time.perf_counter()
        while batch := list(islice(history, BATCH)):
            await importer.add(batch)
        seconds = time.perf_counter() - started
    return {"imported a second": round(args.burst / seconds)}


def _history(count: int) -> Iterator[ImportMessage]:
    words = Words(np.random.default_rng(3))
    start, run_id = datetime(2025, 1, 1, tzinfo=UTC), time.time_ns()
    for number, text in enumerate(words.texts(count, WORDS)):
        at = start + timedelta(minutes=number)
        yield ImportMessage("user", text, f"{run_id}-{number}", at, "telegram")


async def _during(server: Ours, connection: Any, args: argparse.Namespace, before: Timed) -> dict[str, float]:
    waiting = await connection.fetchval(UNEMBEDDED)
    started = time.perf_counter()
    meanwhile = await _turns(server, args.turns, seed=2)
    left = await connection.fetchval(UNEMBEDDED)
    under_turns = (waiting - left) / (time.perf_counter() - started)
    started = time.perf_counter()
    await asyncio.sleep(args.seconds)
    alone = (left - await connection.fetchval(UNEMBEDDED)) / (time.perf_counter() - started)
    async with asyncio.timeout(1_200):
        while await connection.fetchval(UNEMBEDDED):  # noqa: ASYNC110 (another process embeds)
            await asyncio.sleep(1)
    after = await _turns(server, args.turns, seed=3)
    idle = (before.at(0.5) + after.at(0.5)) / 2
    return {
        "embedded a second": round(alone, 1),
        "embedded a second beside turns": round(under_turns, 1),
        "turn p50 ms, idle": round(idle, 2),
        "turn p50 ms, while embedding": round(meanwhile.at(0.5), 2),
        "turn p95 ms, while embedding": round(meanwhile.at(0.95), 2),
        "turn slowed down": round(meanwhile.at(0.5) / idle, 2),
        "messages not embedded after those turns": left,
    }


async def _weight(connection: Any, messages: int) -> int:
    size: int = await connection.fetchval("select pg_database_size(current_database())")
    return size // messages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder of the databases, outside the project")
    parser.add_argument("--messages", type=sizes_of, default=10_000)
    parser.add_argument("--burst", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=10, help="seconds for which embedding alone is measured")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    found = asyncio.run(measure(args))
    for name, value in found.items():
        print(f"{name:34} {value}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
