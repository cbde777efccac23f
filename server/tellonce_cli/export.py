"""`tellonce export`: writes all data of a person as JSON Lines, which can be imported again, or as Markdown."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from tellonce import plural
from tellonce.settings import ServerSettings
from tellonce_cli.memory import local_settings, require_memory, storage
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_cli.subcommand import ExportForm
from tellonce_server.services.export import Entry, EntryType, chat_names, entries


async def run(file: Path | None, form: ExportForm) -> None:
    settings = local_settings()
    require_memory(settings)
    if file is not None and file.is_file():
        raise CommandFailed(f"{file} already exists; choose another file, or remove this one.")
    wrote = await _export(settings, file, form)
    if not _is_stdout(file):
        counts = f"{plural.messages(wrote['message'])} and {plural.memories(wrote['memory'])}"
        console.print(f"{counts} are in {file}.")
        hint("It holds everything you said: keep it safe.")
        answer({"file": str(file), **wrote})


def _is_stdout(file: Path | None) -> bool:
    return file is None or str(file) == "-"


@contextmanager
def _target(file: Path | None) -> Generator[TextIO]:
    """The stream for the export. Only the owner may read a new file. If the export fails, the new file is removed."""
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


async def _export(settings: ServerSettings, file: Path | None, form: ExportForm) -> Counter[str]:
    """Export, and return the number of entries of each type."""
    wrote: Counter[str] = Counter()
    owner = settings.default_user
    async with storage(settings) as services:
        database = services.deps.database
        written = _FORMS[form](await chat_names(database, owner))
        with _target(file) as stream:
            async for entry in entries(database, owner):
                stream.write(written(entry) + "\n")
                wrote[entry["type"]] += 1
    return wrote


def _as_json(_: Mapping[int, str]) -> Callable[[Entry], str]:
    return lambda entry: json.dumps(entry, ensure_ascii=False)


def _as_markdown(names: Mapping[int, str]) -> Callable[[Entry], str]:
    """A function that writes one entry. Before the first entry of a chat and before the memories, the function writes a
    heading."""
    last: str | None = None

    def written(entry: Entry) -> str:
        nonlocal last
        title = _title(entry, names)
        heading = f"\n# {title}\n\n" if title != last else ""
        last = title
        return heading + _markdown(entry)

    return written


def _title(entry: Entry, names: Mapping[int, str]) -> str:
    if entry["type"] in ("profile", "memory"):
        return {"profile": "Profile", "memory": "Memories"}[entry["type"]]
    return f"Chat: {names.get(entry['chat_id'], entry['chat_id'])}"


def _markdown(entry: Entry) -> str:
    kind: EntryType = entry["type"]
    match kind:
        case "profile":
            return str(entry["text"])
        case "canonical":
            parts = ("user_confirmed", "llm_inferred", "general_summary")
            return "\n\n".join(entry[part] for part in parts if entry[part])
        case "memory":
            return f"- {entry['kind']} ({entry['status']}): {entry['content']}"
        case "summary":
            return f"\n> {entry['from_at'][:10]} – {entry['to_at'][:10]}: {entry['text']}"
        case "message":
            return f"\n**{entry['speaker'] or entry['role']}** ({entry['sent_at'][:16]}): {entry['content']}"


_FORMS: dict[ExportForm, Callable[[Mapping[int, str]], Callable[[Entry], str]]] = {
    "jsonl": _as_json,
    "markdown": _as_markdown,
}
"""For each form, a function that takes the names of the chats and returns the function that writes one entry."""
