"""The work that the memory page runs in a separate process: imports, exports and backups.

The server runs `python -m tellonce_cli.page_work TASK …` and reads one JSON object per line. A failure is one sentence
on standard error and exit code 1.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tellonce.settings import ServerSettings, load
from tellonce_cli import backup, export
from tellonce_cli.import_ import Tally, own_bot, take
from tellonce_cli.import_kinds import ImportKind
from tellonce_cli.importers import ImportFailed, Item, Unreadable, estimate_size, read, recognized
from tellonce_cli.memory import chat_of, storage
from tellonce_cli.page_lines import run, tell
from tellonce_cli.screen import CommandFailed
from tellonce_server.services.import_memories import make_keeper
from tellonce_server.services.import_messages import Importers, ImportMessage
from tellonce_server.services.services import Services

COST_DAYS = 30
"""Days over which the average cost of an exchange is computed."""


def back_up(file: str) -> None:
    Path(file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    backup.run(Path(file))
    tell(file=file, bytes=Path(file).stat().st_size)


@dataclass
class Plan:
    """The contents of a file, counted without storing anything."""

    messages: int = 0
    mine: int = 0
    exchanges: int = 0
    memories: int = 0
    unreadable: int = 0
    first: datetime | None = None
    last: datetime | None = None

    def count(self, item: Item) -> None:
        if isinstance(item, ImportMessage):
            self.messages += 1
            self.mine += item.role == "user" and item.speaker is None
            self.exchanges += item.role == "assistant"
            self.first = min(self.first or item.sent_at, item.sent_at)
            self.last = max(self.last or item.sent_at, item.sent_at)
        elif isinstance(item, Unreadable):
            self.unreadable += 1
        else:
            self.memories += 1


def _kind(file: Path) -> ImportKind:
    return recognized(file, lambda kind: _items(kind, file, "", lambda _: None))


def plan_import(file: str, me: str = "") -> None:
    """A dry run: the contents of the file, and what learning from them costs."""
    path = Path(file)
    kind, plan = _kind(path), Plan()
    for item in _items(kind, path, me, _progress(path)):
        plan.count(item)
    seconds, price_usd = asyncio.run(_cost(load(ServerSettings)))
    tell(
        kind=kind,
        **vars(plan),
        seconds=seconds * plan.exchanges if seconds is not None else None,
        price_usd=price_usd * plan.exchanges if price_usd is not None else None,
    )


async def _cost(settings: ServerSettings) -> tuple[float | None, float | None]:
    """The recent average seconds and price of an exchange with the best model that has read one."""
    async with storage(settings) as services:
        cost = await services.work.cost_per_exchange(COST_DAYS)
    return cost.seconds, cost.price_usd


def do_import(file: str, me: str = "") -> None:
    """Run the import, skipping what is already stored."""
    path = Path(file)
    tally = asyncio.run(_import(load(ServerSettings), _kind(path), path, me))
    tell(
        created=tally.created,
        duplicates=tally.duplicates,
        memories=tally.memories["kept"],
        unreadable=tally.unreadable,
        mine=tally.mine,
    )


async def _import(settings: ServerSettings, kind: ImportKind, path: Path, me: str) -> Tally:
    tally = Tally()
    async with storage(settings) as services:
        await _take(services, _items(kind, path, me, _progress(path)), tally)
    return tally


async def _take(services: Services, items: Iterator[Item], tally: Tally) -> None:
    where = chat_of(services.deps.settings, None)
    keeper = await make_keeper(services, where)
    try:
        await take(items, Importers(services.deps, where, fixed=False), keeper, tally, services.deps)
    finally:
        await keeper.finish()


def _items(kind: ImportKind, path: Path, me: str, progress: Callable[[int], None]) -> Iterator[Item]:
    user = load(ServerSettings).default_user
    return read(kind, path, me=me or None, assistant=own_bot(), chat_id=user, progress=progress)


def _progress(path: Path) -> Callable[[int], None]:
    """Report progress in whole percent, so that a large file does not produce many lines."""
    total, said = max(1, estimate_size(path)), -1

    def progress(done: int) -> None:
        nonlocal said
        percent = min(100, 100 * done // total)
        if percent > said:
            said = percent
            tell(progress=percent)

    return progress


def do_export() -> None:
    """Export the whole memory as JSON Lines."""
    export.run(None, "jsonl")


TASKS: dict[str, Callable[..., None]] = {
    "backup": back_up,
    "plan": plan_import,
    "import": do_import,
    "export": do_export,
}


def main() -> None:
    run({name: _telling(task) for name, task in TASKS.items()})


def _telling(task: Callable[..., None]) -> Callable[..., None]:
    """Report an import's error with its own sentence."""

    def telling(*arguments: str) -> None:
        try:
            task(*arguments)
        except ImportFailed as error:
            raise CommandFailed(str(error)) from error

    return telling


if __name__ == "__main__":
    main()
