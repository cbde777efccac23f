"""`chatmem import`: a history from a file into the memory, with a progress bar; again, it adds only what is new."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from chatmem.contract import RememberArgs
from chatmem.settings import ServerSettings, load
from chatmem_cli.failures import CommandFailed
from chatmem_cli.importers import KINDS, ImportFailed, estimate_size, read
from chatmem_cli.importers.items import ImportMemory, Item
from chatmem_cli.memory import chat_of, storage
from chatmem_server.actors import Actors
from chatmem_server.importing import BATCH, Importer, ImportMessage
from chatmem_server.places import ChatRefused, Where

console = Console(highlight=False)


def run(kind: str, file: Path, chat_id: int | None, me: str | None) -> int:
    if kind not in KINDS:
        raise CommandFailed(f"there is no importer {kind!r}; use one of {', '.join(KINDS)}.")
    if not file.exists():
        raise CommandFailed(f"there is no file {file}.")
    return asyncio.run(_import(load(ServerSettings), kind, file, chat_id, me))


async def _import(settings: ServerSettings, kind: str, file: Path, chat_id: int | None, me: str | None) -> int:
    try:
        where = chat_of(settings, chat_id)
    except ChatRefused as error:
        raise CommandFailed(str(error)) from error
    created = duplicates = memories = 0
    columns = (TextColumn("importing"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    async with storage(settings) as actors:
        importer = Importer(actors.kit, where)
        with Progress(*columns, console=console) as progress:
            task = progress.add_task("", total=estimate_size(file))
            try:
                items = read(kind, file, me=me, progress=lambda done: progress.update(task, completed=done))
                for batch in _batches(items, BATCH):
                    messages = [item for item in batch if isinstance(item, ImportMessage)]
                    done = await importer.add(messages) if messages else None
                    created += done.created if done else 0
                    duplicates += done.duplicates if done else 0
                    memories += await _remember(actors, where, batch)
            except ImportFailed as error:
                raise CommandFailed(str(error)) from error
            finally:
                await importer.finish()
            progress.update(task, completed=estimate_size(file))
    console.print(f"{created} messages and {memories} memories added, {duplicates} messages were there already")
    return 0


async def _remember(actors: Actors, where: Where, batch: Iterable[Item]) -> int:
    stored = 0
    for item in batch:
        if isinstance(item, ImportMemory):
            args = RememberArgs(content=item.content, kind=item.kind)
            stored += (await actors.rememberer.remember(where, args)).outcome != "duplicate"
    return stored


def _batches(items: Iterator[Item], size: int) -> Iterator[list[Item]]:
    while batch := list(islice(items, size)):
        yield batch
