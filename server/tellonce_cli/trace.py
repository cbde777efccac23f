"""`tellonce trace`: prints the events of one turn from all processes in time order, or lists the last turns."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rich.text import Text

from tellonce.settings import ServerSettings, load
from tellonce_cli.screen import CommandFailed, answer, console, hint

MOST_TURNS = 20
INDENTED = "server"
"""The process whose events are indented. They are steps of the calls by other processes."""

TROUBLE = frozenset(
    "model_fallback parse_failed turn_failed turn_resumed reply_not_shown reply_unrecorded work_failed work_crashed "
    "work_handed_back lease_lost result_refused submit_delayed routine_failed update_passed_over".split()
)
_HEAD = frozenset(("at", "process", "event", "traceId", "ms"))


@dataclass(frozen=True)
class Event:
    """An event from one line of the journal. The event ended at `at` and, if it was timed, took `ms` milliseconds."""

    at: datetime
    process: str
    name: str
    trace_id: str | None
    ms: float | None
    details: dict[str, Any]

    @property
    def start(self) -> datetime:
        return self.at - timedelta(milliseconds=self.ms or 0)


def run(trace_id: str | None) -> int:
    """Print one turn. `trace_id` is the beginning of its id. Without an id, list the last turns."""
    settings = load(ServerSettings)
    folder = settings.log_dir.absolute()
    if trace_id is None:
        turns = last_turns(folder)
        if not turns:
            raise CommandFailed(f"There is no turn in {folder}. {_advice(settings)}")
        console.print(*map(_title, turns), sep="\n")
        hint("`tellonce trace ID` shows the events of one of them; the beginning of its id is enough.")
        answer([[asdict(event) for event in events] for events in turns])
        return 0
    found = [event for event in _events(folder, trace_id) if (event.trace_id or "").startswith(trace_id)]
    ids = sorted({event.trace_id or "" for event in found})
    if not found:
        raise CommandFailed(f"There is no event of trace {trace_id} in {folder}. {_advice(settings)}")
    if len(ids) > 1:
        raise CommandFailed(f"{len(ids)} traces begin with {trace_id}; type more of the id: {', '.join(ids[:5])}")
    events = _ordered(found)
    console.print(_title(events), *(_line(event, events[0].start) for event in events), sep="\n")
    answer([asdict(event) for event in found])
    return 0


def _advice(settings: ServerSettings) -> str:
    if settings.observability:
        return "Send the bot a message, or run this in the folder where you started `tellonce up`."
    return "Events are written only with OBSERVABILITY_ENABLED=1: put it into .env, then start `tellonce up` again."


def last_turns(folder: Path) -> list[list[Event]]:
    """The last turns, from the newest files. A turn is a list of its events. The newest turn is first."""
    for count in (1, 7, 365):
        traces: dict[str, list[Event]] = {}
        for event in _events(folder, days=count):
            if event.trace_id is not None:
                traces.setdefault(event.trace_id, []).append(event)
        turns = [events for events in traces.values() if any(e.name == "message_received" for e in events)]
        if len(turns) >= MOST_TURNS:
            break
    return sorted(turns, key=lambda events: min(e.start for e in events), reverse=True)[:MOST_TURNS]


def _events(folder: Path, about: str = "", days: int | None = None) -> Iterator[Event]:
    """Only lines that contain `about` are read. A line cut by a crash is skipped."""
    files = sorted(folder.glob("*.jsonl"))
    for file in files[-days:] if days is not None else files:
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if about in line and (event := _event(line)) is not None:
                yield event


def _event(line: str) -> Event | None:
    try:
        found = json.loads(line)
        details = {name: value for name, value in found.items() if name not in _HEAD}
        at = datetime.fromisoformat(found["at"])
        return Event(at, found["process"], found["event"], found["traceId"], found.get("ms"), details)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _ordered(events: Sequence[Event]) -> list[Event]:
    """Of events that start together, the longest comes first."""
    return sorted(events, key=lambda e: (e.start, -(e.ms or 0)))


def _title(events: Sequence[Event]) -> Text:
    start = min(event.start for event in events)
    parts = [f"{events[0].trace_id}  {start:%a %d %b %Y %H:%M:%S %z}"]
    for name, text in (("reply_sent", "answered"), ("ltm_store_result", "remembered")):
        if (after := _after(events, name)) is not None:
            parts.append(f"{text} after {_ms(after)}")
    trouble = sorted({event.name for event in events if event.name in TROUBLE})
    return Text.assemble(" · ".join(parts), (" · " + ", ".join(trouble) if trouble else "", "red"))


def _after(events: Sequence[Event], name: str) -> float | None:
    """Milliseconds from the beginning of the turn to the end of the event."""
    done = [event.at for event in events if event.name == name]
    began = min(event.start for event in events)
    return (min(done) - began).total_seconds() * 1000 if done else None


def _line(event: Event, origin: datetime) -> Text:
    after = (event.start - origin).total_seconds() * 1000
    process = f"  {event.process}" if event.process == INDENTED else event.process
    details = " ".join(f"{key}={_value(value)}" for key, value in event.details.items())
    took = f"{_ms(event.ms)} " if event.ms is not None else ""
    color = "red" if event.name in TROUBLE or event.details.get("ok") is False else "cyan"
    return Text.assemble(
        (f"{after:>8.1f}", "dim"), f"  {process}: ", (event.name, color), " ", (took, "bold"), (details, "dim")
    )


def _value(value: object) -> str:
    return ",".join(str(part) for part in value) if isinstance(value, list) else str(value)


def _ms(value: float) -> str:
    return f"{value:.1f} ms" if value < 1000 else f"{value / 1000:.2f} s"
