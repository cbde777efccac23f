"""Stubs of the models of Codex (Responses API) and Gemini CLI (generateContent). They answer each request with a text
or one tool call."""

import json
from collections.abc import Iterable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.stubs.replies import Reply, Say, UseTool
from tests.stubs.stub import ModelStub, estimate


class ResponsesStub(ModelStub):
    """OpenAI's Responses API. `stub.url` + "/v1" is the base URL of a provider."""

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/responses", self._responses, methods=["POST"])])

    async def _responses(self, request: Request) -> Response:
        asked = await self.asked_of(request)
        number = len(self.asked)
        item = _item(await self.decide(asked), number, asked.body.get("tools", ()))
        usage = {"input_tokens": estimate(json.dumps(asked.body)), "output_tokens": 1}
        done = {"id": f"resp_{number}", "output": [item], "usage": {**usage, "total_tokens": sum(usage.values())}}
        return _stream(
            {"type": "response.created", "response": {"id": f"resp_{number}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done},
        )


class GenerateContentStub(ModelStub):
    """Google's generateContent API, streamed or not. `stub.url` is the base URL."""

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{version}/models/{call:path}", self._generate, methods=["POST"])])

    async def _generate(self, request: Request) -> Response:
        asked = await self.asked_of(request)
        if asked.path.endswith(":countTokens"):
            return JSONResponse({"totalTokens": estimate(json.dumps(asked.body))})
        answer = {"candidates": [_candidate(await self.decide(asked))], "usageMetadata": {"totalTokenCount": 1}}
        return _stream(answer) if asked.path.endswith(":streamGenerateContent") else JSONResponse(answer)


def _item(reply: Reply, number: int, tools: Iterable[dict[str, Any]]) -> dict[str, Any]:
    if isinstance(reply, UseTool):
        call = {"call_id": f"call_{number}", "name": reply.name, "arguments": json.dumps(reply.input)}
        namespace = next((space["name"] for space in tools if reply.name in _names(space)), None)
        return {"type": "function_call", "id": f"fc_{number}", "namespace": namespace, **call}
    assert isinstance(reply, Say)
    content = [{"type": "output_text", "text": reply.text, "annotations": []}]
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}


def _names(space: dict[str, Any]) -> list[str]:
    """The names of the tools in a namespace. Codex uses one namespace for each MCP server."""
    return [tool["name"] for tool in space.get("tools", ())]


def _candidate(reply: Reply) -> dict[str, Any]:
    if isinstance(reply, UseTool):
        part: dict[str, Any] = {"functionCall": {"name": reply.name, "args": reply.input}}
    else:
        assert isinstance(reply, Say)
        part = {"text": reply.text}
    return {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}


def _stream(*events: dict[str, Any]) -> Response:
    return Response("".join(_lines(events)), media_type="text/event-stream")


def _lines(events: Iterable[dict[str, Any]]) -> Iterable[str]:
    for event in events:
        head = f"event: {event['type']}\n" if "type" in event else ""
        yield f"{head}data: {json.dumps(event)}\n\n"
