"""Takes out of a text the sentences that state something forgotten; pure."""

from typing import Any

from chatmem_server.erasure.targets import Sought, sentences

GONE = "[forgotten]"
"""What stands where a whole text went: the message is still counted, its words are not there."""


def redact(text: str, sought: Sought) -> tuple[str, list[str]]:
    """The text without the sentences that state one, and those that went."""
    if not sought.in_text(text):
        return text, []
    kept: list[str] = []
    gone: list[str] = []
    for part in sentences(text):
        (gone if part.strip() and sought.stated_in(part) else kept).append(part)
    left = "".join(kept).strip()
    return (left if any(c.isalnum() for c in left) else ""), gone


def redact_all(value: Any, sought: Sought) -> Any:
    """The same through a JSON value: a list loses items that are left empty."""
    if isinstance(value, str):
        return redact(value, sought)[0]
    if isinstance(value, list):
        return [left for item in value if (left := redact_all(item, sought)) or not item]
    if isinstance(value, dict):
        return {key: redact_all(item, sought) for key, item in value.items()}
    return value
