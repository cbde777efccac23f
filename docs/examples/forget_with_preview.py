"""Erase a topic: preview the matches, then confirm them."""

from tellonce.client import MemoryClient, MemoryRefused
from tellonce.contract import ForgetArgs


async def forget(memory: MemoryClient, topic: str) -> int | None:
    """Returns the number of remaining traces (0 if everything is erased), or None if nothing matches the topic."""
    try:
        preview = await memory.forget(ForgetArgs(topic=topic))
        if preview.confirm is None:
            return None
        for match in preview.matches:
            # Without `also`, only the ticked matches are erased.
            print("erase:" if match.ticked else "keep: ", match.text)
        erased = await memory.forget(ForgetArgs(topic=topic, confirm=preview.confirm))
    except MemoryRefused as refused:
        # The text says what to change, for example that the memory changed since the preview.
        print(refused)
        raise
    for match in erased.kept:
        print("kept: ", match.text)
    return erased.traces_left
