"""The agent as a process: its settings, its signals, its journal."""

import asyncio
import os
import signal
from pathlib import Path
from subprocess import PIPE

import pytest

from tellonce.client_settings import SummarizerSettings
from tellonce_summarizer.__main__ import steps
from tests import fork_server
from tests.patience import HANGS, promised

pytestmark = pytest.mark.anyio

NOBODY = "http://127.0.0.1:9/mcp"


def environment(**variables: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    return {**kept, "TELLONCE_URL": NOBODY, **variables}


async def started(folder: Path, **variables: str) -> fork_server.Program:
    return await fork_server.start(
        "tellonce_summarizer", cwd=folder, env=environment(**variables), stdout=PIPE, stderr=PIPE
    )


async def read_until(stream: asyncio.StreamReader | None, words: bytes) -> None:
    assert stream is not None
    async with asyncio.timeout(HANGS):
        while words not in await stream.readline():
            assert not stream.at_eof(), "the process ended early"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_survives_a_missing_server_and_ends_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    process = await started(tmp_path, TELLONCE_TOKEN="t")
    await read_until(process.stderr, b"no work could be claimed")
    process.send_signal(number)
    async with asyncio.timeout(promised(5)):
        assert await process.wait() == 0


async def test_without_a_token_it_says_what_to_do(tmp_path: Path) -> None:
    process = await started(tmp_path, TELLONCE_DATA_DIR=str(tmp_path))
    async with asyncio.timeout(HANGS):
        _, told = await process.communicate()
    assert process.returncode == 1
    assert b"TELLONCE_TOKEN" in told
    assert b"Traceback" not in told


def test_only_configured_models_are_in_the_fallback_chain() -> None:
    def names(**given: object) -> list[str]:
        settings = SummarizerSettings.model_validate({"anthropic_api_key": None, "ollama_url": None, **given})
        return [step.model.name for step in steps(settings)]

    assert names() == []
    assert names(anthropic_api_key="k") == ["claude-haiku-4-5"]
    assert names(ollama_url="http://127.0.0.1:9") == ["llama3.2"]
    assert names(anthropic_api_key="k", ollama_url="http://127.0.0.1:9") == ["claude-haiku-4-5", "llama3.2"]
