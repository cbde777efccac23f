"""Reads the export of Claude.ai: `conversations.json` and, if present, `memories.json`."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from tellonce.contract import Role
from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import Item, branch, message_in, tolerant
from tellonce_cli.importers.markdown_text import has_items, statements
from tellonce_cli.importers.records import JsonExport
from tellonce_server.services.import_memories import ImportMemory
from tellonce_text.own_words import label
from tellonce_text.sentences import split_sentences

NOTHING = "holds no Claude conversations; choose the downloaded zip, or the folder it was unpacked into."
SHORTEST = 16
"""Minimum number of characters of a statement in Claude's memory; shorter lines are titles."""

LONGEST_SUBJECT = 300
"""Maximum number of characters of a sentence that is put before other statements to name their subject."""

LONGEST_ATTACHMENT = 20_000
"""Maximum number of characters of an attached text; the rest is left out."""

_EXPORT = JsonExport(
    "Claude export", r"(?:conversations|memories)\.json", "conversations.json", is_record="item".__eq__
)
_ROOT = "00000000-0000-4000-8000-000000000000"


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """Yield the messages by conversation, then the memories of Claude itself."""
    return _EXPORT.items(source, progress, _entry)


def _entry(entry: dict[str, Any]) -> Iterator[Item]:
    """The user may import `memories.json` alone."""
    return _memories(entry) if "conversations_memory" in entry or "project_memories" in entry else messages_of(entry)


def messages_of(conversation: dict[str, Any]) -> Iterator[Item]:
    identity = str(conversation["uuid"])
    for number, message in enumerate(_shown(conversation["chat_messages"]), 1):
        name = f"message {number} of conversation {identity[:40]}"
        yield from tolerant(partial(_message, conversation=identity), message, name)


def _message(message: dict[str, Any], conversation: str) -> Iterator[Item]:
    text, sender = _text(message), message.get("sender")
    if text and sender in ("human", "assistant"):
        role: Role = "user" if sender == "human" else "assistant"
        at = datetime.fromisoformat(str(message["created_at"]))
        yield message_in("claude", conversation, role, text, f"claude:{message['uuid']}", at)


def _shown(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """If the messages are not a tree, all are returned: a duplicate is better than a lost message."""
    known = {message.get("uuid"): message for message in messages}
    parents = [message.get("parent_message_uuid") for message in messages]
    if not known.keys() & set(parents) or not set(parents) <= {_ROOT, *known}:
        return messages
    leaves = [(str(m.get("created_at")), at) for at, m in enumerate(messages) if m.get("uuid") not in parents]
    leaf = messages[max(leaves)[1]] if leaves else None
    return branch(leaf, lambda node: known.get(node.get("parent_message_uuid"))) or messages


def _text(message: dict[str, Any]) -> str:
    """Thinking and tool calls are left out."""
    parts = [
        str(part.get("text", "")) for part in message.get("content") or () if part.get("type") in ("text", "voice_note")
    ]
    text = "\n".join(part for part in parts if part) or str(message.get("text") or "")
    return "\n".join([text.strip(), *map(_file, message.get("attachments") or ())]).strip()


def _file(attachment: dict[str, Any]) -> str:
    """The text is a code block, because code is never taken for the user's own words."""
    text = str(attachment.get("extracted_content") or "").strip()[:LONGEST_ATTACHMENT]
    return "\n".join([label("file", str(attachment.get("file_name") or "")), *([f"~~~\n{text}\n~~~"] if text else [])])


def _memories(entry: dict[str, Any]) -> Iterator[Item]:
    texts = [str(entry.get("conversations_memory") or "")]
    texts += [str(value) for value in (entry.get("project_memories") or {}).values()]
    for text in texts:
        yield from map(ImportMemory, with_subjects(text))


def with_subjects(text: str) -> Iterator[str]:
    """The statements of Claude's memory, whose text begins with the name of the person. If a paragraph lacks this name,
    the nearest earlier sentence with the name is put before it."""
    found = [statement for statement in statements(text) if len(statement) >= SHORTEST]
    name = found[0].split()[0].casefold() if found and not has_items(text) else ""
    subject = ""
    for statement in found:
        named = [sentence for sentence in split_sentences(statement) if name in re.findall(r"\w+", sentence.casefold())]
        yield f"{subject} {statement}" if subject and not named else statement
        subject = next((sentence for sentence in named if len(sentence) <= LONGEST_SUBJECT), "") if named else subject
