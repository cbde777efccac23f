"""Erase a topic: look first, then confirm what was shown."""

from tellonce.client import MemoryClient, MemoryRefused
from tellonce.contract import ForgetArgs


async def forget(memory: MemoryClient, topic: str) -> int | None:
    """How many traces are left (0 when all is gone), or None if the memory holds nothing of the topic."""
    try:
        preview = await memory.forget(ForgetArgs(topic=topic))
        if preview.confirm is None:
            return None
        for match in preview.matches:
            print(match.text)
        erased = await memory.forget(ForgetArgs(topic=topic, confirm=preview.confirm))
    except MemoryRefused as refused:
        # The text says what to change, for example that the memory changed since the preview.
        print(refused)
        raise
    return erased.traces_left
