"""`tellonce import`: reads a history into the memory, with a progress bar. If repeated, it adds only new entries."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tellonce import plural
from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.import_formats import ImportKind
from tellonce.reasons import reason
from tellonce.settings import ServerSettings, load
from tellonce_cli.importers.files import Source, size
from tellonce_cli.importers.forecast import Forecast, forecast, measured
from tellonce_cli.importers.items import Item, KnownAs, LeftOut, Unreadable, fitted, left_out
from tellonce_cli.importers.recognition import READERS, recognized
from tellonce_cli.memory import chat_of, local_settings, storage
from tellonce_cli.screen import CommandFailed, answer, can_ask, console, hint, said_yes
from tellonce_relay.cron import next_due
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory, Keeper, make_keeper
from tellonce_server.services.import_messages import BATCH, Importers, ImportMessage
from tellonce_server.services.services import Services

BATCH_CHARACTERS = 4 * 1024 * 1024
NAMED = 5
"""Number of unreadable entries that are named in the report."""


@dataclass
class Tally:
    """Counts the entries of the file by outcome."""

    created: int = 0
    duplicates: int = 0
    forgotten: int = 0
    mine: int = 0
    memories: Counter[str] = field(default_factory=Counter[str])
    unreadable: int = 0
    first_unreadable: list[str] = field(default_factory=list[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    newest: datetime | None = None
    undated: int = 0


def run(
    kind: ImportKind | None,
    file: Path,
    chat_id: int | None,
    me: str | None,
    assistant: str | None,
    *,
    yes: bool = False,
    dry_run: bool = False,
) -> None:
    """The file is counted without an event loop, because asyncio would delay Ctrl-C. Only the import itself uses one."""
    if not file.exists():
        raise CommandFailed(f"there is no file {file}.")
    settings = local_settings()
    scope = chat_of(settings, chat_id)
    source = Source(file, me, assistant or own_bot(), scope.chat_id)
    known = kind or _recognized(source)
    with _progress("counting", file) as shown:
        foreseen = forecast(measured(READERS[known](source, shown)), settings.compaction, load(SummarizerSettings))
    for line in left_out(known, foreseen.talk.left_out):
        console.print(line, markup=False)
    if not _agreed(foreseen, yes=yes, dry_run=dry_run):
        answer({"kind": known, **_estimate(foreseen)})
        return
    tally = asyncio.run(_import(settings, known, source, scope, fixed=chat_id is not None))
    _report(tally, known, me)
    answer({"kind": known, **vars(tally)})


def _recognized(source: Source) -> ImportKind:
    found = recognized(source)
    console.print(f"{source.path} is recognized as {found}.")
    return found


def _estimate(foreseen: Forecast) -> dict[str, object]:
    talk, named = foreseen.talk, ("calls", "seconds", "dollars", "reader")
    counts = {name: getattr(talk, name) for name in ("messages", "memories", "unreadable", "mine", "names", "left_out")}
    return {**counts, **{name: getattr(foreseen, name) for name in named}}


def _agreed(foreseen: Forecast, *, yes: bool, dry_run: bool) -> bool:
    """Whether to import. If nobody can be asked, `--yes` is needed in two cases: the import calls a model, or no
    message is from the user. Raises CommandFailed if `--yes` is needed and not given."""
    for line in foreseen.lines:
        console.print(line, markup=False)
    if dry_run or yes:
        return yes and not dry_run
    if can_ask():
        return said_yes("Import it? [y/N] ", "Nothing was imported.")
    if foreseen.calls or (foreseen.talk.messages and not foreseen.talk.mine):
        raise CommandFailed("nobody can be asked here; use --yes to import, or --dry-run to see only the estimate.")
    return True


@contextmanager
def _progress(title: str, file: Path) -> Generator[Callable[[int], None]]:
    """The yielded function takes the number of bytes read so far."""
    columns = (TextColumn(title), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=size(file))
        yield lambda done: progress.update(task, completed=done)
        progress.update(task, completed=size(file))


def own_bot() -> str | None:
    """The user id of our bot, whose messages are the assistant's. None without a valid token."""
    token = load(RelaySettings).bot_token
    number = token.get_secret_value().partition(":")[0] if token is not None else ""
    return number if number.isdecimal() else None


async def _import(
    settings: ServerSettings, kind: ImportKind, source: Source, scope: ChatScope, *, fixed: bool
) -> Tally:
    with _progress("importing", source.path) as shown:
        async with storage(settings) as services:
            return await take(services, READERS[kind](source, shown), Importers(services.deps, scope, fixed=fixed))


