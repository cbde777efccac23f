"""`tellonce database move-user OLD NEW`: gives the memory of one user to another, in one transaction.

If the new user has a memory too, the old user's messages and memories are imported into it, and the old user's memory is
removed.
"""

import json
import tempfile
from pathlib import Path

from tellonce.plural import memories, messages, quantity
from tellonce.settings import ServerSettings
from tellonce_cli.database import current, database, refuse_if_in_use
from tellonce_cli.import_ import take
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.recognition import READERS
from tellonce_cli.memory import local_settings, require_memory
from tellonce_cli.screen import CommandFailed, answer, can_ask, console, hint, said_yes
from tellonce_server.app.bootstrap import open_in_one_transaction
from tellonce_server.core.scope import ChatScope
from tellonce_server.postgres import owners
from tellonce_server.postgres.owners import Held
from tellonce_server.services.export import entries
from tellonce_server.services.import_messages import Importers


async def run(former: int, heir: int, *, join: bool = False, yes: bool = False, dry_run: bool = False) -> None:
    settings = local_settings()
    require_memory(settings)
    if min(former, heir) <= 0 or former == heir:
        raise CommandFailed("name two different users by their positive numbers: the old one, then the new one.")
    async with database(settings) as dsn:
        async with current(dsn) as connection:
            own, there = await owners.held(connection, former), await owners.held(connection, heir)
            joined = bool(there.texts or there.kept)
            console.print(_plan(former, own, heir, there, joined=joined))
            if not own.texts:
                raise CommandFailed("there is nothing to move.")
            if joined and not join:
                raise CommandFailed(
                    f"user {heir} already has a memory. With --join, the messages and memories are added to it as an "
                    "import adds them; summaries and the profile are written again."
                )
            if dry_run or not _agreed(yes=yes):
                answer(_moved(own, moved=False))
                return
            await refuse_if_in_use(connection, "move it")
            if not joined:
                await owners.move(connection, former, heir)
        if joined:
            await join_users(settings, dsn, former, heir)
    console.print(f"User {heir} now has the memory of user {former}.")
    if settings.default_user != heir:
        hint(f"Next: set TELEGRAM_USER_ID={heir} in .env, then start Tellonce again.")
    answer(_moved(own, moved=True))


def _moved(own: Held, *, moved: bool) -> dict[str, int | bool]:
    return {"messages": own.messages, "memories": own.memories, "tokens": own.tokens, "moved": moved}


async def join_users(settings: ServerSettings, dsn: str, former: int, heir: int) -> None:
    """Add the memory of `former` to the memory of `heir` without duplicates, in one transaction."""
    scope = ChatScope(heir, heir)
    with tempfile.TemporaryDirectory(dir=settings.data_dir) as folder:
        file = Path(folder) / "moved.jsonl"
        async with open_in_one_transaction(settings, dsn) as (connection, services):
            with file.open("w", encoding="utf-8") as stream:
                async for entry in entries(services.deps.database, former):
                    stream.write(json.dumps(entry) + "\n")
            items = READERS["jsonl"](Source(file, chat_id=heir), lambda _: None)
            await take(services, items, Importers(services.deps, scope))
            await owners.join(connection, former, heir)


def _plan(former: int, own: Held, heir: int, there: Held, *, joined: bool) -> str:
    again = " Summaries are not moved: they and the profile are written again from the messages." if joined else ""
    return (
        f"User {former} has {_texts(own)}, and {quantity(own.tokens, 'access token')}. User {heir} has {_texts(there)}.\n"
        f"All of user {former} goes to user {heir}; afterwards, user {former} has nothing.{again}"
    )


def _texts(held: Held) -> str:
    return f"{messages(held.messages)} and {memories(held.memories)}"


def _agreed(*, yes: bool) -> bool:
    if yes:
        return True
    if not can_ask():
        raise CommandFailed("nobody can be asked here; use --yes to move it.")
    return said_yes("Move it? [y/N] ", "Nothing was moved.")
