"""`tellonce up` supervises real child processes; the tests kill and stop these processes. No child runs after `up` has
ended."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryUnreachable
from tests import fork_server
from tests.chain.home import Home
from tests.patience import HANGS, promised, until
from tests.server.processes import Process
from tests.stubs.telegram_emulator import telegram

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc"),
]


class Running:
    """`tellonce up` and its output so far."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.said = ""

    async def until(self, text: str, seconds: float = HANGS) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(seconds):
            while text not in self.said:
                line = await self.process.stdout.readline()
                assert line, f"it ended before it said {text!r}: {self.said}"
                self.said += line.decode()

    async def end(self, number: int) -> int:
        self.process.send_signal(number)
        async with asyncio.timeout(promised(20)):
            out, _ = await self.process.communicate()
        self.said += out.decode()
        assert self.process.returncode is not None
        return self.process.returncode


async def cold(home: Home) -> Process:
    """Start `up` without a fork, so that its processes are found in /proc."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tellonce_cli.main", "up"),
        stdout=PIPE,
        stderr=STDOUT,
        env=home.environment,
        cwd=home.folder,
    )


async def fork(home: Home) -> Process:
    return await fork_server.start(
        "tellonce_cli.main", "up", stdout=PIPE, stderr=STDOUT, env=home.environment, cwd=home.folder
    )


@asynccontextmanager
async def up(home: Home, start: Callable[[Home], Awaitable[Process]] = cold) -> AsyncIterator[Running]:
    process = await start(home)
    running = Running(process)
    try:
        await running.until("Ctrl-C stops everything")
        yield running
    finally:
        if process.returncode is None:
            await running.end(signal.SIGTERM)


def processes(matches: Callable[[int], bool]) -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and matches(int(entry.name))]


def of_home(home: Home) -> list[int]:
    """The process ids of a home. Our own processes are found by their environment. PostgreSQL's processes lack this
    environment and are found by the data folder."""
    mark, folder = f"TELLONCE_DATA_DIR={home.folder}/data", str(home.cluster)
    return processes(lambda pid: mark in proc_text(pid, "environ") or folder in proc_text(pid, "cmdline"))


def proc_text(pid: int, file: str) -> str:
    """The text of a process's file in /proc; empty for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/{file}").read_text(errors="replace")
    except OSError:
        return ""


def child(up_: Running, module: str) -> int:
    def matches(pid: int) -> bool:
        parent = re.search(r"\) \S (\d+)", proc_text(pid, "stat"))
        return parent is not None and int(parent[1]) == up_.process.pid and module in proc_text(pid, "cmdline")

    (pid,) = processes(matches)
    return pid


async def test_it_says_what_runs_and_a_signal_to_it_alone_stops_everything_within_seconds(home: Home) -> None:
    """Ctrl-C in a terminal reaches only `up`, because its children are in other process groups. `up` then ends them in
    order."""
    async with up(home) as running:
        await until(lambda: _runs(home, "tellonce_summarizer"))
        assert len(of_home(home)) > 3
        groups = {os.getpgid(child(running, name)) for name in ("tellonce_server", "tellonce_summarizer")}
        assert len(groups) == 2
        assert os.getpgid(running.process.pid) not in groups
        token = (home.folder / "data" / "tokens" / "assistant").read_text().strip()
        assert await running.end(signal.SIGINT) == 0
    await nothing_runs(home)
    assert home.url in running.said
    assert "embedded PostgreSQL" in running.said
    assert "connect claude-desktop --print` shows the entry" in running.said
    assert f"claude plugin install tellonce@tellonce --config url={home.url}" in running.said
    assert token not in running.said
    assert "tellonce has stopped." in running.said
    assert "Traceback" not in running.said


