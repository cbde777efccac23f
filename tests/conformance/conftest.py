"""The foreign programs, and one server process for each test to drive them at."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conformance.npm import binaries
from tests.server.processes import HttpServer, http_server


@pytest.fixture(scope="session")
def npm_bin() -> Path:
    return binaries()


@pytest.fixture
async def http_process(tmp_path: Path, dsn: str) -> AsyncIterator[HttpServer]:
    async with http_server(tmp_path / "data", dsn) as server:
        yield server
