"""The tasks of summarizing a chunk, a thread, a profile and a routine. `complaint` checks the summaries of small local
models."""

import re
from collections.abc import Callable
from functools import partial
from zoneinfo import ZoneInfo

from tellonce.work import (
    TRAITS,
    ChunkInput,
    ErasureInput,
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
from tellonce_summarizer.keep.lines import bounded, clip, joined, rolling
from tellonce_summarizer.keep.summaries import chunk_line, chunk_summary, profile, shown_memories, thread_summary
from tellonce_summarizer.models.answers import SummaryShape, UnacceptableAnswerError, read
from tellonce_summarizer.models.fallback_chain import ResultT, Task
from tellonce_summarizer.tasks import prompts
from tellonce_summarizer.tasks.prompts import plain, transcript

ROUTINE_CHARACTERS = 300
_MESSAGE_CHARACTERS = 1200


def summary_task(work: SummaryInput) -> Task[WorkResult]:
    """The task for a job of any kind other than `exchange`."""
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
        accept=_accepting(_summary, lambda text: SummaryResult(text=_local(text, source))),
        without_model=lambda: chunk_summary(work),
    )


def thread_task(work: ThreadInput) -> Task[SummaryResult]:
    """The task of updating the rolling summary of a thread or a chat."""
    new = "\n\n".join(f"{chunk_line(chunk, ZoneInfo(work.timezone))}\n{bullets(chunk.body)}" for chunk in work.chunks)
    source = f"PRIOR\n{work.prior_text or '(empty)'}\n{bullets(work.prior_body)}\n\nNEW\n{new}"
    return Task(
        request=_requests(
            _json(prompts.THREAD.format(cap=work.cap_tokens), source, work.cap_tokens * 2 + 500),
            _text(prompts.CHUNK_LOCAL.format(characters=LONGEST), source, 250),
        ),
        accept=_accepting(partial(_capped, work), lambda text: _local_thread(work, _local(text, source))),
        without_model=lambda: thread_summary(work),
    )


def _capped(work: ThreadInput, answer: Answer) -> SummaryResult:
    result = _summary(answer)
    text, body = rolling([result.text], result.body, work.cap_tokens)
    return SummaryResult(text=text, body=body)


def _local_thread(work: ThreadInput, text: str) -> SummaryResult:
    body = joined([work.prior_body, *(chunk.body for chunk in work.chunks)])
    text, body = rolling([text], body, work.cap_tokens)
    return SummaryResult(text=text, body=body)


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
        accept=_accepting(
            lambda answer: ProfileResult(narrative=_prose(answer.text, work.cap_tokens)),
            lambda text: ProfileResult(narrative=_local(text, source)),
        ),
        without_model=lambda: profile(work),
    )


def routine_task(work: RoutineInput) -> Task[RoutineResult]:
    """The task of summarizing a proactive message; without a model, its first 300 characters."""
    text = work.message.text.strip()
    request = _text(prompts.ROUTINE.format(characters=ROUTINE_CHARACTERS), f"{work.name}:\n{text}", 250)

    def accept(answer: Answer) -> RoutineResult:
        return RoutineResult(summary=_shorter(_local(answer.text, text), text))

    def cut() -> RoutineResult:
        return RoutineResult(summary=text[:ROUTINE_CHARACTERS])

    return Task(request=lambda tier: request, accept=accept, without_model=cut)


def _shorter(summary: str, text: str) -> str:
    if len(summary) >= len(text) or text.startswith(summary.rstrip(" .…")):
        raise UnacceptableAnswerError("repeats the message instead of summarising it")
    return summary


def bullets(found: SummaryBody) -> str:
    """The lists of a summary as text for a model's prompt."""
    return "\n".join(f"- {name}: {line}" for name, told in found for line in told)


def _requests(full: Completion, local: Completion) -> Callable[[Tier], Completion]:
    return lambda tier: local if TRAITS[tier].local else full


def _json(system: str, user: str, max_tokens: int) -> Completion:
    schema = SummaryShape.model_json_schema()
    return Completion((Turn("user", user),), (SystemBlock(system, cache=True),), max_tokens, schema)


def _text(system: str, user: str, max_tokens: int) -> Completion:
    return Completion((Turn("user", user),), (SystemBlock(system),), max_tokens)


def _accepting(full: Callable[[Answer], ResultT], local: Callable[[str], ResultT]) -> Callable[[Answer], ResultT]:
    return lambda answer: local(answer.text) if TRAITS[answer.tier].local else full(answer)


def _summary(answer: Answer) -> SummaryResult:
    shape = read(SummaryShape, answer.text)
    if not shape.paragraph.strip():
        raise UnacceptableAnswerError("an empty paragraph")
    fields = {name: bounded(getattr(shape, name), 12) for name in SummaryBody.model_fields}
    return SummaryResult(text=clip(shape.paragraph, 2000), body=SummaryBody(**fields))


def _local(text: str, source: str) -> str:
    """Return a local model's text if the text passes the stricter validation."""
    wrong = complaint(text, source)
    if wrong is not None:
        raise UnacceptableAnswerError(wrong)
    return text.strip()


def _prose(text: str, cap_tokens: int) -> str:
    if not text.strip():
        raise UnacceptableAnswerError("empty")
    return clip(text, cap_tokens * 3)


LONGEST = 300
"""Maximum number of characters of a local model's summary. For a long source, the maximum is 30 % of the source's
length."""
LEAST_OVERLAP = 0.1

# Small models begin their answers with these phrases regardless of instructions, mostly in English.
_CHATTER = re.compile(
    r"\b(?:here(?:'s| is| are)|certainly|of course|absolutely|i(?:'d| would) be happy|happy to help|let me know"
    r"|as an ai|i cannot|i can't|i'm sorry|below is|the following is|in summary|to summari[sz]e)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|well|sure|summary|note|answer|title|let me|let's|i(?:'ll| will|'ve| have| am|'m| can| need to))\b",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*\n]+\*\*\s*(?:\n|$)|__[^_\n]+__\s*\n|[^\n.!?]{1,80}:\s*\n|[A-Z][^\n.!?]{0,70}\n\s*\n)"
)
_WORD = re.compile(r"\w+")


def complaint(summary: str, source: str) -> str | None:
    """Return the reason why a summary of `source` must be rejected; None if the summary is acceptable."""
    text = summary.strip()
    if not text:
        return "empty"
    if len(text) > max(LONGEST, len(source) * 3 // 10):
        return f"{len(text)} characters are too long"
    if "```" in text:
        return "code fence"
    if _OPENING.match(text):
        return "begins with words about the model itself"
    if _CHATTER.search(text):
        return "chatter"
    if _TITLE.match(text):
        return "title"
    if overlap(text, source) < LEAST_OVERLAP:
        return "contains hardly a word of the source"
    return None


def overlap(summary: str, source: str) -> float:
    """The share of the summary's words that occur in the source."""
    said = [word.lower() for word in _WORD.findall(summary)]
    known = {word.lower() for word in _WORD.findall(source)}
    return sum(word in known for word in said) / len(said) if said else 0.0
