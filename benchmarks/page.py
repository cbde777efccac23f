"""Measures how long the memory page takes to show the next 100 of 10,000 memories, in Chromium and in the server.

    python -m benchmarks.page [--rounds N]

The steps of a round alternate, so that other load affects all steps equally:

- The benchmark calls the tool for one memory. This is the minimum.
- The benchmark calls the tool for 100 memories.
- The browser draws two frames (33 ms on an idle machine).
- The page calls the tool for 100 memories.
- The page scrolls until it has laid out the new entries.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Page

from benchmarks.timing import Timed
from tellonce_server.app.access_tokens import create_token
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.store.database import as_login
from tests.page.browser import STUCK, browser, signed_in
from tests.page.seed import add_many
from tests.server.processes import HttpServer, http_server
from tests.server.wire import request, wire_headers

USER = 43
FRAMES = """async () => {
    const begun = performance.now();
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""
CALLED = """async () => {
    const { call } = await import("/page/client.js");
    const begun = performance.now();
    await call("page_memories", {});
    return performance.now() - begun;
}"""
SCROLLED = """async () => {
    const list = document.getElementById("memories");
    const rows = list.querySelectorAll("li").length;
    const frame = () => new Promise(requestAnimationFrame);
    const begun = performance.now();
    scrollTo(0, document.body.scrollHeight);
    while (list.querySelectorAll("li").length <= rows) await frame();
    await frame();
    return performance.now() - begun;
}"""


async def measure(rounds: int) -> dict[str, Timed]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        postgres = EmbeddedPostgres(home / "pg")
        try:
            dsn = await postgres.start()
            async with _server(home, dsn) as server, browser() as chrome:
                await add_many(dsn, USER)
                async with as_login(dsn) as login:
                    token = await create_token(login, "many", USER, ("assistant",), datetime.now(UTC))
                headers = wire_headers("tools/call", "page_memories") | {"Authorization": f"Bearer {token}"}
                async with (
                    httpx2.AsyncClient(base_url=server.base, headers=headers, timeout=STUCK) as http,
                    signed_in(chrome, server, token=token) as tab,
                ):
                    return await _alternated(http, await tab.show("memories"), rounds)
        finally:
            await postgres.stop()


def _server(home: Path, dsn: str) -> AbstractAsyncContextManager[HttpServer]:
    return http_server(home / "data", dsn, HOME=str(home), TELEGRAM_USER_ID=f"42,{USER}")


async def _alternated(http: httpx2.AsyncClient, page: Page, rounds: int) -> dict[str, Timed]:
    steps: dict[str, Callable[[], Awaitable[float]]] = {
        "one memory (floor)": lambda: _called(http, {"limit": 1}),
        "100 memories": lambda: _called(http, {}),
        "two frames of the browser": lambda: page.evaluate(FRAMES),
        "100 memories, called by the page": lambda: page.evaluate(CALLED),
        "100 memories, scrolled": lambda: page.evaluate(SCROLLED),
    }
    found = {name: Timed() for name in steps}
    for number in range(rounds + 1):
        for name, step in steps.items():
            milliseconds = await step()
            if number:  # the first round warms the caches
                found[name].calls.append(milliseconds / 1000)
    return found


async def _called(http: httpx2.AsyncClient, arguments: dict[str, Any]) -> float:
    call = request("tools/call", name="page_memories", arguments=arguments)
    begun = time.perf_counter()
    (await http.post("/mcp", json=call)).raise_for_status()
    return 1000 * (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    found = asyncio.run(measure(parser.parse_args().rounds))
    floor = next(iter(found.values()))
    for name, timed in found.items():
        row = timed.row()
        print(
            f"{name:34} min {row['min_ms']:6.1f}  p50 {row['p50_ms']:6.1f}  p95 {row['p95_ms']:6.1f} ms"
            f"  {timed.at(0.5) / floor.at(0.5):5.1f} x floor"
        )


if __name__ == "__main__":
    main()
