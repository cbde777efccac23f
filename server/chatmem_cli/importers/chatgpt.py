"""ChatGPT's `conversations.json`: plain, zipped or in parts; of each conversation the branch that was shown."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ijson

from chatmem_cli.importers.files import Progress, opened, shards
from chatmem_cli.importers.items import ImportFailed, ImportMemory, Item, lane_number
from chatmem_server.importing import ImportMessage

CHANNEL = "chatgpt"
_FILES = r"conversations(?:-\d+)?\.json$"
_MEMORY_TYPES = ("user_editable_context", "model_editable_context")


def read(path: Path, progress: Progress) -> Iterator[Item]:
    """Messages conversation by conversation, and what ChatGPT itself remembered."""
    for name in shards(path, _FILES) or ["conversations.json"]:
        with opened(path, name, progress) as stream:
            try:
                for conversation in _conversations(ijson.parse(stream)):
                    yield from _items(conversation)
            except ijson.JSONError as error:
                raise ImportFailed(f"{path} is no ChatGPT export: {error}.") from error


def _conversations(events: Any) -> Iterator[dict[str, Any]]:
    """A list of conversations, or an object that holds one."""
    builder: Any = None
    for prefix, event, value in events:
        at_item = prefix in ("item", "conversations.item")
        if builder is None and at_item and event == "start_map":
            builder = ijson.ObjectBuilder()
        if builder is not None:
            builder.event(event, value)
            if at_item and event == "end_map":
                yield builder.value
                builder = None


def _items(conversation: dict[str, Any]) -> Iterator[Item]:
    identity = str(conversation.get("conversation_id") or conversation.get("id") or conversation.get("title"))
    fallback = conversation.get("create_time") or 0
    for node in _shown(conversation):
        message = node.get("message")
        if message is None:
            continue
        content = message.get("content") or {}
        if content.get("content_type") in _MEMORY_TYPES:
            yield from _memories(content)
            continue
        text, role = _text(content), (message.get("author") or {}).get("role")
        if role in ("user", "assistant") and text and not _hidden(message):
            yield ImportMessage(
                role=role,
                content=text,
                message_id=f"chatgpt:{identity}:{node.get('id')}",
                sent_at=datetime.fromtimestamp(float(message.get("create_time") or fallback), UTC),
                channel=CHANNEL,
                message_thread_id=lane_number(identity),
            )


def _shown(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """From the current node up to the root, turned round: siblings are edits and second tries."""
    mapping: dict[str, dict[str, Any]] = conversation.get("mapping") or {}
    node, path, seen = mapping.get(str(conversation.get("current_node"))), [], set[int]()
    while node is not None and id(node) not in seen:
        seen.add(id(node))
        path.append(node)
        node = mapping.get(str(node.get("parent")))
    return path[::-1]


def _hidden(message: dict[str, Any]) -> bool:
    metadata = message.get("metadata") or {}
    return bool(metadata.get("is_visually_hidden_from_conversation")) or message.get("recipient", "all") != "all"


def _text(content: dict[str, Any]) -> str:
    if content.get("content_type") not in ("text", "multimodal_text"):
        return ""
    return "\n".join(_part(part) for part in content.get("parts") or () if _part(part)).replace("\x00", "").strip()


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = str(part.get("content_type", "")) if isinstance(part, dict) else ""
    if kind == "audio_transcription":
        return str(part.get("text", ""))
    return "[image]" if "image" in kind else ""


def _memories(content: dict[str, Any]) -> Iterator[ImportMemory]:
    """Custom instructions, and memory as it was given to the model: a line each."""
    for key in ("user_profile", "user_instructions", "model_set_context"):
        for line in str(content.get(key) or "").splitlines():
            text = (
                line.strip(" -•\t").partition("] ")[2]
                if line.lstrip("0123456789. ").startswith("[")
                else line.strip(" -•\t")
            )
            if len(text) > 3 and not text.startswith(("```", "The user provided")):
                yield ImportMemory(text)
