"""Random sequences of actions, with crashes at any point: nothing is lost, doubled or mixed up, and forgotten text does
not remain."""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tests.depth import depth
from tests.memory_fixtures import USER, Clock, create_database, session
from tests.server.action_sequences import Life
from tests.server.fuse import Fuse, fit

Doing = Callable[[Life], Awaitable[None]]

SEEDS = st.integers(0, 2**32 - 1)
POINTS = st.none() | st.integers(1, 60)
CI = settings(
    max_examples=depth(4, 10),
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
LONG = settings(CI, max_examples=400, stateful_step_count=60, derandomize=False, print_blob=True)


class World:
    """Runs the sequences on one server, each with a fresh database, in a separate event loop."""

    def __init__(self, postgres: EmbeddedPostgres, folder: Path, fuse: Fuse) -> None:
        self.runner = asyncio.Runner()
        self.postgres = postgres
        self.folder = folder
        self.fuse = fuse
        self.lives = 0

    def run(self, work: Awaitable[None]) -> None:
        async def it() -> None:
            await work

        self.runner.run(it())

    async def live(self, begun: "asyncio.Future[Life]", ended: asyncio.Event) -> None:
        """Run a whole sequence in one task, so that the same task opens and closes everything."""
        self.lives += 1
        name = f"life_{self.lives}"
        async with session(self.postgres.dsn(SUPERUSER, "postgres")) as admin:
            await create_database(admin, name)
            clock = Clock()
            options: dict[str, Any] = {
                "database_url": self.postgres.dsn(database=name),
                "data_dir": self.folder,
                "user_ids": (USER,),
                "timezone": "Asia/Singapore",
                "embeddings": "none",
            }
            storage = Storage(ServerSettings.model_validate(options), clock)
            async with storage.running(), session(self.postgres.dsn(database=name)) as tables:
                begun.set_result(Life(await storage.services(), tables, clock, self.fuse))
                await ended.wait()
            await admin.execute(f"drop database {name} with (force)")


@pytest.fixture
def world(
    anyio_backend: str, postgres: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    fuse = Fuse()
    fit(fuse, monkeypatch)
    world = World(postgres, tmp_path, fuse)
    with contextlib.closing(world.runner):
        yield world


def machine(world: World) -> type[RuleBasedStateMachine]:
    class Lives(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            world.run(self._begin())

        async def _begin(self) -> None:
            self.ended = asyncio.Event()
            begun: asyncio.Future[Life] = asyncio.get_running_loop().create_future()
            self.task = asyncio.create_task(world.live(begun, self.ended))
            await asyncio.wait([begun, self.task], return_when=asyncio.FIRST_COMPLETED)
            self.life = begun.result() if begun.done() else self.task.result()

        def teardown(self) -> None:
            world.run(self._end())

        async def _end(self) -> None:
            self.ended.set()
            await self.task

        def do(self, seed: int, doing: Doing) -> None:
            async def step() -> None:
                rng = random.Random(seed)
                await doing(self.life)
                await self.life.check(rng)

            world.run(step())

        @rule(seed=SEEDS, points=POINTS)
        def say(self, seed: int, points: int | None) -> None:
            self.do(seed, lambda life: life.say(random.Random(seed), points))

        @rule(seed=SEEDS, points=POINTS)
        def say_much(self, seed: int, points: int | None) -> None:
            async def much(life: Life) -> None:
                rng = random.Random(seed)
                for _ in range(12):
                    await life.say(rng, points)

            self.do(seed, much)

        @precondition(lambda self: self.life.said)
        @rule(seed=SEEDS)
        def say_again(self, seed: int) -> None:
            self.do(seed, lambda life: life.say_again(random.Random(seed)))

        @precondition(lambda self: self.life.said)
        @rule(seed=SEEDS, points=POINTS)
        def edit(self, seed: int, points: int | None) -> None:
            self.do(seed, lambda life: life.edit(random.Random(seed), points))

        @rule(seed=SEEDS, points=POINTS)
        def remember(self, seed: int, points: int | None) -> None:
            self.do(seed, lambda life: life.remember(random.Random(seed), points))

        @rule(seed=SEEDS, points=POINTS)
        def update(self, seed: int, points: int | None) -> None:
            self.do(seed, lambda life: life.update(random.Random(seed), points))

        @precondition(lambda self: self.life.told)
        @rule(seed=SEEDS, points=POINTS)
        def forget(self, seed: int, points: int | None) -> None:
            self.do(seed, lambda life: life.forget(random.Random(seed), points))

        @rule(seed=SEEDS, points=POINTS)
        def work(self, seed: int, points: int | None) -> None:
            self.do(seed, lambda life: life.work(points))

        @rule(seed=SEEDS)
        def hold(self, seed: int) -> None:
            self.do(seed, lambda life: life.hold())

        @rule(seed=SEEDS)
        def submit_late(self, seed: int) -> None:
            self.do(seed, lambda life: life.submit_late())

        @rule(seed=SEEDS)
        def compact(self, seed: int) -> None:
            self.do(seed, lambda life: life.compact())

        @rule(seed=SEEDS)
        def new_chat(self, seed: int) -> None:
            self.do(seed, lambda life: life.new_chat())

        @rule(minutes=st.sampled_from([1, 10, 600, 3000]))
        def wait(self, minutes: int) -> None:
            self.life.clock.forward(minutes=minutes)

    return Lives


def test_a_random_life_keeps_every_promise(world: World) -> None:
    run_state_machine_as_test(machine(world), settings=CI)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_many_random_lives_keep_every_promise(world: World) -> None:
    run_state_machine_as_test(machine(world), settings=LONG)
