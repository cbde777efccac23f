"""What every test shares: asyncio as the one backend, and a real memory for those that ask for it."""

import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.memory_fixtures"]

# An example is judged by what it shows, not by how long it took: the machine may be taken away in the middle of one. The
# same examples every time; `--hypothesis-profile searching` tries others.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("searching", settings.get_profile("patient"), print_blob=True)
settings.register_profile("repeated", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("repeated")

# The stubs are on loopback, whichever proxy leads out of this machine.
_direct = os.environ.get("NO_PROXY") or os.environ.get("no_proxy")
os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(filter(None, ("127.0.0.1", "localhost", _direct)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Much of a test is waiting for processes: three for two cores, and at most four, each with its PostgreSQL."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(4, cores + (cores + 1) // 2)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
