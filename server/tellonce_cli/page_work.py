"""Runs imports, exports and backups for the memory page, in a separate process.

The server runs `python -m tellonce_cli.page_work TASK …` and reads one JSON object per line. A failure is one sentence
on standard error and exit code 1.
"""

from collections.abc import Callable
from pathlib import Path

from tellonce.client_settings import SummarizerSettings
from tellonce.settings import ServerSettings, load
from tellonce_cli import backup, export
from tellonce_cli.import_ import own_bot, take
from tellonce_cli.importers.files import Source, size
from tellonce_cli.importers.forecast import forecast, measured
from tellonce_cli.importers.recognition import READERS, recognized
from tellonce_cli.memory import chat_of, storage
from tellonce_cli.screen import print_entry, run_for_page
from tellonce_server.services.import_messages import Importers


async def back_up(file: str) -> None:
    Path(file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    await backup.run(Path(file))
    print_entry(file=file, bytes=Path(file).stat().st_size)


def plan_import(file: str, me: str = "") -> None:
    """Report the contents of the file, and the cost of learning from them, without importing."""
    source = _source(file, me)
    kind = recognized(source)
    talk = measured(READERS[kind](source, _progress(source.path)))
    foreseen = forecast(talk, load(ServerSettings).compaction, load(SummarizerSettings))
    print_entry(
        kind=kind,
        messages=talk.messages,
        mine=talk.mine,
        memories=talk.memories,
        names=talk.names,
        unreadable=talk.unreadable,
        left_out=talk.left_out,
        first=talk.first,
        last=talk.last,
        seconds=foreseen.seconds if foreseen.calls else None,
        price_usd=foreseen.dollars,
    )


async def do_import(file: str, me: str = "") -> None:
    """Run the import. Entries that are already stored are skipped."""
    settings, source = load(ServerSettings), _source(file, me)
    items = READERS[recognized(source)](source, _progress(source.path))
    async with storage(settings) as services:
        tally = await take(services, items, Importers(services.deps, chat_of(settings, None)))
    print_entry(
        created=tally.created,
        duplicates=tally.duplicates,
        memories=tally.memories["kept"],
        unreadable=tally.unreadable,
        left_out=tally.left_out,
        mine=tally.mine,
    )


def _source(file: str, me: str) -> Source:
    return Source(Path(file), me or None, own_bot(), load(ServerSettings).default_user)


def _progress(path: Path) -> Callable[[int], None]:
    """Only whole percentages are reported, so that a large file does not produce many lines."""
    total, said = max(1, size(path)), -1

    def progress(done: int) -> None:
        nonlocal said
        percent = min(100, 100 * done // total)
        if percent > said:
            said = percent
            print_entry(progress=percent)

    return progress


def main() -> None:
    run_for_page(
        {
            "backup": back_up,
            "plan": plan_import,
            "import": do_import,
            "export": lambda: export.run(None),
        }
    )


if __name__ == "__main__":
    main()
