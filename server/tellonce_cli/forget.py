"""`tellonce forget`, and `/forget` in the terminal chat: shows the matches and erases the selected matches."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.client_settings import RelaySettings
from tellonce.forget_contract import picked, selection, ticked
from tellonce.settings import load
from tellonce_cli.keyboard import Keyboard
from tellonce_cli.memories import called, made
from tellonce_cli.screen import answer, console
from tellonce_relay import views
from tellonce_relay.catalogue import phrase

QUESTION = "Erase for good? [y: those marked ☑; all; numbers such as 1,3-5: only these; n or Enter: none] "
EVERYTHING = (
    "Erase everything for good? [all: yes, everything; numbers such as 1,3-5: only these; n or Enter: nothing] "
)
"""The question about everything. A `y` is not accepted here, because a single key must not erase the whole memory."""


async def run(
    target: dict[str, Any], confirm: str | None, keep: Sequence[int] | None, also: Sequence[int] | None, *, yes: bool
) -> None:
    args = made(c.ForgetArgs, {**target, "confirm": confirm, "except_": keep, "also": also})
    settings = load(RelaySettings)
    zone = ZoneInfo(settings.timezone)
    if console.quiet or yes or confirm is not None:
        done = await called(settings, lambda memory: _at_once(memory, args, yes=yes))
        console.print(_summary(done, zone))
        answer(done.model_dump(mode="json"))
    else:
        console.print(await called(settings, lambda memory: asked(memory, args, zone, Keyboard())))


async def _at_once(memory: MemoryClient, args: c.ForgetArgs, *, yes: bool) -> c.Forgotten:
    preview = await memory.forget(args)
    if not yes or args.confirm is not None or preview.confirm is None:
        return preview
    return await memory.forget(args.model_copy(update={"confirm": preview.confirm}))


def _summary(done: c.Forgotten, zone: ZoneInfo) -> str:
    if done.receipt is None:
        return views.nothing_view(done)
    kept = views.kept_view(done, datetime.now(zone))
    return "\n".join([views.forgotten_view(done), *([kept] if kept else [])])


async def asked(memory: MemoryClient, target: c.ForgetArgs, zone: ZoneInfo, keyboard: Keyboard) -> str:
    """Show the matches, erase those that the person selects, and return the text about the result."""
    preview = await memory.forget(target)
    if preview.confirm is None:
        return views.nothing_view(preview)
    if target.everything:
        console.print(phrase("forget.wipe", n=len(preview.matches) + preview.unlisted))
    console.print(views.matches_view(preview, datetime.now(zone)))
    chosen = _chosen(preview, keyboard, whole=bool(target.everything))
    if chosen is None:
        return "Kept."
    return _summary(await memory.forget(target.model_copy(update={"confirm": preview.confirm, **chosen})), zone)


def _chosen(preview: c.Forgotten, keyboard: Keyboard, *, whole: bool) -> dict[str, tuple[int, ...]] | None:
    """Ask until the answer can be parsed. None means that the person declines.

    Numbers select only matches that the list shows. They never select the matches that the list leaves out.
    """
    question = EVERYTHING if whole else QUESTION
    while True:
        if not keyboard.interactive:
            console.print(question)
        said = keyboard.answer(question).strip().lower()
        if said in ("", "n", "no", "none"):
            return None
        marked, count = ticked(preview.matches), len(preview.matches)
        numbers = marked if said in ("y", "yes") and not whole else picked(said, count)
        if numbers:
            only_these = said.rstrip(".,;") not in ("y", "yes", "all")
            beyond = range(count + 1, count + 1 + preview.unlisted) if only_these else ()
            return selection(numbers, marked.union(beyond))
        console.print(
            "Nothing is marked ☑."
            if numbers is not None
            else f"Type {'' if whole else 'y, '}all, n, or numbers from the list, such as 1,3-5."
        )
