"""`tellonce forget`, and `/forget` in the terminal chat: shows the matches and erases the selected matches."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.client_settings import RelaySettings
from tellonce.forget_contract import picked
from tellonce.settings import load
from tellonce_cli.keyboard import Keyboard, terminal_as_found
from tellonce_cli.memories import called, made
from tellonce_cli.screen import answer, console
from tellonce_relay import views
from tellonce_relay.catalogue import phrase

QUESTION = "Erase for good? [y: those marked ☑; all; numbers such as 1,3-5; n or Enter: none] "
EVERYTHING = (
    "Erase everything for good? [all: yes, everything; numbers such as 1,3-5: only these; n or Enter: nothing] "
)
"""The question about everything. A `y` is not accepted here, because a single key must not erase the whole memory."""


def run(target: dict[str, Any], confirm: str | None, keep: Sequence[int] | None, *, yes: bool = False) -> int:
    """Run the command. Returns 0 even if the person declined or nothing matched."""
    args = made(c.ForgetArgs, {**target, "confirm": confirm, "except_": keep})
    settings = load(RelaySettings)
    with terminal_as_found():
        if console.quiet or yes or confirm is not None:
            done, kept = asyncio.run(called(settings, lambda memory: _at_once(memory, args, yes=yes)))
            console.print(_told(done, kept))
            answer(done.model_dump(mode="json"))
        else:
            zone = ZoneInfo(settings.timezone)
            console.print(asyncio.run(called(settings, lambda memory: asked(memory, args, zone, Keyboard()))))
    return 0


async def _at_once(memory: MemoryClient, args: c.ForgetArgs, *, yes: bool) -> tuple[c.Forgotten, int]:
    """Make a preview, or erase with the token of a preview. With `yes`, do both. Also returns the number of matches
    that were kept."""
    preview = await memory.forget(args)
    if not yes or args.confirm is not None or preview.confirm is None:
        return preview, len(args.except_ or ())
    done = await memory.forget(args.model_copy(update={"confirm": preview.confirm}))
    return done, sum(not match.ticked for match in preview.matches) if args.except_ is None else len(args.except_)


def _told(done: c.Forgotten, kept: int) -> str:
    return views.forgotten_view(done, kept) if done.receipt is not None else views.nothing_view(done)


async def asked(memory: MemoryClient, target: c.ForgetArgs, zone: ZoneInfo, keyboard: Keyboard) -> str:
    """Show the matches, erase those that the person selects, and return the text about the result."""
    preview = await memory.forget(target)
    if preview.confirm is None:
        return views.nothing_view(preview)
    if target.everything:
        console.print(phrase("forget.wipe", n=len(preview.matches) + preview.unlisted))
    console.print(views.matches_view(preview, datetime.now(zone)))
    kept = await _kept(preview, keyboard, whole=bool(target.everything))
    if kept is None:
        return "Kept."
    done = await memory.forget(target.model_copy(update={"confirm": preview.confirm, "except_": kept}))
    return views.forgotten_view(done, len(kept))


async def _kept(preview: c.Forgotten, keyboard: Keyboard, *, whole: bool) -> tuple[int, ...] | None:
    """Ask until the answer can be parsed. Returns the numbers of the matches to keep; None if the person declines. If
    the preview is of the `whole` memory, only `all` selects everything."""
    question = EVERYTHING if whole else QUESTION
    while True:
        if not keyboard.interactive:
            console.print(question)
        said = (await keyboard.answer(question)).strip().lower()
        if said in ("", "n", "no", "none"):
            return None
        ticked = frozenset(match.id for match in preview.matches if match.ticked)
        numbers = ticked if said in ("y", "yes") and not whole else picked(said, len(preview.matches))
        if numbers:
            return tuple(match.id for match in preview.matches if match.id not in numbers)
        console.print(
            "Nothing is marked ☑."
            if numbers is not None
            else f"Type {'' if whole else 'y, '}all, n, or numbers from the list, such as 1,3-5."
        )
