"""Reads Claude Code's files: transcripts of its sessions, the user's CLAUDE.md, and the memory files of projects.

An imported message gets the same id as in the plugin, so it is stored only once.
"""

import json
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from tellonce.contract import Role
from tellonce.import_formats import CHANNELS
from tellonce_cli.claude_plugin import records
from tellonce_cli.client_configs import Machine
from tellonce_cli.importers.files import Progress, Source, TextFile, text_files
from tellonce_cli.importers.items import USER, Item, LeftOut, memory_about, tolerant, without_private
from tellonce_cli.importers.jsonl import LONGEST_LINE, entry_of, lines_of, parsed_lines
from tellonce_cli.importers.markdown_text import front_matter, said_at, statements
from tellonce_server.services.import_messages import ImportMessage, OwnConversation

NOTHING = "holds neither transcripts of Claude Code nor its memory; try ~/.claude/projects."
INSTRUCTIONS = "CLAUDE.md"
INDEX = "MEMORY.md"
"""The memory file that lists the other memory files, one per line. It may also contain statements."""

_TO_NOTE = re.compile(r"\]\([^()\s]+\.md\)")
_LONGEST_NAME = 128
_OWN_FORMS = ("<command-", "<local-command", "<bash-", "<task-notification", "<system-reminder", "Caveat: ")
"""Entries that begin with one of these texts are marked as the user's, although Claude Code wrote them."""


def holds(folder: Path) -> bool:
    """Whether the folder is Claude Code's own, or contains instructions, sessions or memory files."""
    if (folder / ".obsidian").is_dir():
        return False
    inside = (folder / "projects").is_dir() or (folder / INSTRUCTIONS).is_file() or (folder / INDEX).is_file()
    return inside or any(is_transcript(file) for file in sorted(_transcripts(folder))[:20])


def is_transcript(file: Path) -> bool:
    """Whether the file is a transcript. In a transcript, one of the first lines names a session."""
    with file.open("rb") as stream:
        return b'"sessionId"' in stream.read(1 << 16)


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """Yield the messages of all sessions by project, then the memory files. Files of projects in which the plugin
    may not record are left out. Raises ImportFailed."""
    machine, done, path = Machine(sys.platform, Path.home(), os.environ), 0, source.path
    for file in sorted(_transcripts(path)):
        folder = _folder_of(file)
        if records(machine, folder):
            yield from _session(file, folder, progress, done)
        else:
            yield LeftOut(conversation_name(folder))
        done += file.stat().st_size
    for file, folder in _notes(path):
        if folder and not records(machine, folder):
            yield LeftOut(conversation_name(folder))
            continue
        for note in text_files(file, progress, done):
            yield from tolerant(partial(_remembered, project=Path(folder).name), note, f"file {file}")


def _root(path: Path) -> Path:
    """In Claude Code's own folder, only `projects` contains sessions."""
    return path / "projects" if (path / "projects").is_dir() else path


def _transcripts(path: Path) -> list[Path]:
    if path.is_dir():
        return [file for file in _root(path).rglob("*.jsonl") if file.is_file()]
    return [] if path.suffix == ".md" else [path]


def _notes(path: Path) -> Iterator[tuple[Path, str]]:
    """The files with memories, each with the folder of its project. The user's own instructions have no project."""
    if path.is_file():
        if path.suffix == ".md":
            yield path, _project(path.parent)
        return
    for folder in {path, _root(path)}:
        if (folder / INSTRUCTIONS).is_file():
            yield folder / INSTRUCTIONS, _project(folder)
    memories = [path] if (path / INDEX).is_file() else sorted(_root(path).rglob("memory"))
    for folder in memories:
        for file in sorted(folder.glob("*.md")):
            yield file, _project(folder)


def _project(folder: Path) -> str:
    """The project's folder, which a session of the project gives."""
    folder = folder.resolve()
    home = folder.parent if folder.name == "memory" else folder
    if home.name == ".claude":
        return ""
    first = next(iter(sorted(home.glob("*.jsonl"))), None)
    return _folder_of(first) if first else str(home)


