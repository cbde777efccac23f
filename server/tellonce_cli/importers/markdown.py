"""Reads Markdown notes. The notes of a person (Obsidian) become messages. The notes of an assistant (basic-memory)
become memories."""

import hashlib
import re
from collections.abc import Iterator

from tellonce.contract import Role
from tellonce_cli.importers.files import Progress, Source, TextFile, text_files
from tellonce_cli.importers.items import Item, memory_about, message_in, tolerant, without_private
from tellonce_cli.importers.markdown_text import (
    front_matter,
    is_day,
    is_heading,
    paragraphs,
    said_at,
    without_links,
)
from tellonce_server.services.import_messages import ImportMessage

NOTHING = "holds no Markdown notes (files that end in .md)."
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)
"""A comment of Obsidian, which the writer hides from readers."""

_OBSERVATION = re.compile(r"^\s*- \[(?![ xX]\])[^\]]+\]\s+(?P<text>.+)$")
_RELATION = re.compile(r"^\s*- (?P<how>[^\[\]]+)(?<=\s)\[\[(?P<to>[^\]|]+)(?:\|[^\]]*)?\]\]\s*(?:\([^)]*\))?$")
# These two patterns begin only at the first of several blanks. Otherwise, many blanks would take quadratic time.
_TAGS = re.compile(r"(?:(?<!\s)\s++#[\w/-]++)++\s*+(?P<rest>$|\()?")
_CONTEXT = re.compile(r"(?<!\s)\s*+\([^()]*+\)\s*+$")


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """A paragraph's id depends on its text and note, so a repeated import adds only new paragraphs."""
    for file in text_files(source.path, progress):
        yield from tolerant(_note, file, f"note {file.name}")


def _note(file: TextFile) -> Iterator[Item]:
    fields, body = front_matter(without_private(_COMMENT.sub("", file.text)))
    if "permalink" not in fields:
        yield from _messages(file, fields, body, "user")
        return
    title = fields.get("title") or file.name.stem
    prose: list[str] = []
    for line in body.splitlines():
        text = _noted(title, line)
        if text is None:
            prose.append(line)
        else:
            yield memory_about(title, text, said_at(fields, str(file.name), file.changed))
    yield from _messages(file, fields, "\n".join(prose), "assistant")


def _noted(title: str, line: str) -> str | None:
    """The statement in a line of basic-memory's format."""
    if observation := _OBSERVATION.match(line):
        return without_links(_TAGS.sub(_untagged, _CONTEXT.sub("", observation["text"]))).strip()
    if relation := _RELATION.match(line):
        return f"{title} {relation['how'].strip().replace('_', ' ')} {relation['to']}"
    return None


def _untagged(tags: re.Match[str]) -> str:
    """Tags inside a statement stay."""
    return tags[0] if tags["rest"] is None else tags["rest"]


def _messages(file: TextFile, fields: dict[str, str], body: str, role: Role) -> Iterator[ImportMessage]:
    """Each message begins with the note's title, which often names the paragraph's subject."""
    title = "" if is_day(file.name.stem) else f"# {fields.get('title') or file.name.stem}"
    at, seen = said_at(fields, str(file.name), file.changed), set[str]()
    for text in paragraphs(body):
        digest = hashlib.sha256(f"{file.name}\n{text}".encode()).hexdigest()[:24]
        if digest not in seen and not all(map(is_heading, text.splitlines())):
            seen.add(digest)
            content = text if text.splitlines()[0] == title or not title else f"{title}\n{text}"
            yield message_in("markdown", f"notes:{file.name}", role, content, f"notes:{digest}", at)
