"""Headless Chromium, and one signed-in tab of the memory page."""

import os
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from tests.server.processes import HttpServer

STUCK = 30
"""Maximum seconds to wait for the page. After this time, the test fails and shows the page's state."""

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
STATIC = Path(__file__).parents[2] / "server/tellonce_server/api/page/static"
RAIL = tuple(re.findall(r"^  (\w+): \[\w+, ", (STATIC / "app.js").read_text(), re.MULTILINE))
"""The screens in the page's rail, in the order of their keys."""
SCREENS = (*RAIL, "timeline/known", "timeline/people")


def chromium() -> str | None:
    """The browser that TELLONCE_TEST_CHROMIUM names. The default is the browser that is installed."""
    return os.environ.get("TELLONCE_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


expect.set_options(timeout=STUCK * 1000)


@asynccontextmanager
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        try:
            yield running
        finally:
            await running.close()


@dataclass
class Tab:
    """A tab that records its requests and errors."""

    page: Page
    base: str
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(STUCK * 1000)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)

    async def reload(self) -> None:
        """Load the page again. Loading discards the tab's state and the list of its requests."""
        self.asked.clear()
        self.wrong.clear()
        await self.page.emulate_media(color_scheme="light")
        await self.page.reload()
        await self.page.wait_for_selector("main[data-shown]")

    async def show(self, address: str) -> Page:
        """Load the screen with that address exactly once, because a second load could replace the screen during the
        test."""
        await self.page.evaluate(
            """to => {
                document.querySelector('main').dataset.shown = '';
                if (location.hash === `#${to}`) dispatchEvent(new Event('hashchange'));
                else location.hash = to;
            }""",
            address,
        )
        await self.page.wait_for_selector(f"main[data-shown='{address}']")
        return self.page

    def memory(self, number: int) -> Locator:
        """The line or card of a memory."""
        return self.page.locator(f"[data-memory='{number}']").first

    async def noted(self, text: str) -> None:
        """Wait until the page shows a message about the completed action."""
        await self.page.locator(".note", has_text=text).wait_for()

    async def undo(self) -> None:
        await self.page.locator(".note button").first.click()
        await self.noted("Undone")


async def code(server: HttpServer, token: str | None = None) -> str:
    """Get a one-time code, as `tellonce open` does."""
    headers = {"Authorization": f"Bearer {token or server.token()}"}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(f"{server.base}/page/code", headers=headers)
    return str(answer.json()["code"])


@asynccontextmanager
async def signed_in(
    chrome: Browser, server: HttpServer, *, token: str | None = None, locale: str = "en-US", width: int = 1100
) -> AsyncGenerator[Tab]:
    context = await chrome.new_context(viewport={"width": width, "height": 800}, locale=locale)
    tab = Tab(await context.new_page(), server.base)
    try:
        await tab.page.goto(f"{server.base}/#code={await code(server, token)}")
        await tab.page.wait_for_selector("main[data-shown]")
        yield tab
    finally:
        await context.close()
