"""`tellonce doctor` finds problems, says how to fix them, and shows no secret. Every check fails in at least one
test."""

import subprocess
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tellonce.client_settings import RelaySettings
from tellonce.settings import ServerSettings
from tellonce_cli.doctor import _port, _user, finding
from tellonce_cli.findings import (
    Finding,
    model_finding,
    models_finding,
    tokens_finding,
)
from tellonce_server.embedding.model_files import GRAPH, TOKENIZER
from tests import fork_server
from tests.chain.home import Home
from tests.memory_fixtures import session
from tests.server.processes import free_port
from tests.stubs.loopback import served

pytestmark = pytest.mark.anyio

SECRETS = ("sk-ant-secret", "99:bot-secret", "db-secret")


async def report(home: Home, *options: str) -> tuple[int, str]:
    process = await fork_server.start(
        *("tellonce_cli.main", "doctor", *options),
        stdout=PIPE,
        stderr=STDOUT,
        env=home.environment,
        cwd=home.folder,
    )
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


def verdict(said: str, part: str) -> str:
    (line,) = [line for line in said.splitlines() if part in line]
    return line[0]


async def test_everything_that_cannot_be_reached_is_named_with_its_fix_and_no_secret(home: Home) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    home.environment |= {
        "ANTHROPIC_API_KEY": SECRETS[0],
        "ANTHROPIC_BASE_URL": nowhere,
        "TELEGRAM_BOT_TOKEN": SECRETS[1],
        "TELEGRAM_API_URL": nowhere,
        "OLLAMA_HOST": nowhere,
        "TELLONCE_RESPONDER": "claude-cli",
        "TELLONCE_CLAUDE_COMMAND": "no-such-command",
        "DATABASE_URL": f"postgresql://me:{SECRETS[2]}@127.0.0.1:{free_port()}/tellonce",
    }
    code, said = await report(home, "--online")
    assert code == 1
    parts = (*("external PostgreSQL", "Ollama at", "no-such-command", "TELEGRAM_USER_ID is not", "Claude online"),)
    assert [verdict(said, part) for part in parts] == ["✗"] * 5
    assert f"{said.count('✗')} problems to fix." in said
    assert said.count("fix:") == said.count("✗")
    assert not any(secret in said for secret in SECRETS)


async def test_online_tries_the_key_and_the_bot_out_and_offline_does_not(light_home: Home) -> None:
    asked: list[str] = []

    async def models(request: Request) -> Response:
        asked.append("claude")
        good = request.headers.get("x-api-key") == SECRETS[0]
        return JSONResponse({"data": []}, status_code=200 if good else 401)

    async def me(request: Request) -> Response:
        asked.append("telegram")
        good = request.path_params["token"] == f"bot{SECRETS[1]}"
        return JSONResponse({"ok": good, "result": {"username": "memory_bot"}}, status_code=200 if good else 401)

    app = Starlette(routes=[Route("/v1/models", models), Route("/{token}/getMe", me)])
    async with served(app) as url:
        light_home.environment |= {"ANTHROPIC_BASE_URL": url, "TELEGRAM_API_URL": url, "TELEGRAM_USER_ID": "42"}
        light_home.environment |= {"ANTHROPIC_API_KEY": SECRETS[0], "TELEGRAM_BOT_TOKEN": SECRETS[1]}
        assert (await report(light_home))[0] == 0
        assert asked == []
        code, said = await report(light_home, "--online")
        assert (code, sorted(asked)) == (0, ["claude", "telegram"])
        assert "@memory_bot" in said
        light_home.environment |= {"ANTHROPIC_API_KEY": "sk-old", "TELEGRAM_BOT_TOKEN": "99:old"}
        code, said = await report(light_home, "--online")
    assert code == 1
    assert (verdict(said, "the key is refused"), verdict(said, "the bot token is refused")) == ("✗", "✗")


