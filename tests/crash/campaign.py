"""Runs one seeded round of kills under load and checks the invariants. The report lists the kills and the breaches."""

import asyncio
import time
import traceback
from pathlib import Path
from random import Random

from pydantic import BaseModel

from tests.crash import invariants
from tests.crash.load import USERS, Ledger, Load
from tests.crash.world import WEIGHTS, ForkedWorld, World
from tests.patience import until

RECOVERY_SECONDS = 60.0
ACKS_BETWEEN = 12
DRAIN_SECONDS = 90.0


class Round(BaseModel):
    """The result of one round. `recovery` has a list of seconds for each kind of process. Each entry is the time from a
    kill until the next acknowledged call. `slowest_call` is the seconds of the longest call, answered or failed.
    `drain` is the seconds until the queue was empty after the load had stopped."""

    seed: int
    kills: dict[str, int] = {}
    seconds: float = 0
    acknowledged: int = 0
    retries: int = 0
    slowest_call: float = 0
    messages: int = 0
    memories: int = 0
    forgotten: int = 0
    recovery: dict[str, list[float]] = {}
    drain: float = 0
    breaches: list[str] = []


async def play(folder: Path, seed: int, kills: int) -> Round:
    """Start a memory in `folder`, apply load, kill `kills` processes, stop the load, wait until the queue is empty, and
    check the invariants."""
    began = time.monotonic()
    world = ForkedWorld(folder, USERS)
    report = Round(seed=seed)
    try:
        async with world.running():
            await _round(world, report, kills)
    except Exception as error:
        # A round that cannot be completed counts as a breach; the next round is run nevertheless.
        report.breaches.append("".join(traceback.format_exception(error)))
    if not report.breaches:
        # The data of a failed round is kept for inspection.
        world.remove()
    report.seconds = round(time.monotonic() - began, 1)
    return report


async def _round(world: World, report: Round, kills: int) -> None:
    load = Load(world.url, world.token("relay"), report.seed)
    async with load.running() as ledger:
        await _kill(world, ledger, report, Random(report.seed), kills)
    stopped = time.monotonic()
    report.breaches += await invariants.drained(world, DRAIN_SECONDS)
    report.drain = round(time.monotonic() - stopped, 1)
    report.breaches += await invariants.breaches(world, ledger)
    _count(report, ledger)


async def _kill(world: World, ledger: Ledger, report: Round, chance: Random, kills: int) -> None:
    await _progress(ledger)
    while sum(report.kills.values()) < kills:
        await asyncio.sleep(chance.uniform(0, 0.6))
        target = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if world.kill(target, chance) is None:
            continue
        report.kills[target] = report.kills.get(target, 0) + 1
        report.recovery.setdefault(target, []).append(await _progress(ledger))


async def _progress(ledger: Ledger) -> float:
    """Wait until clients are served again, so that the next kill also hits a memory under load. Returns the seconds
    waited."""
    began, goal = time.monotonic(), ledger.acks + ACKS_BETWEEN
    await until(lambda: ledger.acks >= goal, RECOVERY_SECONDS)
    return round(time.monotonic() - began, 2)


def _count(report: Round, ledger: Ledger) -> None:
    report.acknowledged, report.retries = ledger.acks, ledger.retries
    report.slowest_call = round(ledger.slowest, 1)
    report.messages = sum(map(len, ledger.messages.values()))
    report.memories, report.forgotten = len(ledger.memories), len(ledger.forgotten)
