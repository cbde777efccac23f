"""A server and a summarizer as processes, with the local embedding model and a stubbed language model."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tests import fork_server
from tests.patience import HANGS
from tests.server.processes import HttpServer, http_server, server_env
from tests.server.test_embedding import model_folder
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.stub import Script


@dataclass
class Scene:
    """A server with the local embedding model, a summarizer, and a stubbed language model."""

    server: HttpServer
    stub: AnthropicStub
    environment: dict[str, str]
    summarizer: fork_server.Program | None = None

    async def summarize(self, **more: str) -> None:
        self.summarizer = await fork_server.start(
            "tellonce_summarizer", env=self.environment | more, cwd=self.server.data_dir
        )

    async def end(self, number: int = signal.SIGTERM) -> None:
        assert self.summarizer is not None
        self.summarizer.send_signal(number)
        async with asyncio.timeout(HANGS):
            await self.summarizer.wait()

    async def with_model(self) -> None:
        await self.summarize(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=self.stub.url)

    async def status(self) -> w.QueueStatus:
        async with connect_http(self.server.url, self.server.token("agent")) as agent:
            return await agent.queue_status()

    async def idle(self) -> bool:
        return not any(kind.pending + kind.claimed + kind.ready for kind in (await self.status()).kinds)

    async def embeds(self) -> bool:
        async with httpx2.AsyncClient() as http:
            return bool((await http.get(f"{self.server.base}/health")).json()["embeddings"]["ready"])

    async def spent(self, usd: float) -> bool:
        return (await self.status()).cost.price_usd >= usd

    async def all_read(self) -> bool:
        reading = (await self.status()).reading
        return await self.idle() and not reading.to_read_again and not reading.waiting

    async def command(self, *arguments: str) -> str:
        process = await fork_server.start(
            "tellonce_cli.main", *arguments, env=self.environment, cwd=self.server.data_dir, stdout=-1
        )
        out, _ = await process.communicate()
        return out.decode()


@asynccontextmanager
async def scene_with(script: Script, folder: Path, dsn: str) -> AsyncIterator[Scene]:
    settings = {
        "TELLONCE_EMBEDDINGS": "local",
        "TELLONCE_EMBEDDING_MODEL_DIR": str(model_folder()),
        "TELLONCE_QUEUE__LEASE_SECONDS": "5",
    }
    async with AnthropicStub(script) as stub, http_server(folder / "data", dsn, **settings) as server:
        own = {"TELLONCE_URL": server.url, "SUMMARIZER_CONCURRENCY": "1", "TELLONCE_DATA_DIR": str(server.data_dir)}
        scene = Scene(server, stub, server_env(server.data_dir, dsn, **own))
        try:
            yield scene
        finally:
            await scene.end()


async def say(client: MemoryClient, text: str) -> None:
    await client.record_message(c.RecordMessageArgs(role="user", content=text))
    await client.record_message(c.RecordMessageArgs(role="assistant", content="I see."))
