"""A message with files in Claude's format, for its API and its command. Knows no SDK."""

import base64
from typing import Any

from tellonce_llm.model import File, Turn


def content(turn: Turn) -> str | list[dict[str, Any]]:
    """A message in the format of the Messages API; files come before the message's text."""
    if not turn.files:
        return turn.content
    return [*(_file_block(file) for file in turn.files), {"type": "text", "text": turn.content}]


def _file_block(file: File) -> dict[str, Any]:
    if file.kind == "text":
        source = {"type": "text", "media_type": "text/plain", "data": file.data.decode(errors="replace")}
        return {"type": "document", "source": source, "title": file.name}
    source = {"type": "base64", "media_type": file.mime, "data": base64.b64encode(file.data).decode()}
    return {"type": "image", "source": source} if file.kind == "image" else {"type": "document", "source": source}
