"""One context within its budget: which lines stay, in which order, and what was left out; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from chatmem.contract import Coverage, Focus, Section, SectionName, Stability
from chatmem.settings import Budgets
from chatmem_server.context import lines as form
from chatmem_server.context.budget import Purse, cost, scaled, take
from chatmem_server.context.focus import find_focus
from chatmem_server.context.lines import Shown, View
from chatmem_server.context.memory_order import ranked_memories
from chatmem_server.dates.clock import day_header
from chatmem_server.retrieval.hits import Hit
from chatmem_server.retrieval.question import asks
from chatmem_server.store.context import ContextRows, Remembered
from chatmem_server.store.messages import Line
from chatmem_server.text.fences import contained, contained_text, fenced
from chatmem_server.text.tokens import clip, estimate

STEP = 8
"""Messages by which the beginning of the history moves at a time: a prompt's prefix stays the same between two moves."""

ALWAYS = 3
"""The last messages that stay whatever the budget."""

KEPT = 20
"""The last messages that a question leaves in place of a window too long for its share (SPEC §4)."""

FOUND_PART = 2
"""A question leaves one part in so many to what answers it, at most the share of that: long last messages are clipped for it."""

REPLY = 160
"""Tokens a long last reply of the assistant keeps beside a question: it repeats much, and the user's words stay whole."""

SEPARATOR = "\n\n"
JOINT = 2
"""Tokens the separator and the rounding of a section's estimate may add."""

_LAYOUT: tuple[tuple[SectionName, str, Stability], ...] = (
    ("profile", "USER PROFILE", "stable"),
    ("summary", "CHAT SUMMARY", "stable"),
    ("memories", "FACTS, GOALS AND PINS", "slow"),
    ("history", "CONVERSATION HISTORY", "append"),
    ("relevant", "RELEVANT CONTEXT", "volatile"),
    ("quoted", "QUOTED MESSAGE", "volatile"),
)
_FENCED: frozenset[SectionName] = frozenset(("profile", "summary", "memories", "relevant"))


@dataclass(frozen=True)
class Material:
    """All a context is made of. `hits` in rank order; `around` are the neighbours of a quoted message; of the messages
    that are summarised already, those among the last `keep` are shown too.
    """

    rows: ContextRows
    hits: Sequence[Hit]
    around: Sequence[Line]
    excluded: str | None
    query: str | None
    thread_key: str
    now: datetime
    zone: ZoneInfo
    total: int
    budgets: Budgets
    canonical_cap: int
    include: frozenset[SectionName] | None = None
    keep: int = 20

    @cached_property
    def view(self) -> View:
        return View(self.now, self.zone, self.thread_key)

    @cached_property
    def asked(self) -> bool:
        """Whether this answers a question that something was found for."""
        return bool(self.hits) and asks(self.query or "")


@dataclass(frozen=True)
class Assembled:
    sections: Sequence[Section]
    tokens: int
    truncated: bool
    coverage: Coverage
    focus: Focus | None
    notices: Sequence[str]
    included: dict[str, list[int]]
    left_out: list[str]

    @property
    def text(self) -> str:
        return SEPARATOR.join(section.text for section in self.sections)


