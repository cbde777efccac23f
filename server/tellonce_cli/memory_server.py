"""Connects a command to the running server. If no server is running, it starts one over stdio on the same data."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2

from tellonce import contract as c
from tellonce.children import python
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings
from tellonce.connect import connect_http, connect_stdio
from tellonce.extras import has_server, needs
from tellonce.settings import SettingsError
from tellonce_cli.hosts import LOOPBACK
from tellonce_cli.screen import CommandFailed, notes, with_doctor

CHANNEL = "terminal"
"""The name of this client. The client's name is also the channel, so all commands in a terminal have the same chat."""

ANOTHER = (
    "the server at {url} has another memory than the data folder {folder}. To use that server's memory, run this in the "
    "folder with its .env. To use this folder's own, set TELLONCE_PORT to another port, here or in .env."
)
_OWN = "The server at {url} has another memory. This command uses the memory in {folder} instead."
_NONE = (
    "no server answers at {url}. For a server elsewhere, set TELLONCE_URL and TELLONCE_TOKEN. A server on this machine "
    "{needs}"
)
HEALTH_SECONDS = 2.0
READY_SECONDS = 4.0
"""The server itself waits for its database for a shorter time."""


async def health(url: str) -> dict[str, Any]:
    """The health report of the server with this URL. Empty if the server cannot be reached."""
    return await _page(url, "/health", HEALTH_SECONDS)


async def database_problem(url: str) -> str:
    """Why the server cannot use its database now. Empty if the server can use the database, or if the server cannot be
    reached."""
    return str((await _page(url, "/ready", READY_SECONDS)).get("reason") or "")


async def _page(url: str, path: str, seconds: float) -> dict[str, Any]:
    try:
        async with httpx2.AsyncClient(timeout=seconds, trust_env=False) as http:
            found: object = (await http.get(urljoin(url, path))).json()
    except (httpx2.HTTPError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


async def running_token(settings: RelaySettings, scope: str) -> str:
    """The token for the running server. Raises CommandFailed if the server is not ready on this machine."""
    try:
        return settings.bearer(scope)
    except SettingsError:
        if urlsplit(settings.url).hostname not in LOOPBACK:
            raise
        raise CommandFailed(await why_none(settings)) from None


async def why_none(settings: RelaySettings) -> str:
    """The reason why no server at `settings.url` serves this memory."""
    url, found = settings.url, await health(settings.url)
    if found.get("ready"):
        return ANOTHER.format(url=url, folder=settings.data_dir)
    if found.get("reason"):
        return with_doctor(f"the server at {url} cannot open its memory: {found['reason']}")
    if "version" in found:
        return f"the server at {url} is still starting; try again in a moment."
    return (
        f"no server answers at {url}. Start it with `tellonce up`, and wait until it says “tellonce is up”. If one is "
        "running, `tellonce doctor` finds the cause."
    )


@asynccontextmanager
async def connected(settings: RelaySettings, notice: str = "") -> AsyncGenerator[MemoryClient]:
    """A client of the memory. `notice` is printed on a terminal if a server must be started. Raises CommandFailed if
    the memory cannot be opened, or if a configured token or server is not accepted. If the running server rejects the
    token of our data folder, our own memory is opened, unless a setting names the server."""
    try:
        token = settings.bearer("assistant")
    except SettingsError:
        token = ""
    if token and await _answers(settings.url, token):
        async with connect_http(settings.url, token, name=CHANNEL) as memory:
            yield memory
    elif settings.token or urlsplit(settings.url).hostname not in LOOPBACK:
        raise CommandFailed(
            f"no server answers at {settings.url}, or it does not know the token; see TELLONCE_URL and TELLONCE_TOKEN."
        )
    else:
        if note := await _mismatch(settings, token):
            notes.print(note)
        if not has_server():
            raise CommandFailed(_NONE.format(url=settings.url, needs=needs("server")))
        if notice and notes.is_terminal:
            notes.print(notice)
        command = [*python("tellonce_server"), "--stdio", "--env-file"]
        async with connect_stdio(command[0], command[1:], dict(os.environ), name=CHANNEL) as memory:
            await _open(memory)
            yield memory


async def _mismatch(settings: RelaySettings, token: str) -> str:
    """The note that the running server has another memory. Empty if it has not.

    Also empty if its database is down. Raises CommandFailed if the user probably means this server.
    """
    if not (await health(settings.url)).get("ready"):
        return ""
    problem, place = await database_problem(settings.url), {"url": settings.url, "folder": settings.data_dir}
    if not token or "url" in settings.model_fields_set:
        raise CommandFailed(
            with_doctor(f"the server at {settings.url} cannot use its memory: {problem}")
            if problem
            else ANOTHER.format(**place)
        )
    return "" if problem else _OWN.format(**place)


async def _open(memory: MemoryClient) -> None:
    """A failure is then reported before the user types anything."""
    try:
        await memory.get_profile(c.GetProfileArgs(limit=1))
    except (MemoryRefused, MemoryUnreachable) as error:
        raise CommandFailed(with_doctor(error)) from error


async def _answers(url: str, token: str) -> bool:
    async with connect_http(url, token, attempts=1) as memory:
        try:
            await memory.get_profile(c.GetProfileArgs(limit=1))
        except (MemoryUnreachable, MemoryRefused):
            return False
        return True
