"""Reads ChatGPT's `conversations.json`, which may be plain, zipped or in parts. If a conversation has branches, only
the branch that ChatGPT shows is read."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import Item, NotAsItShouldBe, branch, message_in, tolerant
from tellonce_cli.importers.records import JsonExport
from tellonce_server.services.import_memories import ImportMemory

NOTHING = "holds no ChatGPT conversations; choose the zip, or its conversations.json."
_NUMBERED = re.compile(r"^\s*\d+\.\s+(?:\[(?P<day>[^\]]*)\]\.?\s*)?")
"""Matches `1. [2024-05-01]. ` at the start of a line of ChatGPT's memory. In older exports, the day is missing."""

_PLACES = ("item", "conversations.item")
"""The paths of conversations: in a list, or in an object that contains the list."""

_EXPORT = JsonExport(
    "ChatGPT export", r"conversations(?:-\d+)?\.json", "conversations.json", is_record=_PLACES.__contains__
)

_MEMORY_TOOL = "bio"
"""ChatGPT stores a memory by sending a message to this recipient."""

_MEMORY_TYPES = ("user_editable_context", "model_editable_context")


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """Yield messages and memories by conversation. A repeated memory is yielded once."""
    memories = set[str]()
    for item in _EXPORT.items(source, progress, items_of):
        if not isinstance(item, ImportMemory):
            yield item
        elif item.content not in memories:
            memories.add(item.content)
            yield item


def items_of(conversation: dict[str, Any]) -> Iterator[Item]:
    identity = str(conversation.get("conversation_id") or conversation.get("id") or conversation.get("title"))
    begun = conversation.get("create_time") or conversation.get("update_time")
    for number, node in enumerate(_shown(conversation), 1):
        turn = partial(_node, identity=identity, begun=begun)
        yield from tolerant(turn, node, f"turn {number} of conversation {identity[:40]}")


def _node(node: dict[str, Any], identity: str, begun: Any) -> Iterator[Item]:
    """`begun` is used if the message has no time."""
    message = node.get("message") or {}
    content, role = message.get("content") or {}, (message.get("author") or {}).get("role")
    seconds = message.get("create_time") or begun
    at = datetime.fromtimestamp(float(seconds), UTC) if seconds else None
    if content.get("content_type") in _MEMORY_TYPES:
        yield from _memories(content, at)
        return
    yield from _instructions(message, at)
    text = _text(content)
    if message.get("recipient") == _MEMORY_TOOL:
        yield from _memories({"model_set_context": text or content.get("text")}, at)
    if role not in ("user", "assistant") or not text or _hidden(message):
        return
    if at is None:
        raise NotAsItShouldBe("it has no time")
    yield message_in("chatgpt", identity, role, text, f"chatgpt:{identity}:{node.get('id')}", at)


def _shown(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    mapping: dict[str, dict[str, Any]] = conversation["mapping"]
    leaf = mapping.get(str(conversation.get("current_node"))) or _newest_leaf(mapping)
    return branch(leaf, lambda node: mapping.get(str(node.get("parent"))))


def _newest_leaf(mapping: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Used if the export does not name the current node."""
    parents = {node.get("parent") for node in mapping.values()}
    leaves = [node for key, node in mapping.items() if key not in parents]
    return max(leaves, key=lambda node: float((node.get("message") or {}).get("create_time") or 0), default=None)


def _hidden(message: dict[str, Any]) -> bool:
    metadata = message.get("metadata") or {}
    return bool(metadata.get("is_visually_hidden_from_conversation")) or message.get("recipient", "all") != "all"


def _text(content: dict[str, Any]) -> str:
    if content.get("content_type") not in ("text", "multimodal_text"):
        return ""
    return "\n".join(_part(part) for part in content.get("parts") or () if _part(part)).strip()


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = str(part.get("content_type", "")) if isinstance(part, dict) else ""
    if kind == "audio_transcription":
        return str(part.get("text", ""))
    return "[image]" if "image" in kind else ""


def _memories(content: dict[str, Any], at: datetime | None) -> Iterator[ImportMemory]:
    for key in ("user_profile", "user_instructions", "model_set_context"):
        for line in str(content.get(key) or "").splitlines():
            text = _NUMBERED.sub("", line).strip(" -•\t")
            if len(text) > 3 and not text.startswith(("```", "The user provided")):
                yield ImportMemory(text, said_at=_own_day(line) or at)


def _instructions(message: dict[str, Any], at: datetime | None) -> Iterator[ImportMemory]:
    """Some exports keep the custom instructions in the metadata of a hidden message."""
    data = (message.get("metadata") or {}).get("user_context_message_data") or {}
    yield from _memories(
        {"user_profile": data.get("about_user_message"), "user_instructions": data.get("about_model_message")}, at
    )


def _own_day(line: str) -> datetime | None:
    """Noon UTC is on the same day in most time zones."""
    numbered = _NUMBERED.match(line)
    try:
        day = datetime.strptime(numbered["day"], "%Y-%m-%d") if numbered and numbered["day"] else None
    except ValueError:
        return None
    return day.replace(hour=12, tzinfo=UTC) if day else None
