"""The home of every test of whole commands; nothing of it is left afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chain.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    home.discard()
