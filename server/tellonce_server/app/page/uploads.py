"""The routes for uploads and downloads of files over plain HTTP, because gigabytes do not fit into MCP messages."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from tellonce_server.app.access_tokens import digest
from tellonce_server.app.page.commands import CommandRefused, running
from tellonce_server.app.page.protection import HEADERS, bearer, refused
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import OPERATOR
from tellonce_server.services.page.sessions import Codes
from tellonce_server.store.uploads import Uploads

MOST_BYTES = 8 * 1024**3
PART = 64 * 1024
FORBIDDEN = "Only the operator's session of the memory page may request this."

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
Transfer: TypeAlias = Callable[[Request, str], Awaitable[Response]]
"""A handler that also gets the operator's session."""


def backup_folder(data_dir: Path) -> Path:
    return data_dir / "backups"


def backups(data_dir: Path) -> list[Path]:
    """The backups that the page made, newest first."""
    return sorted(backup_folder(data_dir).glob("*.tellonce"), reverse=True)


class Transfers:
    """The routes for uploads, the export and backups. All require the operator's page session."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._uploads = Uploads(storage.settings.data_dir)
        self._tickets = Codes()

    def for_operator(self, transfer: Transfer) -> Handler:
        """The handler that calls `transfer` with the operator's session. It refuses a request without this session."""

        async def handler(request: Request) -> Response:
            session = await self._session(request)
            return await transfer(request, session) if session else refused(403, FORBIDDEN, "operator_only")

        return handler

    async def upload(self, request: Request, _: str) -> Response:
        """Store the body as a file and return its name."""
        file, size = self._uploads.create(), 0
        try:
            with file.open("wb") as target:
                async for part in request.stream():
                    size += len(part)
                    if size > MOST_BYTES:
                        break
                    target.write(part)
        except ClientDisconnect:
            size = MOST_BYTES + 1
        if size > MOST_BYTES:
            file.unlink(missing_ok=True)
            return refused(413, "The file is larger than 8 GiB; use `tellonce import` for it.", "upload_large")
        return JSONResponse({"upload": file.name, "bytes": size}, headers=HEADERS)

    async def discard(self, _: Request, __: str) -> Response:
        """Delete the uploaded files, because the person does not import them."""
        self._uploads.clear()
        return JSONResponse({}, headers=HEADERS)

    async def export(self, _: Request, __: str) -> Response:
        """Send all data of the operator as JSON Lines."""
        return StreamingResponse(_exported(), headers=_download("tellonce-export.jsonl", "application/x-ndjson"))

    async def ticket(self, request: Request, session: str) -> Response:
        """Return a ticket for one download of the backup named in the body, by this session."""
        named = (await request.body()).decode(errors="replace")
        if named not in [file.name for file in backups(self._storage.settings.data_dir)]:
            return refused(404, "There is no such backup.", "download_gone")
        return JSONResponse({"ticket": self._tickets.new(digest(session) + named.encode())}, headers=HEADERS)

    async def backup(self, request: Request) -> Response:
        """Send a backup, once for each ticket."""
        session = await self._session(request)
        found = self._tickets.take(request.path_params["ticket"]) if session else None
        name = found.removeprefix(digest(session)).decode(errors="replace") if session and found else ""
        for file in backups(self._storage.settings.data_dir):
            if file.name == name:
                return FileResponse(file, headers=_download("tellonce-backup.tellonce", "application/octet-stream"))
        return refused(403, "This download was used, or it is older than a minute. Start it again on the page.")

    async def _session(self, request: Request) -> str | None:
        token, access = await bearer(self._storage, request) or ("", None)
        return token if access is not None and OPERATOR in access.scopes else None


def _download(name: str, kind: str) -> dict[str, str]:
    """`name` must reveal nothing about the texts."""
    disposition = f'attachment; filename="{name}"'
    return {**HEADERS, "Content-Disposition": disposition, "Content-Type": kind, "Cache-Control": "no-store"}


async def _exported() -> AsyncGenerator[bytes]:
    async with running("export") as process:
        assert process.stdout is not None  # the output was opened as a pipe
        while part := await process.stdout.read(PART):
            yield part
        # The process has closed its output, but is still closing the database. Without this wait, the end of the block
        # would terminate the process, and Popen would read the exit code. asyncio would then warn of an unknown child
        # process.
        if await process.wait():
            raise CommandRefused("The export failed; the server's log says why.", "crash")
