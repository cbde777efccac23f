"""`tellonce replay`, `reembed` and `scrub`: maintenance that a person starts."""

from collections.abc import Callable, Coroutine
from functools import partial

from tellonce.plural import quantity
from tellonce.settings import ServerSettings
from tellonce_cli.memory import local_settings, opened, storage
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_server.embedding.backlog import embed_again


async def run(action: str) -> None:
    await _ACTIONS[action](local_settings())


async def _replay(settings: ServerSettings) -> None:
    async with storage(settings) as services:
        count = await services.work.replay()
    console.print(f"{quantity(count, 'failed job')} queued again." if count else "No failed jobs to retry.")
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
    if settings.embeddings == "none":
        raise CommandFailed("TELLONCE_EMBEDDINGS is none, so the server computes no embeddings. Set it to local first.")
    async with opened(settings) as storage_:
        database = storage_.opened.services.deps.database
        left = await embed_again(database, storage_.opened.login)
    console.print(
        f"The embeddings were deleted. The running server computes those of {quantity(left, 'text')}; until then, search "
        "finds these texts by their words."
    )
    hint("Next: tellonce status shows how many are left.")
    answer({"without_vector": left})


_ACTIONS: dict[str, Callable[[ServerSettings], Coroutine[None, None, None]]] = {
    "replay": _replay,
    "reembed": _reembed,
    "scrub": _scrub,
    "scrub now": partial(_scrub, now=True),
}
