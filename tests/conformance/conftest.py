"""Fixtures for the third-party programs, and one server process for their tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.conformance.claude import Claude
from tests.conformance.npm import binaries
from tests.memory_fixtures import database
from tests.server.processes import HttpServer, http_server


@pytest.fixture(scope="session")
def npm_bin() -> Path:
    return binaries()


@pytest.fixture
def claude(npm_bin: Path, tmp_path: Path) -> Claude:
    return Claude(npm_bin, tmp_path / "home")


@pytest.fixture(scope="module")
async def http_process(
    tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres
) -> AsyncIterator[HttpServer]:
    """One server for the tests of a file. Each test stores different texts."""
    async with database(postgres) as dsn, http_server(tmp_path_factory.mktemp("http"), dsn) as server:
        yield server
