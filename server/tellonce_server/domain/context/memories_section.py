"""The section of a context that shows memories, and the order of the memories. Pure."""

from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import TypeVar
from zoneinfo import ZoneInfo

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import cost, take
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.memory.statements import worth_showing
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import Remembered
from tellonce_text.dates.clock import local_day

ItemT = TypeVar("ItemT", Result, Remembered)

ABOVE = "in the log above"
LIST_PART = 2
"""A list that the question asks for gets at most the section's share, divided by this number."""

WISHES = 12
"""Maximum preferences before other memories. Most preferences apply to questions that do not name them."""

SOON, MOST_SOON = timedelta(days=14), 12
"""Memories whose day is at most SOON away come before newer memories. `context.sql` always reads them."""

REST_STEP = 200
"""Unused tokens are given to memories in multiples of this number, so that the prompt seldom changes."""


class Memories:
    """The section of memories: first a list, then pinned and other memories."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._kept: list[tuple[Remembered, str]] = []
        self._listed: list[tuple[Result, str]] = []
        self._waiting: list[Remembered] = []
        self._above, self._list_title = "", form.LIST
        self._spent = 0

    @property
    def ids(self) -> list[int]:
        return [result.id for result, _ in self._listed] + [memory.id for memory, _ in self._kept]

    def fill_list(self, members: Sequence[Result]) -> None:
        """Add the list that the question asks for. `members` are in rank order and are shown oldest first.

        The list counts as complete if it has every member and a model named the categories of all. The nearest category
        names can be wrong.
        """
        draft, every = self._draft, members
        above = sorted({result.id for result in members}.intersection(draft.included.get("log", ())))
        members = [result for result in members if result.id not in above and not draft.says(result.text)]
        self._above = f"{ABOVE}: {', '.join(f'#{number}' for number in above)}" if above else ""
        if (
            not (members or above)
            or not draft.opens("memories")
            or not draft.token_budget.pay(cost(form.SOME) + cost(self._above))
        ):
            return
        self._spent += cost(self._above) if above else 0
        view, share = draft.material.view, draft.shares.memories // LIST_PART
        self._listed, left = self._take(members, lambda result: form.member_line(result, view), share)
        draft.omit("memory", [result.id for result in left], "list budget")
        self._list_title = (
            form.LIST if all(x.named for x in every) and len(every) == len(above) + len(self._listed) else form.SOME
        )

    def fill(self, ordered: Sequence[Remembered]) -> None:
        """Add the memories that fit into the section's share. The others wait for `fill_rest`."""
        draft = self._draft
        # A note repeats a message of the user, so the note is left out if the context already shows this message.
        shown = {*self.ids, *draft.included.get("log", ())}
        ordered = [x for x in ordered if x.id not in shown and (x.pinned or not (x.note and draft.says(x.content)))]
        if not ordered or not draft.opens("memories"):
            return
        # Each kind of memory needs a heading. The tokens of all headings are deducted before the memories are added.
        headings = sum(cost(title) for title in {_heading(memory) for memory in ordered})
        self._fill(ordered, draft.shares.memories - self._spent if draft.token_budget.pay(headings) else 0)

    def fill_rest(self, shown: Collection[int]) -> None:
        """Add waiting memories with unused tokens. `shown` are memories in the section of search results."""
        draft = self._draft
        self._remove_repeated()
        waiting = [x for x in self._waiting if x.id not in shown and not draft.says(x.content)]
        self._waiting = []
        if waiting and draft.opens("memories"):
            titles = {_heading(memory) for memory in waiting}.difference(_heading(memory) for memory, _ in self._kept)
            room = draft.token_budget.left // REST_STEP * REST_STEP - sum(map(cost, titles))
            self._fill(waiting, room if draft.token_budget.pay(sum(map(cost, titles))) else 0)

    def _remove_repeated(self) -> None:
        draft, kept = self._draft, self._kept
        self._kept = [(x, text) for x, text in kept if x.pinned or not (x.note and draft.says(x.content, "memories"))]
        removed = {x.id for x, _ in kept}.difference(x.id for x, _ in self._kept)
        draft.token_budget.left += sum(cost(text) for x, text in kept if x.id in removed)

    def _fill(self, ordered: Sequence[Remembered], room: int) -> None:
        view = self._draft.material.view
        taken, left = self._take(ordered, lambda memory: form.memory_line(memory, view), room)
        self._kept += taken
        self._waiting += left

    def _take(
        self, items: Sequence[ItemT], render: Callable[[ItemT], str], share: int
    ) -> tuple[list[tuple[ItemT, str]], list[ItemT]]:
        """The items that fit into `share`, each with its line, and the other items."""
        draft = self._draft
        kept, left = take(items, render, share, draft.token_budget, dense=True)
        self._spent += sum(cost(text) for _, text in kept)
        for _, text in kept:
            draft.say("memories", text)
        return kept, left

    def write(self) -> None:
        """Write the section's text."""
        self._draft.omit("memory", [memory.id for memory in self._waiting], "memories budget")
        blocks: dict[str, list[str]] = {title: [] for title in form.KIND_TITLES.values()}
        for memory, text in self._kept:
            blocks[_heading(memory)].append(text)
        members = [text for _, text in sorted(self._listed, key=lambda pair: pair[0].at)]
        members += [self._above] if self._above else []
        self._draft.bodies["memories"] = "\n".join(
            "\n".join([title, *block]) for title, block in ((self._list_title, members), *blocks.items()) if block
        )
        self._draft.note("memories", self.ids)


