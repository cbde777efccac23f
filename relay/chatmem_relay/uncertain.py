"""Asks about what the memory is not sure of: at most two at a time, under a later reply, in private chats only."""

from collections.abc import Sequence

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem_relay import buttons
from chatmem_relay.chat_surface import ChatSurface

AT_ONCE = 2
MOST_ASKED = 1000


class Doubts:
    """Which uncertain memories were asked about already, since the process began."""

    def __init__(self) -> None:
        self._asked: dict[int, None] = {}

    def to_ask(self, uncertain: Sequence[c.Memory]) -> list[c.Memory]:
        """The oldest that were not asked yet; no more than two questions stay open at a time."""
        still_open = sum(m.id in self._asked for m in uncertain)
        fresh = sorted((m for m in uncertain if m.id not in self._asked), key=lambda m: m.id)
        return fresh[: max(0, AT_ONCE - still_open)]

    def asked(self, memory_id: int) -> None:
        self._asked[memory_id] = None
        if len(self._asked) > MOST_ASKED:
            del self._asked[next(iter(self._asked))]


async def ask_about_doubts(memory: MemoryClient, surface: ChatSurface, chat_id: int, doubts: Doubts) -> None:
    """Raises what the memory and the surface raise."""
    if chat_id < 0:
        return
    profile = await memory.get_profile(c.GetProfileArgs(chat_id=chat_id))
    for doubt in doubts.to_ask(profile.uncertain):
        doubts.asked(doubt.id)
        await surface.say(f"❔ Is this right?\n{doubt.content}", buttons.uncertain_buttons(doubt.id))