@dataclass
class _Draft:
    """A context in the making: what is left to spend, the bodies so far, the record of choices."""

    m: Material
    purse: Purse
    shares: Budgets
    bodies: dict[SectionName, str] = field(default_factory=dict)
    included: dict[str, list[int]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    truncated: bool = False
    headed: bool = True
    shown: Sequence[Line] = ()
    memories_spent: int | None = None
    lines: dict[int, Shown] = field(default_factory=dict)

    def line(self, line: Line) -> Shown:
        """A line of the history, rendered once: it is priced, then written."""
        if line.id not in self.lines:
            self.lines[line.id] = form.shown(line, self.m.view)
        return self.lines[line.id]

    def opens(self, name: SectionName) -> bool:
        """Whether the section is wanted and its title and fences can be paid; they are paid here, once."""
        if self.m.include is not None and name not in self.m.include:
            return False
        if not self.purse.pay(_frame_cost(name)):
            self.left_out.append(f"{name}: budget")
            return False
        return True

    def note(self, kind: str, ids: Sequence[int]) -> None:
        if ids:
            self.included.setdefault(kind, []).extend(ids)

    def omit(self, kind: str, ids: Sequence[int], why: str) -> None:
        self.left_out += [f"{kind} {i}: {why}" for i in ids]


def assemble(m: Material) -> Assembled:
    """Fill the sections in keep order, so that what is cut first is what is filled last."""
    draft = _Draft(m, Purse(m.total), scaled(m.budgets, m.total))
    newest = _fill_newest(draft)
    pins, others = ranked_memories(m.rows.memories)
    kept_memories = _fill_memories(draft, pins)
    _fill_text(draft, "quoted", _quoted_text(m), draft.shares.quoted)
    _fill_text(draft, "profile", contained_text(m.rows.narrative.strip()), draft.shares.profile)
    _fill_text(draft, "summary", _summary_text(m), draft.shares.summary)
    kept_memories += _fill_memories(draft, others)
    _fill_history(draft, newest)
    _fill_relevant(draft, {memory.id for memory, _ in kept_memories})
    _write_memories(draft, kept_memories)
    return _finish(draft)


def _frame_cost(name: SectionName) -> int:
    title = next(title for section, title, _ in _LAYOUT if section == name)
    return estimate(_framed(name, title, "")) + cost(SEPARATOR)


def _framed(name: SectionName, title: str, body: str) -> str:
    return f"{title}\n{fenced(body) if name in _FENCED else body}"


def _window(m: Material) -> list[Line]:
    """All that is not summarised and at least the last `keep`, from a beginning that moves by steps."""
    lane = m.rows.lane
    before = min(lane.covered_to, max(0, lane.last_no - m.keep) // STEP * STEP)
    lines = [line for line in m.rows.window if line.lane_no > before]
    return [line for line in lines if m.excluded is None or line.ext_id != m.excluded]


def _fill_newest(draft: _Draft) -> list[Shown]:
    """The last three messages, clipped if even they do not fit."""
    newest = [draft.line(line) for line in _window(draft.m)[-ALWAYS:]]
    if not (newest or draft.m.rows.chunks) or not draft.opens("history"):
        return []
    kept_free = min(draft.purse.left // FOUND_PART, draft.m.budgets.relevant) if draft.m.asked else 0
    eased = _beside_what_answers(draft, newest, draft.purse.left - kept_free)
    if draft.purse.pay(_price(eased)):
        cut = [shown.line.id for shown, whole in zip(eased, newest, strict=True) if shown != whole]
        draft.truncated = bool(cut)
        draft.omit("message", cut, "clipped")
        return eased
    draft.truncated = True
    draft.headed = False
    room = max(0, draft.purse.left - kept_free - 2 * ALWAYS) // max(1, len(newest))
    clipped = [shown._replace(text=clip(shown.text, max(1, room - 1))[0]) for shown in eased]
    draft.omit("message", [shown.line.id for shown in newest], "clipped")
    draft.purse.left = max(0, draft.purse.left - 2 * ALWAYS - sum(cost(shown.text) for shown in clipped))
    return clipped


def _price(newest: Sequence[Shown]) -> int:
    return sum(cost(shown.text) for shown in newest) + sum(cost(day_header(day)) for day in {x.day for x in newest})


def _beside_what_answers(draft: _Draft, newest: list[Shown], room: int) -> list[Shown]:
    """Long replies among the last messages clipped as far as what answers a question needs, and no further than REPLY."""
    long = [x for x in newest if x.line.role == "assistant" and x.line.speaker is None and cost(x.text) > REPLY]
    over = _price(newest) - room
    if not (draft.m.asked and long and over > 0):
        return newest
    left = sum(cost(x.text) for x in long) - over
    most = max(REPLY, left // len(long))
    return [x._replace(text=clip(x.text, most - 1)[0]) if x in long else x for x in newest]


def _fill_text(draft: _Draft, name: SectionName, text: str, share: int) -> None:
    if not text or not draft.opens(name):
        return
    room = min(share, draft.purse.left)
    body, cut = clip(text, max(0, room - 1))
    if not body:
        draft.left_out.append(f"{name}: budget")
        return
    draft.purse.pay(cost(body))
    draft.bodies[name] = body
    if cut:
        draft.left_out.append(f"{name}: clipped to {room} tokens")


def _summary_text(m: Material) -> str:
    chat = m.rows.chat
    parts = (
        ("Confirmed by the user", chat.user_confirmed),
        ("Inferred", chat.llm_inferred),
        ("Summary", chat.general_summary),
        ("This thread", m.rows.thread_summary),
    )
    return "\n".join(contained(f"{title}: {text.strip()}") for title, text in parts if text.strip())


def _quoted_text(m: Material) -> str:
    if m.rows.quoted is None:
        return ""
    quoted, *around = (form.quoted_line(line, m.view) for line in (m.rows.quoted, *m.around))
    return "\n".join([quoted, "Around it:", *around]) if around else quoted


def _fill_memories(draft: _Draft, ordered: list[Remembered]) -> list[tuple[Remembered, str]]:
    """What of these memories fits into what is left of their share; pins come before, and apart from, the others."""
    if not ordered or (draft.memories_spent is None and not draft.opens("memories")):
        return []
    spent = draft.memories_spent or 0
    # Each kind present costs its heading; paid up front for all kinds that may come.
    headings = sum(cost(title) for title in {_heading(memory) for memory in ordered})
    room = draft.shares.memories - spent if draft.purse.pay(headings) else 0
    taken = take(ordered, lambda x: form.memory_line(x, draft.m.view), room, draft.purse, dense=True)
    draft.memories_spent = spent + taken.cost
    left = set(range(len(ordered))).difference(taken.kept)
    draft.omit("memory", [ordered[i].id for i in sorted(left)], "memories budget")
    return [(ordered[i], text) for i, text in zip(taken.kept, taken.texts, strict=True)]


def _heading(memory: Remembered) -> str:
    return form.KIND_TITLES["pin" if memory.pinned else memory.kind]


def _fill_history(draft: _Draft, newest: list[Shown]) -> None:
    """Older messages newest first, then older summaries newest first; both stay contiguous."""
    if draft.m.include is not None and "history" not in draft.m.include:
        return
    window = _window(draft.m)
    candidates = window[: len(window) - len(newest)][::-1]
    share = max(0, draft.shares.history - sum(cost(shown.text) for shown in newest))
    wanted, share = _beside_a_question(draft, candidates, share)
    following = [newest[0].line if newest else None, *wanted]
    pairs = list(zip(wanted, following, strict=False))
    taken = take(pairs, lambda pair: _priced_line(draft, *pair), share, draft.purse, dense=False)
    older = wanted[: len(taken.kept)][::-1]
    cut_by_budget = len(wanted) == len(candidates) > len(older)
    if cut_by_budget:
        older = _from_a_step(older)
    draft.omit("message", [x.id for x in candidates[len(older) :]], "history budget")
    draft.shown = [*older, *(shown.line for shown in newest)]
    _write_history(draft, _fill_chunks(draft), [*map(draft.line, older), *newest])


def _beside_a_question(draft: _Draft, older: list[Line], share: int) -> tuple[list[Line], int]:
    """What of the history a question leaves room for, and its share: an answer seldom lies in the last messages.

    What was found keeps its own share, even of a small budget.  A window that outgrew its share, as without a summarizer,
    keeps its last messages; those before compete by relevance like any other.
    """
    if not draft.m.asked:
        return older, share
    share = min(share, max(0, draft.purse.left - draft.m.budgets.relevant))
    outgrown = sum(line.tokens for line in older) > share
    return older[: KEPT - ALWAYS] if outgrown else older, share


def _from_a_step(lines: list[Line]) -> list[Line]:
    """Without what stands before the first step: where not all fits, the beginning moves by steps as well."""
    first = next((n for n, line in enumerate(lines) if line.lane_no % STEP == 1), 0)
    return lines[first:]


def _priced_line(draft: _Draft, line: Line, newer: Line | None) -> str:
    """A line with the day header it brings: none if the line after it has that day's header already."""
    shown = draft.line(line)
    same_day = newer is not None and draft.line(newer).day == shown.day
    return shown.text if same_day else f"{day_header(shown.day)}\n{shown.text}"


def _fill_chunks(draft: _Draft) -> list[str]:
    """The newest chunk summaries that fit, oldest first; not those whose messages all stand below verbatim."""
    oldest = min((line.id for line in draft.shown), default=None)
    chunks = [c for c in draft.m.rows.chunks if oldest is None or c.from_id < oldest][::-1]
    taken = take(chunks, lambda c: form.summary_line(c, draft.m.zone), draft.shares.summaries, draft.purse, dense=False)
    draft.omit("summary", [c.id for c in chunks[len(taken.kept) :]], "summaries budget")
    draft.note("summaries", [c.id for c in chunks[: len(taken.kept)][::-1]])
    return [*reversed(taken.texts)]


def _fill_relevant(draft: _Draft, shown_memories: Collection[int]) -> None:
    hits = _unseen(draft, shown_memories)
    if not hits or not draft.opens("relevant"):
        return
    # Shares nobody used flow on to what answers the question.
    room = draft.purse.left
    taken = take(
        hits, lambda hit: form.hit_line(hit, draft.m.view), room, draft.purse, dense=True, least=form.least_cost
    )
    kept = zip(taken.kept, taken.texts, strict=True)
    draft.bodies["relevant"] = "\n".join(text for _, text in sorted(kept, key=lambda pair: hits[pair[0]].at))
    for index in taken.kept:
        draft.note(f"relevant {hits[index].kind}", [hits[index].id])
    left = frozenset(range(len(hits))).difference(taken.kept)
    draft.left_out += [f"{hits[i].kind} {hits[i].id}: relevant budget" for i in sorted(left)]


def _unseen(draft: _Draft, shown_memories: Collection[int]) -> list[Hit]:
    """Hits that are not shown above: a routine stands above only by its summary, so its full text is not seen yet."""
    messages = {line.id for line in draft.shown if line.routine is None}
    summaries = set(draft.included.get("summaries", ()))
    seen = {"message": messages, "summary": summaries}
    return [hit for hit in draft.m.hits if hit.id not in seen.get(hit.kind, shown_memories)]


def _write_memories(draft: _Draft, kept: Sequence[tuple[Remembered, str]]) -> None:
    blocks: dict[str, list[str]] = {title: [] for title in form.KIND_TITLES.values()}
    for memory, text in kept:
        blocks[_heading(memory)].append(text)
    draft.bodies["memories"] = "\n".join("\n".join([title, *block]) for title, block in blocks.items() if block)
    draft.note("memories", [memory.id for memory, _ in kept])


def _write_history(draft: _Draft, chunks: Sequence[str], messages: Sequence[Shown]) -> None:
    parts = [*chunks]
    day: date | None = None
    for shown in messages:
        # Where even the last messages had to be clipped every token belongs to them, not to headers.
        parts += [day_header(shown.day)] if shown.day != day and draft.headed else []
        parts.append(shown.text)
        day = shown.day
    draft.bodies["history"] = "\n".join(parts)
    draft.note("messages", [shown.line.id for shown in messages])


def _finish(draft: _Draft) -> Assembled:
    m = draft.m
    sections = _sections(draft)
    # Estimates of parts may exceed the estimate of the whole by rounding only; should the whole still be over, the
    # least needed sections go first.
    for name in ("relevant", "summary", "profile", "memories", "quoted"):
        if _total(sections) <= m.total:
            break
        sections = [section for section in sections if section.name != name]
        draft.left_out.append(f"{name}: budget")
    if _total(sections) > m.total:
        sections = [_clipped(section, m.total) for section in sections]
        draft.truncated = True
    return Assembled(
        sections=sections,
        tokens=_total(sections),
        truncated=draft.truncated,
        coverage=_coverage(m, draft.shown),
        focus=find_focus(m.rows, m.query, m.now, m.budgets.quoted),
        notices=_notices(m),
        included=draft.included,
        left_out=draft.left_out,
    )


def _sections(draft: _Draft) -> list[Section]:
    out: list[Section] = []
    for name, title, stability in _LAYOUT:
        body = draft.bodies.get(name)
        if body:
            text = _framed(name, title, body)
            out.append(Section(name=name, title=title, text=text, tokens=estimate(text), stability=stability))
    return out


def _total(sections: Sequence[Section]) -> int:
    """An upper bound of the joined text's estimate, without pricing all of it once more."""
    return sum(section.tokens + JOINT for section in sections)


def _clipped(section: Section, total: int) -> Section:
    text = clip(section.text, total)[0]
    return section.model_copy(update={"text": text, "tokens": estimate(text)})


def _coverage(m: Material, shown: Sequence[Line]) -> Coverage:
    rows = m.rows
    visible = {line.id for line in shown} | {x.id for x in rows.window if m.excluded and x.ext_id == m.excluded}
    verbatim = sum(1 for x in rows.window if x.id in visible and x.lane_no > rows.lane.covered_to)
    return Coverage(
        verbatim=verbatim,
        summarised=rows.summarised,
        pending=rows.open - verbatim,
        gap=rows.lane.last_no - rows.summarised - rows.open,
    )


def _notices(m: Material) -> list[str]:
    if m.rows.chat.tokens <= m.canonical_cap:
        return []
    return [
        f"This chat's summary is full ({m.rows.chat.tokens:,} of {m.canonical_cap:,} tokens). "
        "Tell the user to start a new chat with /new; memories stay."
    ]
