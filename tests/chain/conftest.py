"""Fixtures for tests of the whole product: a home for commands, and a running set of processes. Both are removed
afterwards."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.chain.home import Home
from tests.chain.whole import Whole, whole

PEOPLE = (42, *range(101, 140))
GROUPS = (-1_000_000_000_101, -1_000_000_000_102)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    home.discard()


@pytest.fixture(scope="package")
async def life(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Whole]:
    """All processes, shared by the tests of this folder. Each test uses its own people and chats."""
    groups = dict.fromkeys(("TELEGRAM_GROUPS", "TELEGRAM_ALWAYS_GROUPS"), ",".join(map(str, GROUPS)))
    async with whole(tmp_path_factory.mktemp("life"), users=PEOPLE, **groups) as life:
        yield life
