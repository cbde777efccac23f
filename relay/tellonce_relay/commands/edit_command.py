"""`/edit 12 right words` changes a memory. Without a number, the answer names the memories that may be meant."""

from typing import Final

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.contract_types import MEMORY_KINDS
from tellonce_relay import views
from tellonce_relay.buttons import Pressed, Reply, button
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming

MOST: Final = 3
"""Maximum number of memories that are named."""
_DIGITS: Final = 15


async def edited(memory: MemoryClient, incoming: Incoming, text: str) -> Reply:
    """The result, or the memories that may be wrong, each with a button to change it. Raises MemoryUnreachable and
    MemoryRefused."""
    number, _, words = text.removeprefix("#").partition(" ")
    if number.isdecimal() and len(number) <= _DIGITS and int(number) and words.strip():
        args = c.UpdateMemoryArgs(memory_id=int(number), action="edit", content=words, chat_id=incoming.chat_id)
        return Reply(phrase("memory.confirmed", content=views.in_days((await memory.update_memory(args)).content)))
    meant = dict(await _meant(memory, incoming, text))
    if not meant:
        return Reply(phrase("edit.none"))
    lines = [phrase("edit.which"), *(f"/edit {number} {content}" for number, content in meant.items())]
    cells = [button(f"✎ {number}", Pressed("edit", number)) for number in meant]
    return Reply("\n".join(lines), InlineKeyboardMarkup([cells]))


async def _meant(memory: MemoryClient, incoming: Incoming, text: str) -> list[tuple[int, str]]:
    """The memories nearest to the text, or the newest ones if there is no text: their numbers and contents."""
    if not text.strip("“” "):
        profile = await memory.get_profile(c.GetProfileArgs(**incoming.place))
        listed = (memory for entries in profile.lists.values() for memory in entries)
        newest = sorted(listed, key=lambda m: (m.valid_from, m.id), reverse=True)
        return [(m.id, m.content) for m in newest[:MOST]]
    args = c.SearchMemoryArgs(query=text, kinds=MEMORY_KINDS, limit=MOST, **incoming.place)
    # A note is the user's own sentence, so a search returns it in quotation marks.
    return [(r.id, r.text.removeprefix("“").removesuffix("”")) for r in (await memory.search_memory(args)).results]
