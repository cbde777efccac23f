"""Takes the screenshots in `docs/images`. They show the memory page of a real server with the data of the page's tests.

    python -m docs.screenshots

This needs Chromium. Look at every image before you commit it.
"""

import asyncio
import base64
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, Page

from tellonce.connect import connect_http
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.page.browser import RAIL, browser, signed_in
from tests.page.seed import seed
from tests.server.processes import HttpServer, http_server

IMAGES = Path(__file__).parent / "images"
TOPIC = "forget/topic/Tiago"
FURTHER = {
    "memories": ("memories", "memory/7"),
    "timeline": ("timeline", "timeline/known"),
    "why": ("why", "answer"),
    "forget": (TOPIC,),
}
"""The pictures of these screens. Every other screen has one picture, with the name of the screen."""
SCREENS = tuple(picture for name in RAIL for picture in FURTHER.get(name, (name,)))
ALONE = {"today": "page-today", "memory/7": "page-memory", TOPIC: "page-forget"}
Scheme = Literal["light", "dark"]


@asynccontextmanager
async def seeded(home: Path) -> AsyncGenerator[HttpServer]:
    postgres = EmbeddedPostgres(home / "pg")
    try:
        dsn = await postgres.start()
        async with http_server(home / "data", dsn, HOME=str(home)) as server:
            async with (
                connect_http(server.url, server.token()) as memory,
                connect_http(server.url, server.token("agent")) as agent,
            ):
                await seed(memory, agent)
            yield server
    finally:
        await postgres.stop()


async def shots(chrome: Browser, server: HttpServer, scheme: Scheme, width: int) -> dict[str, bytes]:
    """Every screen as a PNG."""
    async with signed_in(chrome, server, width=width) as tab:
        await tab.page.set_viewport_size({"width": width, "height": 700})
        await tab.page.emulate_media(color_scheme=scheme)
        found: dict[str, bytes] = {}
        for name in SCREENS:
            await _open(await tab.show("why" if name == "answer" else name), name)
            found[name] = await tab.page.screenshot()
        return found


async def _open(page: Page, name: str) -> None:
    """What a person does on the screen before the picture is taken."""
    if name == "answer":
        await page.get_by_role("link", name="What do I drink in the evening?").first.click()
        await page.wait_for_selector("[data-section]")
    elif name == TOPIC:
        await page.get_by_role("button", name="Find it").click()
        await page.wait_for_selector("#matches > li")
    elif name == "data":
        await page.wait_for_selector("[data-client]")


async def sheet(chrome: Browser, pictures: Sequence[bytes], columns: int, width: int) -> bytes:
    """The pictures in rows, each `width` pixels wide."""
    page = await chrome.new_page(viewport={"width": columns * (width + 8), "height": 100})
    images = "".join(
        f'<img width={width} src="data:image/png;base64,{base64.b64encode(x).decode()}">' for x in pictures
    )
    style = f"body {{ margin: 0; display: grid; gap: 8px; grid-template-columns: repeat({columns}, {width}px); background: #888 }}"
    await page.set_content(f"<style>{style}</style>{images}")
    found = await page.screenshot(full_page=True)
    await page.close()
    return found


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with seeded(Path(folder)) as server, browser() as chrome:
            light = await shots(chrome, server, "light", 1000)
            dark = await shots(chrome, server, "dark", 1000)
            phone = await shots(chrome, server, "light", 360)
            made = {name: light[screen] for screen, name in ALONE.items()}
            made["page-light"] = await sheet(chrome, [*light.values()], 3, 500)
            made["page-dark"] = await sheet(chrome, [*dark.values()], 3, 500)
            made["page-360"] = await sheet(chrome, [*phone.values()], 5, 270)
    for name, content in made.items():
        (IMAGES / f"{name}.png").write_bytes(content)


if __name__ == "__main__":
    asyncio.run(main())
