"""The memory as a client meets it: the running server, or one of our own over stdio on the same data."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings
from tellonce.connect import connect_http, connect_stdio
from tellonce.settings import SettingsError
from tellonce_cli.failures import CommandFailed
from tellonce_cli.screen import notes

CHANNEL = "terminal"
"""The client's name, and so the channel and the chat of everything done from a terminal."""

OURS = ("127.0.0.1", "localhost", "::1")


@asynccontextmanager
async def connected(settings: RelaySettings, notice: str = "") -> AsyncGenerator[MemoryClient]:
    """A client of the memory. `notice` is told to a person at a terminal when a server has to be started.

    Raises CommandFailed where the memory is another machine's (what is said now would be missed there), and where our own
    cannot be opened.
    """
    try:
        token = settings.bearer("assistant")
    except SettingsError:
        token = ""
    if token and await _answers(settings.url, token):
        async with connect_http(settings.url, token, name=CHANNEL) as memory:
            yield memory
    elif urlsplit(settings.url).hostname not in OURS:
        raise CommandFailed(
            f"no server answers at {settings.url}, or it does not know the token; see TELLONCE_URL and TELLONCE_TOKEN."
        )
    else:
        if notice and notes.is_terminal:
            notes.print(notice)
        arguments = ["-m", "tellonce_server", "--stdio"]
        async with connect_stdio(sys.executable, arguments, dict(os.environ), name=CHANNEL) as memory:
            await _open(memory)
            yield memory


async def _open(memory: MemoryClient) -> None:
    """Now, and not with the first line: there may be none, and what is refused would then be told to nobody."""
    try:
        await memory.get_profile(c.GetProfileArgs(limit=1))
    except (MemoryRefused, MemoryUnreachable) as error:
        raise CommandFailed(f"{error}. Run `tellonce doctor` for the fix.") from error


async def _answers(url: str, token: str) -> bool:
    async with connect_http(url, token, attempts=1) as memory:
        try:
            await memory.get_profile(c.GetProfileArgs(limit=1))
        except (MemoryUnreachable, MemoryRefused):
            return False
        return True
