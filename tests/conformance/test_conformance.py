"""Runs the official conformance suite for both versions of the protocol. One run is against our server with the suite's
fixtures. The other run is against the unchanged memory server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tellonce.settings import ServerSettings
from tellonce_server.api.middleware import OpenStreams
from tellonce_server.app.access_tokens import create_token
from tellonce_server.app.http import RequestTimeout, build_http
from tellonce_server.app.server import build_server
from tellonce_server.app.storage import Storage
from tellonce_server.store.database import as_login
from tests.conformance.fixtures import add_fixtures
from tests.conformance.suite import Suite, WithToken
from tests.memory_fixtures import USER, Clock
from tests.stubs.loopback import served

pytestmark = [pytest.mark.anyio, pytest.mark.node]

REVISIONS = ("2025-11-25", "2026-07-28")

STATELESS = (
    "legacy requests are stateless, so that they survive a restart: the server cannot ask back or keep a session"
)
LOGGING = "the protocol's logging is deprecated: the server logs to stderr and to its own files"
SUBSCRIBING = "subscriptions are served in the newer era alone, as subscriptions/listen"
FIXTURE = "the memory has no such tool, resource or prompt: it is the suite's own"

STACK: dict[str, dict[str, str]] = {
    "2025-11-25": {
        "logging-set-level": LOGGING,
        "tools-call-with-logging": LOGGING,
        "tools-call-sampling": STATELESS,
        "tools-call-elicitation": STATELESS,
        "elicitation-sep1034-defaults": STATELESS,
        "elicitation-sep1330-enums": STATELESS,
        "server-sse-multiple-streams": STATELESS,
        "resources-subscribe": SUBSCRIBING,
        "resources-unsubscribe": SUBSCRIBING,
    },
    "2026-07-28": {},
}
"""The scenarios that our server does not support, with the reason. If one of these scenarios passes, the test fails."""

OWN = (
    *("tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"),
    *("tools-call-with-progress", "resources-read-text", "resources-read-binary", "resources-templates-read"),
    *("prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image"),
)
ASKING = (
    "server-stateless",  # some checks need a tool that requires a capability, or a tool that changes the list of tools
    *(
        f"input-required-result-{name}"
        for name in (
            *("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multi-round"),
            *("multiple-input-requests", "missing-input-response", "non-tool-request", "result-type"),
            *("tampered-state", "capability-check", "validate-input"),
        )
    ),
)
MEMORY = {
    REVISIONS[0]: {**STACK[REVISIONS[0]], **dict.fromkeys(OWN, FIXTURE)},
    REVISIONS[1]: {**STACK[REVISIONS[1]], **dict.fromkeys((*OWN, *ASKING), FIXTURE)},
}
"""The scenarios that fail with the unchanged memory server, because it does not have the suite's fixtures. Only one of
our own tools asks the client a question: `forget`. Its tests are in tests/server."""


@pytest.fixture
def suite(npm_bin: Path, tmp_path: Path) -> Suite:
    folder = tmp_path / "suite"
    folder.mkdir()
    return Suite(npm_bin, folder)


@asynccontextmanager
async def memory_server(settings: ServerSettings, clock: Clock) -> AsyncGenerator[str]:
    storage = Storage(settings, clock)
    app = build_http(settings, storage, OpenStreams())
    async with app.router.lifespan_context(app):
        await storage.services()
        async with as_login(storage.opened.login) as login:
            token = await create_token(login, "suite", USER, ("assistant",), clock())
        async with served(WithToken(app, token), protocol=RequestTimeout) as base:
            yield f"{base}/mcp"


@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_memory_server_conforms_but_for_the_suites_own_fixtures(
    suite: Suite, settings: ServerSettings, clock: Clock, revision: str
) -> None:
    async with memory_server(settings, clock) as url:
        code, printed = await suite(url, revision, MEMORY[revision])
    assert code == 0, printed


@pytest.mark.parametrize("revision", REVISIONS)
async def test_our_stack_breaks_nothing_of_what_the_suite_brings_itself(
    suite: Suite, settings: ServerSettings, clock: Clock, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_fixtures(*args: object, **options: object) -> object:
        return add_fixtures(build_server(*args, **options))  # passed on unchanged

    monkeypatch.setattr("tellonce_server.app.http.build_server", with_fixtures)
    async with memory_server(settings, clock) as url:
        code, printed = await suite(url, revision, STACK[revision])
    assert code == 0, printed


async def test_an_expected_failure_that_does_not_fail_is_an_error(
    suite: Suite, settings: ServerSettings, clock: Clock
) -> None:
    async with memory_server(settings, clock) as url:
        code, printed = await suite(url, REVISIONS[0], {**MEMORY[REVISIONS[0]], "ping": "it passes"})
    assert code != 0
    assert "ping" in printed.partition("Stale")[2]
