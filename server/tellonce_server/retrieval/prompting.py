"""Which of what was found belongs in a prompt, and in which order; pure."""

from collections.abc import Sequence

from tellonce.settings import ContextDefaults
from tellonce_server.retrieval.found import MEMORY_KINDS, Found
from tellonce_server.retrieval.question import asks

SUMMARIES = 2
MORE = 120
"""Further messages offered to a budget that has room, for a query that asks something."""

MEMORY_COVERED = 0.15
"""The share of the query's words a memory needs that is not as alike as the settings ask."""

MESSAGE_COSINE = 0.45
MESSAGE_COVERED = 0.3
"""What a message of a talk that asks nothing needs: one of both."""

OTHER_LANE_MARGIN = 0.25
"""How much more of the query another lane's message must hold than any of this lane's."""


def choose(
    ranked: Sequence[Found], query: str, thread_key: str | None, shown: frozenset[int], limits: ContextDefaults
) -> list[Found]:
    """What matters most first: the messages, memories and summaries of SPEC §5, then more messages.

    `shown` are the messages of the window. They are left out of the first messages, but not of the further ones: the
    budget may cut a window, and only who does so knows which of its messages are shown then.
    """
    asking = asks(query)
    talk = [f for f in ranked if f.kind == "message" and f.text != query and (asking or _near(f))]
    messages = _of_lane(talk, thread_key)
    first = [f for f in messages if f.id not in shown][: limits.messages]
    memories = [f for f in ranked if f.kind in MEMORY_KINDS and _of_use(f, limits.min_cosine)]
    summaries = [f for f in ranked if f.kind == "summary" and _near(f)]
    placed = {id(f) for f in first}
    more = [f for f in messages if id(f) not in placed][:MORE] if asking else []
    return [*first, *memories[: limits.memories], *summaries[:SUMMARIES], *more]


def _near(found: Found) -> bool:
    return (found.cosine or 0.0) >= MESSAGE_COSINE or found.covered >= MESSAGE_COVERED


def _of_use(found: Found, min_cosine: float) -> bool:
    return (found.cosine or 0.0) >= min_cosine or found.covered >= MEMORY_COVERED


def _of_lane(messages: Sequence[Found], thread_key: str | None) -> list[Found]:
    """This lane's; another lane's only where this one holds nothing near, or plainly less of what is asked."""
    own = [f for f in messages if f.thread_key == thread_key]
    if thread_key is None or not any(_near(f) for f in own):
        return list(messages)
    best = max(f.covered for f in own)
    return [f for f in messages if f.thread_key == thread_key or f.covered >= best + OTHER_LANE_MARGIN]
