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
"""The names of programs whose exports the page asks for. The page also imports the other formats."""

CHANNELS: Final = {kind: kind for kind in ("telegram", "chatgpt", "claude", "claude-code")} | {"markdown": "notes"}
"""The channel of each format whose messages all have the same channel."""
