"""Summaries without a model: verbatim sentences with speaker and day, without conclusions."""

import re
from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from tellonce.work import (
    ChunkInput,
    ChunkText,
    ErasureInput,
    KnownMemory,
    ProfileInput,
    ProfileResult,
    SummaryResult,
    ThreadInput,
)
from tellonce_summarizer.keep.lines import joined, rolling
from tellonce_summarizer.keep.sentences import dated, telling
from tellonce_text.tokens import estimate

_SENTENCES = 5
_TEXT_SHARE = 0.6
_EMPTY = "(no text)"
_DATED = re.compile(r"\(\d{4}-\d\d-\d\d[^()]*\)$")
_WISHES = ("preference", "goal")


def chunk_summary(work: ChunkInput | ErasureInput) -> SummaryResult:
    """Up to five of the most important sentences, in order. The lists of the structured body stay empty."""
    zone = ZoneInfo(work.timezone)
    said = telling(work.messages, work.notable, _SENTENCES) or telling(work.messages, (), _SENTENCES)
    return SummaryResult(text="\n".join(dated(sentence, zone) for sentence in said) or _EMPTY)


def thread_summary(work: ThreadInput) -> SummaryResult:
    """The prior summary and the new chunks within `cap_tokens` for text and body together; the newest lines are kept."""
    told = [*work.prior_text.splitlines(), *(line for chunk in work.chunks for line in chunk.text.splitlines())]
    body = joined([work.prior_body, *(chunk.body for chunk in work.chunks)])
    text, body = rolling([line.strip() for line in told if line.strip()], body, work.cap_tokens, _TEXT_SHARE)
    return SummaryResult(text=text or _EMPTY, body=body)


def profile(work: ProfileInput) -> ProfileResult:
    """The active memories with their days, newest first, within `cap_tokens`. Wishes (preferences and goals) are on a
    separate line."""
    zone = ZoneInfo(work.timezone)
    newest = sorted((m for m in work.memories if m.status == "active"), key=lambda m: m.since, reverse=True)
    while newest and estimate(_groups(newest, zone)) > work.cap_tokens:
        newest.pop()
    return ProfileResult(narrative=_groups(newest, zone))


def chunk_line(chunk: ChunkText, zone: ZoneInfo) -> str:
    """One chunk on a line: `2026-02-15 to 2026-02-16 (20 messages): …`."""
    return f"{period(chunk.from_at, chunk.to_at, zone)} ({chunk.count} messages): {' '.join(chunk.text.split())}"


def period(first: datetime, last: datetime, zone: ZoneInfo) -> str:
    """`2026-02-15` or `2026-02-15 to 2026-02-16`, in the user's zone."""
    days = sorted({at.astimezone(zone).date().isoformat() for at in (first, last)})
    return " to ".join(days)


def _groups(memories: list[KnownMemory], zone: ZoneInfo) -> str:
    told = [memory for memory in memories if memory.kind not in _WISHES]
    wishes = [memory for memory in memories if memory.kind in _WISHES]
    return "\n".join("; ".join(shown_memories(group, zone)) for group in (told, wishes) if group)


def shown_memories(memories: Iterable[KnownMemory], zone: ZoneInfo) -> list[str]:
    """Each memory with its day, unless its text already ends with a date. The text of a note stays verbatim."""
    return [_dated(f"“{m.text}”" if m.note else m.text, f" ({m.since.astimezone(zone).date()})") for m in memories]


def _dated(text: str, day: str) -> str:
    return text if text.endswith(day) or _DATED.search(text) else text + day
