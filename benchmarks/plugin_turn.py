"""Measures the time that the Claude Code plugin adds to a turn: `python -m benchmarks.plugin_turn [--turns N] [--json
FILE]`.

Two real Claude Code processes, one with the plugin, use the same stub model and alternate, so that other load affects
both equally. The report compares their median times. The prompt's hook delays the answer, and both hooks delay the end
of the turn. The prompt's hook is also measured alone. An empty Python process is also measured, because it is the
minimum for any hook in Python.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from benchmarks.timing import Timed
from tellonce.connect import connect_http
from tellonce.contract import RememberArgs
from tests.conformance.claude import Claude
from tests.conformance.npm import binaries
from tests.plugins.hooks import PLUGIN, SCRIPT, Session
from tests.server.processes import HttpServer, http_server
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Say

WARM_UP = 3
MEMORIES = 200
NAMES = ("answer without", "turn without", "answer with", "turn with", "hook alone", "empty python")
TALK = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


@asynccontextmanager
async def talking(claude: Claude, model: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run a Claude Code process that answers one prompt after another."""
    folder = claude.home / "work"
    folder.mkdir(parents=True, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *(str(claude.bin / "claude"), *TALK),
        env={**claude.environment(), "ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "dummy"},
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def answered(process: asyncio.subprocess.Process, prompt: str) -> tuple[float, float]:
    """Two durations in seconds: from the prompt to its answer, and from the prompt to the end of the turn. A turn ends
    after the hook that runs after the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    began = time.perf_counter()
    message = {"type": "user", "message": {"role": "user", "content": prompt}}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    answer = None
    async for line in process.stdout:
        kind, now = json.loads(line).get("type"), time.perf_counter() - began
        answer = now if kind == "assistant" and answer is None else answer
        if kind == "result" and answer is not None:
            return answer, now
    raise RuntimeError("Claude Code ended in a turn")


async def spent(*command: str) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(*command)
    await process.wait()
    return time.perf_counter() - began


async def prepared(stack: AsyncExitStack, folder: Path) -> HttpServer:
    server = await stack.enter_async_context(http_server(folder / "data", None))
    async with connect_http(server.url, server.token()) as client:
        for number in range(MEMORIES):
            await client.remember(
                RememberArgs(content=f"Service {number} is deployed on day {number % 28} by team {number % 7}")
            )
    return server


async def installed(claude: Claude, server: HttpServer) -> None:
    await claude("plugin", "marketplace", "add", str(PLUGIN.parents[1]))
    options = ("--config", f"url={server.url}", "--config", f"data_folder={server.data_dir}")
    await claude("plugin", "install", "tellonce@tellonce", *options)


async def measure(turns: int) -> dict[str, dict[str, float]]:
    times = {name: Timed() for name in NAMES}
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server, model = await prepared(stack, folder), await stack.enter_async_context(AnthropicStub(Say("Noted.")))
        bare, hooked = Claude(binaries(), folder / "bare"), Claude(binaries(), folder / "hooked")
        await installed(hooked, server)
        without = await stack.enter_async_context(talking(bare, model.url))
        with_plugin = await stack.enter_async_context(talking(hooked, model.url))
        session = Session(folder / "alone", server.url, server.data_dir)
        for turn in range(-WARM_UP, turns):
            prompt = f"On which day do we deploy service {turn % MEMORIES}?"
            bare_times, hooked_times = await answered(without, prompt), await answered(with_plugin, prompt)
            alone = await _hook(session, prompt, turn)
            python = await spent(sys.executable, "-E", "-s", "-S", "-c", "pass")
            taken = zip(NAMES, (*bare_times, *hooked_times, alone, python), strict=True)
            for name, seconds in taken if turn >= 0 else ():
                times[name].calls.append(seconds)
    return {name: timed.row() for name, timed in times.items()}


async def _hook(session: Session, prompt: str, turn: int) -> float:
    began = time.perf_counter()
    await session.hook("UserPromptSubmit", prompt_id=str(turn), prompt=prompt)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    assert SCRIPT.exists()
    rows = asyncio.run(measure(options.turns))
    for name, row in rows.items():
        print(
            f"{name:14} min {row['min_ms']:7.1f}  p50 {row['p50_ms']:7.1f}  p95 {row['p95_ms']:7.1f} ms  (n {row['n']})"
        )
    added = {part: _added(rows, part) for part in ("answer", "turn")}
    for part, ms in added.items():
        print(f"added to the {part}: min {ms['min_ms']:.1f}, p50 {ms['p50_ms']:.1f} ms; load {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps({**rows, "added": added}, indent=1))


def _added(rows: dict[str, dict[str, float]], part: str) -> dict[str, float]:
    return {key: rows[f"{part} with"][key] - rows[f"{part} without"][key] for key in ("min_ms", "p50_ms")}


if __name__ == "__main__":
    main()
