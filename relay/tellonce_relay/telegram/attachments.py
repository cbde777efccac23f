"""Finds the file in a Telegram message. Pure."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, Literal

from telegram import Document, Message

AttachmentKind = Literal["image", "pdf", "text", "voice", "other"]

MEGABYTE: Final = 1_000_000
LARGEST: Final[dict[AttachmentKind, int]] = {
    "image": 5 * MEGABYTE,
    "pdf": 20 * MEGABYTE,
    "text": MEGABYTE,
    "voice": 20 * MEGABYTE,
    "other": 0,
}
"""Maximum bytes. Telegram gives bots at most 20 MB, and Claude accepts 5 MB per image."""

_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_TEXTS: Final = ("application/json", "application/xml", "application/x-yaml", "application/yaml", "application/toml")
_TEXT_SUFFIXES: Final = frozenset(
    ".txt .md .markdown .rst .csv .tsv .json .jsonl .xml .yaml .yml .toml .ini .cfg .log .html .css .js .ts .py .java .c .h "
    ".cpp .go .rs .rb .php .sh .sql .tex .srt .ics .vcf .eml".split()
)


@dataclass(frozen=True)
class Attachment:
    """A file. `size` is in bytes, 0 if Telegram does not give it."""

    kind: AttachmentKind
    file_id: str
    size: int
    mime: str
    name: str

    @property
    def is_too_large(self) -> bool:
        return self.size > LARGEST[self.kind]


def attachment_of(message: Message) -> Attachment | None:
    """The file in a message. Music and films are not transcribed, because others speak in them."""
    if message.photo:
        photo = message.photo[-1]
        return Attachment("image", photo.file_id, photo.file_size or 0, "image/jpeg", "photo.jpg")
    if message.voice is not None:
        voice = message.voice
        return Attachment("voice", voice.file_id, voice.file_size or 0, voice.mime_type or "audio/ogg", "voice.ogg")
    if message.video_note is not None:
        note = message.video_note
        return Attachment("voice", note.file_id, note.file_size or 0, "video/mp4", "note.mp4")
    if message.document is not None and message.animation is None:
        return _document(message.document)
    played = message.audio or message.video
    if played is not None:
        return Attachment(
            "other", played.file_id, played.file_size or 0, played.mime_type or "", played.file_name or ""
        )
    return None


def _document(document: Document) -> Attachment:
    name, mime = document.file_name or "file", document.mime_type or ""
    return Attachment(_kind(name, mime), document.file_id, document.file_size or 0, mime, name)


def _kind(name: str, mime: str) -> AttachmentKind:
    suffix = PurePath(name).suffix.lower()
    if mime in _IMAGES:
        return "image"
    if mime == "application/pdf" or suffix == ".pdf":
        return "pdf"
    is_text = mime.startswith("text/") or mime in _TEXTS or suffix in _TEXT_SUFFIXES
    return "text" if is_text else "other"
