"""Decides which memories a context shows, and in which order. Pure."""

from collections.abc import Iterator, Sequence

from tellonce_server.store.context import Remembered

WISHES = 12
"""Maximum number of preferences that a context shows before other memories, newest first. Preferences come early
because most preferences also apply to questions that do not name them."""


def ranked_memories(memories: Sequence[Remembered], found: Sequence[int]) -> tuple[list[Remembered], list[Remembered]]:
    """Return two lists. The first has pinned memories by importance, then the newest preferences mixed with the found
    memories. The second has goals by priority and deadline, mixed with the other memories, newest first."""
    shown = [m for m in memories if worth_showing(m.content)]
    pins = sorted((m for m in shown if m.pinned or m.kind == "pin"), key=lambda m: (-m.importance, m.id))
    rest = sorted((m for m in shown if not (m.pinned or m.kind == "pin")), key=lambda m: (m.valid_from, m.id))[::-1]
    wishes = [m for m in rest if m.kind == "preference"][:WISHES]
    by_id = {m.id: m for m in rest}
    first = list(dict.fromkeys([*pins, *_interleave(wishes, [by_id[i] for i in found if i in by_id])]))
    placed = {m.id for m in first}
    others = [m for m in rest if m.id not in placed]
    goals = sorted((m for m in others if m.kind == "goal"), key=_goal_order)
    return first, _interleave(goals, [m for m in others if m.kind != "goal"])


def _goal_order(memory: Remembered) -> tuple[int, float, int]:
    due = memory.deadline.timestamp() if memory.deadline else float("inf")
    return memory.priority, due, memory.id


def _interleave(some: list[Remembered], more: list[Remembered]) -> list[Remembered]:
    """Merge the two lists: two items of `more`, then one item of `some`, and so on. Both then appear in a small
    share."""
    out: list[Remembered] = []
    waiting, others = iter(some), iter(more)
    while True:
        batch = [*_some(others, 2), *_some(waiting, 1)]
        if not batch:
            return out
        out += batch


def _some(source: Iterator[Remembered], count: int) -> list[Remembered]:
    return [item for _, item in zip(range(count), source, strict=False)]


def worth_showing(text: str) -> bool:
    """Whether the text has at least four characters and is not punctuation alone."""
    stripped = text.strip()
    return len(stripped) >= 4 and any(map(str.isalnum, stripped))
