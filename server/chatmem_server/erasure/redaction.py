"""Takes out of a text the sentences that state something forgotten; pure."""

from typing import Any

from chatmem_server.erasure.targets import Sought, sentences

GONE = "[forgotten]"
"""What stands where a whole text went: the message is still counted, its words are not there."""


def redact(text: str, sought: Sought) -> tuple[str, int]:
    """The text without the sentences that state one, and how many went."""
    if not sought.in_text(text):
        return text, 0
    kept: list[str] = []
    gone = 0
    for part in sentences(text):
        if part.strip() and sought.stated_in(part):
            gone += 1
        else:
            kept.append(part)
    left = "".join(kept).strip()
    return (left if any(c.isalnum() for c in left) else ""), gone


def stating(text: str, sought: Sought) -> list[str]:
    """The sentences of the text that go."""
    return [part for part in sentences(text) if part.strip() and sought.stated_in(part)]


def redact_all(value: Any, sought: Sought) -> tuple[Any, int]:
    """The same through a JSON value: a list loses items that are left empty."""
    if isinstance(value, str):
        return redact(value, sought)
    if isinstance(value, list):
        pairs = [redact_all(item, sought) for item in value]
        return [item for item, gone in pairs if item or not gone], sum(gone for _, gone in pairs)
    if isinstance(value, dict):
        entries = {key: redact_all(item, sought) for key, item in value.items()}
        return {key: item for key, (item, _) in entries.items()}, sum(gone for _, gone in entries.values())
    return value, 0
