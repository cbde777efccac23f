"""`chatmem replay`, `reembed` and `scrub`: work that is started by hand."""

import asyncio

from rich.console import Console

from chatmem.settings import ServerSettings, load
from chatmem_cli.memory import opened, storage

# Texts of people may hold brackets: nothing is markup.
console = Console(markup=False, highlight=False, soft_wrap=True)


def run(action: str) -> int:
    settings = load(ServerSettings)
    asyncio.run({"replay": _replay, "reembed": _reembed, "scrub": _scrub}[action](settings))
    return 0


async def _replay(settings: ServerSettings) -> None:
    async with storage(settings) as actors:
        count = await actors.work.replay()
    console.print(f"{count} dead jobs start anew")


async def _scrub(settings: ServerSettings) -> None:
    async with opened(settings) as storage_:
        assert storage_.scrubber is not None  # made with the actors
        await storage_.scrubber.scrub()
    console.print("the database's files are rewritten; what was forgotten is not in them")


async def _reembed(settings: ServerSettings) -> None:
    """Vectors are dropped; the running server computes them again in the background, newest model."""
    async with storage(settings) as actors:
        counts = [await actors.kit.database.run(f"embeddings.{name}") for name in ("messages", "memories", "summaries")]
    console.print(f"{sum(counts)} texts will be embedded anew by the running server; search works by words meanwhile")
