"""The routes for uploads and downloads of files over plain HTTP, because gigabytes do not fit into MCP messages."""

from collections.abc import AsyncGenerator

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tellonce_server.app.auth import OPERATOR
from tellonce_server.app.credentials import stands
from tellonce_server.app.page.commands import WORK, CommandRefused, running
from tellonce_server.app.page.protection import HEADERS, refused
from tellonce_server.app.storage import Storage
from tellonce_server.store.uploads import Uploads

MOST_BYTES = 8 * 1024**3
PART = 64 * 1024


class Transfers:
    """The routes for uploads and for the export. Both require the operator's page session."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._uploads = Uploads(storage.settings.data_dir)

    async def upload(self, request: Request) -> Response:
        """Store the body as a file and return its name."""
        if not await self._may(request):
            return refused(403, "Only the operator's session of the memory page may request this.")
        file = self._uploads.create()
        size = 0
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
            return refused(413, "The file is larger than 8 GiB; use `tellonce import` for it.")
        return JSONResponse({"upload": file.name, "bytes": size}, headers=HEADERS)

    async def discard(self, request: Request) -> Response:
        """Delete the uploaded files, because the person does not import them."""
        if not await self._may(request):
            return refused(403, "Only the operator's session of the memory page may request this.")
        self._uploads.clear()
        return JSONResponse({}, headers=HEADERS)

    async def export(self, request: Request) -> Response:
        """Send all data of the operator as JSON Lines."""
        if not await self._may(request):
            return refused(403, "Only the operator's session of the memory page may request this.")
        name = {"Content-Disposition": 'attachment; filename="tellonce-export.jsonl"'}
        return StreamingResponse(_exported(), headers={**HEADERS, **name, "Content-Type": "application/x-ndjson"})

    async def _may(self, request: Request) -> bool:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        access = await self._storage.verifier.verify_token(token) if kind.lower() == "bearer" else None
        return access is not None and OPERATOR in access.scopes and await stands(access)


async def _exported() -> AsyncGenerator[bytes]:
    async with running(WORK, "export") as process:
        assert process.stdout is not None  # it was opened as a pipe
        while part := await process.stdout.read(PART):
            yield part
        # The process has closed its output, but still closes the database. Terminating it now would also let Popen take
        # its exit code from asyncio, which then warns of an unknown child process.
        if await process.wait():
            raise CommandRefused("The export failed; the server's log says why.")
