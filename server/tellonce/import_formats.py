"""The formats of exports that can be imported."""

from collections.abc import Mapping
from typing import Final, Literal

ImportKind = Literal["telegram", "chatgpt", "claude", "jsonl", "claude-code", "mcp-memory", "mem0", "markdown"]

TITLES: Final[Mapping[ImportKind, str]] = {
    "telegram": "Telegram",
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "mem0": "mem0",
    "jsonl": "Tellonce",
}
"""The page asks for exports of these programs. It also imports the other formats."""

CHANNELS: Final = {kind: kind for kind in ("telegram", "chatgpt", "claude", "claude-code")} | {"markdown": "notes"}
"""The channel of a format, if all messages of the format have the same channel."""