async def test_a_running_server_is_recognised_and_a_stranger_on_its_port_too(
    at_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = await report(at_home)
    assert (code, verdict(said, "answers on port")) == (0, "✓")
    assert verdict(said, "access tokens in") == "✓"
    with monkeypatch.context() as other:
        other.setitem(at_home.environment, "TELLONCE_TOKEN", "of-another-memory")
        code, said = await report(at_home)
        assert (code, verdict(said, "rejects our access token")) == (1, "✗")
        assert "cannot be used" in (await at_home.failing("status"))[1]

    async def hello(_: Request) -> Response:
        return Response("hello")

    async with served(Starlette(routes=[Route("/health", hello)])) as url:
        monkeypatch.setitem(at_home.environment, "TELLONCE_PORT", url.rpartition(":")[2])
        code, said = await report(at_home)
    assert (code, verdict(said, "another program answers")) == (1, "✗")


async def test_a_running_server_with_another_memory_is_not_taken_for_ours(
    at_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(at_home.environment, "TELLONCE_DATA_DIR", str(at_home.folder / "other"))
    code, said = await report(at_home)
    assert (code, verdict(said, "serves another memory")) == (1, "✗")


async def test_a_server_that_is_still_opening_its_memory_is_not_asked_for_it(tmp_path: Path) -> None:
    asked: list[str] = []

    async def health(_: Request) -> Response:
        return JSONResponse({"ready": False, "version": "9.9"}, status_code=503)

    async def call(request: Request) -> Response:
        asked.append(request.url.path)
        return JSONResponse({}, status_code=503)

    (tmp_path / "tokens").mkdir()
    (tmp_path / "tokens" / "assistant").write_text("ours")
    routes = [Route("/health", health), Route("/mcp", call, methods=["POST"])]
    async with served(Starlette(routes=routes)) as url:
        found = await _port(ServerSettings(data_dir=tmp_path, port=int(url.rpartition(":")[2])), RelaySettings())
    assert (found.ok, "tellonce 9.9 answers" in found.text, asked) == (True, True, [])


async def test_a_mistake_in_the_bots_files_is_named(light_home: Home) -> None:
    light_home.environment |= {"TELEGRAM_BOT_TOKEN": "99:any", "TELEGRAM_USER_ID": "42"}
    (light_home.folder / "config").mkdir()
    (light_home.folder / "config" / "routines.toml").write_text("[weekly]\ncron = '0 8 * * 1'\n")
    code, said = await report(light_home)
    assert (code, "routines.toml" in said, "needs a command" in said) == (1, True, True)


async def test_a_database_of_a_newer_program_is_named(light_home: Home, dsn: str) -> None:
    async with session(dsn) as connection:
        await connection.execute("insert into schema_migration values (9999, 'later', 'x', now(), 0)")
    code, said = await report(light_home)
    assert (code, verdict(said, "the database is at version 9999")) == (1, "✗")


async def test_the_port_may_be_one_of_an_ipv6_address(light_home: Home) -> None:
    light_home.environment["TELLONCE_HOST"] = "::1"
    _, said = await report(light_home)
    assert verdict(said, f"port {light_home.port} is free: the server is not running") == "·"


async def test_a_file_that_may_not_be_opened_is_named() -> None:
    async def closed(_: ServerSettings, __: RelaySettings) -> Finding:
        raise PermissionError(13, "Permission denied", "/root/tokens")

    found = await finding(closed, ServerSettings(), RelaySettings())
    assert (found.ok, found.text) == (False, "no permission for /root/tokens")


def test_a_model_that_the_provider_does_not_have_is_named() -> None:
    wanted = {"ANTHROPIC_MODEL": "claude-sonnet-5-5", "SUMMARIZER_MODEL": "claude-haiku-9"}
    there = ("claude-sonnet-5-5-20260101", "claude-haiku-4-5")
    found = models_finding(there, wanted)
    assert (found.ok, "no model SUMMARIZER_MODEL=claude-haiku-9" in found.text) == (False, True)
    assert models_finding((), wanted).ok
    assert models_finding((*there, "claude-haiku-9"), wanted).ok


def test_tokens_must_all_be_there_and_be_readable_by_their_owner_alone(tmp_path: Path) -> None:
    tmp_path = tmp_path / "Application Support"
    tmp_path.mkdir()
    assert tokens_finding(tmp_path).ok is None
    for scope in ("assistant", "relay"):
        (tmp_path / scope).touch(mode=0o600)
    assert tokens_finding(tmp_path).ok is False
    (tmp_path / "agent").touch(mode=0o600)
    assert tokens_finding(tmp_path).ok is True
    (tmp_path / "agent").chmod(0o644)
    assert tokens_finding(tmp_path).ok is False
    subprocess.run(["sh", "-c", tokens_finding(tmp_path).fix], check=True)
    assert tokens_finding(tmp_path).ok is True


def test_model_files_are_found_prepared_or_raw_and_a_wrong_folder_is_reported(tmp_path: Path) -> None:
    own, given, raw = tmp_path / "own", tmp_path / "given", tmp_path / "raw" / "deep"
    for folder in (own, given, raw):
        folder.mkdir(parents=True)
    assert model_finding(own, None).ok is None
    assert model_finding(own, given).ok is False
    (raw / "model.safetensors").touch()
    assert model_finding(own, tmp_path / "raw").ok is True
    for name in (GRAPH, TOKENIZER):
        (given / name).touch()
    assert model_finding(own, given).ok is True


async def test_every_user_of_the_bot_is_listed(tmp_path: Path) -> None:
    settings = ServerSettings.model_validate({"TELEGRAM_USER_ID": "42,43", "data_dir": tmp_path})
    said = (await _user(settings, RelaySettings())).text
    assert ("42" in said, "43" in said) == (True, True)
