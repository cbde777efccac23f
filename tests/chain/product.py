"""Runs the whole product: relay, server and summarizer as separate processes, with an emulated Telegram and stubs of
the models on loopback. Without a `DATABASE_URL`, the server has an embedded PostgreSQL.

This module does not use pytest, because the benchmarks also import this module.
"""

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import Any

import asyncpg
import httpx2

from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests import fork_server
from tests.patience import HANGS, until
from tests.server.processes import end, exit_code, free_port, server_env
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.chat_model import talk
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Reply
from tests.stubs.stub import Asked
from tests.stubs.summarizer_model import competent
from tests.stubs.telegram_emulator import Telegram, telegram
from tests.stubs.transcription_stub import TranscriptionStub

TOKEN = "999:emulated"
TALKER = "claude-sonnet-5-5"
"""The name of the model that answers people. The summarizer uses another model."""

PROCESSES = {
    "server": ("tellonce_server", "--http"),
    "summarizer": ("tellonce_summarizer",),
    "relay": ("tellonce_relay",),
}


def both(asked: Asked) -> Reply:
    """A script that acts as a competent model for people and for the summarizer."""
    return talk(asked) if asked.model == TALKER else competent(asked)


@dataclass
class Whole:
    """The processes and stubs. `start`, `kill` and `stop` take the name of a process. A killed process stays down until
    it is started again."""

    folder: Path
    telegram: Telegram
    model: AnthropicStub
    ollama: OllamaStub
    environment: dict[str, str]
    processes: dict[str, fork_server.Program] = field(default_factory=dict)
    _database: "asyncpg.Connection[asyncpg.Record] | None" = None

    @property
    def url(self) -> str:
        return self.environment["TELLONCE_URL"]

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    async def start(self, *names: str) -> None:
        """Start the processes, beginning with the server, and wait until each of them is ready."""
        for name in names or PROCESSES:
            polls = len(self.telegram.api.of("getUpdates"))
            await self.spawn(name)
            if name == "server":
                await self.answers()
            if name == "relay":
                await self.seen(partial(self._polled_since, polls))

    async def spawn(self, name: str) -> None:
        """Start one process without waiting until it is ready."""
        module, *arguments = PROCESSES[name]
        with (self.folder / f"{name}.err").open("ab") as said:
            self.processes[name] = await fork_server.start(
                module, *arguments, env=self.environment, cwd=self.folder, stderr=said
            )

    def _polled_since(self, polls: int) -> bool:
        return len(self.telegram.api.of("getUpdates")) > polls

    async def answers(self) -> None:
        """Wait until the server answers."""
        async with asyncio.timeout(HANGS), httpx2.AsyncClient(trust_env=False) as http:
            while True:
                with suppress(httpx2.HTTPError):
                    if (await http.get(self.url.replace("/mcp", "/health"))).status_code == 200:
                        return
                assert self.processes["server"].returncode is None, self.said("server")
                await asyncio.sleep(0.02)

    async def kill(self, name: str) -> None:
        """Kill a process with SIGKILL."""
        process = self.processes[name]
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()

    async def stop(self, *names: str) -> None:
        for name in names or tuple(reversed(PROCESSES)):
            if name in self.processes:
                await end(self.processes[name])

    def said(self, name: str) -> str:
        """The output of a process on standard error."""
        return (self.folder / f"{name}.err").read_text(errors="replace")

    async def command(
        self, *arguments: str, told: str = "", code: int = 0, own: Mapping[str, str] | None = None
    ) -> str:
        """The output of one `tellonce` command, including standard error. `own` is added to the command's
        environment."""
        process = await fork_server.start(
            *("tellonce_cli.main", *arguments),
            env=self.environment | {"COLUMNS": "400"} | dict(own or {}),
            cwd=self.folder,
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
        )
        out, _ = await process.communicate(told.encode())
        assert process.returncode == code, out.decode()
        return out.decode()

    def token(self, scope: str) -> str:
        return (self.folder / "data" / "tokens" / scope).read_text().strip()

    @asynccontextmanager
    async def client(self, scope: str = "relay") -> AsyncIterator[MemoryClient]:
        """Another client of the same server. The scope `relay` gives access to every chat."""
        async with connect_http(self.url, self.token(scope)) as client:
            yield client

    async def rows(self, sql: str, *arguments: Any) -> list[asyncpg.Record]:
        """Raw SQL in the role that owns the tables and sees every row."""
        if self._database is None or self._database.is_closed():
            dsn = self.environment.get("DATABASE_URL") or EmbeddedPostgres(self.folder / "data" / "postgres").dsn()
            self._database = await asyncpg.connect(dsn)
        return await self._database.fetch(sql, *arguments)

    async def value(self, sql: str, *arguments: Any) -> Any:
        rows = await self.rows(sql, *arguments)
        return rows[0][0] if rows else None

    async def until(self, true: Callable[[], Awaitable[Any]], seconds: float = HANGS) -> Any:
        """Poll until the condition holds. Other processes do not send an event for it. After `seconds`, raise a
        TimeoutError that contains the end of every process's output."""
        try:
            return await until(true, seconds)
        except TimeoutError:
            raise TimeoutError(self.complaints()) from None

    async def turn(self, text: str, user: int, **place: Any) -> str:
        """Let a person write, wait for the recorded answer, and return it."""
        chat = place.get("chat") or user
        number = await self.telegram.say(text, user, **place)

        async def answered() -> str | None:
            found: str | None = await self.value(
                "select a.content from messages q join messages a using (owner_id, chat_id) "
                "where q.chat_id = $1 and q.ext_id = $2 and a.exchange_of = q.id",
                chat,
                str(number),
            )
            return found

        return str(await self.until(answered))

    async def tell(self, text: str, user: int, **place: Any) -> str:
        """Let a person write, and wait until all learning from the turn is done."""
        answer = await self.turn(text, user, **place)
        await self.settled(place.get("chat") or user)
        return answer

    async def settled(self, chat: int | None = None, *, exchanges_only: bool = False) -> None:
        """Wait until the queue has no open job of this chat. Without `chat`, wait for the jobs of all chats. The second
        reading of an assistant's statements begins only after a minute; `exchanges_only` does not wait for it."""

        async def done() -> bool:
            open_jobs: int = await self.value(
                "select count(*) from chat_context_queue where state in ('pending_summarization', 'ready_to_write') "
                "and ($1::bigint is null or chat_id = $1) and (not $2 or kind = 'exchange')",
                chat,
                exchanges_only,
            )
            return open_jobs == 0

        await self.until(done)

    async def heard(self, chat: int, count: int) -> list[dict[str, Any]]:
        """Wait until the chat has at least `count` messages of the bot, and return them."""
        await self.seen(lambda: len(self.messages(chat)) >= count)
        return self.messages(chat)

    async def seen(self, true: Callable[[], bool]) -> None:
        """Wait until a condition on the emulator holds. After a timeout, the error shows the output of the
        processes."""
        try:
            async with asyncio.timeout(HANGS), self.telegram.world.changed:
                await self.telegram.world.changed.wait_for(true)
        except TimeoutError as error:
            raise TimeoutError(self.complaints()) from error

    def complaints(self) -> str:
        """The end of every process's output."""
        return "\n".join(f"{name}: {self.said(name)[-2000:]}" for name in self.processes)

    def messages(self, chat: int) -> list[dict[str, Any]]:
        return [message for message in self.telegram.sent if message["chat"]["id"] == chat]

    def prompt(self, said: str) -> str:
        """The model's whole prompt for the newest message with this text."""
        asked = [a for a in self.model.asked if a.model == TALKER and a.user.endswith(said)]
        assert asked, f"the model was never asked: {said}"
        return asked[-1].prompt

    async def everywhere(self, owner: int) -> str:
        """Every text of an owner in the database."""
        columns = await self.rows(
            "select c.table_name, c.column_name from information_schema.columns c join information_schema.columns o "
            "using (table_schema, table_name) join information_schema.tables t using (table_schema, table_name) "
            "where table_schema = 'public' and t.table_type = 'BASE TABLE' and o.column_name = 'owner_id' "
            "and c.data_type in ('text', 'jsonb', 'tsvector', 'ARRAY')"
        )
        assert len(columns) > 40
        texts = [
            await self.value(f'select string_agg("{name}"::text, chr(10)) from "{table}" where owner_id = $1', owner)
            for table, name in columns
        ]
        return "\n".join(str(text) for text in texts)

    async def close(self) -> None:
        if self._database is not None:
            await self._database.close()
        for process in self.processes.values():
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            await exit_code(process, 20)
        shutil.rmtree((self.folder / "data" / "postgres" / "18").resolve(), ignore_errors=True)


