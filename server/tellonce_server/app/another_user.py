"""Warns if a program starts a server without naming a user, but the memory belongs to another user.

This happens if the program's entry lacks TELEGRAM_USER_ID. The server then serves the local user, who has no memories.
It serves another user only if it is configured for that user.
"""

import logging

from tellonce.server_text import ServerText
from tellonce.settings import DEFAULT_USER_ID
from tellonce_server.app.storage import Storage
from tellonce_server.backup.restore import texts_held
from tellonce_server.postgres.connection import connected

logger = logging.getLogger(__name__)


async def warn_of_another_user(storage: Storage) -> None:
    """Warn if most texts of this memory belong to other users. The log and every context get the warning."""
    services = await storage.services()
    async with connected(storage.opened.login) as connection:
        texts = await texts_held(connection)
    others = [owner for owner in texts if owner > 0 and owner != DEFAULT_USER_ID]
    if 2 * sum(texts.get(DEFAULT_USER_ID, ())) < sum(sum(texts[owner]) for owner in others):
        notice = _notice(others)
        services.deps.notices.append(notice)
        logger.warning(notice)


def _notice(others: list[int]) -> ServerText:
    whose = f"user {others[0]}" if len(others) == 1 else "other users"
    number = str(others[0]) if len(others) == 1 else "your number"
    return ServerText(
        f"This server was started for user {DEFAULT_USER_ID}, because TELEGRAM_USER_ID is not set here, but the memory on "
        f"this computer belongs to {whose}. If that is you, tell the user once: set TELEGRAM_USER_ID={number} in this "
        "program's entry (`tellonce connect` writes it), then restart the program.",
        "another_user",
    )
