"""Transcribes voice messages with an OpenAI-compatible endpoint or a command, if either is configured."""

import shlex
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import httpx

from tellonce.client_settings import Transcription
from tellonce_llm.child_process import only_its_own, output

SECONDS = 120.0
PATH = "/v1/audio/transcriptions"

Transcribe = Callable[[bytes, str], Awaitable[str]]
"""Maps a file's bytes and name to its transcript. Raises NotTranscribed."""


class NotTranscribed(Exception):
    """No transcript could be made. The exception's message is for the log, not for the user."""


def transcriber(settings: Transcription) -> Transcribe | None:
    """The endpoint if it is configured, else the command; None if neither is."""
    if settings.url is not None:
        key = settings.key.get_secret_value() if settings.key else None
        return partial(_by_address, settings.url, settings.model, key)
    return partial(_by_command, shlex.split(settings.command)) if settings.command else None


async def _by_address(url: str, model: str, key: str | None, data: bytes, name: str) -> str:
    address = url if url.rstrip("/").endswith(("/transcriptions", "/inference")) else url.rstrip("/") + PATH
    fields = {"model": model, "response_format": "json"}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with httpx.AsyncClient(timeout=SECONDS) as http:
            answer = await http.post(address, data=fields, files={"file": (name, data)}, headers=headers)
        answer.raise_for_status()
        return _words(answer.json()["text"])
    except httpx.HTTPStatusError as error:
        raise NotTranscribed(f"the transcription server answered {error.response.status_code}") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        raise NotTranscribed(f"no transcription ({type(error).__name__})") from error


async def _by_command(command: list[str], data: bytes, name: str) -> str:
    """The file's path replaces `{file}`, or is added as the last argument."""
    with tempfile.TemporaryDirectory(prefix="tellonce-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / name
        file.write_bytes(data)
        named = any("{file}" in part for part in command)
        arguments = [part.replace("{file}", str(file)) for part in command] + ([] if named else [str(file)])
        try:
            code, out, _ = await output(arguments, SECONDS, only_its_own())
        except TimeoutError as error:
            raise NotTranscribed(f"{command[0]} took longer than {SECONDS:.0f} s") from error
        except OSError as error:
            raise NotTranscribed(f"{command[0]} cannot be run: {error.strerror}") from error
    if code:
        raise NotTranscribed(f"{command[0]} ended with {code}")
    return _words(out.decode(errors="replace"))


def _words(text: object) -> str:
    flat = " ".join(str(text).replace("\x00", " ").split())
    if not flat:
        raise NotTranscribed("nothing was said")
    return flat
