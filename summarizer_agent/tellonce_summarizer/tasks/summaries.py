"""The jobs that summarize a chunk, a thread, a profile or a routine. For each kind: its task (the request to a
model and the check of the answer), and its result without a model. This result consists of verbatim sentences with
speaker and day."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from zoneinfo import ZoneInfo

from tellonce.work import (
    TRAITS,
    ChunkInput,
    ChunkText,
    ErasureInput,
    KnownMemory,
    ProfileInput,
    ProfileResult,
    RoutineInput,
    RoutineResult,
    SummaryBody,
    SummaryInput,
    SummaryResult,
    ThreadInput,
    Tier,
    WorkResult,
)
from tellonce_llm.model import Answer, Completion, SystemBlock, Turn
from tellonce_summarizer.keep.lines import bounded, clip, joined, rolling_summary
from tellonce_summarizer.keep.sentences import best_sentences, dated
from tellonce_summarizer.models.answers import SummaryShape, UnacceptableAnswerError, read
from tellonce_summarizer.models.fallback_chain import ResultT, Task
from tellonce_summarizer.tasks import prompts
from tellonce_summarizer.tasks.local_answers import LONGEST, checked
from tellonce_summarizer.tasks.prompts import plain, transcript
from tellonce_text.tokens import estimate

ROUTINE_CHARACTERS = 300
_MESSAGE_CHARACTERS = 1200
_SENTENCES = 5
_TEXT_SHARE = 0.6
_EMPTY = "(no text)"
_DATED = re.compile(r"\((?:by )?\d{4}-\d\d-\d\d[^()]*\)$")
_WISHES = ("preference", "goal")


def summary_task(work: SummaryInput) -> Task[WorkResult]:
    """The task for a job that writes a text."""
    match work:
        case ChunkInput() | ErasureInput():
            return chunk_task(work)
        case ThreadInput():
            return thread_task(work)
        case ProfileInput():
            return profile_task(work)
        case RoutineInput():
            return routine_task(work)


def chunk_task(work: ChunkInput | ErasureInput) -> Task[SummaryResult]:
    """The task of summarizing one run of messages."""
    zone = ZoneInfo(work.timezone)
    source = plain(work.messages, _MESSAGE_CHARACTERS)
    return Task(
        request=_requests(
            _json(prompts.CHUNK, transcript(work.messages, zone, _MESSAGE_CHARACTERS), 1500),
            _text(prompts.CHUNK_LOCAL.format(characters=LONGEST), source, 250),
        ),
        accept=_acceptor(_summary, lambda text: SummaryResult(text=checked(text, source))),
        without_model=lambda: chunk_summary(work),
    )


def chunk_summary(work: ChunkInput | ErasureInput) -> SummaryResult:
    """Up to five of the most important sentences, in order. The lists of the structured body stay empty."""
    zone = ZoneInfo(work.timezone)
    said = best_sentences(work.messages, work.notable, _SENTENCES) or best_sentences(work.messages, (), _SENTENCES)
    return SummaryResult(text="\n".join(dated(sentence, zone) for sentence in said) or _EMPTY)


def thread_task(work: ThreadInput) -> Task[SummaryResult]:
    """The task of updating the rolling summary of a thread or a chat."""
    new = "\n\n".join(f"{chunk_line(chunk, ZoneInfo(work.timezone))}\n{bullets(chunk.body)}" for chunk in work.chunks)
    source = f"PRIOR\n{work.prior_text or '(empty)'}\n{bullets(work.prior_body)}\n\nNEW\n{new}"
    return Task(
        request=_requests(
            _json(prompts.THREAD.format(cap=work.cap_tokens), source, work.cap_tokens * 2 + 500),
            _text(prompts.CHUNK_LOCAL.format(characters=LONGEST), source, 250),
        ),
        accept=_acceptor(partial(_capped, work), lambda text: _rolled(work, [checked(text, source)])),
        without_model=lambda: thread_summary(work),
    )


def _capped(work: ThreadInput, answer: Answer) -> SummaryResult:
    result = _summary(answer)
    text, body = rolling_summary([result.text], result.body, work.cap_tokens)
    return SummaryResult(text=text, body=body)


def thread_summary(work: ThreadInput) -> SummaryResult:
    """The prior summary and the new chunks, shortened to the newest lines."""
    lines = [*work.prior_text.splitlines(), *(line for chunk in work.chunks for line in chunk.text.splitlines())]
    return _rolled(work, [line.strip() for line in lines if line.strip()], _TEXT_SHARE)


def _rolled(work: ThreadInput, lines: Sequence[str], share: float = 1.0) -> SummaryResult:
    body = joined([work.prior_body, *(chunk.body for chunk in work.chunks)])
    text, body = rolling_summary(lines, body, work.cap_tokens, share)
    return SummaryResult(text=text or _EMPTY, body=body)


def bullets(body: SummaryBody) -> str:
    """The lists of a summary as text for a model's prompt."""
    return "\n".join(f"- {name}: {line}" for name, lines in body for line in lines)


