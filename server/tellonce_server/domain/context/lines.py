"""Formats the lines of a context, with times in the user's zone. Pure.

Every line is ready for a prompt: secrets are masked, and stored text cannot break out of its line.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce.contract_types import MEMORY_KINDS, MemoryKind
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import Chunk, Learned, Remembered
from tellonce_server.store.messages import Line
from tellonce_text.caches import of_texts
from tellonce_text.changes import Changes, MessageRange, marked
from tellonce_text.dates.annotation import annotated
from tellonce_text.dates.clock import STAMP, age, clock_time, dated, is_day, local, local_day, period, time_of_day
from tellonce_text.dates.readings import Said
from tellonce_text.dates.zones import region_of
from tellonce_text.fences import contained, name_of
from tellonce_text.own_words import written_at
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip, estimate

RECENT = timedelta(days=7)
ROUTINE = 300
"""A routine's message without a summary is cut to this many characters."""
ROLES = ("user", "assistant", "system", "human")

KIND_TITLES: Final[dict[MemoryKind, str]] = {
    **{kind: f"{kind.upper()}S" for kind in MEMORY_KINDS},
    "date": "IMPORTANT DATES",
}
LIST = "ALL OF THIS KIND"
SOME = "OF THIS KIND, AS FAR AS KNOWN"
"""The title of a list that may lack members or have wrong ones. See `Memories.fill_list`."""


@dataclass(frozen=True)
class View:
    """What the form of a line depends on. `known` are the memories that have their own lines in the context. `names`
    are the names of other chats."""

    now: datetime
    zone: ZoneInfo
    thread_key: str
    chat_id: int = 0
    changes: Changes = field(default_factory=dict)
    known: frozenset[int] = frozenset()
    names: Mapping[int, str] = field(default_factory=dict)

    def current(self, text: str, place: MessageRange | None) -> str:
        """The text of a message or summary, with a mark such as `(since changed: #8)` for each outdated statement."""
        return marked(text, place, self.changes, self.known)

    def at(self, message_id: int) -> MessageRange:
        """The place of a message of this chat."""
        return MessageRange(self.chat_id, message_id, message_id)

    @cached_property
    def today(self) -> date:
        return local_day(self.now, self.zone)


class Shown(NamedTuple):
    """A message of the history with its rendered text and its local day."""

    line: Line
    day: date
    text: str


@of_texts
@lru_cache(maxsize=4_096)
def body(text: str) -> str:
    """Stored text in a form that is safe in a line. Cached, because every turn shows the same texts."""
    return contained(mask(text))


@of_texts
@lru_cache(maxsize=4_096)
def with_days(text: str, said_at: datetime, zone: ZoneInfo) -> str:
    """The text with dates after its relative words: `last Saturday (2026-02-14)`."""
    return annotated(text, Said(said_at, zone, region_of(zone)))


def shown(line: Line, view: View) -> Shown:
    """`[09:15 AM] User: …`, or `[morning-summary | 07:02 AM, 8h ago]: …` with a routine's summary."""
    local_time = local(line.sent_at, view.zone)
    at = time_of_day(local_time)
    if line.routine is None:
        said = body(view.current(line.content, view.at(line.id)))
        return Shown(line, local_time.date(), f"[{at}] {speaker(line.role, line.speaker)}: {said}")
    lead = contained(f"[{name_of(line.routine)} | {at}, {age(line.sent_at, view.now, view.zone)}]: ")
    return Shown(line, local_time.date(), lead + _short_form(line))


def is_whole(line: Line) -> bool:
    """Whether `shown` contains the whole text of the message."""
    return line.routine is None or (line.routine_summary is None and len(body(line.content)) <= ROUTINE)


def _short_form(line: Line) -> str:
    if line.routine_summary is not None:
        return body(line.routine_summary)
    text = body(line.content)
    return text if len(text) <= ROUTINE else f"{text[:ROUTINE]}…"


def speaker(role: str, name: str | None) -> str:
    """`User` or `Assistant`, with the person's name in a group or an imported chat."""
    title = "User" if role == "user" else "Assistant"
    return f"{title} ({_name(name)})" if name else title


def _name(text: str) -> str:
    return contained(name_of(text)) if text else ""


def summary_line(chunk: Chunk, view: View) -> str:
    """The line of a summary: `[Summary | Feb 15–16]: …`."""
    text = view.current(chunk.text, MessageRange(view.chat_id, chunk.from_id, chunk.to_id))
    return period_line(text, chunk.from_at, chunk.to_at, view)


def period_line(text: str, start: datetime, end: datetime, view: View) -> str:
    """A summary, or one line of a summary, as a line of a context."""
    return f"[Summary | {period(start, end, view.zone, view.today)}]: {body(text)}"


def learned_line(x: Learned, view: View) -> str:
    """A memory's line in the log: `[fact #12 | Feb 15]: text`."""
    said = f"{_attribution(x.about)}“{x.content}”" if x.note else x.content
    note = f", {x.status}" if x.status != "active" else ""
    return f"[{x.kind} #{x.id} | {dated(local_day(x.at, view.zone), view.today)}{note}]: {body(said)}"


def memory_line(memory: Remembered, view: View) -> str:
    """A memory's line: `- #12 text (Feb 15)`, or `(Feb 15, due Mar 1)`, or `(Feb 15, on Mar 1, 09:00 AM)`."""
    return _memory_line(memory, view.zone, view.today)


@of_texts
@lru_cache(maxsize=2_048)
def _memory_line(memory: Remembered, zone: ZoneInfo, today: date) -> str:
    said = f"{_attribution(memory.about)}“{memory.content}”" if memory.note else memory.content
    due = _due(memory.kind, memory.content, memory.deadline, zone, today)
    return contained(f"- #{memory.id} {said} ({dated(local_day(memory.valid_from, zone), today)}{due})")


