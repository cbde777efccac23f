"""Collects the events of the test's process, in the form in which a journal writes them."""

from tellonce import tracing


class EventCollector:
    """A collector: `events.fields_of("parse_failed")` returns the fields of each such event."""

    def __init__(self) -> None:
        self.all: list[tuple[str, dict[str, object]]] = []

    def __call__(self, event: str, /, **fields: object) -> None:
        self.all.append((event, {"traceId": tracing.trace_id(), **fields}))

    def fields_of(self, event: str) -> list[dict[str, object]]:
        return [fields for name, fields in self.all if name == event]
