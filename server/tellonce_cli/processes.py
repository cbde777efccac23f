"""Runs the server, the summarizer or the relay inside the process of the command. Reports a port that another program
uses, before a server is started there."""

import asyncio
import importlib
import socket
import sys
from typing import Literal

from tellonce.settings import ServerSettings, load
from tellonce.unknown_settings import unknown_settings
from tellonce_cli.hosts import address
from tellonce_cli.memory_server import health
from tellonce_cli.screen import CommandFailed, notes

Process = Literal["server", "summarizer", "relay"]

FIRST_PORT = 1024
"""The lowest port that any user may open."""


def run(process: Process, *, stdio: bool = False) -> None:
    """Call the entry point of the process. The entry point reads its own settings."""
    for unknown in unknown_settings():
        notes.print(f"Warning: {unknown}.")
    if process == "server" and not stdio:
        asyncio.run(refuse_taken_port(load(ServerSettings), "serve"))
    # The server's entry point reads its transport from the command line.
    sys.argv = [process, *(["--stdio"] if stdio else [])]
    importlib.import_module(f"tellonce_{process}.__main__").main()


async def refuse_taken_port(settings: ServerSettings, command: str) -> None:
    """Raises CommandFailed if the server of `tellonce COMMAND` cannot get its port."""
    if not _is_free(settings):
        raise CommandFailed(await _taken(settings, command))


async def _taken(settings: ServerSettings, command: str) -> str:
    if "version" in await health(address(settings)):
        who, instead = "a Tellonce server", "If that is this memory's, it runs already. For another one beside it"
    else:
        who, instead = "another program", "Beside it"
    others = (*range(settings.port + 1, 65536), *range(FIRST_PORT, settings.port))
    free = next((port for port in others if _is_free(settings, port)), 0)
    return (
        f"port {settings.port} is in use by {who}. {instead}, run `TELLONCE_PORT={free} tellonce {command}`, or write "
        f"TELLONCE_PORT={free} to .env, where every command in this folder finds it."
    )


def _is_free(settings: ServerSettings, port: int | None = None) -> bool:
    """The check binds the port in the same way as the server."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, port or settings.port))
        except OSError:
            return False
        return True
