"""A stub of an OpenAI-compatible transcription server. It returns the texts of the test, or it fails. It does not
process audio."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Self

from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.stubs.loopback import served


@dataclass
class TranscriptionStub:
    """A transcription server. `heard` lists the stub's answers in order, and the last one is repeated. If an answer is
    a number, it is sent as an HTTP status.

    Without answers, it returns the file's bytes as text. `files` are the received files.
    """

    heard: list[str | int] = field(default_factory=list)
    files: list[tuple[str, bytes, str]] = field(default_factory=list)
    url: str = ""
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        app = Starlette(routes=[Route("/v1/audio/transcriptions", self._transcribe, methods=["POST"])])
        self.url = await self._stack.enter_async_context(served(app))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _transcribe(self, request: Request) -> Response:
        async with request.form() as form:
            file = form["file"]
            assert isinstance(file, UploadFile)
            self.files.append((file.filename or "", await file.read(), str(form["model"])))
        heard = self.heard.pop(0) if len(self.heard) > 1 else next(iter(self.heard), self.files[-1][1].decode())
        if isinstance(heard, int):
            return JSONResponse({"error": {"message": "stubbed failure"}}, heard)
        return JSONResponse({"text": heard})