async def take(services: Services, items: Iterator[Item], importers: Importers) -> Tally:
    """Import the items in batches. Each batch of messages is stored completely or not at all."""
    tally, keeper = Tally(), await make_keeper(services, importers)
    try:
        for batch in _batches(items):
            await _add_messages(batch, importers, tally, services.deps.zone)
            await importers.hold()
            await _keep(batch, keeper, tally)
    finally:
        await keeper.finish()
        await importers.finish()
    return tally


async def _add_messages(batch: list[Item], importers: Importers, tally: Tally, zone: ZoneInfo) -> None:
    messages = [m for item in batch if isinstance(item, ImportMessage) for m in fitted(item, zone)]
    for start in range(0, len(messages), BATCH):
        done = await importers.add(messages[start : start + BATCH])
        tally.created += done.created
        tally.duplicates += done.duplicates
        tally.forgotten += done.forgotten
    if messages:
        tally.newest = max([m.sent_at for m in messages] + ([tally.newest] if tally.newest else []))
    tally.mine += sum(m.role == "user" and m.speaker is None for m in messages)
    tally.left_out.update(item.origin for item in batch if isinstance(item, LeftOut))
    unreadable = [item.why for item in batch if isinstance(item, Unreadable)]
    tally.unreadable += len(unreadable)
    tally.first_unreadable = [*tally.first_unreadable, *unreadable][:NAMED]


def _batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    characters = 0
    for item in items:
        batch.append(item)
        characters += 0 if isinstance(item, Unreadable | LeftOut | KnownAs) else len(item.content)
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


async def _keep(batch: list[Item], keeper: Keeper, tally: Tally) -> None:
    """A memory without a time gets the time of the newest message before it."""
    deps = keeper.services.deps
    for item in batch:
        if isinstance(item, ImportMemory):
            outcome = await keeper.keep(replace(item, not_after=tally.newest))
            tally.memories[outcome] += 1
            tally.undated += outcome == "kept" and item.said_at is None
        elif isinstance(item, ExportedMemory):
            tally.memories[await keeper.keep(_with_later_alarm(item, deps.now(), deps.zone))] += 1


def _with_later_alarm(item: ExportedMemory, now: datetime, zone: ZoneInfo) -> ExportedMemory:
    """Move a repeated alarm to its next time. If a single alarm is in the past, mark its memory as completed."""
    alarm = item.alarm
    elsewhere = alarm is not None and alarm.repeats is not None and item.zone not in (None, zone)
    if alarm is None or alarm.done_at is not None or (alarm.due_at > now and not elsewhere):
        return item
    due = next_due(alarm.repeats, now, zone) if alarm.repeats is not None else None
    if due is not None:
        return replace(item, deadline=due, alarm=replace(alarm, due_at=due))
    past = replace(item, alarm=replace(alarm, done_at=now))
    if item.status != "active":
        return past
    return replace(
        past, status="completed", valid_to=max(alarm.due_at, item.valid_from), reason=reason("over_before_import")
    )


def _report(tally: Tally, kind: ImportKind, me: str | None) -> None:
    kept = tally.memories
    new = [plural.messages(tally.created)] if tally.created else []
    new += [plural.memories(kept["kept"])] if kept["kept"] else []
    console.print(f"{' and '.join(new)} added" if new else "nothing new")
    if tally.duplicates:
        console.print(f"{plural.messages(tally.duplicates)} {'was' if tally.duplicates == 1 else 'were'} there already")
    if tally.undated:
        when = "of the newest message before it in the file" if tally.newest else "of the import"
        has = "has" if tally.undated == 1 else "have"
        console.print(f"{plural.memories(tally.undated)} {has} no date in the file: each got the date {when}")
    for line in left_out(kind, tally.left_out):
        console.print(line, markup=False)
    if kept["unfit"]:
        console.print(f"left out because they state nothing or are over 64 KiB: {plural.memories(kept['unfit'])}")
    if tally.forgotten:
        said = f"{plural.messages(tally.forgotten)} contained sentences that you have forgotten since"
        console.print(f"{said}: these sentences were left out")
    if kept["forgotten"]:
        console.print(f"left out because you asked to forget them: {plural.memories(kept['forgotten'])}")
    if tally.unreadable:
        console.print(
            f"{plural.quantity(tally.unreadable, 'entry')} could not be read and {'was' if tally.unreadable == 1 else 'were'} skipped:"
        )
        for why in tally.first_unreadable:
            console.print(f"  {why}", markup=False)
        if tally.unreadable > NAMED:
            console.print(f"  and {tally.unreadable - NAMED} more")
    if kind == "telegram" and tally.created and not tally.mine and me is None:
        console.print(
            "None of the messages could be recognized as yours, so nothing is learned about you from them. Next time name "
            "yourself as the export does: --me 'Your Name' or --me your numeric id."
        )
    if tally.created or kept["kept"]:
        hint("Next: tellonce memories shows what is known; tellonce status shows what is still to be read.")