def member_line(result: Result, view: View) -> str:
    """The line of a memory in a list that a question asks for, in the form of `memory_line`."""
    due = _due(result.kind, result.text, result.due, view.zone, view.today)
    return f"- #{result.id} {body(result.text)} ({dated(local_day(result.at, view.zone), view.today)}{due})"


def _attribution(about: str) -> str:
    return f"{_name(about)}: " if about != "user" else ""


def _due(kind: str, text: str, deadline: datetime | None, zone: ZoneInfo, today: date) -> str:
    """For example `, due Mar 1`. Empty without a deadline."""
    if deadline is None:
        return ""
    due = local(deadline, zone)
    day, over = dated(due.date(), today), due.date() < today
    # The text of a reminder ends with its time.
    at = "" if is_day(due) or f"{due:{STAMP}}" in text else f", {time_of_day(due)}"
    if kind == "goal":
        return f", overdue since {day}" if over else f", due {day}{at}"
    return f", past: {day}" if over else f", on {day}{at}"


def result_line(result: Result, view: View, *, dated: bool = True) -> str:
    """A search result's line: `[Feb 15, 3 days ago | 09:15 AM | in claude-code, shop] User: …`.

    Only a result from another thread or chat has a place. Only a recent result has its age and time of day. If `dated`
    is false, the line begins with the speaker (see `shared_day`).
    """
    text = _dated_text(result, view.zone) if result.kind == "message" else result.text
    lead = _lead(result, view) if dated else _teller(result)
    return f"{lead}: {body(view.current(text, result.place))}"


def _dated_text(result: Result, zone: ZoneInfo) -> str:
    """An excerpt of a forwarded message does not always contain the mark with the day."""
    written = written_at(result.full_text, result.at, zone)
    return with_days(result.text, written, zone) if written is not None else result.text


def shared_day(result: Result, view: View) -> tuple[date, int | None, str | None] | None:
    """The day, chat and thread of a message that search found. Such messages share one date, because dates would take a
    quarter of the tokens. None for a memory, a summary or a recent message."""
    if result.kind != "message" or view.now - result.at < RECENT:
        return None
    return local_day(result.at, view.zone), result.chat_id, result.thread_key


def least_cost(result: Result) -> int:
    """A lower bound of the tokens of the result's line, without rendering it."""
    return result.tokens if body(result.text) == result.full_text else 0


def _lead(result: Result, view: View) -> str:
    local_time = local(result.at, view.zone)
    day = dated(local_time.date(), view.today)
    recent = view.now - result.at < RECENT
    when = f"{day}, {age(result.at, view.now, view.zone)}" if recent else day
    if result.kind == "message":
        minute = f" | {time_of_day(local_time)}" if recent else ""
        thread = "" if result.thread_key == view.thread_key else f" | in {_place(result, view)}"
        return f"[{when}{minute}{thread}] {_teller(result)}"
    if result.kind == "summary":
        return f"[Summary | {period(result.since or result.at, result.at, view.zone, view.today)}]"
    due = _due(result.kind, result.text, result.due, view.zone, view.today)
    note = f", {result.memory_status}" if result.memory_status not in (None, "active") else ""
    return f"[{result.kind} #{result.id} | {when}{due}{note}]"


def _place(result: Result, view: View) -> str:
    return view.names.get(result.chat_id or view.chat_id) or _name(result.thread_key or "")


def chat_name(channel: str, conversation: str | None) -> str:
    """The name of another chat: its channel and the name that its client gave it."""
    name = f", {clip(name_of(conversation), 8)[0]}" if conversation else ""
    return contained(channel + name)


def _teller(result: Result) -> str:
    """The speaker's name or role. If a name imitates a role, the true role is shown before the name."""
    name = _name(result.routine or result.speaker or "")
    return name if name and name.casefold() not in ROLES else speaker(result.role or "user", name or None)


def moment(at: datetime, view: View) -> str:
    """A time: `Feb 15, 09:15 AM, 2h ago`."""
    return f"{dated(local_day(at, view.zone), view.today)}, {clock_time(at, view.zone)}, {age(at, view.now, view.zone)}"


def quoted_line(line: Line, view: View) -> str:
    """The line of the message to which the user replies: `[09:15 AM, yesterday] Assistant: …`."""
    if line.routine is not None:
        return shown(line, view).text
    return (
        f"{_aged(line, view)} {speaker(line.role, line.speaker)}: {body(view.current(line.content, view.at(line.id)))}"
    )


def clipped_line(line: Line, view: View, most: int) -> str:
    """The form of `quoted_line`, clipped to `most` tokens."""
    if line.routine is not None:
        return clip(shown(line, view).text, most)[0]
    lead = f"{_aged(line, view)} {speaker(line.role, line.speaker)}: "
    return lead + clipped_text(line, view, view.chat_id, most - estimate(lead))


def clipped_text(line: Line, view: View, chat_id: int, most: int) -> str:
    """The text of a chat's message, clipped to `most` tokens. Marks are added afterwards, so they are never clipped."""
    place = (chat_id, line.id)
    safe = [change._replace(content=body(change.content)) for change in view.changes.get(place, ())]
    return marked(clip(body(line.content), most)[0], MessageRange(chat_id, line.id, line.id), {place: safe}, view.known)


def _aged(line: Line, view: View) -> str:
    return f"[{clock_time(line.sent_at, view.zone)}, {age(line.sent_at, view.now, view.zone)}]"