async def test_a_crashed_child_is_started_again_and_postgresql_ends_even_if_the_server_was_killed_last(
    home: Home,
) -> None:
    async with up(home) as running:
        async with home.memory() as memory:
            await memory.remember(c.RememberArgs(content="I prefer window seats"))
        before = child(running, "tellonce_server")
        os.kill(before, signal.SIGKILL)
        await running.until("server ended with code -9; starting it again")
        async with home.memory() as memory:
            await until(lambda: _answers(memory))
        again = child(running, "tellonce_server")
        assert again != before
        running.said = ""
        os.kill(again, signal.SIGKILL)
        await running.until("server ended with code -9")
        assert await running.end(signal.SIGTERM) == 0
    await nothing_runs(home, 15)  # the watcher needs time to stop PostgreSQL


async def test_a_killed_up_takes_all_with_it_and_everything_comes_back(home: Home) -> None:
    async with up(home) as running:
        async with home.memory() as memory:
            await memory.remember(c.RememberArgs(content="I prefer window seats"))
        await running.end(signal.SIGKILL)
        await nothing_runs(home, 30)
    async with up(home) as running:
        async with home.memory() as memory:
            profile = await memory.get_profile(c.GetProfileArgs())
        assert await running.end(signal.SIGTERM) == 0
    await nothing_runs(home)
    assert [m.content for m in profile.facts] == ["I prefer window seats"]


LAST_PORT = 65535


async def test_a_port_in_use_is_reported_before_anything_is_started(home: Home) -> None:
    for port in (home.port, LAST_PORT):
        home.environment["TELLONCE_PORT"] = str(port)
        with socket.socket() as mute:
            mute.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            mute.bind(("127.0.0.1", port))
            mute.listen()
            for command in ("up", "serve"):
                code, said = await home.failing(command)
                told = f"port {port} is in use by another program.*TELLONCE_PORT=[1-9][0-9]+ tellonce {command}"
                assert code == 1
                assert re.search(told, said), said
    assert not (home.folder / "data").exists()


async def test_a_bot_without_a_user_is_connected_by_a_link_and_then_answers(light_home: Home) -> None:
    async with telegram("999:emulated") as api:
        light_home.environment |= {"TELEGRAM_BOT_TOKEN": "999:emulated", "TELEGRAM_API_URL": api.url}
        async with up(light_home, fork) as running:
            await running.until("/start ")
            code = re.search(r"/start (\S+)", running.said)
            await running.until("waiting for you to open the link above")
            assert code is not None
            await api.say(f"/start {code[1]}", user=77)
            await running.until("TELEGRAM_USER_ID is now in")
            await api.until(lambda: len(api.sent) == 1)
            await api.ask("/help", user=77, replies=2)
            await running.end(signal.SIGTERM)
    assert "TELEGRAM_USER_ID=77" in (light_home.folder / ".env").read_text()


async def test_a_server_on_all_addresses_is_one_its_own_summarizer_can_call(light_home: Home) -> None:
    light_home.environment["TELLONCE_HOST"] = "0.0.0.0"
    async with up(light_home, fork):
        await light_home.run("chat", told="My sister lives in Oslo\n")
        await until(lambda: _worked_off(light_home))


async def _worked_off(home: Home) -> bool:
    said = await home.run("status")
    return "in terminal" in said and "queue      empty" in said


async def _runs(home: Home, module: str) -> bool:
    """Whether a process of the home runs this module. A child process that was just forked does not count yet, because
    it does not yet run the module."""
    return any(module in proc_text(pid, "cmdline") for pid in of_home(home))


async def nothing_runs(home: Home, seconds: float = 5) -> None:
    """Wait at most `seconds` until no process of the home runs. PostgreSQL can run a moment longer than the process
    that stops it. That process waits only until PostgreSQL has removed its pid file."""

    async def gone() -> bool:
        return not of_home(home)

    await until(gone, promised(seconds))


async def _answers(memory: MemoryClient) -> bool:
    try:
        await memory.get_profile(c.GetProfileArgs())
    except MemoryUnreachable:
        return False
    return True
