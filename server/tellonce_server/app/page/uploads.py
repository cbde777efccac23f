"""Files on their way into the memory and out of it: what MCP has no form for, a body of gigabytes in either direction."""

import secrets
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tellonce_server.app.auth import OPERATOR
from tellonce_server.app.credentials import stands
from tellonce_server.app.page.commands import WORK, running
from tellonce_server.app.page.headers import HEADERS, refused
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import Refused

MOST_BYTES = 8 * 1024**3
KEPT_SECONDS = 86_400
PART = 64 * 1024


class NoUpload(Refused):
    """No such file was uploaded, or it is older than a day; drop it once more."""


class Uploads:
    """Files dropped onto the page, in a folder of the data folder that only its owner reads."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "uploads"

    def path(self, upload: str) -> Path:
        """Raises NoUpload."""
        found = self._folder / upload
        if not upload.isalnum() or not found.exists():
            raise NoUpload("That file is not there any more; drop it once more.")
        return found

    def create(self) -> Path:
        """An empty file to write to; files that were left over for a day go."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in self._folder.iterdir():
            if file.stat().st_mtime < time.time() - KEPT_SECONDS:
                file.unlink()
        made = self._folder / secrets.token_hex(16)
        made.touch(mode=0o600)
        return made


class Transfers:
    """The two routes. Both ask for the page session of whoever runs the server."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._uploads = Uploads(storage.settings.data_dir)

    async def upload(self, request: Request) -> Response:
        """Keeps the body as a file, and answers the name it goes by."""
        if not await self._may(request):
            return refused(403, "Only the page of whoever runs the memory may ask for this.")
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
        """Everything the memory holds of its first user, as JSON lines."""
        if not await self._may(request):
            return refused(403, "Only the page of whoever runs the memory may ask for this.")
        name = {"Content-Disposition": 'attachment; filename="tellonce-export.jsonl"'}
        return StreamingResponse(_exported(), headers={**HEADERS, **name, "Content-Type": "application/x-ndjson"})

    async def _may(self, request: Request) -> bool:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        access = await self._storage.verifier.verify_token(token) if kind.lower() == "bearer" else None
        return access is not None and OPERATOR in access.scopes and await stands(access)


async def _exported() -> AsyncGenerator[bytes]:
    async with running(WORK, "export") as process:
        assert process.stdout is not None  # opened as a pipe
        while part := await process.stdout.read(PART):
            yield part
