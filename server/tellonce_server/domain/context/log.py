"""The dated log of a context above the default budget: one line for each memory, decision or action. Pure.

The log rarely depends on the question, so a model provider can cache it. Only a compaction inserts lines before its
end. A memory from messages in the window is added when these messages leave the window.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import cost, log_share
from tellonce_server.domain.context.canonical_summary import statement
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.context.history import window
from tellonce_server.domain.context.material import Material
from tellonce_server.store.context import Happened
from tellonce_text.tokens import clip

LINE = 200
"""Maximum tokens of one line, so that one huge memory leaves room for the others."""

STEP = 24
"""The log's start moves by this number of lines at a time."""


class _Entry(NamedTuple):
    """`said` are the line's words, which were said between `since` and `at`."""

    at: datetime
    order: int
    memory_id: int
    text: str
    clipped: bool
    said: str
    since: datetime


def fill_log(draft: Draft) -> None:
    """Write the newest lines that fit into the log's share and the budget."""
    m = draft.material
    if not (m.log.learned or m.log.happened) or not log_share(m.total):
        return
    before = draft.token_budget.left
    if not draft.opens("log"):
        return
    room = min(log_share(m.total) - (before - draft.token_budget.left), draft.token_budget.left)
    entries = _entries(m)
    start = _start(entries, m.log.omitted, room)
    shown = entries[start:]
    if start:
        draft.omit("log", [start], "earlier lines, log budget")
    for entry in shown:
        draft.token_budget.pay(cost(entry.text))
        draft.say("log", entry.text)
        if not entry.clipped:
            draft.tell(entry.said, entry.since, entry.at)
    draft.bodies["log"] = "\n".join(entry.text for entry in shown)
    # Another section may show the whole text of a memory whose line is clipped.
    draft.note("log", [entry.memory_id for entry in shown if entry.memory_id and not entry.clipped])
    draft.omit(
        "memory", [entry.memory_id for entry in shown if entry.memory_id and entry.clipped], "clipped in the log"
    )


def _start(entries: list[_Entry], omitted: int, room: int) -> int:
    """The index of the first line to show. It moves in steps of STEP lines, counting the `omitted` lines."""
    first = len(entries)
    while first and (room := room - cost(entries[first - 1].text)) >= 0:
        first -= 1
    return min(len(entries), first + -(first + omitted) % STEP) if first + omitted else 0


def _entries(m: Material) -> list[_Entry]:
    lines = window(m)
    recent = min((line.id for line in lines), default=None)
    window_text = "\n".join(statement(line.content, quoted=False) for line in lines)
    told = [x for x in m.log.learned if recent is None or (x.last_source or 0) < recent]
    told = [x for x in told if not (x.note and statement(x.content) in window_text)]
    learned = [_Entry(x.at, 1, x.id, *clip(form.learned_line(x, m.view), LINE), x.content, x.at) for x in told]
    return sorted([*learned, *_happened(m, {statement(x.content) for x in m.log.learned}, window_text)])


def _happened(m: Material, stated: set[str], window_text: str) -> Iterator[_Entry]:
    """The decisions and outcomes of chunk summaries, or all lines of a summary made without a model."""
    for chunk in m.log.happened:
        for line in _lines(chunk):
            made = statement(line)
            if made and made not in stated and made not in window_text:
                stated.add(made)
                text = form.period_line(line, chunk.from_at, chunk.to_at, m.view)
                yield _Entry(chunk.to_at, 0, 0, *clip(text, LINE), line, chunk.from_at)


def _lines(chunk: Happened) -> list[str]:
    if any(chunk.body.values()):
        return [*chunk.body.get("decisions", ()), *chunk.body.get("outcomes", ())]
    return [line.strip() for line in chunk.text.split("\n")]
