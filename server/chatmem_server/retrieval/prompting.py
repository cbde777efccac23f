"""Which of what was found belongs in a prompt, and in which order; pure."""

from collections.abc import Sequence

from chatmem_server.retrieval.found import MEMORY_KINDS, Found
from chatmem_server.retrieval.question import asks

MESSAGES = 5
MEMORIES = 3
SUMMARIES = 2
MORE = 120
"""Further messages offered to a budget that has room, for a query that asks something."""

MEMORY_COSINE = 0.7
"""A memory needs this cosine, or a word in common, to come into a prompt (SPEC §5)."""

MEMORY_COVERED = 0.15
MESSAGE_COSINE = 0.45
MESSAGE_COVERED = 0.3
"""What a message of a talk that asks nothing needs: one of both."""

OTHER_LANE_MARGIN = 0.25
"""How much more of the query another lane's message must hold than any of this lane's."""


def choose(ranked: Sequence[Found], query: str, thread_key: str | None, shown: frozenset[int]) -> list[Found]:
    """What matters most first: messages, memories and summaries of SPEC §5, then more messages.

    `shown` are the messages of the window.  A long one may be cut to its budget, so the further messages do not leave
    them out: whoever knows what was cut passes over the others.
    """
    asking = asks(query)
    talk = [f for f in ranked if f.kind == "message" and f.text != query and (asking or _near(f))]
    messages = _of_lane(talk, thread_key)
    first = [f for f in messages if f.id not in shown][:MESSAGES]
    memories = [f for f in ranked if f.kind in MEMORY_KINDS and _of_use(f)]
    summaries = [f for f in ranked if f.kind == "summary" and _near(f)]
    placed = {id(f) for f in first}
    more = [f for f in messages if id(f) not in placed][:MORE] if asking else []
    return [*first, *memories[:MEMORIES], *summaries[:SUMMARIES], *more]


def _near(found: Found) -> bool:
    return (found.cosine or 0.0) >= MESSAGE_COSINE or found.covered >= MESSAGE_COVERED


def _of_use(found: Found) -> bool:
    return (found.cosine or 0.0) >= MEMORY_COSINE or found.covered >= MEMORY_COVERED


def _of_lane(messages: Sequence[Found], thread_key: str | None) -> list[Found]:
    """This lane's; another lane's only where this one holds nothing near, or plainly less of what is asked."""
    own = [f for f in messages if f.thread_key == thread_key]
    if thread_key is None or not any(_near(f) for f in own):
        return list(messages)
    best = max(f.covered for f in own)
    return [f for f in messages if f.thread_key == thread_key or f.covered >= best + OTHER_LANE_MARGIN]
