"""One seeded server and one browser for all tests of the page."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from playwright.async_api import Browser

from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce_server.app.access_tokens import create_token
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.store.database import as_login
from tests.memory_fixtures import database
from tests.page.browser import Tab, browser, chromium, signed_in
from tests.page.seed import add_many, seed
from tests.server.processes import HttpServer, http_server

OTHER_USER = 43


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if chromium() is None:
        skip = pytest.mark.skip(
            reason="NO CHROMIUM HERE: install Debian's `chromium`, or name one in TELLONCE_TEST_CHROMIUM"
        )
        for item in items:
            if "tests/page/" in item.nodeid and "test_page_http" not in item.nodeid:
                item.add_marker(skip)


@pytest.fixture(scope="session")
async def page_dsn(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    async with database(postgres) as dsn:
        yield dsn


@pytest.fixture(scope="session")
async def server(page_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[HttpServer]:
    home = tmp_path_factory.mktemp("page")
    settings = {
        "HOME": str(home),
        "TELEGRAM_USER_ID": "42,43",
        "TELEGRAM_PERSONAL_GROUPS": "-200",
        "TELEGRAM_GROUPS": "-300,-301",
    }
    async with http_server(home / "data", page_dsn, **settings) as running:
        async with (
            connect_http(running.url, running.token()) as memory,
            connect_http(running.url, running.token("agent")) as agent,
        ):
            await seed(memory, agent)
        yield running


@pytest.fixture(scope="session")
async def chrome() -> AsyncIterator[Browser]:
    async with browser() as running:
        yield running


@pytest.fixture(scope="session")
async def own_tab(chrome: Browser, server: HttpServer) -> AsyncIterator[Tab]:
    async with signed_in(chrome, server) as tab:
        yield tab


@pytest.fixture
async def tab(own_tab: Tab) -> AsyncIterator[Tab]:
    """The signed-in tab, after it was loaded again. At the end of the test, the fixture fails if the page had an error
    or sent a request to another machine."""
    await own_tab.reload()
    yield own_tab
    assert own_tab.wrong == []
    assert [url for url in own_tab.asked if not url.startswith((own_tab.base, "blob:"))] == []


@pytest.fixture
async def memory(server: HttpServer) -> AsyncIterator[MemoryClient]:
    async with connect_http(server.url, server.token()) as client:
        yield client


@pytest.fixture(scope="session")
async def token_of_many(server: HttpServer, page_dsn: str) -> str:
    """An access token of another user, who has 10,000 memories."""
    async with as_login(page_dsn) as login:
        token = await create_token(login, "many", OTHER_USER, ("assistant",), datetime.now(UTC))
    await add_many(page_dsn, OTHER_USER)
    return token
