"""Finds the user who owns a memory, or a part of it, that the user in the settings does not see.

This is the case after TELEGRAM_USER_ID is set for the first time, and when a memory is restored or opened without its
`.env`.
"""

from collections.abc import Mapping

import asyncpg

from tellonce.settings import DEFAULT_USER_ID, ServerSettings
from tellonce_cli.database import connected, database
from tellonce_cli.hosts import shown_command
from tellonce_cli.screen import CommandFailed
from tellonce_server.app.memory_location import has_memory
from tellonce_server.store.backup.restore import Texts, texts_held
from tellonce_server.store.postgres.embedded_server import EmbeddedPostgresError


def move_command(former: int, heir: int, *, joined: bool) -> str:
    """The command that moves the memory of one user to another."""
    return f"{shown_command()} database move-user {former} {heir}{' --join' if joined else ''}"


async def hidden(settings: ServerSettings) -> str | None:
    """The sentence of `named` about this machine's database; None if the database cannot be read."""
    if not has_memory(settings):
        return None
    try:
        async with database(settings) as dsn, connected(dsn) as connection:
            return named(await texts_held(connection), settings)
    except (CommandFailed, EmbeddedPostgresError, OSError, asyncpg.PostgresError):
        return None


def named(held: Mapping[int, Texts], settings: ServerSettings) -> str | None:
    """The sentence that names the user whose memory is not visible with these settings, and the remedy; None if no
    memory is hidden.

    `held` contains the number of texts of each owner. The local user's memory is hidden until it is moved to the user of
    the settings, however much this user has.
    """
    texts, user = {owner: sum(each) for owner, each in held.items()}, settings.default_user
    own = texts.get(user, 0)
    local = texts.get(DEFAULT_USER_ID, 0) if user != DEFAULT_USER_ID else 0
    if local:
        return (
            f"{held[DEFAULT_USER_ID]} belong to the local user of this computer (user {DEFAULT_USER_ID}), so user "
            f"{user} does not see them. To move them to user {user}, stop Tellonce and run: "
            f"{move_command(DEFAULT_USER_ID, user, joined=bool(own))}"
        )
    others = [owner for owner, count in texts.items() if count and owner > 0 and owner not in settings.user_ids]
    if own or not others:
        return None
    holder = max(others, key=lambda owner: texts[owner])
    return (
        f"This memory holds nothing of user {user}. It holds the memory of user {holder}: set TELEGRAM_USER_ID={holder} "
        f"(copy your .env), or move it: {move_command(holder, user, joined=False)}"
    )
