"""The replies of a stubbed model: an answer, or one of several failures. Independent of any wire format."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from tests.patience import HANGS

Stop = Literal["end", "max_tokens", "refusal"]


@dataclass(frozen=True)
class Say:
    """Answers with `text`. If the answer is streamed, each piece has `piece` characters."""

    text: str
    stop: Stop = "end"
    piece: int = 8
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int = 0
    cache_write: int = 0

    def pieces(self) -> list[str]:
        return [self.text[i : i + self.piece] for i in range(0, len(self.text), self.piece)]


@dataclass(frozen=True)
class UseTool:
    """A reply that requests a tool call (Messages API only)."""

    name: str
    input: dict[str, Any]


@dataclass(frozen=True)
class Fail:
    """An HTTP error."""

    status: int
    message: str = "stubbed failure"
    kind: str = "api_error"
    retry_after: float | None = None


@dataclass(frozen=True)
class Hang:
    """Accepts the request and never completes the answer. If the answer is a stream, the text `after` is sent first."""

    after: str = ""


@dataclass(frozen=True)
class Garbage:
    """Answers HTTP 200 with a body of the wrong format."""

    body: str = "<html>captive portal</html>"


@dataclass(frozen=True)
class HalfStream:
    """Streams `text`. Then it drops the connection (`cut`) or ends without the closing events."""

    text: str
    cut: bool = True


@dataclass(frozen=True)
class ErrorInStream:
    """Streams `text`, then an error event."""

    text: str
    message: str = "Overloaded"
    kind: str = "overloaded_error"


Reply = Say | UseTool | Fail | Hang | Garbage | HalfStream | ErrorInStream


def seconds_for(reply: Reply) -> float:
    """The timeout for a model in a test: short for a reply that never ends, long for all others."""
    return 1.0 if isinstance(reply, Hang) else HANGS


def say_json(value: object) -> Say:
    """An answer to a request for structured output."""
    return Say(json.dumps(value, ensure_ascii=False))


MISBEHAVIOURS: dict[str, Reply] = {
    "hang": Hang(),
    "429": Fail(429, "slow down", "rate_limit_error", retry_after=2),
    "500": Fail(500, "internal", "api_error"),
    "529": Fail(529, "overloaded", "overloaded_error"),
    "garbage": Garbage(),
    "half": HalfStream("Half of an ans"),
    "refusal": Say("I cannot help with that.", stop="refusal"),
    "max_tokens": Say("This goes on and", stop="max_tokens"),
}
