"""When a lane's older messages are summarised, and in which runs; pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from tellonce.settings import Compaction
from tellonce_server.store.lanes import OpenMessage, Run


def is_due(rules: Compaction, *, messages: int, tokens: int, oldest: datetime | None, now: datetime) -> bool:
    """Whether a lane with that many unsummarised messages is to be compacted."""
    return keep(rules, messages=messages, tokens=tokens, oldest=oldest, now=now) is not None


def keep(rules: Compaction, *, messages: int, tokens: int, oldest: datetime | None, now: datetime) -> int | None:
    """How many of the newest messages stay verbatim; None when nothing is due."""
    if messages > rules.max_messages:
        return rules.keep
    if tokens > rules.max_tokens and messages > rules.keep_when_long:
        return rules.keep_when_long
    stale = oldest is not None and now - oldest > timedelta(hours=rules.max_age_hours)
    return rules.keep if stale and messages > rules.keep else None


def runs(open_messages: Sequence[OpenMessage], kept: int, chunk: int) -> list[Run]:
    """Cut all but the newest `kept` messages into contiguous runs of at most `chunk`, oldest first, of even size."""
    old = open_messages[: max(0, len(open_messages) - kept)]
    count = -(-len(old) // chunk)
    edges = [len(old) * i // count for i in range(count + 1)] if count else [0]
    return [_run(old[a:b]) for a, b in pairwise(edges)]


def _run(part: Sequence[OpenMessage]) -> Run:
    first, last = part[0], part[-1]
    return Run(first.lane_no, last.lane_no, first.id, last.id, sum(m.tokens for m in part))
