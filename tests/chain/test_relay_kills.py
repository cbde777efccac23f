"""A short run of killing; `python -m benchmarks.relay_kills` is the long one."""

from pathlib import Path

import pytest

from tests.chain import killing
from tests.chain.whole import whole

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


async def test_killed_processes_lose_double_and_reorder_nothing(tmp_path: Path) -> None:
    async with whole(tmp_path, users=killing.USERS, **killing.ENVIRONMENT) as life:
        run = await killing.run(life, messages=40, kills=4, seed=7)
    assert run.faults == [], str(run)
    assert run.messages == 40
    assert sum(run.kills.values()) == 4