def _heading(memory: Remembered) -> str:
    return form.KIND_TITLES["pin" if memory.pinned else memory.kind]


def ranked_memories(
    memories: Sequence[Remembered], found: Sequence[int], today: date, zone: ZoneInfo
) -> tuple[list[Remembered], list[Remembered]]:
    """The memories to show first, and the others.

    First come pins by importance. After them, the newest preferences alternate with the found memories. The others
    begin with memories whose day is soon. After them, goals alternate with the newest memories. Goals are sorted by
    priority and deadline.
    """
    shown = [m for m in memories if worth_showing(m.content)]
    pins = sorted((m for m in shown if m.pinned or m.kind == "pin"), key=lambda m: (-m.importance, m.id))
    rest = sorted((m for m in shown if not (m.pinned or m.kind == "pin")), key=lambda m: (m.valid_from, m.id))[::-1]
    wishes = [m for m in rest if m.kind == "preference"][:WISHES]
    by_id = {m.id: m for m in rest}
    first = list(dict.fromkeys([*pins, *_interleave(wishes, [by_id[i] for i in found if i in by_id])]))
    placed = {m.id for m in first}
    soon = _soon([m for m in rest if m.id not in placed], today, zone)
    others = [m for m in rest if m.id not in placed and m not in soon]
    goals = sorted((m for m in others if m.kind == "goal"), key=_goal_order)
    return first, [*soon, *_interleave(goals, [m for m in others if m.kind != "goal"])]


def _soon(memories: Sequence[Remembered], today: date, zone: ZoneInfo) -> list[Remembered]:
    days = {m.id: [day for at in m.times if today <= (day := local_day(at, zone)) <= today + SOON] for m in memories}
    soon = [m for m in memories if days[m.id]]
    return sorted(soon, key=lambda m: (min(days[m.id]), m.id))[:MOST_SOON]


def _goal_order(memory: Remembered) -> tuple[int, float, int]:
    due = memory.deadline.timestamp() if memory.deadline else float("inf")
    return memory.priority, due, memory.id


def _interleave(some: list[Remembered], more: list[Remembered]) -> list[Remembered]:
    """`_interleave([x, y], [1, 2, 3]) == [1, 2, x, 3, y]`."""
    out: list[Remembered] = []
    waiting, others = iter(some), iter(more)
    while True:
        batch = [*islice(others, 2), *islice(waiting, 1)]
        if not batch:
            return out
        out += batch
