"""A stub of an Ollama server, with plain and streamed chat, the model list and all failures of `replies`.

It can also run as a separate process: `python -m tests.stubs.ollama_stub --port 11434 --say hello`.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.stubs.loopback import CutError
from tests.stubs.replies import ErrorInStream, Fail, Garbage, HalfStream, Hang, Reply, Say, UseTool
from tests.stubs.standalone import run_alone
from tests.stubs.stub import Asked, ModelStub, Script, estimate, never_answers, raw, retry_header

_STOPS = {"end": "stop", "max_tokens": "length", "refusal": "stop"}


class OllamaStub(ModelStub):
    """An Ollama server. `stub.url` is a value for OLLAMA_HOST. Like the real server, it answers 404 for a model that is
    not in `models`."""

    def __init__(
        self,
        script: Script | Reply | None = None,
        port: int = 0,
        models: tuple[str, ...] = ("llama3.2",),
        capabilities: tuple[str, ...] = ("completion",),
    ) -> None:
        super().__init__(script, port)
        self.models = models
        self.capabilities = capabilities

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self._alive, methods=["GET", "HEAD"]),
                Route("/api/chat", self._chat, methods=["POST"]),
                Route("/api/show", self._show, methods=["POST"]),
                Route("/api/tags", self._tags, methods=["GET"]),
                Route("/api/ps", self._tags, methods=["GET"]),
                Route("/api/version", self._version, methods=["GET"]),
            ]
        )

    async def _alive(self, request: Request) -> Response:
        return PlainTextResponse("Ollama is running")

    async def _version(self, request: Request) -> Response:
        return JSONResponse({"version": "0.0.0-stub"})

    async def _show(self, request: Request) -> Response:
        return JSONResponse({"capabilities": list(self.capabilities), "details": {}, "model_info": {}})

    async def _tags(self, request: Request) -> Response:
        return JSONResponse({"models": [{"name": name, "model": name, "size": 1} for name in self.models]})

    async def _chat(self, request: Request) -> Response:
        asked = await self.asked_of(request)
        if asked.model not in self.models:
            return _error(Fail(404, f"model '{asked.model}' not found"))
        if not asked.messages:
            return JSONResponse(_part(asked, "", done=True, done_reason="load"))
        reply = await self.decide(asked)
        streamed = asked.body.get("stream", True)
        if never_answers(reply, streamed):
            await self.hang()
        if isinstance(reply, Fail):
            return _error(reply)
        if isinstance(reply, Garbage):
            return raw(reply)
        if streamed:
            return StreamingResponse(self._lines(asked, reply), media_type="application/x-ndjson")
        return JSONResponse(_whole(asked, reply))

    async def _lines(self, asked: Asked, reply: Reply) -> AsyncIterator[bytes]:
        for piece in _pieces(reply):
            yield _line(_part(asked, piece, done=False))
        if isinstance(reply, Hang):
            await self.hang()
        if isinstance(reply, ErrorInStream):
            yield _line({"error": reply.message})
            return
        if isinstance(reply, HalfStream):
            if reply.cut:
                raise CutError
            return
        yield _line({**_whole(asked, reply), "message": {"role": "assistant", "content": ""}})


def _pieces(reply: Reply) -> list[str]:
    if isinstance(reply, Say):
        return reply.pieces()
    if isinstance(reply, Hang):
        return [reply.after] if reply.after else []
    return Say(reply.text).pieces() if isinstance(reply, HalfStream | ErrorInStream) else []


def _part(asked: Asked, text: str, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": asked.model, "created_at": "2026-01-01T00:00:00Z", "message": message, **fields}


def _whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    if isinstance(reply, UseTool):
        raise NotImplementedError("the Ollama stub calls no tools")
    text = "".join(_pieces(reply))
    said = reply if isinstance(reply, Say) else Say(text)
    return _part(
        asked,
        text,
        done=True,
        done_reason=_STOPS[said.stop],
        prompt_eval_count=estimate(asked.prompt) if said.input_tokens is None else said.input_tokens,
        eval_count=estimate(text) if said.output_tokens is None else said.output_tokens,
    )


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _error(reply: Fail) -> Response:
    return JSONResponse({"error": reply.message}, status_code=reply.status, headers=retry_header(reply))


if __name__ == "__main__":
    run_alone(OllamaStub)
