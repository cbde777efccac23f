"""Fixtures for all tests: asyncio as the only backend, and a real memory."""

import functools
import gc
import importlib
import os
import sys
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import checked_schemas

pytest_plugins = ["tests.memory_fixtures"]

# Importing creates no garbage. The collector pauses until all tests are imported (`pytest_collection`).
gc.disable()

# Examples of property tests have no deadline, because any example can be slow on a busy machine. Every run uses the
# same examples; `--hypothesis-profile searching` tries other examples.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("searching", settings.get_profile("patient"), print_blob=True)
settings.register_profile("repeated", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("repeated")

# The tests start hundreds of processes. Without stored bytecode, each process would compile all its modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The stubs are on loopback, so a configured proxy must not be used for them.
_direct = os.environ.get("NO_PROXY") or os.environ.get("no_proxy")
os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(filter(None, ("127.0.0.1", "localhost", _direct)))

# Reading the machine's certificates takes 25 ms of processor time. Without this function, each HTTP client would read
# them.
for _package in ("httpx", "httpx2"):
    _transports: Any = importlib.import_module(f"{_package}._transports.default")
    _transports.create_ssl_context = functools.cache(_transports.create_ssl_context)

checked_schemas.check_once()


LONG = ("tests/wheel/", "tests/unit/test_endless_text.py", "tests/server/test_embedded.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three workers for every two cores, but at most four workers. There are more workers than cores, because tests
    often wait for processes. Each worker has its own PostgreSQL."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(4, cores + (cores + 1) // 2)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the imported objects from later garbage collections. Each collection would take 0.1 s to visit these
    objects."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files of `LONG` first. If these files ran last, the other workers would have to wait for them."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