def chunk_line(chunk: ChunkText, zone: ZoneInfo) -> str:
    """One chunk on a line, with its days in the user's zone: `2026-02-15 to 2026-02-16 (20 messages): …`."""
    days = sorted({at.astimezone(zone).date().isoformat() for at in (chunk.from_at, chunk.to_at)})
    return f"{' to '.join(days)} ({chunk.count} messages): {' '.join(chunk.text.split())}"


def profile_task(work: ProfileInput) -> Task[ProfileResult]:
    """The task of writing the narrative about the user."""
    active = [memory for memory in work.memories if memory.status == "active"]
    shown = zip(active, shown_memories(active, ZoneInfo(work.timezone)), strict=True)
    source = "\n".join(f"- {memory.kind}: {line}" for memory, line in shown)
    asked = f"MEMORIES\n{source or '(none)'}"
    return Task(
        request=_requests(
            _text(prompts.PROFILE.format(cap=work.cap_tokens), asked, work.cap_tokens * 2),
            _text(prompts.PROFILE.format(cap=min(80, work.cap_tokens)), asked, 200),
        ),
        accept=_acceptor(
            lambda answer: ProfileResult(narrative=_prose(answer.text, work.cap_tokens)),
            lambda text: ProfileResult(narrative=checked(text, source)),
        ),
        without_model=lambda: profile(work),
    )


def profile(work: ProfileInput) -> ProfileResult:
    """The active memories, one per line, newest first. Preferences and goals follow the others."""
    zone = ZoneInfo(work.timezone)
    newest = sorted((m for m in work.memories if m.status == "active"), key=lambda m: m.since, reverse=True)
    while newest and estimate(_groups(newest, zone)) > work.cap_tokens:
        newest.pop()
    return ProfileResult(narrative=_groups(newest, zone))


def _groups(memories: list[KnownMemory], zone: ZoneInfo) -> str:
    others = [memory for memory in memories if memory.kind not in _WISHES]
    wishes = [memory for memory in memories if memory.kind in _WISHES]
    return "\n".join(shown_memories([*others, *wishes], zone))


def shown_memories(memories: Iterable[KnownMemory], zone: ZoneInfo) -> list[str]:
    """Each memory with its day, unless its text ends with a date. A note stays verbatim."""
    return [_dated(f"“{m.text}”" if m.note else m.text, _day(m, zone)) for m in memories]


def _day(memory: KnownMemory, zone: ZoneInfo) -> str:
    due = memory.deadline if memory.kind in ("goal", "date") else None
    on = (due or memory.since).astimezone(zone).date()
    return f" (by {on})" if due is not None and memory.kind == "goal" else f" ({on})"


def _dated(text: str, day: str) -> str:
    return text if text.endswith(day) or _DATED.search(text) else text + day


def _prose(text: str, cap_tokens: int) -> str:
    if not text.strip():
        raise UnacceptableAnswerError("empty")
    return clip(text, cap_tokens * 3)


def routine_task(work: RoutineInput) -> Task[RoutineResult]:
    """Without a model, the summary is the message's first 300 characters."""
    text = work.message.text.strip()
    request = _text(prompts.ROUTINE.format(characters=ROUTINE_CHARACTERS), f"{work.name}:\n{text}", 250)
    return Task(
        request=lambda tier: request,
        accept=lambda answer: RoutineResult(summary=_shorter(checked(answer.text, text), text)),
        without_model=lambda: RoutineResult(summary=text[:ROUTINE_CHARACTERS]),
    )


def _shorter(summary: str, text: str) -> str:
    if len(summary) >= len(text) or text.startswith(summary.rstrip(" .…")):
        raise UnacceptableAnswerError("repeats the message instead of summarising it")
    return summary


def _requests(full: Completion, local: Completion) -> Callable[[Tier], Completion]:
    return lambda tier: local if TRAITS[tier].local else full


def _json(system: str, user: str, max_tokens: int) -> Completion:
    schema = SummaryShape.model_json_schema()
    return Completion((Turn("user", user),), (SystemBlock(system, cache=True),), max_tokens, schema)


def _text(system: str, user: str, max_tokens: int) -> Completion:
    return Completion((Turn("user", user),), (SystemBlock(system),), max_tokens)


def _acceptor(full: Callable[[Answer], ResultT], local: Callable[[str], ResultT]) -> Callable[[Answer], ResultT]:
    return lambda answer: local(answer.text) if TRAITS[answer.tier].local else full(answer)


def _summary(answer: Answer) -> SummaryResult:
    shape = read(SummaryShape, answer.text)
    if not shape.paragraph.strip():
        raise UnacceptableAnswerError("an empty paragraph")
    fields = {name: bounded(getattr(shape, name), 12) for name in SummaryBody.model_fields}
    return SummaryResult(text=clip(shape.paragraph, 2000), body=SummaryBody(**fields))