def _folder_of(transcript: Path) -> str:
    for _, line in lines_of(transcript, lambda _: None):
        found = re.search(rb'"cwd":\s*("(?:[^"\\]|\\.)*")', line[:LONGEST_LINE])
        with suppress(ValueError):
            folder = str(json.loads(found[1])) if found else ""
            folder.encode()  # half a surrogate cannot be stored
            if folder:
                return folder
    return transcript.parent.name


@dataclass
class _Session:
    """A session that is being read. A reply is complete only when the next prompt is read."""

    name: str
    conversation: OwnConversation
    seen: set[str] = field(default_factory=set[str])
    prompt: str = ""
    reply: ImportMessage | None = None

    def take(self, line: bytes) -> Iterator[Item]:
        if b'"user"' not in line and b'"assistant"' not in line:
            return
        entry = entry_of(line)
        if entry.get("type") not in ("user", "assistant") or _aside(entry):
            return
        text = _text((entry.get("message") or {}).get("content"))
        if not text:
            return
        if entry["type"] == "assistant":
            self.reply = self._message(entry, text, "assistant", f"{self.prompt}:reply") if self.prompt else None
        elif not text.startswith(_OWN_FORMS):
            yield from self._prompted(entry, text)

    def _prompted(self, entry: dict[str, Any], text: str) -> Iterator[Item]:
        number = str(entry.get("promptId") or entry["uuid"])
        if number in self.seen:
            return
        yield from self.end()
        self.seen.add(number)
        said = without_private(text)
        # A reply to a prompt with a private part is left out, because the reply could reveal that part.
        self.prompt = number if said == text else ""
        if said:
            yield self._message(entry, said, "user", number)

    def end(self) -> Iterator[Item]:
        """Yield the last reply, if it was not yielded yet."""
        reply, self.reply = self.reply, None
        if reply is not None:
            yield reply

    def _message(self, entry: dict[str, Any], text: str, role: Role, number: str) -> ImportMessage:
        return ImportMessage(
            role=role,
            content=text,
            message_id=number,
            sent_at=datetime.fromisoformat(str(entry["timestamp"])),
            channel=CHANNELS["claude-code"],
            message_thread_id=str(entry.get("sessionId") or self.name)[:_LONGEST_NAME],
            conversation=self.conversation,
        )


def _session(file: Path, folder: str, progress: Progress, before: int) -> Iterator[Item]:
    """`before` is the total size of the files already read, in bytes."""
    session = _Session(file.stem, OwnConversation(CHANNELS["claude-code"], conversation_name(folder)))
    yield from parsed_lines(file, lambda read: progress(before + read), session.take, f"{file.name}, ")
    yield from session.end()


def _aside(entry: dict[str, Any]) -> bool:
    return any(entry.get(name) for name in ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage"))


def _text(content: object) -> str:
    """Tool results and images are left out."""
    if isinstance(content, str):
        return content.strip()
    blocks: list[Any] = content if isinstance(content, list) else []
    found: list[dict[str, Any]] = [block for block in blocks if isinstance(block, dict)]
    if any(block.get("type") == "tool_result" for block in found):
        return ""
    return "\n".join(str(block["text"]) for block in found if block.get("type") == "text" and block.get("text")).strip()


def _remembered(note: TextFile, project: str) -> Iterator[Item]:
    fields, body = front_matter(note.text)
    at = said_at(fields, str(note.name), note.changed)
    for text in statements(body):
        if note.name.name != INDEX or not _TO_NOTE.search(text):
            yield memory_about(project or USER, text, at)


def conversation_name(folder: str) -> str:
    """The path of a project's folder, with `~` for the home folder. A long path begins with a checksum. The plugin has
    the same rule (`tellonce_hooks.project`)."""
    home = os.path.realpath(os.path.expanduser("~"))
    shown = "~" + folder[len(home) :] if folder == home or folder.startswith(home + os.sep) else folder
    return shown if len(shown) <= _LONGEST_NAME else f"{zlib.crc32(folder.encode()):08x}…{shown[9 - _LONGEST_NAME :]}"
