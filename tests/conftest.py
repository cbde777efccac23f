"""What every test shares: asyncio as the one backend, and a real memory for those that ask for it."""

import pytest

pytest_plugins = ["tests.memory_fixtures"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
