"""The page in MCP Inspector's view of MCP Apps. Inspector is a third-party host with a sandbox of two frames."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, expect

from tellonce import contract as c
from tellonce.client import MemoryClient
from tests.conformance.npm import binaries
from tests.patience import HANGS
from tests.server.processes import HttpServer, end, free_port

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

PORTS = ("CLIENT_PORT", "MCP_SANDBOX_PORT", "MCP_APP_ORIGIN_PORT")


@pytest.fixture
async def inspector(server: HttpServer, tmp_path: Path) -> AsyncIterator[str]:
    """The URL of MCP Inspector's web client, configured with our server."""
    folder = binaries()
    target = ("--transport", "http", "--server-url", server.url, "--protocol-era", "modern")
    header = ("--header", f"Authorization: {server.headers()['Authorization']}")
    process = await asyncio.create_subprocess_exec(
        *(str(folder / "mcp-inspector"), "--web", *target, *header),
        env={
            **{name: str(free_port()) for name in PORTS},
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            "MCP_AUTO_OPEN_ENABLED": "false",
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield await _address(process)
    finally:
        with suppress(TimeoutError):
            await end(process)


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    with anyio.fail_after(HANGS):
        async for line in process.stdout:
            if found := re.search(r"http://\S+MCP_INSPECTOR_API_TOKEN=\w+", line.decode()):
                return found.group()
    raise AssertionError("MCP Inspector ended without an address")


async def test_inspector_shows_the_page_and_carries_its_changes(
    chrome: Browser, inspector: str, memory: MemoryClient
) -> None:
    page = await chrome.new_page(viewport={"width": 1300, "height": 900})
    await page.goto(inspector)
    # The switch's track covers its input, so the click goes to the track.
    await page.get_by_role("switch").first.click(force=True)
    await page.get_by_text("Apps", exact=True).click()
    await expect(page.get_by_text("MCP Apps (2)")).to_be_visible()
    await page.get_by_role("button", name="Get profile").click()
    await page.get_by_role("button", name="Open App").click()
    frame = page.frame_locator("iframe").frame_locator("iframe")
    await expect(frame.get_by_text("Mara teaches physics").first).to_be_visible()
    await frame.get_by_role("link", name="Memories").click()
    await frame.locator("[data-memory='3']").get_by_role("button", name="Pin", exact=True).click()
    await frame.locator(".note", has_text="Pinned").wait_for()
    pinned = (await memory.explain(c.ExplainArgs(memory_id=3))).memory
    assert pinned is not None
    assert pinned.pinned
    await frame.locator(".note button").first.click()
    await frame.locator(".note", has_text="Undone").wait_for()
    await page.close()
