"""Files that a user uploads on the page. They are kept briefly, and are the only copies of a person's words outside of
the database."""

import os
import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tellonce_server.core.errors import Refused

KEPT_SECONDS: Final = 3600


class NoUpload(Refused):
    """There is no upload with this name, or the upload is older than an hour. The file must be uploaded again."""


class Uploads:
    """A subfolder of the data folder. Only the system user of the server can read it."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "uploads"

    def path(self, upload: str) -> Path:
        """The file of an upload. From now on, the file is kept for another hour. Raises NoUpload."""
        found = self._folder / upload
        if not upload.isalnum() or not found.exists():
            raise NoUpload("That file is no longer stored; upload it again.", "upload_gone")
        os.utime(found)
        return found

    def create(self) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = self._folder / secrets.token_hex(16)
        made.touch(mode=0o600)
        return made

    def clear(self, older_than: float = 0) -> None:
        """Delete the files that have not been used for `older_than` seconds."""
        latest = time.time() - older_than
        if not os.access(self._folder, os.X_OK):
            return
        for file in self._folder.glob("*"):
            if not older_than or (file.exists() and file.stat().st_mtime < latest):
                file.unlink(missing_ok=True)

    async def expire(self) -> None:
        """Delete the files of imports that were abandoned."""
        self.clear(KEPT_SECONDS)

    @contextmanager
    def cleared(self) -> Generator[None]:
        """Delete all uploaded files at the start and at the end of the block."""
        self.clear()
        try:
            yield
        finally:
            self.clear()
