"""Asks the person about what the memory is not sure of: at most two questions open at a time, in private chats only."""

from collections.abc import Sequence

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem_relay import buttons
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.notebook import Notebook

AT_ONCE = 2


class Doubts:
    """Which uncertain memories were asked about already."""

    def __init__(self, notebook: Notebook) -> None:
        self._asked = notebook

    def to_ask(self, chat_id: int, uncertain: Sequence[c.Memory]) -> list[c.Memory]:
        """The oldest that were not asked yet; no more than two questions stay open at a time."""
        fresh = [m for m in uncertain if self._asked.get(f"{chat_id}:{m.id}") is None]
        still_open = len(uncertain) - len(fresh)
        return sorted(fresh, key=lambda m: m.id)[: max(0, AT_ONCE - still_open)]

    def asked(self, chat_id: int, memory_id: int) -> None:
        self._asked.put(f"{chat_id}:{memory_id}", "asked")


async def ask_about_doubts(memory: MemoryClient, surface: ChatSurface, chat_id: int, doubts: Doubts) -> None:
    """Raises what the memory and the surface raise."""
    if chat_id < 0:
        return
    profile = await memory.get_profile(c.GetProfileArgs(chat_id=chat_id))
    for doubt in doubts.to_ask(chat_id, profile.uncertain):
        # Noted first: a question lost in a kill is better than one asked twice.
        doubts.asked(chat_id, doubt.id)
        await surface.say(f"❔ Is this right?\n{doubt.content}", buttons.uncertain_buttons(doubt.id))
