"""Fixtures for tests of the whole product: homes for commands, and a running set of processes. They are removed
afterwards."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.chain.home import Home
from tests.chain.product import Whole, whole
from tests.memory_fixtures import database

PEOPLE = (42, *range(101, 140))
GROUPS = (-1_000_000_000_101, -1_000_000_000_102)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    home.discard()


@pytest.fixture
def light_home(home: Home, dsn: str) -> Home:
    """A home whose memory is in the tests' PostgreSQL, so its commands do not start a separate PostgreSQL."""
    home.environment["DATABASE_URL"] = dsn
    return home


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A second home."""
    home = Home(tmp_path_factory.mktemp("other"))
    yield home
    home.discard()


@pytest.fixture(scope="package")
async def at_home(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> AsyncIterator[Home]:
    """A home where `tellonce up` runs, shared by the tests of this folder. Each test uses its own words."""
    home = Home(tmp_path_factory.mktemp("home"))
    async with database(postgres) as dsn:
        home.environment |= {"TELEGRAM_USER_ID": "42", "DATABASE_URL": dsn}
        async with home.up():
            yield home


@pytest.fixture(scope="package")
async def life(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> AsyncIterator[Whole]:
    """All processes, shared by the tests of this folder. Each test uses its own people and chats."""
    groups = dict.fromkeys(("TELEGRAM_GROUPS", "TELEGRAM_ALWAYS_GROUPS"), ",".join(map(str, GROUPS)))
    folder = tmp_path_factory.mktemp("life")
    async with database(postgres) as dsn, whole(folder, users=PEOPLE, DATABASE_URL=dsn, **groups) as life:
        yield life
