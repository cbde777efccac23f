"""The operator's tools on the memory page, for connected programs, tokens, imports, backups, health and cost."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from tellonce.contract_types import Contract, Text
from tellonce.work import QueueStatus
from tellonce_server.api.assistant import CHANGE, READ
from tellonce_server.api.page.tools import page_tool
from tellonce_server.api.spec import Call
from tellonce_server.app.access_tokens import LOCAL, as_login, create_token, everyone, local_names, revoke
from tellonce_server.app.page import commands
from tellonce_server.app.page.uploads import backup_folder, backups
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import Refused
from tellonce_server.services.page.reads import NoArgs
from tellonce_server.store import ledger
from tellonce_server.store.uploads import Uploads


class ClientEntry(Contract):
    """A program that can share this memory. `text` is its configuration file with our entry added."""

    name: str
    title: str
    file: str
    connected: bool
    text: str
    trouble: str = ""


class TokenEntry(Contract):
    name: str
    created_at: AwareDatetime
    revoked_at: AwareDatetime | None
    local: bool = Field(description="Created by the server for our other processes on this machine.")
    elsewhere: bool = Field(default=False, description="Created in the same way, but in another data folder.")


class BackupFile(Contract):
    file: str
    bytes: int
    at: AwareDatetime


class PageClients(Contract):
    clients: tuple[ClientEntry, ...]


class PageSetup(Contract):
    tokens: tuple[TokenEntry, ...]
    backups: tuple[BackupFile, ...]
    costs: tuple[ledger.MonthCost, ...]
    queue: QueueStatus
    health: dict[str, object]
    database: str | None = Field(description="The folder of the embedded PostgreSQL; null for an external one.")


class PageConnectArgs(Contract):
    client: Text
    undo: bool = False


class PageDone(Contract):
    done: bool = True


class PageTokenArgs(Contract):
    name: Annotated[Text, Field(max_length=64, pattern=r"^[\w .-]+$")]
    revoke: bool = False


class PageToken(Contract):
    token: str | None = Field(description="A new token, which is never shown again.")


class PageImportArgs(Contract):
    upload: Annotated[Text, Field(max_length=64)]
    me: Text | None = None
    dry_run: bool = True


class PageImport(Contract):
    """The result of an import. A dry run has `kind` and the file's contents; an import has the outcome."""

    kind: str | None = None
    messages: int = 0
    mine: int = 0
    names: tuple[str, ...] = Field(default=(), description="The person's names in the file.")
    memories: int = 0
    unreadable: int = 0
    left_out: dict[str, int] = Field(
        default={}, description="Entries of groups or projects that are not imported, by their name."
    )
    first: AwareDatetime | None = None
    last: AwareDatetime | None = None
    seconds: float | None = None
    price_usd: float | None = None
    created: int = 0
    duplicates: int = 0


class OperatorTools:
    """The tools with the scope `operator`, which only a page session has."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._uploads = Uploads(storage.settings.data_dir)

    @page_tool("Setup", READ)
    async def page_setup(self, call: Call[NoArgs]) -> PageSetup:
        services = await self._storage.services()
        external = self._storage.settings.database_url is not None
        return PageSetup(
            tokens=await self._tokens(call.caller.user_id),
            backups=tuple(_backup(file) for file in backups(self._storage.settings.data_dir)),
            costs=tuple(await ledger.months(services.deps.database)),
            queue=await services.work.status(),
            health=await self._storage.health(),
            database=None if external else str(self._storage.settings.data_dir),
        )

    @page_tool("Clients", READ)
    async def page_clients(self, call: Call[NoArgs]) -> PageClients:
        found = [ClientEntry(**entry) async for entry in commands.entries("clients")]
        return PageClients(clients=tuple(found))

    @page_tool("Connect", CHANGE)
    async def page_connect(self, call: Call[PageConnectArgs]) -> PageDone:
        await commands.last("connect", call.args.client, *(["undo"] if call.args.undo else []))
        return PageDone()

    @page_tool("Token", CHANGE)
    async def page_token(self, call: Call[PageTokenArgs]) -> PageToken:
        """Create a token for the session's own user, or revoke one of the user's tokens."""
        name, user = call.args.name, call.caller.user_id
        now = datetime.now(UTC)
        async with as_login(self._storage.opened.login) as login:
            if not call.args.revoke:
                taken = [entry.name for entry in await everyone(login) if entry.revoked_at is None]
                if name in taken or name.startswith(LOCAL):
                    text = f"A token named {name} already exists; choose another name."
                    raise Refused(text, "token_exists", name=name)
                return PageToken(token=await create_token(login, name, user, ("assistant",), now))
            if not await revoke(login, name, now):
                raise Refused(f"There is no valid token named {name}.", "token_unknown", name=name)
        return PageToken(token=None)

    @page_tool("Import", CHANGE)
    async def page_import(self, call: Call[PageImportArgs]) -> PageImport:
        """Run an import or its dry run. The upload is kept only after a successful dry run."""
        file = self._uploads.path(call.args.upload)
        task = "plan" if call.args.dry_run else "import"
        found: dict[str, Any] = {}
        try:
            async for entry in commands.entries(task, str(file), call.args.me or ""):
                if "progress" in entry:
                    await call.context.report_progress(entry["progress"], 100)
                else:
                    found = entry
        except commands.CommandRefused as error:
            # The error names the server's copy of the upload. The person does not know this name.
            raise commands.failed(task, str(error).replace(str(file), "This file")) from error
        finally:
            if not (call.args.dry_run and found):
                file.unlink(missing_ok=True)
        return PageImport(**found)

    @page_tool("Backup", CHANGE)
    async def page_backup(self, call: Call[NoArgs]) -> BackupFile:
        name = f"{datetime.now(UTC):%Y-%m-%d-%H%M%S}.tellonce"
        file = backup_folder(self._storage.settings.data_dir) / name
        made = await commands.last("backup", str(file))
        return _backup(Path(made["file"]))

    async def _tokens(self, user_id: int | None) -> tuple[TokenEntry, ...]:
        async with as_login(self._storage.opened.login) as login:
            found, ours = await everyone(login), await local_names(login, self._storage.settings)
        return tuple(
            TokenEntry(
                name=x.name,
                created_at=x.created_at,
                revoked_at=x.revoked_at,
                local=x.name in ours,
                elsewhere=x.name.startswith(LOCAL) and x.name not in ours,
            )
            for x in found
            if x.user_id == user_id and x.revoked_at is None
        )


def _backup(file: Path) -> BackupFile:
    seen = file.stat()
    return BackupFile(file=str(file), bytes=seen.st_size, at=datetime.fromtimestamp(seen.st_mtime, UTC))
