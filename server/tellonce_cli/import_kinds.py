"""The kinds of files that can be imported, as the command names them."""

from typing import Literal

ImportKind = Literal["telegram", "chatgpt", "claude", "jsonl", "claude-code", "mcp-memory", "mem0", "markdown"]
