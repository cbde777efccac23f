"""The exchange task: memories and the canonical summary's new lines from one exchange, in one call of a model."""

from zoneinfo import ZoneInfo

from chatmem.work import Canonical, ExchangeInput, ExchangeResult, Extraction, KnownMemory
from chatmem_llm import Answer, Completion, SystemBlock, Turn
from chatmem_summarizer import prompts
from chatmem_summarizer.answers import CanonicalShape, ExchangeShape, ExtractionShape, UnacceptableAnswerError, read
from chatmem_summarizer.length import tokens
from chatmem_summarizer.offline_canonical import canonical as offline_canonical
from chatmem_summarizer.offline_canonical import ceiling
from chatmem_summarizer.offline_extract import extract
from chatmem_summarizer.offline_rolling import shrunk
from chatmem_summarizer.quotes import grounded
from chatmem_summarizer.task import Task
from chatmem_summarizer.transcript import transcript

_ITEM_TOKENS = 1500
_SIDES_SHARE = 0.8
"""Share of the cap the statements may take; the rest is for what was talked about."""


def exchange_task(work: ExchangeInput) -> Task[ExchangeResult]:
    """Extraction and canonical summary; local models only extract, the summary's lines are then deterministic."""
    return Task(
        request=lambda rung: _local_request(work) if rung == "ollama" else _request(work),
        accept=lambda answer: _accepted(work, answer),
        without_model=lambda: without_model(work),
        after_bad_answer=lambda: without_model(work),
    )


def without_model(work: ExchangeInput) -> ExchangeResult:
    """The deterministic rung."""
    found = extract(work)
    return ExchangeResult(extraction=found, canonical=offline_canonical(work, found))


def _request(work: ExchangeInput) -> Completion:
    system = SystemBlock(prompts.EXTRACT, cache=True)
    rule = prompts.CANONICAL_ANEW if is_full(work) else prompts.CANONICAL_DELTA
    return Completion(
        turns=(Turn("user", _shown(work, with_prior=True)),),
        system=(system, SystemBlock(rule.format(cap=work.canonical_cap_tokens))),
        max_tokens=_ITEM_TOKENS + (work.canonical_cap_tokens if is_full(work) else 500),
        json_schema=ExchangeShape.model_json_schema(),
    )


def _local_request(work: ExchangeInput) -> Completion:
    return Completion(
        turns=(Turn("user", _shown(work, with_prior=False)),),
        system=(SystemBlock(prompts.EXTRACT_LOCAL),),
        max_tokens=_ITEM_TOKENS,
        json_schema=ExtractionShape.model_json_schema(),
    )


def _shown(work: ExchangeInput, *, with_prior: bool) -> str:
    zone = ZoneInfo(work.timezone)
    prior = [f"PRIOR\n{_canonical_text(work.canonical)}"] if with_prior else []
    parts = [
        f"TIME ZONE of the user: {work.timezone}",
        f"KNOWN\n{_known(work.known)}",
        *prior,
        f"BEFORE\n{transcript(work.before, zone, 400)}",
        f"NEW MESSAGES\n{transcript(work.messages, zone)}",
    ]
    return "\n\n".join(parts)


def _known(known: tuple[KnownMemory, ...]) -> str:
    return "\n".join(f"- {memory.kind}, {memory.status}: {memory.text}" for memory in known) or "(nothing)"


def _canonical_text(summary: Canonical) -> str:
    fields = (("user_confirmed", summary.user_confirmed), ("llm_inferred", summary.llm_inferred))
    return "\n".join(
        f"[{name}]\n{text or '(empty)'}" for name, text in (*fields, ("general_summary", summary.general_summary))
    )


def _accepted(work: ExchangeInput, answer: Answer) -> ExchangeResult:
    if answer.rung == "ollama":
        found = _grounded(work, read(ExtractionShape, answer.text))
        return ExchangeResult(extraction=found, canonical=offline_canonical(work, found))
    shape = read(ExchangeShape, answer.text)
    found = _grounded(work, shape)
    return ExchangeResult(extraction=found, canonical=carried_forward(work, shape.canonical))


def _grounded(work: ExchangeInput, shape: ExtractionShape) -> Extraction:
    found, lost = grounded(shape, work.messages, ZoneInfo(work.timezone))
    kept = sum(len(items) for lists in (found.certain, found.uncertain) for _, items in lists)
    if lost and not kept:
        raise UnacceptableAnswerError(f"none of {lost} statements quotes the user")
    return found


def is_full(work: ExchangeInput) -> bool:
    """Whether the canonical summary is so long that adding lines no longer does."""
    summary = work.canonical
    return (
        tokens(summary.user_confirmed) + tokens(summary.llm_inferred) + tokens(summary.general_summary)
        > work.canonical_cap_tokens
    )


def carried_forward(work: ExchangeInput, new: CanonicalShape) -> Canonical:
    """The prior summary with the new lines, without the obsolete ones; or the new one alone when it was full."""
    prior = Canonical() if is_full(work) else work.canonical
    gone = {_key(line) for line in new.obsolete}
    fields = {
        name: _joined(getattr(prior, name), getattr(new, name), gone) for name in ("user_confirmed", "llm_inferred")
    }
    used = sum(tokens(text) for text in fields.values())
    told = _joined(prior.general_summary, new.general_summary, gone).splitlines()
    if used > work.canonical_cap_tokens * _SIDES_SHARE:
        side = int(work.canonical_cap_tokens * _SIDES_SHARE / 2)
        fields = {name: shrunk(text.splitlines(), side) for name, text in fields.items()}
        used = sum(tokens(text) for text in fields.values())
    return Canonical(**fields, general_summary=shrunk(told, ceiling(work) - used))


def _joined(prior: str, new: str, gone: set[str]) -> str:
    told = [line.strip() for line in (*prior.splitlines(), *new.splitlines()) if line.strip()]
    return "\n".join(dict.fromkeys(line for line in told if _key(line) not in gone))


def _key(line: str) -> str:
    return " ".join(line.casefold().strip("-•* .").split())
