"""Reads the text files of a folder or a zip, one at a time and in order, with the day of their last change."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from tellonce_cli.importers.files import LONGEST_VALUE, Progress
from tellonce_cli.importers.items import ImportFailed


@dataclass(frozen=True)
class TextFile:
    """One text file. `name` is its path within the folder or zip, or the name of a single file."""

    name: PurePosixPath
    changed: datetime
    text: str


def text_files(path: Path, suffix: str, progress: Progress, done: int = 0) -> Iterator[TextFile]:
    """Yield the files with that ending, except in hidden folders.

    Files that are longer than any text a person writes are skipped.

    Raises:
        ImportFailed: a file cannot be read.
    """
    try:
        for name, changed, data in _contents(path, suffix):
            done += len(data)
            progress(done)
            yield TextFile(PurePosixPath(name), changed, data.decode(errors="replace").removeprefix("\ufeff"))
    except (OSError, zipfile.BadZipFile) as error:
        raise ImportFailed(f"{path} cannot be read: {error}.") from error


def _contents(path: Path, suffix: str) -> Iterator[tuple[str, datetime, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob(f"*{suffix}")):
            name = file.relative_to(path).as_posix()
            if file.is_file() and not _hidden(name) and file.stat().st_size <= LONGEST_VALUE:
                yield name, _changed(file), file.read_bytes()
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda one: one.filename):
                if info.filename.endswith(suffix) and not _hidden(info.filename) and info.file_size <= LONGEST_VALUE:
                    yield info.filename, datetime(*info.date_time).astimezone(UTC), archive.read(info)
    elif path.stat().st_size <= LONGEST_VALUE:
        yield path.name, _changed(path), path.read_bytes()


def _changed(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
