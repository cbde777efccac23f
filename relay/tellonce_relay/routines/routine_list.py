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


def view(routines: Sequence[Routine], sent_to: SeenStore, chat_id: int, now: datetime, zone: ZoneInfo) -> Reply:
    """The routines with their next times, and buttons for those sent to this chat. `sent_to` maps `chat:routine` to the
    id of its last message."""
    due = [(routine.name, next_due(routine.cron, now, zone)) for routine in routines]
    here = now.astimezone(zone)
    lines = [phrase("routine.line", name=name, when=moment(at.astimezone(zone), here)) for name, at in due if at]
    sent = [(key.partition(":")[2], number) for key, number in sent_to.items() if key.startswith(f"{chat_id}:")]
    lines += [f"• {name}" for name, _ in sent if name not in dict(due)]
    rows = [
        [button(phrase("button.show_text", name=name), Pressed("full text", int(number)))]
        for name, number in sent
        if number.isdecimal()
    ]
    text = "\n".join([phrase("routine.title"), *lines]) if lines or rows else phrase("routine.none")
    return Reply(text, InlineKeyboardMarkup(rows) if rows else None)


async def full_text(memory: MemoryClient, chat_id: int, number: int, now: datetime, zone: ZoneInfo) -> str:
    """The full text of a routine's message, with its time. Raises MemoryUnreachable and MemoryRefused."""
    known = await memory.explain(c.ExplainArgs(message_id=str(number), chat_id=chat_id))
    return phrase("routine.sent", when=moment(known.at.astimezone(zone), now.astimezone(zone)), text=known.text)
