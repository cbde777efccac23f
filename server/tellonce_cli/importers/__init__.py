"""Reads exports of other programs as a stream of messages and memories. This module names the kinds of exports."""

from typing import Literal

ImportKind = Literal["telegram", "chatgpt", "claude", "jsonl", "claude-code", "mcp-memory", "mem0", "markdown"]
