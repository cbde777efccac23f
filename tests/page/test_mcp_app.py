"""The page as an MCP App. The page is bundled into one document. The page can reach only the host that shows it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import CallToolResult, TextResourceContents
from playwright.async_api import Browser, FrameLocator, Page, expect

from tests.page.browser import STUCK
from tests.server.processes import HttpServer

pytestmark = pytest.mark.anyio

URI = "ui://tellonce/memory.html"
HOST = """
<!doctype html><meta charset="utf-8"><title>host</title><body><script>
const told = window.told = [];
addEventListener("message", async ({ data, source }) => {
  told.push(data.method ?? "answer");
  const answer = (result) => source.postMessage({ jsonrpc: "2.0", id: data.id, result }, "*");
  if (data.method === "ui/initialize") answer({ protocolVersion: "2026-01-26", hostInfo: { name: "stub", version: "1" }, hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark", locale: "en" } });
  else if (data.method === "tools/call") answer(JSON.parse(await window.callTool(JSON.stringify(data.params))));
  else if (data.method === "ui/notifications/initialized") {
    const { input, result } = await window.begun();
    source.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: input } }, "*");
    source.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: result }, "*");
  }
});
window.render = (html) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-forms";
  frame.width = 700; frame.height = 700;
  const csp = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${csp}">`);
  document.body.append(frame);
};
</script></body>"""


@pytest.fixture
async def host(server: HttpServer) -> AsyncIterator[Client]:
    """A host's MCP client, which declares that it shows apps."""
    async with (
        httpx2.AsyncClient(headers=server.headers()) as http,
        Client(
            streamable_http_client(server.url, http_client=http),
            mode="2026-07-28",
            extensions=[advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})],
        ) as client,
    ):
        yield client


def plain(result: CallToolResult) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def shown(page: Page, host: Client, tool: str, arguments: dict[str, Any]) -> FrameLocator:
    """Let the host call the tool and show the page with the tool's result."""
    page.set_default_timeout(STUCK * 1000)
    first = await host.call_tool(tool, arguments)
    read = (await host.read_resource(URI)).contents[0]
    assert isinstance(read, TextResourceContents)
    assert read.mime_type == APP_MIME_TYPE

    async def call(params: str) -> str:
        asked = json.loads(params)
        return json.dumps(plain(await host.call_tool(asked["name"], asked["arguments"])))

    await page.expose_function("callTool", call)
    await page.expose_function("begun", lambda: {"input": arguments, "result": plain(first)})
    await page.set_content(HOST)
    await page.evaluate("html => window.render(html)", read.text)
    return page.frame_locator("iframe")


async def test_a_host_is_told_which_tools_have_the_page_and_which_are_its_own(host: Client) -> None:
    tools = {tool.name: tool for tool in (await host.list_tools()).tools}
    for name in ("get_profile", "forget"):
        assert (tools[name].meta or {})["ui"]["resourceUri"] == URI
    own = [tool for name, tool in tools.items() if name.startswith("page_")]
    assert own
    assert all((tool.meta or {})["ui"]["visibility"] == ["app"] for tool in own)
    assert "page_setup" not in tools


async def test_the_app_shows_the_memory_through_its_host_and_reaches_nothing_else(
    chrome: Browser, host: Client
) -> None:
    page = await chrome.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    frame = await shown(page, host, "get_profile", {})
    await expect(frame.get_by_text("Mara teaches physics").first).to_be_visible()
    await expect(frame.locator("html")).to_have_css("color-scheme", "dark")
    await expect(frame.get_by_role("link", name="Connect and data")).to_have_count(0)
    await frame.get_by_role("link", name="Memories").click()
    await frame.locator("#memories li").first.wait_for()
    pinned = frame.locator("[data-memory='3']").first
    await pinned.get_by_role("button", name="Pin", exact=True).click()
    await frame.locator(".note", has_text="Pinned").wait_for()
    await frame.locator(".note button").first.click()
    await frame.locator(".note", has_text="Undone").wait_for()
    assert "ui/notifications/size-changed" in await page.evaluate("window.told")
    assert asked == []
    assert wrong == []
    await page.close()


async def test_the_preview_of_forget_opens_as_the_page_with_its_ticks(chrome: Browser, host: Client) -> None:
    page = await chrome.new_page()
    await host.call_tool("remember", {"content": "Likes marzipan with rose water", "kind": "preference"})
    frame = await shown(page, host, "forget", {"literal": "marzipan with rose"})
    await frame.locator("#matches > li").first.wait_for()
    await frame.locator("#forget-go").click()
    await frame.locator("#forget-typed").fill("marzipan with rose")
    await frame.locator("dialog button.main").click()
    await expect(frame.locator("#traces")).to_have_text("0 traces left")
    await page.close()
