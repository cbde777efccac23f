"""The view of `/routines`: the routines, the next time of each routine, and the last text of each routine in full."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay.buttons import Pressed, Reply, button
from tellonce_relay.catalogue import moment, phrase
from tellonce_relay.cron import next_due
from tellonce_relay.routines.file import Routine
from tellonce_relay.seen_store import SeenStore


def view(
    routines: Sequence[Routine],
    sent_to: SeenStore,
    chat_id: int,
    now: datetime,
    zone: ZoneInfo,
    *,
    has_model: bool,
    invalid: Sequence[str] = (),
) -> Reply:
    """The routines with their next times, and buttons for the routines that were sent to this chat. `sent_to` maps
    `chat:routine` to the id of the routine's last message. Without a model, a routine that needs a model has no next
    time. `invalid` are the routines that are skipped because of a mistake."""
    lines = [
        _line(routine, now, zone)
        if has_model or not routine.needs_model
        else phrase("routine.needs_model", name=routine.name)
        for routine in routines
    ]
    lines += [phrase("routine.invalid", name=name) for name in invalid]
    sent = [(key.partition(":")[2], number) for key, number in sent_to.items() if key.startswith(f"{chat_id}:")]
    planned = {*invalid, *(routine.name for routine in routines)}
    lines += [phrase("routine.unplanned", name=name) for name, _ in sent if name not in planned]
    rows = [
        [button(phrase("button.show_text", name=name), Pressed("full text", int(number)))]
        for name, number in sent
        if number.isdecimal()
    ]
    text = "\n".join([phrase("routine.title"), *lines]) if lines or rows else phrase("routine.none")
    return Reply(text, InlineKeyboardMarkup(rows) if rows else None)


def _line(routine: Routine, now: datetime, zone: ZoneInfo) -> str:
    at = next_due(routine.cron, now, zone)
    when = moment(at.astimezone(zone), now.astimezone(zone)) if at is not None else phrase("routine.never")
    return phrase("routine.line", name=routine.name, when=when)


async def full_text(memory: MemoryClient, chat_id: int, number: int, now: datetime, zone: ZoneInfo) -> str:
    """The full text of a routine's message, with its time. Raises MemoryUnreachable and MemoryRefused."""
    known = await memory.explain(c.ExplainArgs(message_id=str(number), chat_id=chat_id))
    return phrase("routine.sent", when=moment(known.at.astimezone(zone), now.astimezone(zone)), text=known.text)
