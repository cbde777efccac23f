"""A stub of the Anthropic Messages API, with plain and streamed answers, token counts and all failures of `replies`.

It can also run as a separate process: `python -m tests.stubs.anthropic_stub --port 9101 --say hello`.
"""

import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.stubs.loopback import CutError
from tests.stubs.replies import ErrorInStream, Fail, Garbage, HalfStream, Hang, Reply, Say, UseTool
from tests.stubs.standalone import run_alone
from tests.stubs.stub import Asked, ModelStub, estimate, never_answers, raw, retry_header

_STOPS = {"end": "end_turn", "max_tokens": "max_tokens", "refusal": "refusal"}
_SAMPLING = ("temperature", "top_p", "top_k")
_numbers = itertools.count(1)


class AnthropicStub(ModelStub):
    """`stub.url` is a base URL for the SDK and for ANTHROPIC_BASE_URL (without `/v1`)."""

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self._count, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
            ]
        )

    async def _messages(self, request: Request) -> Response:
        asked = await self.asked_of(request)
        wrong = _wrong(asked)
        if wrong is not None:
            return _error(wrong)
        reply = await self.decide(asked)
        if never_answers(reply, asked.streamed):
            await self.hang()
        if isinstance(reply, Fail):
            return _error(reply)
        if isinstance(reply, Garbage):
            return raw(reply)
        if asked.streamed:
            return StreamingResponse(self._events(asked, reply), media_type="text/event-stream")
        return JSONResponse(_message(asked, reply))

    async def _count(self, request: Request) -> Response:
        asked = await self.asked_of(request)
        return JSONResponse({"input_tokens": estimate(asked.prompt)})

    async def _models(self, request: Request) -> Response:
        models = [
            {"id": "claude-haiku-4-5", "type": "model", "display_name": "Haiku", "created_at": "2025-10-01T00:00:00Z"}
        ]
        return JSONResponse({"data": models, "has_more": False, "first_id": None, "last_id": None})

    async def _events(self, asked: Asked, reply: Reply) -> AsyncIterator[bytes]:
        if isinstance(reply, Garbage | Fail):
            return
        message = _message(asked, reply)
        final = message.pop("stop_reason")
        start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
        yield _event("message_start", message=start)
        if isinstance(reply, UseTool):
            for event in _tool_events(message["content"][0]):
                yield event
        else:
            yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
            for piece in _pieces(reply):
                yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
            async for event in self._trouble(reply):
                yield event
            if isinstance(reply, HalfStream):
                return
            yield _event("content_block_stop", index=0)
        yield _event(
            "message_delta",
            delta={"stop_reason": final, "stop_sequence": None},
            usage={"output_tokens": message["usage"]["output_tokens"]},
        )
        yield _event("message_stop")

    async def _trouble(self, reply: Reply) -> AsyncIterator[bytes]:
        if isinstance(reply, Hang):
            await self.hang()
        if isinstance(reply, ErrorInStream):
            yield _event("error", error={"type": reply.kind, "message": reply.message})
        if isinstance(reply, HalfStream) and reply.cut:
            raise CutError


def _pieces(reply: Reply) -> list[str]:
    if isinstance(reply, Say):
        return reply.pieces()
    if isinstance(reply, Hang):
        return [reply.after]
    return Say(reply.text).pieces() if isinstance(reply, HalfStream | ErrorInStream) else []


def _tool_events(block: dict[str, Any]) -> list[bytes]:
    delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        _event("content_block_start", index=0, content_block={**block, "input": {}}),
        _event("content_block_delta", index=0, delta=delta),
        _event("content_block_stop", index=0),
    ]


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _message(asked: Asked, reply: Reply) -> dict[str, Any]:
    text = "".join(_pieces(reply))
    number = next(_numbers)
    content: dict[str, Any] = {"type": "text", "text": text}
    stop = _STOPS[reply.stop] if isinstance(reply, Say) else "end_turn"
    if isinstance(reply, UseTool):
        content = {"type": "tool_use", "id": f"toolu_{number}", "name": reply.name, "input": reply.input}
        stop = "tool_use"
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [content],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": _usage(asked, reply, text),
    }


def _usage(asked: Asked, reply: Reply, text: str) -> dict[str, int]:
    said = reply if isinstance(reply, Say) else Say(text)
    return {
        "input_tokens": estimate(asked.prompt) if said.input_tokens is None else said.input_tokens,
        "output_tokens": estimate(text) if said.output_tokens is None else said.output_tokens,
        "cache_read_input_tokens": said.cache_read,
        "cache_creation_input_tokens": said.cache_write,
    }


def _wrong(asked: Asked) -> Fail | None:
    """The error that the real API of this version would return for the request; None if the API would accept the
    request."""
    if not (asked.headers.get("authorization") or asked.headers.get("x-api-key")):
        return Fail(401, "no credentials", "authentication_error")
    if asked.headers.get("anthropic-version", "") >= "2026-10-21" and any(name in asked.body for name in _SAMPLING):
        return Fail(400, "temperature: Extra inputs are not permitted", "invalid_request_error")
    if not asked.messages or "max_tokens" not in asked.body:
        return Fail(400, "messages and max_tokens are required", "invalid_request_error")
    if asked.schema is not None and not _closed(asked.schema):
        return Fail(400, "additionalProperties must be false", "invalid_request_error")
    return None


def _closed(schema: object) -> bool:
    if isinstance(schema, list):
        return all(_closed(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    open_object = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    return not open_object and all(_closed(part) for part in schema.values())


def _error(reply: Fail) -> Response:
    body = {"type": "error", "error": {"type": reply.kind, "message": reply.message}, "request_id": "req_stub"}
    return JSONResponse(body, status_code=reply.status, headers=retry_header(reply))


if __name__ == "__main__":
    run_alone(AnthropicStub)
