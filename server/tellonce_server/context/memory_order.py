"""Which memories a context shows, and which of them first; pure."""

from collections.abc import Iterator, Sequence

from tellonce_server.store.context import Remembered


def ranked_memories(memories: Sequence[Remembered]) -> tuple[list[Remembered], list[Remembered]]:
    """Pins by importance; then goals by priority and deadline, then the rest newest first."""
    shown = [m for m in memories if worth_showing(m.content)]
    pins = sorted((m for m in shown if m.pinned or m.kind == "pin"), key=lambda m: (-m.importance, m.id))
    rest = [m for m in shown if not (m.pinned or m.kind == "pin")]
    goals = sorted((m for m in rest if m.kind == "goal"), key=_goal_order)
    facts = sorted((m for m in rest if m.kind != "goal"), key=lambda m: (m.valid_from, m.id), reverse=True)
    return pins, _interleave(goals, facts)


def _goal_order(memory: Remembered) -> tuple[int, float, int]:
    due = memory.deadline.timestamp() if memory.deadline else float("inf")
    return memory.priority, due, memory.id


def _interleave(goals: list[Remembered], facts: list[Remembered]) -> list[Remembered]:
    """One goal to two facts, so that neither starves the other in a small share."""
    out: list[Remembered] = []
    waiting_goals, waiting_facts = iter(goals), iter(facts)
    while True:
        batch = [*_some(waiting_goals, 1), *_some(waiting_facts, 2)]
        if not batch:
            return out
        out += batch


def _some(source: Iterator[Remembered], count: int) -> list[Remembered]:
    return [item for _, item in zip(range(count), source, strict=False)]


def worth_showing(text: str) -> bool:
    """Not junk: at least four characters, and not punctuation alone."""
    stripped = text.strip()
    return len(stripped) >= 4 and any(c.isalnum() for c in stripped)
