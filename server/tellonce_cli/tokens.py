"""`tellonce token …`: manages access tokens for remote clients."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from rich.table import Table

from tellonce.contract_types import TokenScope
from tellonce.settings import ServerSettings
from tellonce_cli.memory import local_settings, opened
from tellonce_cli.screen import CommandFailed, answer, console, hint, notes
from tellonce_server.app.access_tokens import as_login, create_token, everyone, revoke


async def run(
    action: Literal["create", "list", "revoke"],
    *,
    name: str = "",
    scope: TokenScope = "assistant",
    user: int | None = None,
) -> None:
    settings = local_settings()
    match action:
        case "create":
            await _create(settings, name, scope, user)
        case "list":
            await _list(settings)
        case "revoke":
            await _revoke(settings, name)


async def _create(settings: ServerSettings, name: str, scope: TokenScope, user: int | None) -> None:
    if user is not None and scope != "assistant":
        raise CommandFailed(f"a token of scope {scope} does not act for a single user; leave --user out.")
    if not name.strip():
        raise CommandFailed("a token needs a name, as in `tellonce token create laptop`.")
    owner = (user or settings.default_user) if scope == "assistant" else None
    async with opened(settings) as storage, as_login(storage.opened.login) as login:
        token = await create_token(login, name, owner, (scope,), datetime.now(UTC))
    console.print(token)
    answer({"name": name, "token": token, "scope": scope, "user_id": owner})
    if owner is not None and owner not in (settings.user_ids or (settings.default_user,)):
        notes.print(f"Warning: user {owner} is not in TELEGRAM_USER_ID; the token gives access to a separate memory.")
    # The explanation goes to standard error, so that `$(tellonce token create …)` gives only the token.
    hint(
        "The token is shown only once. A client sends it as `Authorization: Bearer …`; `tellonce token revoke` revokes it."
    )


async def _list(settings: ServerSettings) -> None:
    async with opened(settings) as storage, as_login(storage.opened.login) as login:
        found = await everyone(login)
    answer([asdict(entry) for entry in found])
    table = Table(box=None)
    for column in ("name", "user", "scopes", "created", "revoked"):
        table.add_column(column)
    zone = ZoneInfo(settings.timezone)
    for entry in found:
        created = f"{entry.created_at.astimezone(zone):%Y-%m-%d}"
        revoked = f"{entry.revoked_at.astimezone(zone):%Y-%m-%d}" if entry.revoked_at else ""
        user = str(entry.user_id) if entry.user_id is not None else "–"
        table.add_row(entry.name, user, " ".join(entry.scopes), created, revoked)
    console.print(table)


async def _revoke(settings: ServerSettings, name: str) -> None:
    async with opened(settings) as storage, as_login(storage.opened.login) as login:
        if not await revoke(login, name, datetime.now(UTC)):
            raise CommandFailed(f"there is no valid token {name!r}; `tellonce token list` shows the valid ones.")
    console.print(f"{name} is revoked.")
    answer({"revoked": name})
