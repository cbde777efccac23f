"""Measures how long a scrub delays callers. It also measures how long a scrub takes without callers.

    python -m benchmarks.scrub --folder DIR [--messages 1M] [--seconds 60]

During the first scrubs, two callers read and write without a pause. During the later scrubs, there are no calls. The
delay is the duration of the callers' longest call. `--now` measures a scrub that is not cancelled when callers wait.
"""

import argparse
import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg

from benchmarks.scale import cluster, ensure, name_of, sizes_of
from benchmarks.subjects import WRITTEN_OWNER, environment
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.domain.erasure.scrub import Scrubber
from tellonce_server.postgres.embedded_server import SUPERUSER

READ = "select count(content) from messages where owner_id = $1 and chat_id = $1"
WRITE = "update messages set importance = importance where (owner_id, chat_id, id) = ($1, $1, 1)"


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    async with cluster(args.folder) as postgres:
        dsn = await ensure(postgres, args.folder, args.messages)
        own = environment(args.folder, dsn, "none")
        settings = ServerSettings.model_validate(
            {
                "database_url": dsn,
                "data_dir": own["TELLONCE_DATA_DIR"],
                "embeddings": "none",
                "user_ids": (WRITTEN_OWNER,),
            }
        )
        async with Storage(settings).running() as storage:
            deps = (await storage.services()).deps
            scrubber = Scrubber(deps, dsn, postgres.dsn(SUPERUSER, name_of(args.messages)))
            return await _measured(scrubber, dsn, args)


async def _measured(scrubber: Scrubber, dsn: str, args: argparse.Namespace) -> dict[str, Any]:
    waits: list[float] = []
    callers = [asyncio.create_task(_call(dsn, statement, waits)) for statement in (READ, WRITE)]
    tries, done, until = 0, False, time.perf_counter() + args.seconds
    while not done and time.perf_counter() < until:
        done = await scrubber.scrub(gives_way=not args.now)
        tries += 1
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    started = time.perf_counter()
    alone = await scrubber.scrub()
    return {
        "calls": len(waits),
        "longest call, ms": round(max(waits) * 1000),
        "tries beside them": tries,
        "done beside them": done,
        "done alone": alone,
        "seconds alone": round(time.perf_counter() - started, 1),
    }


async def _call(dsn: str, statement: str, waits: list[float]) -> None:
    connection: Any = await asyncpg.connect(dsn)
    with suppress(asyncio.CancelledError):
        while True:
            started = time.perf_counter()
            await connection.execute(statement, WRITTEN_OWNER)
            waits.append(time.perf_counter() - started)
            await asyncio.sleep(0.01)
    await connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder of the databases, outside the project")
    parser.add_argument("--messages", type=sizes_of, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60, help="seconds of scrubs while callers make calls")
    parser.add_argument("--now", action="store_true", help="measure a scrub that is not cancelled when callers wait")
    args = parser.parse_args()
    for name, value in asyncio.run(measure(args)).items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
