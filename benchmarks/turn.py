"""Measures the time that the relay adds to a turn: `python -m benchmarks.turn [--turns N] [--json FILE]`.

A person writes to a bot on an emulated Bot API, and the time until the bot's sendMessage is measured. The bot is either
the relay (real processes, embedded PostgreSQL), or a minimal bot with the same libraries and stub model but no memory.
The two alternate, so that other load affects both equally. The difference between the medians is the time that Tellonce
adds. The command also prints the time of each step of the relay, from its events, and the processor time of a turn in
each process. The processor time includes the work after the reply, and hardly depends on other load.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from telegram import Update

from benchmarks.timing import Timed
from tellonce_llm.model import ask
from tellonce_llm.ollama import Ollama
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.updates.polling import poll
from tests.relay.relay_process import TOKEN, relay_process
from tests.server.processes import http_server
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Say
from tests.stubs.telegram_emulator import Telegram, telegram

WARM_UP = 10
START_SECONDS = 120
STEPS = {
    "message_recorded": "record the message",
    "context_received": "read the context",
    "prompt_built": "build the prompt",
    "model_complete": "model (a stub: HTTP and streaming)",
    "tags_parsed": "parse the answer",
    "reply_sent": "send (an emulated Bot API)",
    "reply_recorded": "record the answer (after it was sent)",
}


class Floor:
    """A bot without memory: one call of the model and one message per turn."""

    def __init__(self, model: Ollama, send: Callable[[int, str], Awaitable[object]]) -> None:
        self._model = model
        self._send = send

    def note(self, update: Update) -> None:
        """Ignore the update, because this bot has no memory."""

    def pass_over(self, update_id: int, error: Exception) -> None:
        raise error

    async def take(self, update: Update) -> None:
        assert update.message is not None
        request = ask(update.message.text or "", timeout=30, system="Answer briefly.")
        answer = "".join([piece async for piece in self._model.stream(request) if isinstance(piece, str)])
        await self._send(update.message.chat.id, answer)


async def serve_floor(api_url: str, model_url: str) -> None:
    async with make_bot(TOKEN, api_url) as bot:
        await poll(bot, Floor(Ollama(model_url, "llama3.2"), bot.send_message), asyncio.Event())


@asynccontextmanager
async def floor_process(api: Telegram, model: OllamaStub) -> AsyncIterator[asyncio.subprocess.Process]:
    command = [sys.executable, "-m", "benchmarks.turn", "--floor", api.url, model.url]
    process = await asyncio.create_subprocess_exec(*command)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def turn(api: Telegram, timed: Timed, number: int) -> None:
    """Send one message and wait until the bot sends its answer."""
    before = len(api.api.of("sendMessage"))
    started = time.monotonic()
    await api.say(f"Message {number}: my neighbour's dog is called Rex and likes long walks by the river")
    await api.until(lambda: len(api.api.of("sendMessage")) > before)
    timed.calls.append(next(call.at for call in reversed(api.calls) if call.method == "sendMessage") - started)
    await api.until(lambda: len(api.sent) > before)


async def polls(api: Telegram) -> None:
    """Wait until the bot polls for updates."""
    async with asyncio.timeout(START_SECONDS), api.world.changed:
        await api.world.changed.wait_for(lambda: bool(api.api.of("getUpdates")))


async def settled(folder: Path, recorded: int) -> None:
    """Wait until the relay has recorded `recorded` replies. Then the next message does not wait for the end of this
    turn."""
    for _ in range(2000):
        if sum(event["event"] == "reply_recorded" for event in events(folder)) >= recorded:
            return
        await asyncio.sleep(0.01)
    raise TimeoutError("the relay has not recorded a reply")


def events(folder: Path) -> list[dict[str, object]]:
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


async def measure(turns: int, file: Path | None) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        logs = folder / "logs"
        more = {
            "OBSERVABILITY_ENABLED": "1",
            "TELLONCE_LOG_DIR": str(logs),
            "TELLONCE_RESPONDER": "ollama",
            "TELLONCE_BREATH_SECONDS": "0",
        }
        async with (
            http_server(folder / "data", None) as server,
            OllamaStub(Say("I see, thank you for telling me.")) as model,
            telegram() as ours,
            telegram() as floor,
            relay_process(server, ours, **more, OLLAMA_HOST=model.url) as relay,
            floor_process(floor, model) as plain,
        ):
            await asyncio.gather(polls(ours), polls(floor))
            processes = {"relay": relay.process, "server": server.process, "floor": plain}
            began: dict[str, float] = {}
            found = {"relay": Timed(), "floor": Timed()}
            for number in range(WARM_UP + turns):
                began = began if number != WARM_UP else {name: cpu(process) for name, process in processes.items()}
                await turn(ours, found["relay"], number)
                await settled(logs, number + 1)
                await turn(floor, found["floor"], number)
            timed = {name: Timed(calls.calls[WARM_UP:]) for name, calls in found.items()}
            report(timed, where(logs), file)
            for name, process in processes.items():
                print(f"processor time per turn, {name:20} {1000 * (cpu(process) - began[name]) / turns:7.2f} ms")


def cpu(process: asyncio.subprocess.Process | None) -> float:
    """The seconds of processor time that a process has used so far, without its children (Linux)."""
    assert process is not None
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(found: dict[str, Timed], steps: dict[str, Timed], file: Path | None) -> None:
    added = found["relay"].at(0.5) - found["floor"].at(0.5)
    for name, timed in (*found.items(), *((STEPS[step], timed) for step, timed in steps.items())):
        row = timed.row()
        print(f"{name:38} n {row['n']:4} min {row['min_ms']:7.2f} p50 {row['p50_ms']:7.2f} p95 {row['p95_ms']:7.2f} ms")
    print(f"{'added':38} p50 {added:7.2f} ms (target 30)")
    if file is not None:
        rows = {name: timed.row() for name, timed in (*found.items(), *steps.items())}
        file.write_text(json.dumps({"added_p50_ms": round(added, 2), **rows}, indent=1))


def where(logs: Path) -> dict[str, Timed]:
    """The relay's times by step, without the warm-up."""
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for event in events(logs):
        if event.get("process") == "relay" and "ms" in event:
            spent[str(event["event"])].append(float(str(event["ms"])) / 1000)
    return {step: Timed(spent[step][WARM_UP:]) for step in STEPS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100, help="turns of each of the two bots")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--floor", nargs=2, metavar=("API", "MODEL"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    asyncio.run(serve_floor(*arguments.floor) if arguments.floor else measure(arguments.turns, arguments.json))


if __name__ == "__main__":
    main()
