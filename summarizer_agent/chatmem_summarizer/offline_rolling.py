"""Rolling summaries without a language model, made from chunk summaries; what is old shrinks first."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from chatmem.work import ChunkText, SummaryBody, SummaryResult, ThreadInput
from chatmem_summarizer.length import clip, tokens
from chatmem_summarizer.offline_summarize import lines, period, settled

_FIELDS = ("goals", "decisions", "facts", "outcomes", "pending")
_TEXT_SHARE = 0.6
_LINE_CHARACTERS = (320, 160, 80)
_OPEN = "Open question: "


def thread_summary(work: ThreadInput) -> SummaryResult:
    """The prior summary and the new chunks as one, within `cap_tokens` for text and body together."""
    zone = ZoneInfo(work.timezone)
    told = [*work.prior_text.splitlines(), *(chunk_line(chunk, zone) for chunk in work.chunks)]
    text = shrunk([line for line in told if line.strip()], int(work.cap_tokens * _TEXT_SHARE))
    body = fitted(merged(work.prior_body, work.chunks), work.cap_tokens - tokens(text))
    return SummaryResult(text=text or "Nothing was said yet.", body=body)


def chunk_line(chunk: ChunkText, zone: ZoneInfo) -> str:
    """One chunk in a line: `Feb 15–16 (20 messages): …`."""
    return f"{period(chunk.from_at, chunk.to_at, zone)} ({chunk.count} messages): {' '.join(chunk.text.split())}"


def shrunk(told: Sequence[str], budget: int) -> str:
    """The lines, newest whole, older ones ever shorter, the oldest dropped, so that `budget` tokens suffice."""
    kept = list(dict.fromkeys(told))
    for characters in _LINE_CHARACTERS:
        for index in range(len(kept)):
            if tokens("\n".join(kept)) <= budget:
                return "\n".join(kept)
            kept[index] = clip(kept[index], characters)
    while len(kept) > 1 and tokens("\n".join(kept)) > budget:
        kept.pop(0)
    text = "\n".join(kept)
    return text if tokens(text) <= budget else clip(text, max(1, budget * 2))


def merged(prior: SummaryBody, chunks: Sequence[ChunkText]) -> SummaryBody:
    """All lines once, oldest first, without questions answered and tasks done since."""
    bodies = [prior, *(chunk.body for chunk in chunks)]
    done = [line for body in bodies for line in (*body.outcomes, *body.decisions)]
    open_questions = {line for line in bodies[-1].goals if line.startswith(_OPEN)}
    fields = {name: [line for body in bodies for line in getattr(body, name)] for name in _FIELDS}
    goals = [g for g in fields["goals"] if not g.startswith(_OPEN) or g in open_questions]
    fields["goals"] = [goal for goal in goals if not settled(goal, done)]
    fields["pending"] = [line for line in fields["pending"] if not settled(line, done)]
    return SummaryBody(**{name: lines(found, 12) for name, found in fields.items()})


def fitted(body: SummaryBody, budget: int) -> SummaryBody:
    """The body with its oldest lines gone, longest list first, until `budget` tokens suffice."""
    fields = {name: list(getattr(body, name)) for name in _FIELDS}
    while any(fields.values()) and sum(tokens(line) for found in fields.values() for line in found) > budget:
        longest = max(_FIELDS, key=lambda name: len(fields[name]))
        fields[longest].pop(0)
    return SummaryBody(**{name: tuple(found) for name, found in fields.items()})
