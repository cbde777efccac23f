"""Fetches attachments and converts them for a model: voice messages to transcripts, and other attachments to files that
the model can read.

Files are not stored. A file is fetched once per turn. A file is fetched again only if the process was killed meanwhile.
"""

import asyncio
import codecs
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from telegram import Bot
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError

from tellonce_llm.model import File, FileKind
from tellonce_relay.catalogue import phrase
from tellonce_relay.telegram.attachments import LARGEST, MEGABYTE, Attachment
from tellonce_relay.telegram.message_sender import error_text, wanted_pause
from tellonce_relay.telegram.transcription import NotTranscribed, Transcribe

logger = logging.getLogger(__name__)

TRIES = 3
PAUSE = 1.0
SECONDS = 120.0
"""Maximum seconds for fetching one file, with all tries."""
LONGEST_TEXT = 60_000
"""A model gets at most this many characters of a text file."""


class UnusableAttachment(Exception):
    """`sentence` is for the person. With `once`, it applies to all such attachments and is said once."""

    def __init__(self, sentence: str, *, once: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.once = once


@dataclass(frozen=True)
class AttachmentReader:
    """Fetches attachments. `transcribe` is None if no transcription is configured."""

    bot: Bot
    transcribe: Transcribe | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    seconds: float = SECONDS

    async def transcript(self, voice: Attachment) -> str:
        """The transcript. Raises UnusableAttachment."""
        if self.transcribe is None:
            raise UnusableAttachment(phrase("senses.cannot_hear"), once=True)
        data = await self._fetched(voice)
        try:
            return await self.transcribe(data, voice.name)
        except NotTranscribed as error:
            logger.warning("a voice message was not transcribed: %s", error)
            raise UnusableAttachment(phrase("senses.not_heard")) from error

    async def file(self, attachment: Attachment, reads: frozenset[FileKind]) -> File:
        """Fetch the attachment as a file for a model that can read the kinds `reads`. Raises UnusableAttachment."""
        kind = attachment.kind
        if kind in ("voice", "other") or kind not in reads:
            raise UnusableAttachment(
                phrase("senses.cannot_see") if kind == "image" else phrase("senses.cannot_read"), once=True
            )
        data = await self._fetched(attachment)
        if kind == "text":
            data = _within_limits(_decoded(data)).encode()
        mime = {"pdf": "application/pdf", "text": "text/plain"}.get(kind, attachment.mime)
        return File(kind, mime, attachment.name, data)

    async def _fetched(self, attachment: Attachment) -> bytes:
        _check_size(attachment)
        try:
            async with asyncio.timeout(self.seconds):
                return await self._downloaded(attachment)
        except TimeoutError as error:
            logger.info("a file was not fetched within %s s", self.seconds)
            raise UnusableAttachment(phrase("senses.not_fetched")) from error

    async def _downloaded(self, attachment: Attachment) -> bytes:
        for tried in range(TRIES):
            try:
                file = await self.bot.get_file(attachment.file_id)
                _check_size(replace(attachment, size=file.file_size or 0))
                return bytes(await file.download_as_bytearray())
            except BadRequest as error:
                raise UnusableAttachment(phrase("senses.not_fetched")) from error
            except TelegramError as error:
                logger.info("a file was not fetched: %s", error_text(error))
                if not isinstance(error, NetworkError | RetryAfter) or tried + 1 == TRIES:
                    raise UnusableAttachment(phrase("senses.not_fetched")) from error
                await self.sleep(wanted_pause(error) if isinstance(error, RetryAfter) else PAUSE * 2**tried)
        raise AssertionError("the last try returns or raises")


def _decoded(data: bytes) -> str:
    """UTF-8 or UTF-16, or else the encoding of older Windows programs."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252" if encoding == "utf-8-sig" else encoding, errors="replace")
    return text.replace("\x00", "")


def _within_limits(text: str) -> str:
    note = f"\n[The file is cut off here: {LONGEST_TEXT} of its {len(text)} characters are shown.]"
    return text[:LONGEST_TEXT] + (note if len(text) > LONGEST_TEXT else "")


def _check_size(attachment: Attachment) -> None:
    """The message does not always give the size; `getFile` does. Raises UnusableAttachment."""
    if attachment.is_too_large:
        raise UnusableAttachment(phrase("senses.too_large", megabytes=LARGEST[attachment.kind] // MEGABYTE))
