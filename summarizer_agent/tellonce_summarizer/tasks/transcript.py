"""Messages as a language model reads them: numbered, with speaker and local time."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tellonce.work import WorkMessage
from tellonce_summarizer.keep.lines import MARK

SIDE_CHARACTERS = 1800
"""Maximum characters of one message in an extraction."""


def transcript(messages: Sequence[WorkMessage], zone: ZoneInfo, characters: int = SIDE_CHARACTERS) -> str:
    """One line per message, `[12] user, Wed 2026-02-18 09:15: …`; long ones are cut in the middle."""
    return "\n".join(_line(message, zone, characters) for message in messages) or "(none)"


def speaker(message: WorkMessage) -> str:
    """`user`, `assistant`, the name of another speaker, or the routine's name."""
    if message.routine:
        return f"{message.role} (routine {message.routine})"
    return message.speaker or message.role


def plain(messages: Sequence[WorkMessage], characters: int) -> str:
    """Only speakers and texts, for local models."""
    return "\n".join(
        f"{_capital(speaker(message))}: {head_and_tail(message.text.strip(), characters)}" for message in messages
    )


def head_and_tail(text: str, characters: int) -> str:
    """At most `characters` of the text: two thirds from the beginning and the rest from the end, where people often
    state their point."""
    if len(text) <= characters:
        return text
    tail = max(1, characters // 3)
    return f"{text[: max(1, characters - tail - 3)]} {MARK} {text[-tail:]}"


def _line(message: WorkMessage, zone: ZoneInfo, characters: int) -> str:
    at = message.at.astimezone(zone)
    text = head_and_tail(message.text.strip(), characters)
    return f"[{message.id}] {speaker(message)}, {at:%a %Y-%m-%d %H:%M}: {text}"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
