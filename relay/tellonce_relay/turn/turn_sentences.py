"""The bot's sentences about an unavailable model; the words are in the catalogue."""

from typing import Final

from tellonce_llm import Cause
from tellonce_relay.catalogue import phrase

STOPPED_HERE: Final = " … [the user stopped this answer here]"
"""Added to a stopped answer in the memory only, so that a model knows why it ends."""


def trouble(cause: Cause, *, owed: bool) -> str:
    """The sentence that names the cause and says whether the answer will follow."""
    if cause == "refused":
        return phrase("turn.would_not")
    return f"{phrase(f'trouble.{cause}')} {phrase('trouble.owed' if owed else 'trouble.ask_again')}"
