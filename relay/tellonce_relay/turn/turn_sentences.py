"""What the bot says about a model that stays away; the words are the catalogue's."""

from typing import Final

from tellonce_llm import Cause
from tellonce_relay.catalogue import phrase

STOPPED_HERE: Final = " … [the user stopped this answer here]"
"""Stands behind a stopped answer in the memory only, for a model to read."""


def trouble(cause: Cause, *, owed: bool) -> str:
    """The one sentence that names the cause, and says what becomes of the answer."""
    if cause == "refused":
        return phrase("turn.would_not")
    return f"{phrase(f'trouble.{cause}')} {phrase('trouble.owed' if owed else 'trouble.ask_again')}"
