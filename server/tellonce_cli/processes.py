"""Runs the server, the summarizer or the relay inside the process of the command."""

import asyncio
import importlib
import sys
from typing import Literal

from tellonce.settings import ServerSettings, load
from tellonce.unknown_settings import unknown_settings
from tellonce_cli.ports import refuse_taken_port
from tellonce_cli.screen import notes

Process = Literal["server", "summarizer", "relay"]


def run(process: Process, *, stdio: bool = False) -> None:
    """Call the entry point of the process. The entry point reads its own settings."""
    for unknown in unknown_settings():
        notes.print(f"Warning: {unknown}.")
    if process == "server" and not stdio:
        asyncio.run(refuse_taken_port(load(ServerSettings), "serve"))
    # The server's entry point reads its transport from the command line.
    sys.argv = [process, *(["--stdio"] if stdio else [])]
    importlib.import_module(f"tellonce_{process}.__main__").main()
