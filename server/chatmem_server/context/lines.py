"""The line forms of a context, in the user's zone; pure. Nothing here knows a budget."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from chatmem.contract import MemoryKind
from chatmem_server.dates.clock import age, clock_time, dated, day_header, local_day, period
from chatmem_server.retrieval.hits import Hit
from chatmem_server.store.context import Chunk, Remembered
from chatmem_server.store.messages import Line
from chatmem_server.text.fences import name_of
from chatmem_server.text.secrets import mask

RECENT = timedelta(days=7)
ROLES = ("user", "assistant", "system", "human")

KIND_TITLES: dict[MemoryKind, str] = {
    "fact": "FACTS",
    "preference": "PREFERENCES",
    "goal": "GOALS",
    "date": "IMPORTANT DATES",
    "outcome": "OUTCOMES",
    "pin": "PINS",
}


def message_line(line: Line, now: datetime, zone: ZoneInfo) -> str:
    """`[09:15 AM] User: …`, or a routine by its summary: `[morning-summary | 07:02 AM, 8h ago]: …`."""
    at = clock_time(line.sent_at, zone)
    if line.routine is not None:
        return (
            f"[{name_of(line.routine)} | {at}, {age(line.sent_at, now)}]: {mask(line.routine_summary or line.content)}"
        )
    return f"[{at}] {speaker(line.role, line.speaker)}: {mask(line.content)}"


def speaker(role: str, name: str | None) -> str:
    """`User` and `Assistant`; in a group or an imported talk the person's own name stands beside the role."""
    title = "User" if role == "user" else "Assistant"
    return f"{title} ({name_of(name)})" if name else title


def header_before(line: Line, previous: Line | None, zone: ZoneInfo) -> str | None:
    """The day header a line needs, if its day differs from the line's before."""
    if previous is not None and local_day(previous.sent_at, zone) == local_day(line.sent_at, zone):
        return None
    return day_header(line.sent_at, zone)


def history(lines: Sequence[Line], now: datetime, zone: ZoneInfo) -> str:
    """Verbatim messages under day headers, oldest first."""
    out: list[str] = []
    previous: Line | None = None
    for line in lines:
        header = header_before(line, previous, zone)
        out += [header] if header else []
        out.append(message_line(line, now, zone))
        previous = line
    return "\n".join(out)


def summary_line(chunk: Chunk, zone: ZoneInfo) -> str:
    """`[Summary | Feb 15–16]: …`."""
    return f"[Summary | {period(chunk.from_at, chunk.to_at, zone)}]: {chunk.text}"


def memory_line(memory: Remembered, now: datetime, zone: ZoneInfo) -> str:
    """`- text (by Mar 15)`; a pin keeps its mark wherever it stands."""
    due = f" ({_due(memory, now, zone)})" if memory.deadline is not None else ""
    return f"- {memory.content}{due}"


def _due(memory: Remembered, now: datetime, zone: ZoneInfo) -> str:
    assert memory.deadline is not None  # the caller asks only then
    day = dated(local_day(memory.deadline, zone), local_day(now, zone))
    return f"due {day}" if memory.kind == "goal" else day


def hit_line(hit: Hit, now: datetime, zone: ZoneInfo, thread_key: str) -> str:
    """A retrieval hit with its date, and its lane if that is another one: `[Feb 15, 3 days ago | 09:15 AM] User: …`.

    Of what is older the day alone: age and minute would cost as much as a short message says.
    """
    day = dated(local_day(hit.at, zone), local_day(now, zone))
    recent = now - hit.at < RECENT
    when = f"{day}, {age(hit.at, now)}" if recent else day
    if hit.kind == "message":
        minute = f" | {clock_time(hit.at, zone)}" if recent else ""
        lane = "" if hit.thread_key == thread_key else f" | in {name_of(hit.thread_key or '')}"
        return f"[{when}{minute}{lane}] {_teller(hit)}: {mask(hit.text)}"
    if hit.kind == "summary":
        return f"[Summary | {when}]: {mask(hit.text)}"
    note = f", {hit.memory_status}" if hit.memory_status not in (None, "active") else ""
    return f"[{hit.kind} | {when}{note}]: {mask(hit.text)}"


def _teller(hit: Hit) -> str:
    """Who said it, by name; a name that is a role's stands beside the true role."""
    name = name_of(hit.routine or hit.speaker or "")
    return name if name and name.casefold() not in ROLES else speaker(hit.role or "user", name or None)


def quoted_line(line: Line, now: datetime, zone: ZoneInfo) -> str:
    """`[09:15 AM, yesterday] Assistant: …`: what the user replies to; a routine by its summary, as in the window."""
    if line.routine is not None:
        return message_line(line, now, zone)
    return f"[{clock_time(line.sent_at, zone)}, {age(line.sent_at, now)}] {speaker(line.role, line.speaker)}: {mask(line.content)}"
