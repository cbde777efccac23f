"""`tellonce replay`, `reembed` and `scrub`: maintenance that a person starts."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import get_args

from rich.progress import Progress

from tellonce.plural import counted
from tellonce.settings import EmbedderName, ServerSettings
from tellonce.shutdown import ended
from tellonce_cli.memory import local_settings, opened, storage
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_server.embedding.active import choose_embedder
from tellonce_server.embedding.generations import NoWayBack
from tellonce_server.embedding.protocol import Embedder, NoEmbedder


async def run(action: str) -> None:
    await _ACTIONS[action](local_settings())


async def _replay(settings: ServerSettings) -> None:
    async with storage(settings) as services:
        count = await services.work.replay()
    console.print(f"{counted(count, 'failed job')} queued again." if count else "No failed jobs to retry.")
    if count:
        hint("Next: tellonce status shows whether they succeed.")
    answer({"queued": count})


async def _scrub(settings: ServerSettings, *, now: bool = False) -> None:
    async with opened(settings) as storage_:
        if not await storage_.opened.scrubber.scrub(gives_way=not now):
            raise CommandFailed(
                "the scrub was stopped, because the memory is in use; the running server tries again by itself. "
                "`tellonce scrub --now` makes the others wait instead."
            )
    console.print("The database's files were rewritten. They no longer contain what was forgotten.")
    answer({"rewritten": True})


async def _reembed(settings: ServerSettings) -> None:
    """Switch to the configured embedding model while the server runs. Meanwhile, searches use the old vectors."""
    embedder = choose_embedder(settings)
    if isinstance(embedder, NoEmbedder):
        offered = " or ".join(name for name in get_args(EmbedderName) if name != settings.embeddings)
        raise CommandFailed(f"TELLONCE_EMBEDDINGS is {settings.embeddings}; set it to the new model, {offered}.")
    async with opened(settings) as storage_, running(embedder):
        with Progress(console=console) as bar:
            task = bar.add_task(f"embedding with {embedder.model}", total=None)
            count = await storage_.opened.generations.change_to(embedder, lambda more: bar.advance(task, more))
    if count is None:
        console.print(f"{embedder.model} is in use already. To change it, first set TELLONCE_EMBEDDINGS or its model.")
    else:
        console.print(f"{counted(count, 'text')} embedded; {embedder.model} is in use now.")
        hint("To go back: tellonce reembed --rollback.")
    answer({"model": embedder.model, "embedded": count or 0})


async def _rollback(settings: ServerSettings) -> None:
    async with opened(settings) as storage_:
        try:
            model = await storage_.opened.generations.go_back()
        except NoWayBack as error:
            raise CommandFailed(str(error)) from error
    console.print(f"{model} is in use again. The running server embeds the texts that were added meanwhile.")
    answer({"model": model})


_ACTIONS: dict[str, Callable[[ServerSettings], Coroutine[None, None, None]]] = {
    "replay": _replay,
    "reembed": _reembed,
    "rollback": _rollback,
    "scrub": _scrub,
    "scrub now": partial(_scrub, now=True),
}


@asynccontextmanager
async def running(embedder: Embedder) -> AsyncGenerator[None]:
    """Load the embedding model and run the embedder during the block. The first download can take minutes."""
    work, told = asyncio.create_task(embedder.run()), None
    try:
        while not embedder.ready:
            failed = embedder.state["failed"]
            if failed and failed != told:
                console.print(f"waiting for {embedder.model}, Ctrl-C ends it: {failed}")
            told = failed
            await asyncio.sleep(1)
        yield
    finally:
        await ended(work)
