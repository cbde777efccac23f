"""`tellonce up`: runs all processes with one command, reports their addresses, and stops them in order."""

import asyncio
import math
import time
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from rich.table import Table
from telegram import User
from telegram.error import TelegramError

from tellonce.children import Child
from tellonce.client_settings import RelaySettings, SummarizerSettings, relays_token
from tellonce.settings import ServerSettings, SettingsError, load
from tellonce.shutdown import ended, shutdown_requested
from tellonce.unknown_settings import unknown_settings
from tellonce.work import TRAITS
from tellonce_cli import claude_plugin
from tellonce_cli.connect import connected, this_machine
from tellonce_cli.database import hidden_memory
from tellonce_cli.hosts import ClientName, address, shown_command
from tellonce_cli.memory_server import health
from tellonce_cli.processes import refuse_taken_port
from tellonce_cli.screen import console
from tellonce_llm.providers import PROVIDERS, learning_tiers
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.updates.pairing import create_pairing, wait_for_user
from tellonce_server.app.memory_location import move_former_folder
from tellonce_server.postgres.embedded_server import EmbeddedPostgres

READY_SECONDS = 600.0
POLL_SECONDS = 0.1
OPENING_SECONDS = 1.0
RUNNING = "running"


async def run() -> int:
    """Returns 0 after a stop signal, or 1 if the server did not start. After a user has connected the bot, all
    processes are restarted, because the memory has a new owner."""
    if notice := move_former_folder():
        console.print(notice)
    for unknown in unknown_settings():
        console.print(f"Warning: {unknown}.")
    stop = shutdown_requested()
    while True:
        settings, relay = load(ServerSettings), load(RelaySettings)
        pairing = asyncio.create_task(offered(relay, stop))
        code = await _run(settings, relay, stop, pairing)
        user = pairing.result() if pairing.done() and not pairing.cancelled() else None
        if user is None or stop.is_set():
            return code
        console.print(keep_user(user))


async def _run(
    settings: ServerSettings, relay: RelaySettings, stop: asyncio.Event, pairing: "asyncio.Task[User | None]"
) -> int:
    started = time.monotonic()
    await refuse_taken_port(settings, "up")
    children = _children(settings, relay)
    console.print("tellonce is starting: first the server …")
    tasks: list[asyncio.Task[None]] = []
    try:
        tasks.append(asyncio.create_task(children[0].supervise()))
        if not await _until_ready(settings, stop, children[0]):
            return 0 if stop.is_set() else 1
        tasks += [asyncio.create_task(child.supervise()) for child in children[1:]]
        _report(settings, relay, time.monotonic() - started, await hidden_memory(settings))
        model = asyncio.create_task(_watch_model(settings, stop))
        await _until_stop_or_paired(stop, pairing)
        model.cancel()
    finally:
        pairing.cancel()
        console.print("\nstopping …")
        for child in reversed(children):  # the server is last, because it stops its own database
            await child.stop()
        await ended(*tasks)
        await _leave_database(settings)
    console.print("tellonce has stopped.")
    return 0


async def _until_stop_or_paired(stop: asyncio.Event, pairing: "asyncio.Task[User | None]") -> None:
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({stopping, pairing}, return_when=asyncio.FIRST_COMPLETED)
    if pairing.done() and pairing.result() is None:
        await stopping
    stopping.cancel()


def _children(settings: ServerSettings, relay: RelaySettings) -> list[Child]:
    tell, url = partial(console.print, style="yellow"), {"TELLONCE_URL": f"{address(settings)}/mcp"}
    children = [
        Child("server", "tellonce_server", ("--http",), {}, tell),
        Child("summarizer", "tellonce_summarizer", (), url, tell),
    ]
    if _telegram(relay) == RUNNING:
        children.append(Child("relay", "tellonce_relay", (), url, tell))
    return children


async def _until_ready(settings: ServerSettings, stop: asyncio.Event, server: Child) -> bool:
    """False after a stop signal, or if the server cannot open its storage."""
    deadline, report_at = time.monotonic() + READY_SECONDS, 0.0
    while not stop.is_set() and time.monotonic() < deadline:
        found = await health(address(settings))
        if found.get("ready"):
            return True
        if found.get("reason"):
            console.print(
                f"The server cannot start: {found['reason']}\nRun `tellonce doctor` for the fix.", style="red"
            )
            return False
        # If the database is down, the server reports this within a second. So the line about opening the database is
        # printed only after this second.
        report_at = report_at or (time.monotonic() + OPENING_SECONDS if found else 0.0)
        if report_at and time.monotonic() >= report_at:
            console.print("The server answers and opens the database; the first time, it creates it …")
            report_at = math.inf
        if server.process is not None and server.process.returncode not in (None, 0):
            console.print("The server ended; see its messages above. Run `tellonce doctor` for the fix.", style="red")
            return False
        await asyncio.sleep(POLL_SECONDS)
    if not stop.is_set():
        console.print("The server did not become ready in time. Run `tellonce doctor` for the reason.", style="red")
    return False


