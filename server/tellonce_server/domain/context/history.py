"""The history of one context: the latest messages, earlier messages, and summaries of older ones. Pure.

The history's start moves in steps of several messages. Between two steps, the beginning of the prompt can be cached.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import cost, take
from tellonce_server.domain.context.canonical_summary import unsaid
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.context.lines import Shown
from tellonce_server.domain.context.material import Material
from tellonce_server.store.context import Chunk
from tellonce_server.store.messages import Line
from tellonce_text.dates.clock import day_header
from tellonce_text.tokens import clip

STEP = 8
"""The start of the history moves by this number of messages at a time."""

ALWAYS = 3
"""Every history shows this number of latest messages, clipped if they do not fit."""

KEPT = 20
"""Maximum messages in the history of a context for a question (docs/CONTRACT.md, 4)."""

ASKED_PART = 4
"""For a question, the latest messages get at most the budget divided by this number."""

SMALL = 1_000
"""For a question, the history has at most `(budget - SMALL) / ASKED_PART` tokens beside the last messages."""

REPLY, REPLY_PART = 160, 10
"""For a question, a clipped reply keeps at least `min(REPLY, budget / REPLY_PART)` tokens."""


class History:
    """The history, filled in three steps: the latest messages, earlier messages, summaries."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._m = draft.material
        self._window = window(draft.material)
        self._newest: list[Shown] = []
        self._headed = True
        self._rendered: dict[int, Shown] = {}
        self._shown: list[Shown] = []
        self.messages: Sequence[Line] = ()
        """The messages shown verbatim, oldest first, complete after the second step."""

    def fill_newest(self) -> None:
        """Add the last messages, clipped if they do not fit."""
        draft, newest = self._draft, [self._line(line) for line in self._window[-ALWAYS:]]
        if not (newest or self._m.rows.chunks) or not draft.opens("history"):
            return
        room = self._m.total // ASKED_PART if self._m.asked else draft.token_budget.left
        eased = self._eased(newest, room)
        if draft.token_budget.pay(_price(eased)):
            cut = [shown.line.id for shown, whole in zip(eased, newest, strict=True) if shown != whole]
            draft.truncated = bool(cut)
            draft.omit("message", cut, "clipped")
            self._newest = eased
        else:
            self._newest = self._clipped(eased, draft.token_budget.left // (2 if self._m.asked else 1))

    def fill_older(self) -> None:
        """Add earlier messages, newest first and without a gap."""
        if not self._draft.wants("history"):
            return
        candidates = self._window[: len(self._window) - len(self._newest)][::-1]
        older = self._fitting(candidates)
        left = [x.id for x in candidates[len(older) :]]
        beyond = left[KEPT - ALWAYS - len(older) :] if self._m.asked else []
        self._draft.omit("message", left[: len(left) - len(beyond)], "history budget")
        self._draft.omit("message", beyond, f"before the last {KEPT}, which are enough for a question")
        self.messages = [*older, *(shown.line for shown in self._newest)]
        self._shown = [*map(self._line, older), *self._newest]
        for shown in self._shown:
            self._draft.say("history", shown.text)
            if form.is_whole(shown.line) and form.body(shown.line.content) in shown.text:
                self._draft.tell(shown.line.content, shown.line.sent_at, shown.line.sent_at)

    def fill_summaries(self, recalled: Collection[int] = ()) -> None:
        """Add summaries of older messages and write the section. `recalled` are summaries that search found."""
        if self._draft.wants("history"):
            self._write(self._summaries(recalled), self._shown)

    def _line(self, line: Line) -> Shown:
        if line.id not in self._rendered:
            self._rendered[line.id] = form.shown(line, self._m.view)
        return self._rendered[line.id]

    def _eased(self, newest: list[Shown], room: int) -> list[Shown]:
        """The latest messages. For a question, long replies are clipped to make room for search results."""
        least = min(REPLY, self._m.total // REPLY_PART)
        long = [x for x in newest if x.line.role == "assistant" and x.line.speaker is None and cost(x.text) > least]
        over = _price(newest) - room
        if not (self._m.asked and long and over > 0):
            return newest
        left = sum(cost(x.text) for x in long) - over
        most = max(least, left // len(long))
        return [x._replace(text=clip(x.text, most - 1)[0]) if x in long else x for x in newest]

    def _clipped(self, newest: list[Shown], room: int) -> list[Shown]:
        """The latest messages, each clipped to an equal part of `room`, without day headers."""
        draft = self._draft
        draft.truncated, self._headed = True, False
        each = max(0, room - 2 * ALWAYS) // max(1, len(newest))
        clipped = [shown._replace(text=clip(shown.text, max(1, each - 1))[0]) for shown in newest]
        draft.omit("message", [shown.line.id for shown in newest], "clipped")
        draft.token_budget.left = max(
            0, draft.token_budget.left - 2 * ALWAYS - sum(cost(shown.text) for shown in clipped)
        )
        return clipped

    def _fitting(self, candidates: list[Line]) -> list[Line]:
        newest = sum(cost(shown.text) for shown in self._newest)
        share = max(0, self._draft.shares.history - newest, self._unused())
        wanted, share = self._wanted(candidates, share)
        newer = [self._newest[0].line if self._newest else None, *wanted]
        pairs = list(zip(wanted, newer, strict=False))
        kept, _ = take(pairs, lambda pair: self._priced_line(*pair), share, self._draft.token_budget, dense=False)
        fitting = wanted[: len(kept)][::-1]
        cut_by_budget = len(wanted) > len(fitting)
        return _from_a_step(fitting) if cut_by_budget else fitting

    def _unused(self) -> int:
        """The tokens that no other section needs, or 0 for a question.

        The whole share of a volatile section is deducted, so that the start of the history seldom moves.
        """
        if self._m.asked:
            return 0
        draft, shares = self._draft, self._draft.shares
        used, reserved = draft.texts_cost()
        needed = reserved + shares.relevant + (shares.summaries if self._m.rows.chunks else 0)
        return draft.token_budget.left + used - needed

    def _wanted(self, older: list[Line], share: int) -> tuple[list[Line], int]:
        """The earlier messages to consider, and their maximum tokens. Both are limited for a question."""
        if not self._m.asked:
            return older, share
        room = max(0, self._m.total - SMALL) // ASKED_PART
        share = min(share, max(0, room - sum(cost(shown.text) for shown in self._newest)))
        return older[: KEPT - ALWAYS], share

    def _priced_line(self, line: Line, newer: Line | None) -> str:
        """The text whose tokens are counted for the line. It includes the day header only for the newest line of a day."""
        shown = self._line(line)
        same_day = newer is not None and self._line(newer).day == shown.day
        return shown.text if same_day else f"{day_header(shown.day)}\n{shown.text}"

    def _summaries(self, recalled: Collection[int]) -> list[str]:
        draft, oldest = self._draft, min((line.id for line in self.messages), default=None)
        chunks = [c for c in self._m.rows.chunks if oldest is None or c.from_id < oldest][::-1]
        chunks = [c for c in chunks if c.id not in recalled]
        kept, left = take(chunks, self._unsaid_line, draft.shares.summaries, draft.token_budget, dense=False)
        draft.omit("summary", [chunk.id for chunk in left], "summaries budget")
        draft.note("summaries", [chunk.id for chunk, _ in reversed(kept)])
        return [text for _, text in reversed(kept)]

    def _unsaid_line(self, chunk: Chunk) -> str:
        text = unsaid(chunk.text, self._draft.says)
        return form.summary_line(replace(chunk, text=text), self._m.view) if text else ""

    def _write(self, summaries: Sequence[str], messages: Sequence[Shown]) -> None:
        parts = [*summaries]
        day: date | None = None
        for shown in messages:
            parts += [day_header(shown.day)] if shown.day != day and self._headed else []
            parts.append(shown.text)
            day = shown.day
        self._draft.bodies["history"] = "\n".join(parts)
        self._draft.note("messages", [shown.line.id for shown in messages])


def window(m: Material) -> list[Line]:
    """The messages without a summary, and at least about `keep` messages. Its start moves in steps."""
    thread = m.rows.thread
    before = min(thread.covered_to, max(0, thread.last_no - m.keep) // STEP * STEP)
    lines = [line for line in m.rows.window if line.thread_no > before]
    return [line for line in lines if line.id != m.excluded]


def _price(newest: Sequence[Shown]) -> int:
    return sum(cost(shown.text) for shown in newest) + sum(cost(day_header(day)) for day in {x.day for x in newest})


def _from_a_step(lines: list[Line]) -> list[Line]:
    """The lines, beginning with the first line that starts a step. A step is STEP messages of the thread."""
    first = next((n for n, line in enumerate(lines) if line.thread_no % STEP == 1), 0)
    return lines[first:]
