"""The line forms of a context, in the user's zone; pure. Nothing here knows a budget.

Every line comes ready for a prompt: what was stored stands in it without secrets and cannot leave its line.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tellonce.contract import MemoryKind
from tellonce_server.domain.retrieval.results import Hit
from tellonce_server.store.context import Chunk, Remembered
from tellonce_server.store.messages import Line
from tellonce_text.caches import of_texts
from tellonce_text.dates.annotation import annotated
from tellonce_text.dates.clock import age, clock_time, dated, local, local_day, period, time_of_day
from tellonce_text.dates.readings import Said
from tellonce_text.dates.regions import region_of
from tellonce_text.fences import contained, name_of
from tellonce_text.secrets import mask

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


@dataclass(frozen=True)
class View:
    """What the form of a line depends on: the moment it is read, the user's zone, and the thread of the talk."""

    now: datetime
    zone: ZoneInfo
    thread_key: str

    @cached_property
    def today(self) -> date:
        return local_day(self.now, self.zone)


class Shown(NamedTuple):
    """A message as the history shows it, with the local day it stands under."""

    line: Line
    day: date
    text: str


@of_texts
@lru_cache(maxsize=4_096)
def body(text: str) -> str:
    """Stored text behind a line's beginning: without secrets, and unable to leave its line.

    A chat's texts are shown again at every turn, but looked through only once.
    """
    return contained(mask(text))


@of_texts
@lru_cache(maxsize=4_096)
def with_days(text: str, said_at: datetime, zone: ZoneInfo) -> str:
    """The text with the days that its relative words mean beside them: `last Saturday (2026-02-14)`."""
    return annotated(text, Said(said_at, zone, region_of(zone)))


def shown(line: Line, view: View) -> Shown:
    """`[09:15 AM] User: …`, or a routine by its summary: `[morning-summary | 07:02 AM, 8h ago]: …`."""
    local_time = local(line.sent_at, view.zone)
    at = time_of_day(local_time)
    if line.routine is None:
        return Shown(line, local_time.date(), f"[{at}] {speaker(line.role, line.speaker)}: {body(line.content)}")
    lead = contained(f"[{name_of(line.routine)} | {at}, {age(line.sent_at, view.now, view.zone)}]: ")
    return Shown(line, local_time.date(), lead + body(line.routine_summary or line.content))


def speaker(role: str, name: str | None) -> str:
    """`User` and `Assistant`; in a group or an imported talk the person's own name stands beside the role."""
    title = "User" if role == "user" else "Assistant"
    return f"{title} ({_name(name)})" if name else title


def _name(text: str) -> str:
    """A name somebody chose, with no mark or tag of ours in it."""
    return contained(name_of(text)) if text else ""


def summary_line(chunk: Chunk, zone: ZoneInfo) -> str:
    """`[Summary | Feb 15–16]: …`."""
    return f"[Summary | {period(chunk.from_at, chunk.to_at, zone)}]: {contained(chunk.text)}"


def memory_line(memory: Remembered, view: View) -> str:
    """`- #12 text (Feb 15)`, with what is due: `(Feb 15, due Mar 1)`. A note is the user's quoted words."""
    said = f"{_told_by(memory)}“{memory.content}”" if memory.note else memory.content
    due = _due(memory, memory.deadline, view) if memory.deadline is not None else ""
    day = dated(local_day(memory.valid_from, view.zone), view.today)
    return contained(f"- #{memory.id} {said} ({day}{due})")


def _told_by(memory: Remembered) -> str:
    return f"{_name(memory.about)}: " if memory.about != "user" else ""


def _due(memory: Remembered, deadline: datetime, view: View) -> str:
    day = dated(local_day(deadline, view.zone), view.today)
    over = local_day(deadline, view.zone) < view.today
    if memory.kind == "goal":
        return f", overdue since {day}" if over else f", due {day}"
    return f", past: {day}" if over else f", on {day}"


def hit_line(hit: Hit, view: View) -> str:
    """A retrieval hit with its date, and its thread if that is another one: `[Feb 15, 3 days ago | 09:15 AM] User: …`.

    A hit that is not recent bears its day alone: age and minute would cost as much as a short message.  What a message
    says of "last Saturday" is of use only with the day that was.
    """
    text = with_days(hit.text, hit.at, view.zone) if hit.kind == "message" else hit.text
    return f"{_lead(hit, view)}: {body(text)}"


def least_cost(hit: Hit) -> int:
    """Tokens the hit's line costs at least, known without writing it: those of the text, if it stands there unchanged."""
    return hit.tokens if body(hit.text) == hit.full_text else 0


def _lead(hit: Hit, view: View) -> str:
    local_time = local(hit.at, view.zone)
    day = dated(local_time.date(), view.today)
    recent = view.now - hit.at < RECENT
    when = f"{day}, {age(hit.at, view.now, view.zone)}" if recent else day
    if hit.kind == "message":
        minute = f" | {time_of_day(local_time)}" if recent else ""
        thread = "" if hit.thread_key == view.thread_key else f" | in {_name(hit.thread_key or '')}"
        return f"[{when}{minute}{thread}] {_teller(hit)}"
    if hit.kind == "summary":
        return f"[Summary | {when}]"
    note = f", {hit.memory_status}" if hit.memory_status not in (None, "active") else ""
    return f"[{hit.kind} #{hit.id} | {when}{note}]"


def _teller(hit: Hit) -> str:
    """Who said it, by name; a name that is a role's stands beside the true role."""
    name = _name(hit.routine or hit.speaker or "")
    return name if name and name.casefold() not in ROLES else speaker(hit.role or "user", name or None)


def moment(at: datetime, view: View) -> str:
    """`Feb 15, 09:15 AM, 2h ago`."""
    return f"{dated(local_day(at, view.zone), view.today)}, {clock_time(at, view.zone)}, {age(at, view.now, view.zone)}"


def quoted_line(line: Line, view: View) -> str:
    """`[09:15 AM, yesterday] Assistant: …`: what the user replies to; a routine by its summary, as in the window."""
    if line.routine is not None:
        return shown(line, view).text
    at = clock_time(line.sent_at, view.zone)
    return f"[{at}, {age(line.sent_at, view.now, view.zone)}] {speaker(line.role, line.speaker)}: {body(line.content)}"
