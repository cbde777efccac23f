"""What every test shares: asyncio as the one backend, and a real memory for those that ask for it."""

import os

import pytest

pytest_plugins = ["tests.memory_fixtures"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Much of a test is waiting for processes: three for two cores, and at most four, each with its PostgreSQL."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(4, cores + (cores + 1) // 2)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
