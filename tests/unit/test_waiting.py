"""The messages of a command while it waits for a model that is not available yet."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tellonce_cli.maintenance import running
from tellonce_server.embedding.protocol import Vector

pytestmark = pytest.mark.anyio


class Late:
    """An embedder whose download fails three times; then it is ready."""

    model, dimensions, mean = "late", 384, ()
    looks = 0

    @property
    def ready(self) -> bool:
        self.looks += 1
        return self.looks > 3

    @property
    def state(self) -> dict[str, Any]:
        return {"failed": "no network"}

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        raise NotImplementedError

    async def run(self) -> None:
        await asyncio.Event().wait()


async def test_why_it_waits_is_said_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def at_once(_: float) -> None:
        """Return at once instead of waiting."""

    monkeypatch.setattr(asyncio, "sleep", at_once)
    async with running(Late()):
        pass
    assert capsys.readouterr().out.count("no network") == 1
