"""Each client lists the ten tools, stores a memory and finds it, over HTTP, with its own defaults."""

import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce_server.store.postgres.embedded import EmbeddedPostgres
from tests.clients.environments import PYTHON_CLIENTS, npm_folder, python_of
from tests.conformance.npm import binaries, run
from tests.memory_fixtures import database
from tests.server.processes import HttpServer, http_server

pytestmark = [pytest.mark.anyio, pytest.mark.node, pytest.mark.clients]

PROGRAMS = Path(__file__).parent / "programs"
ROOT = PROGRAMS.parents[2]
SECONDS = 60
TOOLS = 10


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> AsyncIterator[HttpServer]:
    async with database(postgres) as dsn, http_server(tmp_path_factory.mktemp("http"), dsn) as running:
        yield running


async def answer_of(program: Path, *arguments: str, cwd: Path, path: str = os.defpath) -> str:
    code, out, errors = await run(program, *arguments, env={"PATH": path, "HOME": str(cwd)}, cwd=cwd, seconds=SECONDS)
    assert code == 0, f"{out}\n{errors}"
    return out


@pytest.mark.parametrize("client", PYTHON_CLIENTS)
async def test_a_python_client_stores_and_finds(client: str, server: HttpServer, tmp_path: Path) -> None:
    program = PROGRAMS / f"{client}_client.py"
    _worked(await answer_of(python_of(client), str(program), server.url, server.token(), cwd=tmp_path))


async def test_the_typescript_sdk_stores_and_finds(server: HttpServer, tmp_path: Path) -> None:
    folder = npm_folder()
    # A module is looked for beside the file that imports it.
    program = shutil.copy(PROGRAMS / "typescript_client.mjs", folder)
    _worked(await answer_of(binaries() / "node", str(program), server.url, server.token(), cwd=tmp_path))


async def test_gemini_cli_connects(server: HttpServer, tmp_path: Path) -> None:
    """Over HTTP: it gives a local server five seconds to start, which a busy machine does not always keep."""
    entry = {"httpUrl": server.url, "headers": server.headers()}
    settings = tmp_path / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"mcpServers": {"memory": entry}}))
    node = binaries()
    code, out, errors = await run(
        npm_folder() / "node_modules" / ".bin" / "gemini",
        *("mcp", "list"),
        env={"PATH": f"{node}{os.pathsep}{os.defpath}", "HOME": str(tmp_path), "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        cwd=tmp_path,
        seconds=SECONDS,
    )
    assert code == 0, errors
    assert "memory" in out + errors
    assert "Connected" in out + errors


async def test_the_desktop_bundle_is_valid_and_packs(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(ROOT / "plugins" / "claude-desktop", bundle)
    mcpb, path = npm_folder() / "node_modules" / ".bin" / "mcpb", f"{binaries()}{os.pathsep}{os.defpath}"
    await answer_of(mcpb, "validate", str(bundle / "manifest.json"), cwd=tmp_path, path=path)
    await answer_of(mcpb, "pack", str(bundle), str(tmp_path / "tellonce.mcpb"), cwd=tmp_path, path=path)
    assert (tmp_path / "tellonce.mcpb").stat().st_size > 500


def _worked(printed: str) -> None:
    said = json.loads(printed.strip().splitlines()[-1])
    assert len(said["tools"]) == TOOLS
    assert "I keep bees on the roof" in said["answer"]
