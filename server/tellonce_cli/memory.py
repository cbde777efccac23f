"""Opens the storage of the memory in the process of a command, without a server."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from tellonce.client_settings import ClientSettings
from tellonce.settings import ServerSettings, load
from tellonce_cli.hosts import LOOPBACK, address
from tellonce_cli.memory_server import ANOTHER, health
from tellonce_cli.screen import CommandFailed, with_doctor
from tellonce_server.app.access_tokens import LOCAL_SCOPES
from tellonce_server.app.memory_location import has_memory
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import StorageUnavailable
from tellonce_server.core.scope import Caller, ChatRefused, ChatScope, is_conversation, own_chat, telegram_chat
from tellonce_server.services.services import Services


def local_settings() -> ServerSettings:
    """The settings of a command that works on the storage of this machine. Raises CommandFailed if the settings name a
    server or a token of another machine, because the user then means another memory."""
    settings, client = load(ServerSettings), load(ClientSettings)
    host = urlsplit(client.url).hostname
    if host not in (*LOOPBACK, settings.own_name, *settings.allowed_hosts):
        raise CommandFailed(
            f"TELLONCE_URL names the server {host}, but this command works only on the machine of the memory. Run it "
            "there, or unset TELLONCE_URL to use the memory of this machine."
        )
    files = [settings.data_dir / "tokens" / scope for scope in LOCAL_SCOPES]
    ours = (file.read_text("utf-8").strip() for file in files if file.exists())
    if client.token is not None and client.token.get_secret_value() not in ours:
        raise CommandFailed(
            "TELLONCE_TOKEN is set, but this command does not use a token: it works on the memory of this machine, as "
            f"user {settings.default_user}. If you want that, unset TELLONCE_TOKEN."
        )
    return settings


def require_memory(settings: ServerSettings) -> None:
    """Check that the data folder of the settings contains a memory. Raises CommandFailed if it does not."""
    if not has_memory(settings):
        raise CommandFailed(f"there is no memory in {settings.data_dir}; run this in the folder with your .env.")


@asynccontextmanager
async def opened(settings: ServerSettings) -> AsyncGenerator[Storage]:
    """Open the storage of the memory in this process. A server may run at the same time."""
    if not has_memory(settings) and (await health(address(settings))).get("ready"):
        raise CommandFailed(ANOTHER.format(url=address(settings), folder=settings.data_dir))
    quiet = settings.model_copy(update={"embeddings": "none"})
    # These logs are switched off: the command reports the error itself, and a blocked event loop affects nobody else.
    for name in ("storage", "loop_watch"):
        logging.getLogger(f"tellonce_server.app.{name}").setLevel(logging.CRITICAL)
    found = Storage(quiet, keeps_tokens=False)
    async with found.running():
        try:
            await found.services()
        except StorageUnavailable as error:
            raise CommandFailed(with_doctor(error)) from error
        yield found


@asynccontextmanager
async def storage(settings: ServerSettings) -> AsyncGenerator[Services]:
    async with opened(settings) as found:
        yield await found.services()


def chat_of(settings: ServerSettings, chat_id: int | None) -> ChatScope:
    """A chat or conversation of the default user, or of an allowed group."""
    user = Caller(settings.default_user, frozenset())
    if chat_id is None:
        return own_chat(user)
    if is_conversation(chat_id):
        return ChatScope(settings.default_user, chat_id)
    try:
        return telegram_chat(Caller(None, frozenset()), chat_id, settings)
    except ChatRefused as error:
        if chat_id > 0:
            raise CommandFailed(str(error)) from error
        raise CommandFailed(
            f"the memory does not serve the group {chat_id}. Write TELEGRAM_GROUPS={chat_id} into .env (several numbers "
            "are separated by commas), or TELEGRAM_PERSONAL_GROUPS if only you and the bot are in it; then run this again."
        ) from error
