"""Messages as a language model reads them: numbered, with speaker and the user's local time."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from chatmem.work import WorkMessage
from chatmem_summarizer.length import head_and_tail

SIDE_CHARACTERS = 1800
"""The most one message may bring into an extraction."""


def transcript(messages: Sequence[WorkMessage], zone: ZoneInfo, characters: int = SIDE_CHARACTERS) -> str:
    """One line for each message, `#12 user, Wed 2026-02-18 09:15: …`; long ones lose their middle."""
    return "\n".join(_line(message, zone, characters) for message in messages) or "(none)"


def _line(message: WorkMessage, zone: ZoneInfo, characters: int) -> str:
    at = message.at.astimezone(zone)
    who = f"{message.role} (routine {message.routine})" if message.routine else message.role
    return f"#{message.id} {who}, {at:%a %Y-%m-%d %H:%M}: {head_and_tail(message.text.strip(), characters)}"


def plain(messages: Sequence[WorkMessage], characters: int) -> str:
    """Only who said what, for local models."""
    return "\n".join(
        f"{message.role.title()}: {head_and_tail(message.text.strip(), characters)}" for message in messages
    )
