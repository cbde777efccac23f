"""Each client lists the ten tools, stores a memory and finds it, with the client's default settings. All but Codex use
HTTP."""

import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests import fork_server
from tests.clients.environments import PYTHON_CLIENTS, npm_folder, python_of
from tests.conformance.npm import binaries, run
from tests.memory_fixtures import database
from tests.server.processes import HttpServer, http_server
from tests.stubs.agent_models import GenerateContentStub, ResponsesStub
from tests.stubs.replies import Reply, Say, UseTool
from tests.stubs.stub import Script

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
    # Node searches for a module next to the file that imports it.
    program = shutil.copy(PROGRAMS / "typescript_client.mjs", folder)
    _worked(await answer_of(binaries() / "node", str(program), server.url, server.token(), cwd=tmp_path))


QUESTION = "What do I drink in the morning?"
TEA = {"content": "I drink green tea every morning"}


def script(*replies: Reply) -> Script:
    """A script that gives these replies, one per request."""
    following = iter(replies)
    return lambda asked: next(following)


async def test_the_real_codex_is_connected_by_our_command_and_its_model_calls_tools(dsn: str, tmp_path: Path) -> None:
    work, memory = tmp_path / "work", {"DATABASE_URL": dsn, "TELLONCE_DATA_DIR": str(tmp_path / "data")}
    work.mkdir()
    home = {"HOME": str(tmp_path), "PATH": f"{binaries()}{os.pathsep}{os.defpath}"}
    connect = ("-m", "tellonce_cli.entry", "connect", "codex")
    code, said, _ = await run(Path(fork_server.python()), *connect, env={**home, **memory}, cwd=work, seconds=SECONDS)
    assert (code, "Codex now shares this memory" in said) == (0, True)
    calls = (UseTool("get_context", {"query": QUESTION}), UseTool("remember", TEA))
    codex = npm_folder() / "node_modules" / ".bin" / "codex"
    async with ResponsesStub(script(*calls, Say("Green tea."))) as model:
        provider = {
            "name": '"stub"',
            "base_url": f'"{model.url}/v1"',
            "env_key": '"STUB_KEY"',
            "wire_api": '"responses"',
        }
        own = {"model": '"stub"', "model_provider": '"stub"'}
        chosen = {**own, **{f"model_providers.stub.{name}": value for name, value in provider.items()}}
        options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        asked = ("exec", "--skip-git-repo-check", "--json", *options, QUESTION)
        code, said, errors = await run(codex, *asked, env={**home, "STUB_KEY": "k"}, cwd=work, seconds=SECONDS)
    assert code == 0, said + errors
    assert json.loads(said.splitlines()[-2])["item"]["text"] == "Green tea."
    shown = next(tool for tool in model.asked[0].body["tools"] if tool.get("name") == "mcp__memory")
    assert len(shown["tools"]) == TOOLS
    assert "call get_context first" in shown["description"]
    context, remembered = (_codex_output(asked.body["input"][-1]) for asked in model.asked[1:])
    assert QUESTION not in context["context"]
    assert remembered["outcome"] == "stored"


def _codex_output(item: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(item["output"].partition("Output:\n")[2])
    return found


async def test_the_real_gemini_cli_shows_its_model_the_tools_and_what_they_answer(
    server: HttpServer, tmp_path: Path
) -> None:
    """The test uses HTTP. A local server would have only five seconds to start, and a busy machine needs more."""
    entry = {"httpUrl": server.url, "headers": server.headers(), "trust": True}
    settings = tmp_path / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(
        json.dumps({"mcpServers": {"memory": entry}, "privacy": {"usageStatisticsEnabled": False}, "security": BY_KEY})
    )
    home = {
        "HOME": str(tmp_path),
        "PATH": f"{binaries()}{os.pathsep}{os.defpath}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    calls = (UseTool("mcp_memory_remember", TEA), UseTool("mcp_memory_search_memory", {"query": "green tea"}))
    async with GenerateContentStub(script(*calls, Say("Green tea."))) as model:
        code, said, errors = await run(
            npm_folder() / "node_modules" / ".bin" / "gemini",
            *(
                "-m",
                "gemini-2.5-flash",
                "-p",
                QUESTION,
            ),  # if no model is named, Gemini asks another model to choose one
            env={**home, "GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": model.url},
            cwd=tmp_path,
            seconds=2 * SECONDS,
        )
    assert (code, said.strip()) == (0, "Green tea."), errors
    tools = [each["name"] for group in model.asked[0].body["tools"] for each in group["functionDeclarations"]]
    assert len([name for name in tools if name.startswith("mcp_memory_")]) == TOOLS
    remembered, found = (json.dumps(asked.body["contents"][-1]) for asked in model.asked[1:])
    assert "stored: memory" in remembered
    assert TEA["content"] in found


BY_KEY = {"auth": {"selectedType": "gemini-api-key"}}


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
