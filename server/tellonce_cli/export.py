"""`tellonce export`: writes all data of a person as JSON Lines, which can be imported again."""

import json
import os
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from tellonce import plural
from tellonce.settings import ServerSettings
from tellonce_cli.memory import local_settings, require_memory, storage
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_server.services.export import entries


async def run(file: Path | None) -> None:
    settings = local_settings()
    require_memory(settings)
    if file is not None and file.is_file():
        raise CommandFailed(f"{file} already exists; choose another file, or remove this one.")
    wrote = await _export(settings, file)
    if not _is_stdout(file):
        counts = f"{plural.messages(wrote['message'])} and {plural.memories(wrote['memory'])}"
        console.print(f"{counts} are in {file}.")
        hint("It holds everything you said: keep it safe.")
        answer({"file": str(file), **wrote})


def _is_stdout(file: Path | None) -> bool:
    return file is None or str(file) == "-"


@contextmanager
def _target(file: Path | None) -> Generator[TextIO]:
    """Only the owner may read a new file. A failed export removes it."""
    if file is None or _is_stdout(file):
        yield sys.stdout
        return
    device = file.exists() and not file.is_file()  # a pipe or a device, such as /dev/stdout
    private = partial(os.open, mode=0o600)
    try:
        with open(file, "w" if device else "x", encoding="utf-8", opener=private) as stream, ExitStack() as unfinished:
            if not device:
                unfinished.callback(file.unlink, missing_ok=True)
            yield stream
            stream.flush()
            unfinished.pop_all()
    except (ConnectionError, TimeoutError):
        raise
    except OSError as error:
        raise CommandFailed(f"{file} cannot be written: {error.strerror}; choose another file.") from error


async def _export(settings: ServerSettings, file: Path | None) -> Counter[str]:
    """Returns the number of entries of each type."""
    wrote: Counter[str] = Counter()
    owner = settings.default_user
    async with storage(settings) as services:
        with _target(file) as stream:
            async for entry in entries(services.deps.database, owner):
                stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
                wrote[entry["type"]] += 1
    return wrote
