"""The kinds of files that can be imported, with the names that the command uses."""

from typing import Literal

ImportKind = Literal["telegram", "chatgpt", "claude", "jsonl", "claude-code", "mcp-memory", "mem0", "markdown"]
