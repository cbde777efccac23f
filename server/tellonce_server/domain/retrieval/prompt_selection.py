"""Which of what was found belongs in a prompt, and in which order; pure."""

from collections.abc import Sequence

from tellonce.settings import ContextDefaults
from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.echoes import without_echoes
from tellonce_server.domain.retrieval.found import MEMORY_KINDS, Found
from tellonce_server.domain.retrieval.question import asks

SUMMARIES = 2
MORE_MEMORIES = 12
"""Memories offered to a question, those that `limits` names among them."""

MEMORY_COVERED = 0.15
"""The share of the query's words a memory needs that is not as alike as the settings ask."""

MESSAGE_COSINE = 0.45
MESSAGE_COVERED = 0.3
"""What a message of a talk that asks nothing needs: one of both."""

OTHER_THREAD_MARGIN = 0.25
"""How much more of the query another thread's message must hold than any of this thread's."""


def choose(
    ranked: Sequence[Found], query: str, thread_key: str | None, shown: frozenset[int], limits: ContextDefaults
) -> list[Found]:
    """What matters most first. `shown` are the messages of the window, which a message that asks nothing shows anyway."""
    if asks(query):
        return _for_question(ranked, query, thread_key, limits)
    talk = [f for f in ranked if f.kind == "message" and f.text != query and f.id not in shown and _near(f)]
    messages = _of_thread(without_echoes(talk, query), thread_key)
    return [*messages[: limits.messages], *_memories(ranked, limits)[: limits.memories], *_summaries(ranked)]


def _for_question(ranked: Sequence[Found], query: str, thread_key: str | None, limits: ContextDefaults) -> list[Found]:
    """All that bears on it, for a budget that has room: of the window, too, only what the budget leaves is shown."""
    talk = [f for f in ranked if f.kind == "message" and f.text != query]
    messages = _of_thread(without_echoes(_bearing(talk, limits.messages), query), thread_key)
    first, more = messages[: limits.messages], messages[limits.messages :]
    return [*first, *_memories(ranked, limits)[:MORE_MEMORIES], *_summaries(ranked), *more]


def _memories(ranked: Sequence[Found], limits: ContextDefaults) -> list[Found]:
    return [f for f in ranked if f.kind in MEMORY_KINDS and _of_use(f, limits.min_cosine)]


def _summaries(ranked: Sequence[Found]) -> list[Found]:
    return [f for f in ranked if f.kind == "summary" and _near(f)][:SUMMARIES]


def _bearing(messages: Sequence[Found], least: int) -> list[Found]:
    """Those above the floor, best first, and `least` in any case, for among few messages scores tell little: what bears on
    nothing is not added to fill a budget."""
    best = messages[0].score if messages else 0.0
    floor = max(w.FLOOR, best - w.FAR)
    return [f for place, f in enumerate(messages) if place < least or f.score >= floor]


def _near(found: Found) -> bool:
    return (found.cosine or 0.0) >= MESSAGE_COSINE or found.covered >= MESSAGE_COVERED


def _of_use(found: Found, min_cosine: float) -> bool:
    return (found.cosine or 0.0) >= min_cosine or found.covered >= MEMORY_COVERED


def _of_thread(messages: Sequence[Found], thread_key: str | None) -> list[Found]:
    """This thread's; another thread's only where this one holds nothing near, or plainly less of what is asked."""
    own = [f for f in messages if f.thread_key == thread_key]
    if thread_key is None or not any(_near(f) for f in own):
        return list(messages)
    best = max(f.covered for f in own)
    return [f for f in messages if f.thread_key == thread_key or f.covered >= best + OTHER_THREAD_MARGIN]
