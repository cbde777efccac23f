"""Uploads and downloads of files over plain HTTP, because gigabytes do not fit into MCP messages."""

import secrets
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tellonce_server.app.auth import OPERATOR
from tellonce_server.app.credentials import stands
from tellonce_server.app.page.commands import WORK, running
from tellonce_server.app.page.protection import HEADERS, refused
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import Refused

MOST_BYTES = 8 * 1024**3
KEPT_SECONDS = 86_400
PART = 64 * 1024


class NoUpload(Refused):
    """No upload has this name, or the upload is older than a day; upload the file again."""


class Uploads:
    """Files dropped onto the page, stored in a subfolder of the data folder that only its owner can read."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "uploads"

    def path(self, upload: str) -> Path:
        """The file of an upload. Raises NoUpload."""
        found = self._folder / upload
        if not upload.isalnum() or not found.exists():
            raise NoUpload("That file is no longer stored; upload it again.")
        return found

    def create(self) -> Path:
        """Create an empty file, and delete uploads that are older than a day."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in self._folder.iterdir():
            if file.stat().st_mtime < time.time() - KEPT_SECONDS:
                file.unlink()
        made = self._folder / secrets.token_hex(16)
        made.touch(mode=0o600)
        return made


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
        with file.open("wb") as target:
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    break
                target.write(part)
        if size > MOST_BYTES:
            file.unlink()
            return refused(413, "The file is larger than 8 GiB; use `tellonce import` for it.")
        return JSONResponse({"upload": file.name, "bytes": size}, headers=HEADERS)

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
