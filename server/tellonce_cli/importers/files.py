"""Finds the files of an export, which is a single file, a folder or a zip, and reads them as streams or texts."""

import codecs
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath, PurePosixPath
from typing import IO

from tellonce_cli.importers.items import ImportFailed

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Source:
    """An export, and the chat for it. `me` and `assistant` name the user and the bot in the export."""

    path: Path
    me: str | None = None
    assistant: str | None = None
    chat_id: int | None = None


_BAD_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})")
_MOST_DIGITS = 1_000
_DIGITS = re.compile(rb"(?<!\d)\d{%d,}" % _MOST_DIGITS)
_TAIL = 16
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LONGEST_VALUE = 8 * 1024 * 1024
"""Maximum bytes of one string or number. Each value is held in memory completely."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError)
"""A damaged zip can raise these errors or OSError."""

_LOCKED = 0x1
"""The flag of a member that is protected by a password."""


class Watched:
    """A binary stream that reports its progress. It replaces `\\xNN`, which JSON does not allow, with an escape."""

    def __init__(self, stream: IO[bytes], progress: Progress) -> None:
        self._stream = stream
        self._progress = progress
        self._done = self._unheard = 0
        self._tail = b""

    def heard(self) -> None:
        """Call this after each parsed value. The call resets the count of the bytes that were read for one value."""
        self._unheard = 0

    def read(self, size: int = -1) -> bytes:
        """Read bytes. The last few bytes may be held back until the next call, so that an escape is never split."""
        if size == 0:
            return b""
        while True:
            chunk = self._stream.read(size if size < 0 else max(size, 65536))
            self._done += len(chunk)
            self._progress(self._done)
            self._unheard += len(chunk)
            if self._unheard > LONGEST_VALUE:
                raise ImportFailed(
                    f"One value before byte {self._done:,} of the file is longer than {LONGEST_VALUE // 1024 // 1024} MiB; "
                    "no message is that long."
                )
            data = self._tail + chunk
            cut = len(data) if not chunk or size < 0 else _safe_cut(data)
            ready, self._tail = data[:cut], data[cut:]
            if ready or not chunk:
                return _DIGITS.sub(_spelled, _BAD_ESCAPE.sub(rb"\1\\u00\2", ready))


def _spelled(digits: re.Match[bytes]) -> bytes:
    """Write every thousandth digit as an escape, which means the same in a string.

    ijson's C code would crash the process at an integer of more than 4,300 digits.
    """
    run = digits[0]
    pieces = [run[i : i + _MOST_DIGITS] for i in range(0, len(run), _MOST_DIGITS)]
    return b"".join(piece[:-1] + b"\\u003" + piece[-1:] if len(piece) == _MOST_DIGITS else piece for piece in pieces)


def _safe_cut(data: bytes) -> int:
    """Where the data can be cut without splitting an escape or a run of backslashes."""
    cut = max(0, len(data) - _TAIL)
    inside = data.find(b"\\", max(0, cut - len(rb"\xN")), cut)
    cut = cut if inside < 0 else inside
    while cut and data[cut - 1 : cut] == b"\\":
        cut -= 1
    return cut


@dataclass(frozen=True)
class Member:
    """One file of an export. `name` is its path within the folder or zip, or the name of a single file."""

    name: PurePosixPath
    size: int
    changed: datetime
    open: Callable[[], IO[bytes]]


@contextmanager
def members(path: Path, *suffixes: str) -> Generator[list[Member]]:
    """The single file, or the files of a folder or zip whose names end in one of the suffixes. Raises ImportFailed.

    Hidden files and links to files outside the folder are left out.
    """
    try:
        if path.is_dir():
            files = (file for suffix in suffixes for file in sorted(path.rglob(f"*{suffix}")) if _is_inside(file, path))
            yield [_member(file, file.relative_to(path)) for file in files]
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                packed = (info for info in archive.infolist() if info.filename.endswith(suffixes))
                found = [_packed(archive, info, path) for info in packed]
                yield sorted((one for one in found if not _is_hidden(one.name)), key=lambda one: one.name)
        else:
            yield [_member(path, PurePosixPath(path.name))]
    except _DAMAGED as error:
        raise ImportFailed(f"{path} is damaged ({error}); download it again and import that.") from error
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror or error}.") from error


def _is_inside(file: Path, folder: Path) -> bool:
    hidden = _is_hidden(file.relative_to(folder))
    return not hidden and file.is_file() and file.resolve().is_relative_to(folder.resolve())


def _is_hidden(name: PurePath) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.parts)


def _member(file: Path, name: PurePath) -> Member:
    found = file.stat()
    changed = datetime.fromtimestamp(found.st_mtime, UTC)
    return Member(PurePosixPath(name), found.st_size, changed, lambda: file.open("rb"))


def _packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Member:
    """If the zip has no valid time for the file, its time is that of the zip."""
    try:
        changed = datetime(*info.date_time).astimezone(UTC)
    except (ValueError, OverflowError):
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return Member(PurePosixPath(info.filename), info.file_size, changed, lambda: _unpacked(archive, info))


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.flag_bits & _LOCKED:
        raise ImportFailed(f"{archive.filename} is protected by a password; unpack it, and import the folder.")
    try:
        return archive.open(info)
    except NotImplementedError as error:
        raise ImportFailed(f"{archive.filename} cannot be unpacked here; unpack it, and import the folder.") from error


def size(path: Path) -> int:
    """The total number of bytes, for a progress bar. For a zip, this is the size of the unpacked files."""
    with members(path, ".json", ".jsonl", ".md") as files:
        return sum(file.size for file in files)


@dataclass(frozen=True)
class TextFile:
    """One text file. `name` is its path within the folder or zip, or the name of a single file."""

    name: PurePosixPath
    changed: datetime
    text: str


def text_files(path: Path, progress: Progress, done: int = 0) -> Iterator[TextFile]:
    """The Markdown files, except very large ones. `done` is the number of bytes read before."""
    with members(path, ".md") as files:
        for file in files:
            if file.size <= LONGEST_VALUE:
                with file.open() as stream:
                    data = stream.read()
                done += len(data)
                progress(done)
                encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8-sig"
                yield TextFile(file.name, file.changed, data.decode(encoding, errors="replace"))
