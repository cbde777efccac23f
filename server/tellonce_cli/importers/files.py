"""Opens export files as streams: single files, files in a folder, or files in a zip. Reading reports progress."""

import codecs
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from tellonce_cli.importers.items import ImportFailed

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Source:
    """A file, zip or folder to import into `chat_id`. `me` and `assistant` name the user and the bot in the file; None
    means that the importer recognizes them."""

    path: Path
    me: str | None = None
    assistant: str | None = None
    chat_id: int | None = None


_BAD_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})")
_MOST_DIGITS = 1_000
_DIGITS = re.compile(rb"(?<!\d)\d{%d,}" % _MOST_DIGITS)
_TAIL = 16
_SUFFIXES = (".json", ".jsonl", ".md")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LONGEST_VALUE = 8 * 1024 * 1024
"""Maximum bytes of one string or number. Each value is held in memory completely."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError)
"""A damaged zip can raise these errors or OSError."""

_LOCKED = 0x1
"""The flag of a member that is protected by a password."""

_ABSENT = "{path} holds no {name}; is it the unchanged export, in JSON format?"


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
    """Write every thousandth digit as an escape. In a string, the escape means the same digit; in a number, it is an
    error. Without the escape, ijson's C code would crash the process at an integer of more than 4,300 digits."""
    run = digits[0]
    pieces = [run[i : i + _MOST_DIGITS] for i in range(0, len(run), _MOST_DIGITS)]
    return b"".join(piece[:-1] + b"\\u003" + piece[-1:] if len(piece) == _MOST_DIGITS else piece for piece in pieces)


def _safe_cut(data: bytes) -> int:
    """The position at which the data can be cut without splitting an escape or a run of backslashes. Backslashes in a
    row are not separated, because their number decides whether an escape begins."""
    cut = max(0, len(data) - _TAIL)
    inside = data.find(b"\\", max(0, cut - len(rb"\xN")), cut)
    cut = cut if inside < 0 else inside
    while cut and data[cut - 1 : cut] == b"\\":
        cut -= 1
    return cut


@contextmanager
def opened(path: Path, name: str, progress: Progress) -> Generator[Watched]:
    """Open the export file. If the export is a zip or a folder, open the file `name` in it. Raises ImportFailed."""
    if path.is_dir() and not (path / name).exists():
        raise ImportFailed(_ABSENT.format(path=path, name=name))
    path = path / name if path.is_dir() else path
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive, _unpacked(archive, _member(archive, name)) as stream:
                yield Watched(stream, progress)
        else:
            with path.open("rb") as stream:
                yield Watched(stream, progress)
    except _DAMAGED as error:
        raise ImportFailed(f"{path} is damaged ({error}); download it again and import that.") from error
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror or error}.") from error


def shards(path: Path, pattern: str) -> list[str]:
    """Return the names of the files that contain the export: either one file, or numbered parts in order."""
    names: list[str] = []
    if path.is_dir():
        names = [str(file.relative_to(path)) for file in path.rglob("*.json")]
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    return sorted(name for name in names if re.search(pattern, name))


def size(path: Path) -> int:
    """The total number of bytes, for a progress bar. For a zip, this is the size of the unpacked files."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist() if info.filename.endswith(_SUFFIXES))
    return path.stat().st_size


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    found = [member for member in archive.infolist() if ("/" + member.filename).endswith("/" + name)]
    if not found:
        raise ImportFailed(_ABSENT.format(path=archive.filename, name=name))
    return found[0]


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    if member.flag_bits & _LOCKED:
        raise ImportFailed(f"{archive.filename} is protected by a password; unpack it, and import the folder.")
    try:
        return archive.open(member)
    except NotImplementedError as error:
        raise ImportFailed(f"{archive.filename} cannot be unpacked here; unpack it, and import the folder.") from error


@dataclass(frozen=True)
class TextFile:
    """One text file. `name` is its path within the folder or zip, or the name of a single file."""

    name: PurePosixPath
    changed: datetime
    text: str


def text_files(path: Path, suffix: str, progress: Progress, done: int = 0) -> Iterator[TextFile]:
    """Yield the text files whose names end in `suffix`. Hidden files and folders, very large files, and links to files
    outside the folder are left out. Raises ImportFailed."""
    try:
        for name, changed, data in _contents(path, suffix):
            done += len(data)
            progress(done)
            encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8-sig"
            yield TextFile(PurePosixPath(name), changed, data.decode(encoding, errors="replace"))
    except (OSError, *_DAMAGED) as error:
        raise ImportFailed(f"{path} cannot be read: {error}.") from error


def _contents(path: Path, suffix: str) -> Iterator[tuple[str, datetime, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob(f"*{suffix}")):
            name = file.relative_to(path).as_posix()
            inside = file.is_file() and file.resolve().is_relative_to(path.resolve())
            if inside and not _hidden(name) and file.stat().st_size <= LONGEST_VALUE:
                yield name, _changed(file), file.read_bytes()
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda one: one.filename):
                if info.filename.endswith(suffix) and not _hidden(info.filename) and info.file_size <= LONGEST_VALUE:
                    with _unpacked(archive, info) as stream:
                        yield info.filename, _changed_in_zip(info, path), stream.read()
    elif path.stat().st_size <= LONGEST_VALUE:
        yield path.name, _changed(path), path.read_bytes()


def _changed(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _changed_in_zip(member: zipfile.ZipInfo, path: Path) -> datetime:
    """The time of a member. If the zip has no valid time for the member, this is the time of the zip."""
    try:
        return datetime(*member.date_time).astimezone(UTC)
    except (ValueError, OverflowError):
        return _changed(path)


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