@asynccontextmanager
async def whole(folder: Path, users: tuple[int, ...] = (42,), **environment: str) -> AsyncIterator[Whole]:
    """Run all three processes. Each message in Telegram is a minute later than the previous message."""
    folder.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(telegram(TOKEN))
        model = await stack.enter_async_context(AnthropicStub(both))
        ollama = await stack.enter_async_context(OllamaStub())
        ear = await stack.enter_async_context(TranscriptionStub())
        port = str(free_port())
        found = Whole(
            folder,
            api,
            model,
            ollama,
            server_env(
                folder / "data",
                None,
                **{
                    "TELLONCE_PORT": port,
                    "TELLONCE_URL": f"http://127.0.0.1:{port}/mcp",
                    "TELLONCE_LOG_DIR": str(folder / "logs"),
                    "OBSERVABILITY_ENABLED": "1",
                    "TELEGRAM_BOT_TOKEN": TOKEN,
                    "TELEGRAM_API_URL": api.url,
                    "TELEGRAM_USER_ID": ",".join(map(str, users)),
                    "ANTHROPIC_API_KEY": "key",
                    "ANTHROPIC_BASE_URL": model.url,
                    "SUMMARIZER_CONCURRENCY": "4",
                    "TELLONCE_BREATH_SECONDS": "0",
                    "TELLONCE_TRANSCRIBE__URL": ear.url,
                    "PYTHONWARNINGS": "ignore",
                    **environment,
                },
            ),
        )
        try:
            await found.start()
            yield found
        finally:
            await found.close()
