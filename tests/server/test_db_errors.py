"""During an outage of PostgreSQL, every HTTP request is answered with a sentence, and the log stays short."""

import asyncio
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tellonce.client import LATER_META, UNREACHABLE
from tellonce.connect import connect_http
from tellonce.contract import GetProfileArgs
from tellonce_server.core.errors import DatabaseErrorLog
from tellonce_server.postgres.embedded_cluster import postmaster
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.patience import HANGS, until
from tests.server.processes import HttpServer, http_server
from tests.server.wire import request, wire_headers

pytestmark = pytest.mark.anyio

SENTENCE = "does not answer now"
TOOLS: dict[str, dict[str, Any]] = {
    "record_message": {"role": "user", "content": "I live in Oslo"},
    "get_context": {"query": "where do I live?"},
    "search_memory": {"query": "Oslo"},
    "remember": {"content": "I live in Oslo"},
    "update_memory": {"memory_id": 1, "action": "pin"},
    "forget": {"topic": "Oslo"},
    "get_profile": {},
    "summarize_chat": {},
    "explain": {},
    "start_new_chat": {},
}
RESOURCES = ("profile", "chats", "chat/42/summary", "chat/42/messages", "chat/42/context", "memory/1")
TEMPLATE = {"type": "ref/resource", "uri": "memory://chat/{chat_id}/summary"}


def _requests() -> list[tuple[str, str | None, dict[str, Any]]]:
    """Method, name and parameters of one request of every kind."""
    tools = [("tools/call", name, {"name": name, "arguments": arguments}) for name, arguments in TOOLS.items()]
    read = [("resources/read", f"memory://{path}", {"uri": f"memory://{path}"}) for path in RESOURCES]
    others = [
        ("tools/list", None, {}),
        ("prompts/list", None, {}),
        ("prompts/get", "catch_me_up", {"name": "catch_me_up"}),
        ("completion/complete", None, {"ref": TEMPLATE, "argument": {"name": "chat_id", "value": "4"}}),
        ("resources/list", None, {}),
    ]
    return [*tools, *read, *others, ("server/discover", None, {})]


async def _answer(server: HttpServer, http: httpx2.AsyncClient, asked: tuple[str, str | None, dict[str, Any]]) -> Any:
    method, name, params = asked
    headers = {**server.headers(), **wire_headers(method, name)}
    return await http.post(server.url, json=request(method, **params), headers=headers)


async def test_every_request_during_an_outage_is_answered_with_the_sentence_and_after_it_as_ever(
    tmp_path: Path,
) -> None:
    postgres, log = EmbeddedPostgres(tmp_path / "postgres"), tmp_path / "log"
    asked = [*_requests(), *_requests(), *_requests()][:55]
    async with (
        http_server(tmp_path / "data", await postgres.start(), log=log) as server,
        httpx2.AsyncClient(timeout=HANGS) as http,
    ):
        assert (await _answer(server, http, _requests()[6])).status_code == 200
        head = postmaster(postgres.cluster)
        assert head is not None
        os.kill(head, signal.SIGKILL)
        answers = await asyncio.gather(*(_answer(server, http, one) for one in asked))
        async with connect_http(server.url, server.token()) as client:
            await postgres.start()

            async def answers_again() -> bool:
                return (await _answer(server, http, _requests()[6])).status_code == 200

            await until(answers_again)
            assert (await client.get_profile(GetProfileArgs())).conversation.messages == 0
    await postgres.stop()
    shutil.rmtree(postgres.cluster, ignore_errors=True)
    assert [SENTENCE in answer.text for answer in answers] == [True] * 55
    assert [LATER_META in answer.text for answer in answers] == [True] * 55
    away = [answer for answer in answers if answer.status_code == 503]
    assert {(answer.headers["retry-after"], answer.json()["error"]["code"]) for answer in away} <= {("2", UNREACHABLE)}
    assert "Traceback" not in log.read_text()
    assert len(log.read_text().splitlines()) < 20, log.read_text()


def test_an_outage_is_logged_once_when_it_begins_and_once_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    now = [100.0]
    log = DatabaseErrorLog(lambda: now[0])
    for _ in range(50):
        log.noted(ConnectionRefusedError())
    now[0] += 7
    for _ in range(50):
        log.answered()
    log.noted(ConnectionRefusedError())
    assert [record.message.partition(",")[0][-20:] for record in caplog.records] == [
        record.message.partition(",")[0][-20:] for record in caplog.records[:3]
    ]
    assert "after 7 s and 50 failures" in caplog.records[1].message
    assert len(caplog.records) == 3
