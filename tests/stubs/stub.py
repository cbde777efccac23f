"""The common part of the providers' stubs: a script that answers, a record of requests, and a running server."""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tests.stubs.loopback import served
from tests.stubs.replies import Fail, Garbage, Hang, Reply, Say


@dataclass(frozen=True)
class Asked:
    """One request as the stub received it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream", False))

    @property
    def system(self) -> str:
        """The system prompt as one text."""
        blocks = self.body.get("system") or ""
        written = [_text(message["content"]) for message in self.messages if message["role"] == "system"]
        return "\n".join([_text(blocks), *written]).strip()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", []))

    @property
    def user(self) -> str:
        """The last user message as one text."""
        texts = [_text(message["content"]) for message in self.messages if message["role"] == "user"]
        return texts[-1] if texts else ""

    @property
    def prompt(self) -> str:
        """Everything that the model was shown."""
        turns = [_text(message["content"]) for message in self.messages if message["role"] != "system"]
        return "\n".join([self.system, *turns])

    @property
    def schema(self) -> dict[str, Any] | None:
        """The requested JSON schema, from either wire format."""
        format = self.body.get("format") or (self.body.get("output_config") or {}).get("format")
        return dict(format.get("schema", format)) if isinstance(format, dict) else None


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(str(block.get("text") or block.get("content") or "") for block in content)


Script = Callable[[Asked], Reply | Awaitable[Reply]]


def always(reply: Reply) -> Script:
    """The same reply to every request."""
    return lambda asked: reply


class ModelStub:
    """A provider on loopback: `async with AnthropicStub(script) as stub:` gives `stub.url` and `stub.asked`.

    `script` may be replaced while the stub runs. While `down` is set, it closes every connection without an answer.
    """

    def __init__(self, script: Script | Reply | None = None, port: int = 0) -> None:
        self.script: Script = script if callable(script) else always(script or Say("ok"))
        self.asked: list[Asked] = []
        self.url = ""
        self._port = port
        self._released = asyncio.Event()
        self._stack = AsyncExitStack()

    def app(self) -> Starlette:
        """The ASGI application; each provider has its own routes."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        self._released.clear()
        self.url = await self._stack.enter_async_context(served(self.app(), self._port))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._released.set()
        await self._stack.aclose()

    async def asked_of(self, request: Request) -> Asked:
        """Record a request and return it."""
        asked = Asked(request.url.path, dict(request.headers), json.loads(await request.body() or b"{}"))
        self.asked.append(asked)
        return asked

    async def decide(self, asked: Asked) -> Reply:
        """The script's reply to a request."""
        reply = self.script(asked)
        return await reply if inspect.isawaitable(reply) else reply

    async def hang(self) -> None:
        """Wait until the stub is closed."""
        await self._released.wait()


def raw(reply: Garbage) -> Response:
    """A body that cannot be parsed."""
    return PlainTextResponse(reply.body, media_type="application/json")


def retry_header(reply: Fail) -> dict[str, str]:
    """The header `retry-after`, if the script sets it."""
    return {} if reply.retry_after is None else {"retry-after": f"{reply.retry_after:g}"}


def estimate(text: str) -> int:
    """A rough token count."""
    return max(1, len(text) // 4)


def never_answers(reply: Reply, streamed: bool) -> bool:
    """Whether the answer must hang before its first byte."""
    return isinstance(reply, Hang) and not (streamed and reply.after)