def _report(settings: ServerSettings, relay: RelaySettings, seconds: float, elsewhere: str | None) -> None:
    table = Table(title=f"tellonce is up ({seconds:.1f} s)", title_justify="left", show_header=False, box=None)
    for name, value in _rows(settings, relay):
        table.add_row(name, value)
    console.print(table)
    if elsewhere:
        console.print(elsewhere, style="yellow")
    for line in _ways(settings):
        console.print(line)
    name = shown_command()
    console.print(f"\nNext, in another terminal: `{name} open` shows the memory page, `{name} chat` talks with it,")
    console.print(f"`{name} import result.json` imports your history (docs/how-to/import.md).")
    console.print("Ctrl-C stops everything.")


def _ways(settings: ServerSettings) -> list[str]:
    name, machine = shown_command(), this_machine()
    states = connected(machine)
    there = [client for client, state in states.items() if state is True]
    others = [client for client in ClientName if client not in there]
    lines = ["", f"Connected assistants: {', '.join(there)}."] if there else [""]
    lines += [
        f"Warning: {state}. `{name} doctor` shows the fix." for state in states.values() if isinstance(state, str)
    ]
    if others:
        rest = f" ({', '.join(others[1:])})" if others[1:] else ""
        lines.append(f"Connect {'another' if there else 'an assistant'}: `{name} connect {others[0]}`{rest}.")
    if not there:
        lines.append(f"By hand: `{name} connect {others[0]} --print` shows the entry.")
    if not claude_plugin.is_enabled(machine):
        line = claude_plugin.set_up_line(machine, settings)
        lines.append(f"Claude Code records every prompt with the plugin (docs/clients/claude-code.md): `{line}`")
    return lines


def _rows(settings: ServerSettings, relay: RelaySettings) -> list[tuple[str, str]]:
    external = settings.database_url is not None
    return [
        ("database", "external PostgreSQL" if external else f"embedded PostgreSQL in {settings.data_dir}"),
        ("server", f"{address(settings)}/mcp"),
        ("memory page", f"{address(settings)}/ (`{shown_command()} open` signs you in)"),
        ("summarizer", _tiers()),
        ("Telegram", _telegram(relay)),
        ("user", f"{settings.default_user}, time zone {settings.timezone}"),
    ]


def _telegram(relay: RelaySettings) -> str:
    if relay.bot_token is None:
        return "off (set TELEGRAM_BOT_TOKEN to the token of @BotFather)"
    if not relay.user_ids:
        return "waiting for you to open the link above and tap Start"
    try:
        relays_token(relay)
    except SettingsError as error:
        return f"off: {error}"
    return RUNNING


def _tiers() -> str:
    learner = load(SummarizerSettings)
    if learner.learner == "keep":
        return "keeps your own words, without a model (TELLONCE_LEARNER=keep)"
    tiers = [TRAITS[tier].title for tier in learning_tiers(learner)]
    if not tiers:
        needed = " or ".join(provider.needs for provider in PROVIDERS.values())
        return f"keeps your own words, without a model (set {needed})"
    return " → ".join([*tiers, "your own words"])


async def _watch_model(settings: ServerSettings, stop: asyncio.Event) -> None:
    """Until the model is there, search uses only words."""
    if settings.embeddings != "local":
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("downloading the embedding model (search works by words meanwhile)", total=None)
        state: dict[str, Any] = {}
        while not stop.is_set():
            state = (await health(address(settings))).get("embeddings", {})
            if state.get("ready") or state.get("failed"):
                break
            progress.update(task, completed=state.get("bytes", 0), total=state.get("total") or None)
            await asyncio.sleep(1)
    if not stop.is_set():
        console.print(f"embeddings: {state.get('failed') or 'ready'}")


async def _leave_database(settings: ServerSettings) -> None:
    """Stop the embedded PostgreSQL if a killed server left it running, unless another process uses it."""
    if settings.database_url is not None:
        return
    postgres = EmbeddedPostgres(settings.data_dir / "postgres")
    if await postgres.ping() == "down":
        return
    await postgres.start()
    await postgres.release()
    if await postgres.ping() != "down":
        console.print("PostgreSQL keeps running: another process (Claude Desktop, an import) uses this memory.")


ENV = Path(".env")
VARIABLE = "TELEGRAM_USER_ID"


async def offered(settings: RelaySettings, stop: asyncio.Event) -> User | None:
    """Show the link and wait for the user who opens it. None if no link is needed or the bot cannot offer one."""
    if settings.bot_token is None or settings.user_ids:
        return None
    try:
        async with make_bot(settings.bot_token.get_secret_value(), settings.bot_api_url) as bot:
            pairing = await create_pairing(bot)
            console.print(
                f"Telegram: open {pairing.link} on your phone and tap Start, or send your bot: /start {pairing.code}",
                soft_wrap=True,
            )
            return await wait_for_user(pairing, stop, _leaves_memory)
    except TelegramError as error:
        console.print(f"Telegram: the bot cannot be connected ({error}). Check TELEGRAM_BOT_TOKEN.", style="yellow")
        return None


async def _leaves_memory(user: int) -> bool:
    return await hidden_memory(load(ServerSettings).model_copy(update={"user_ids": (user,)})) is not None


def keep_user(user: User, file: Path = ENV) -> str:
    """Append the user's id to the file. Return a message that says this."""
    before = file.read_text() if file.exists() else None
    gap = "\n" if before and not before.endswith("\n") else ""
    with file.open("a") as out:
        out.write(f"{gap}{VARIABLE}={user.id}\n")
    if before is None:
        file.chmod(0o600)
    return f"Connected with {user.first_name} ({user.id}); {VARIABLE} is now in {file.absolute()}. Starting again …"
