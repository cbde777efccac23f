"""Transcribes voice messages with an OpenAI-compatible endpoint or a command, if either is configured."""

import shlex
import tempfile
from collections.abc import Awaitable, Callable
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
    """Return the transcriber: the endpoint if it is configured, else the command; None if neither of them is
    configured."""
    if settings.url is not None:
        key = settings.key.get_secret_value() if settings.key else None
        return _ByAddress(settings.url, settings.model, key)
    return _ByCommand(settings.command) if settings.command else None


class _ByAddress:
    def __init__(self, url: str, model: str, key: str | None) -> None:
        self._url = url if url.rstrip("/").endswith(("/transcriptions", "/inference")) else url.rstrip("/") + PATH
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def __call__(self, data: bytes, name: str) -> str:
        fields = {"model": self._model, "response_format": "json"}
        try:
            async with httpx.AsyncClient(timeout=SECONDS) as http:
                answer = await http.post(self._url, data=fields, files={"file": (name, data)}, headers=self._headers)
            answer.raise_for_status()
            return _words(answer.json()["text"])
        except httpx.HTTPStatusError as error:
            raise NotTranscribed(f"the transcription server answered {error.response.status_code}") from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
            raise NotTranscribed(f"no transcription ({type(error).__name__})") from error


class _ByCommand:
    """Runs the command. The file's path replaces `{file}`; without `{file}`, the path is added as the last argument."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)

    async def __call__(self, data: bytes, name: str) -> str:
        with tempfile.TemporaryDirectory(prefix="tellonce-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / name
            file.write_bytes(data)
            return await self._said(str(file))

    async def _said(self, file: str) -> str:
        named = any("{file}" in part for part in self._command)
        command = [part.replace("{file}", file) for part in self._command] + ([] if named else [file])
        try:
            code, out, _ = await output(command, SECONDS, only_its_own())
        except TimeoutError as error:
            raise NotTranscribed(f"{command[0]} took longer than {SECONDS:.0f} s") from error
        except OSError as error:
            raise NotTranscribed(f"{command[0]} cannot be run: {error.strerror}") from error
        if code:
            raise NotTranscribed(f"{command[0]} ended with {code}")
        return _words(out.decode(errors="replace"))


def _words(text: object) -> str:
    """The transcript as one line. Raises NotTranscribed if the transcript is empty."""
    flat = " ".join(str(text).replace("\x00", " ").split())
    if not flat:
        raise NotTranscribed("nothing was said")
    return flat
