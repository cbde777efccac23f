"""`chatmem trace ID`: one turn as a tree with times, from the JSON-lines events."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.tree import Tree

from chatmem.settings import ServerSettings, load
from chatmem_cli.failures import CommandFailed

# Texts of people may hold brackets: nothing is markup.
console = Console(markup=False, highlight=False)
_OWN = frozenset(("at", "service", "event", "traceId"))


def run(trace_id: str) -> int:
    settings = load(ServerSettings)
    events = sorted(events_of(settings.log_dir, trace_id), key=lambda e: str(e["at"]))
    if not events:
        raise CommandFailed(
            f"no event of trace {trace_id} in {settings.log_dir}; it needs OBSERVABILITY_ENABLED=1 while the turn runs."
        )
    console.print(tree_of(trace_id, events))
    return 0


def events_of(folder: Path, trace_id: str) -> Iterator[dict[str, Any]]:
    """Events of one trace, from every day's file. A line cut short by a crash is passed over."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if trace_id not in line:
                continue
            try:
                event: dict[str, Any] = json.loads(line)
            except ValueError:
                continue
            if event.get("traceId") == trace_id:
                yield event


def tree_of(trace_id: str, events: list[dict[str, Any]]) -> Tree:
    start = datetime.fromisoformat(events[0]["at"])
    tree = Tree(f"{trace_id}  {start:%Y-%m-%d %H:%M:%S}")
    branches: dict[str, Tree] = {}
    for event in events:
        service = str(event["service"])
        branch = branches.setdefault(service, tree.add(service) if service not in branches else branches[service])
        after = (datetime.fromisoformat(event["at"]) - start).total_seconds() * 1000
        details = " ".join(f"{key}={value}" for key, value in event.items() if key not in _OWN)
        branch.add(f"+{after:7.1f} ms  {event['event']}  {details}")
    return tree
