"""Notifies subscribers of changes. An assistant is notified of changes in its own user's memory. The relay is notified
of changes in all memories."""

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent

from tellonce_server.core.scope import Caller

Listener = Callable[[ServerEvent], None]

WANTED: ContextVar[Sequence[str]] = ContextVar("wanted", default=())
"""The URIs of the resources to which the current call's stream subscribes."""


@dataclass(frozen=True)
class Change:
    """A change of a resource in the memory of one owner."""

    owner_id: int
    uri: str


class Changes:
    """Delivers changes to the listeners in this process. A change can come from any process."""

    def __init__(self) -> None:
        self._listeners: set[Callable[[Change], None]] = set()

    def tell(self, change: Change) -> None:
        for listener in list(self._listeners):
            listener(change)

    def hear(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Register a listener, which is called for each change. The returned function removes the listener."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)


class OwnChanges(InMemorySubscriptionBus):
    """The subscription bus of the MCP server. A subscriber gets only the changes that it may see."""

    def __init__(self, changes: Changes, caller_of: Callable[[], Caller]) -> None:
        super().__init__()
        self._changes = changes
        self._caller_of = caller_of

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        caller, wanted = self._caller_of(), WANTED.get()
        leave_bus = super().subscribe(listener)

        def hear(change: Change) -> None:
            if may_hear(caller, change):
                for uri in _affected(change.uri, wanted):
                    listener(ResourceUpdated(uri=uri))

        leave = self._changes.hear(hear)

        def unsubscribe() -> None:
            leave()
            leave_bus()

        return unsubscribe


def may_hear(caller: Caller, change: Change) -> bool:
    if "relay" in caller.scopes:
        return True
    return "assistant" in caller.scopes and caller.user_id == change.owner_id


def _affected(uri: str, wanted: Sequence[str]) -> Iterator[str]:
    """The changed resource, and those of `wanted` that may change with it."""
    yield uri
    chat, _, part = uri.rpartition("/")
    if uri == "memory://profile":
        yield from (other for other in wanted if other.startswith("memory://memory/"))
    if part == "messages":
        yield from ("memory://chats", f"{chat}/summary")
    if uri == "memory://profile" or part == "messages":
        yield from (other for other in wanted if other.endswith("/context"))
