"""Faults of a Bot API call, for any method."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Refuse:
    """An error answer in the Bot API's form; the call has no effect."""

    code: int
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return answer | ({"parameters": self.parameters} if self.parameters else {})


@dataclass(frozen=True)
class DropBefore:
    """The connection breaks, and the call has no effect."""


@dataclass(frozen=True)
class DropAfter:
    """The call takes effect, and then the connection breaks. The caller cannot know that the call took effect."""


@dataclass(frozen=True)
class Hang:
    """The call takes effect, and the answer never comes."""


@dataclass(frozen=True)
class Stall:
    """The call has no effect, and the answer never comes."""


@dataclass(frozen=True)
class Late:
    """The call takes effect after `seconds`, even if its caller no longer waits."""

    seconds: float


@dataclass(frozen=True)
class Garbage:
    """The call takes effect, and the answer is not JSON."""


Fault = Refuse | DropBefore | DropAfter | Hang | Stall | Late | Garbage


class RefusedError(Exception):
    """A call that the Bot API would refuse by its own rules."""

    def __init__(self, description: str, code: int = 400, **parameters: Any) -> None:
        super().__init__(description)
        self.refusal = Refuse(code, description, parameters)


def slow_down(seconds: int) -> Refuse:
    return Refuse(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})


def unreadable_markdown() -> Refuse:
    return Refuse(400, "Bad Request: can't parse entities: can't find end of the entity starting at byte offset 3")
