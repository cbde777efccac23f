"""Delivers notifications of changes: to an assistant those of its own memory, to the relay those of every memory it
serves."""

from collections.abc import Callable
from dataclasses import dataclass

from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent

from tellonce_server.core.scope import Caller

Listener = Callable[[ServerEvent], None]


@dataclass(frozen=True)
class Change:
    """A resource of one owner changed."""

    owner_id: int
    uri: str


class Changes:
    """Changes announced by any process, delivered to the listeners in this one."""

    def __init__(self) -> None:
        self._listeners: dict[object, Callable[[Change], None]] = {}

    def tell(self, change: Change) -> None:
        for listener in list(self._listeners.values()):
            listener(change)

    def hear(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Register a listener. It is called for each change until the returned function is called."""
        key = object()
        self._listeners[key] = listener

        def leave() -> None:
            self._listeners.pop(key, None)

        return leave


class OwnChanges(InMemorySubscriptionBus):
    """The MCP server's subscription bus. A subscription belongs to the caller of the request that opens it."""

    def __init__(self, changes: Changes, caller_of: Callable[[], Caller]) -> None:
        super().__init__()
        self._changes = changes
        self._caller_of = caller_of

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        caller = self._caller_of()
        leave_bus = super().subscribe(listener)

        def hear(change: Change) -> None:
            if may_hear(caller, change):
                listener(ResourceUpdated(uri=change.uri))

        leave = self._changes.hear(hear)

        def unsubscribe() -> None:
            leave()
            leave_bus()

        return unsubscribe


def may_hear(caller: Caller, change: Change) -> bool:
    if "relay" in caller.scopes:
        return True
    return "assistant" in caller.scopes and caller.user_id == change.owner_id
