"""Even if processes are killed at any time, no acknowledged message is lost, doubled or out of order, and the queue
becomes empty."""

from pathlib import Path

import pytest

from tests.crash.campaign import play
from tests.depth import depth

pytestmark = pytest.mark.anyio

KILLS = depth(12, 25)
SEED = 20261121


async def test_nothing_is_lost_doubled_or_left_undone_when_any_process_is_killed(tmp_path: Path) -> None:
    report = await play(tmp_path / "world", SEED, KILLS)
    assert sum(report.kills.values()) == KILLS
    assert report.breaches == []
    assert min(report.messages, report.memories, report.forgotten) > 0
