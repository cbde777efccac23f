"""Opens the storage of the memory in the process of a command, without a server."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tellonce.settings import ServerSettings
from tellonce_cli.screen import CommandFailed
from tellonce_server.app.auth import AccessTokens, access_tokens
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import StorageUnavailable
from tellonce_server.core.scope import Caller, ChatScope, is_conversation, own_chat, telegram_chat
from tellonce_server.services.services import Services


@asynccontextmanager
async def opened(settings: ServerSettings) -> AsyncGenerator[Storage]:
    """Open the storage of the memory in this process. A server may run at the same time."""
    quiet = settings.model_copy(update={"embeddings": "none"})
    # The command reports the error itself, once, so the log stays quiet.
    logging.getLogger("tellonce_server.app.storage").setLevel(logging.CRITICAL)
    found = Storage(quiet, keeps_tokens=False)
    async with found.running():
        try:
            await found.services()
        except StorageUnavailable as error:
            raise CommandFailed(f"{error} Run `tellonce doctor` for the fix.") from error
        yield found


@asynccontextmanager
async def storage(settings: ServerSettings) -> AsyncGenerator[Services]:
    """The memory's services in this process."""
    async with opened(settings) as found:
        yield await found.services()


@asynccontextmanager
async def tokens_of(settings: ServerSettings) -> AsyncGenerator[AccessTokens]:
    """The memory's access tokens."""
    async with opened(settings) as found, access_tokens(found.login) as tokens:
        yield tokens


def chat_of(settings: ServerSettings, chat_id: int | None) -> ChatScope:
    """A chat or conversation of the default user, or of an allowed group."""
    user = Caller(settings.default_user, frozenset())
    if chat_id is None:
        return own_chat(user)
    if is_conversation(chat_id):
        return ChatScope(settings.default_user, chat_id)
    return telegram_chat(Caller(None, frozenset()), chat_id, settings)
