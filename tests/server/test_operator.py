"""The operator's pages for health, readiness and metrics, and repeated backups."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.connect import connect_http
from tellonce.settings import ServerSettings
from tellonce_cli import backup
from tellonce_server.api.middleware import OpenStreams
from tellonce_server.app.http import build_http, transport_security
from tellonce_server.app.storage import Storage
from tests.memory_fixtures import Clock, opened
from tests.patience import until
from tests.server.processes import http_server

pytestmark = pytest.mark.anyio


def figures(page: str) -> dict[str, float]:
    """The metrics by name and labels."""
    lines = [line.rpartition(" ") for line in page.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


async def test_the_pages_show_what_the_server_does_and_no_text(tmp_path: Path, dsn: str) -> None:
    remote = {"TELLONCE_REMOTE__URL": "https://memory.example/mcp"}
    async with (
        http_server(tmp_path / "data", dsn, **remote) as server,
        httpx2.AsyncClient(trust_env=False) as http,
        connect_http(server.url, server.token()) as client,
        connect_http(server.url, server.token("agent")) as agent,
    ):
        before = figures((await http.get(f"{server.base}/metrics")).text)
        assert before["tellonce_summarizer_at_work"] == 0
        await client.record_message(c.RecordMessageArgs(role="user", content="Zanzibar in May", message_id="1"))
        await client.record_message(
            c.RecordMessageArgs(role="assistant", content="Noted.", message_id="2", exchange_of="1")
        )
        await agent.claim_work(w.ClaimWorkArgs(worker="somebody", wait_seconds=0))
        page = await http.get(f"{server.base}/metrics")
        assert page.headers["content-type"].startswith("text/plain")
        found = figures(page.text)
        assert found['tellonce_tool_calls_total{outcome="ok",tool="record_message"}'] == 2
        assert found['tellonce_tool_seconds_count{tool="record_message"}'] == 2
        assert sum(value for name, value in found.items() if name.startswith("tellonce_queue_jobs")) >= 1
        assert found['tellonce_side_task_running{task="embedding backlog"}'] == 1
        assert found['tellonce_pool_connections{pool="calls",state="open"}'] >= 1
        assert found["tellonce_summarizer_at_work"] == found["tellonce_database_up"] == found["tellonce_ready"] == 1
        assert {"tellonce_model_dollars_month", "tellonce_embeddings_ready"} <= found.keys()
        assert "Zanzibar" not in page.text
        assert not re.search(r"\b42\b", page.text)
        assert (await http.get(f"{server.base}/ready")).json() == {"ready": True, "reason": None}
        assert (await http.get(f"{server.base}/health")).status_code == 200
        outside = {"Host": "memory.example"}
        assert (await http.get(f"{server.base}/metrics", headers=outside)).status_code == 421
        assert (await http.get(f"{server.base}/health", headers=outside)).status_code == 200


async def test_without_a_database_it_is_not_ready_and_still_shows_its_own_figures(settings: ServerSettings) -> None:
    nowhere = ServerSettings.model_validate({**settings.model_dump(), "database_url": "postgresql://u@127.0.0.1:9/x"})
    app = build_http(nowhere, Storage(nowhere), OpenStreams())
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as http:

            async def reason() -> str | None:
                found: str | None = (await http.get("/health")).json()["reason"]
                return found

            await until(reason)
            answer = await http.get("/ready")
            assert answer.status_code == 503
            assert "cannot be opened" in answer.json()["reason"]
            assert figures((await http.get("/metrics")).text)["tellonce_ready"] == 0


def test_figures_are_not_shown_under_the_public_name() -> None:
    settings = ServerSettings.model_validate({"remote": {"url": "https://memory.example/mcp"}})
    assert "memory.example" in transport_security(settings).allowed_hosts
    assert "memory.example" not in transport_security(settings, public=False).allowed_hosts


async def test_a_backup_is_made_whenever_one_is_due_and_the_newest_are_kept(
    settings: ServerSettings, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(Storage(settings)):
        pass
    folder, stop, waits = tmp_path / "backups", asyncio.Event(), list[float]()

    async def waited(stopping: asyncio.Event, seconds: float) -> bool:
        waits.append(seconds)
        clock.forward(seconds=max(0.0, seconds))
        return len(waits) <= 4

    monkeypatch.setattr(backup, "pause_or_stop", waited)
    (tmp_path / "backups").mkdir()
    (folder / "other.zip").touch()
    await backup.repeat(settings, folder, timedelta(hours=6), 2, clock, stop)
    assert waits == [0.0, 21600.0, 21600.0, 21600.0, 21600.0]
    kept = sorted(path.name for path in folder.iterdir())
    assert kept == ["other.zip", "tellonce-20260216T131500Z.zip", "tellonce-20260216T191500Z.zip"]
    waits.clear()
    clock.forward(hours=-4)
    await backup.repeat(settings, folder, timedelta(hours=6), 2, clock, stop)
    assert waits[0] == 4 * 3600
