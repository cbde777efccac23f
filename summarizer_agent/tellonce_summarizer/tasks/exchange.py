"""The exchange task: memories and new lines of the canonical summary from one exchange, in one call."""

from collections.abc import Sequence
from functools import partial
from zoneinfo import ZoneInfo

from tellonce.journal import Emit
from tellonce.work import TRAITS, Canonical, ExchangeInput, ExchangeResult, KnownMemory, Tier
from tellonce_llm.model import Answer, Completion, SystemBlock, Turn
from tellonce_summarizer.keep.lines import shrunk
from tellonce_summarizer.keep.sentences import best_sentences, dated, notes
from tellonce_summarizer.models.answers import CanonicalShape, ExchangeShape, LooseExchange, read, readable, schema_of
from tellonce_summarizer.models.fallback_chain import Task
from tellonce_summarizer.tasks import prompts
from tellonce_summarizer.tasks.items import items
from tellonce_summarizer.tasks.local_answers import complaint
from tellonce_summarizer.tasks.prompts import plain, transcript
from tellonce_text.tokens import estimate

_ITEM_TOKENS = 2500
_LINE_TOKENS = 500
_BEFORE_CHARACTERS = 400


def exchange_task(work: ExchangeInput, emit: Emit) -> Task[ExchangeResult]:
    """The task of reading an exchange: the items and the canonical summary. `emit` gets every dropped item."""
    return Task(
        request=partial(_request, work),
        accept=partial(_accepted, work, emit),
        without_model=lambda: ExchangeResult(items=notes(work), canonical=without_model(work)),
    )


def _request(work: ExchangeInput, tier: Tier) -> Completion:
    local = TRAITS[tier].local
    return Completion(
        turns=(Turn("user", shown(work)),),
        system=(SystemBlock(prompts.EXCHANGE_LOCAL if local else prompts.EXCHANGE, cache=not local),),
        max_tokens=_ITEM_TOKENS + (work.canonical_cap_tokens if is_full(work) and not local else _LINE_TOKENS),
        json_schema=schema_of(ExchangeShape),
    )


def shown(work: ExchangeInput) -> str:
    """Format the exchange for a model: the text that changes least often comes first, the latest messages come last."""
    zone = ZoneInfo(work.timezone)
    mode = f"rewrite, under {work.canonical_cap_tokens} tokens" if is_full(work) else "add"
    parts = [
        f"USER: {work.user_name or 'name unknown'}\nTIME ZONE of the user: {work.timezone}\n"
        f"NOW: {work.now.astimezone(zone):%a %Y-%m-%d %H:%M}",
        f"KNOWN\n{known_lines(work.known, zone)}",
        f"MODE: {mode}\nPRIOR\n{_canonical_text(work.canonical)}",
        f"BEFORE\n{transcript(work.before, zone, _BEFORE_CHARACTERS)}",
        f"NEW MESSAGES\n{transcript(work.messages, zone)}",
    ]
    return "\n\n".join(parts)


def known_lines(known: tuple[KnownMemory, ...], zone: ZoneInfo) -> str:
    """`#12 fact, since 2026-02-01: …`; a note is in quotation marks."""
    return "\n".join(_known_line(memory, zone) for memory in known) or "(nothing)"


def _known_line(memory: KnownMemory, zone: ZoneInfo) -> str:
    marks = [memory.kind, f"since {memory.since.astimezone(zone).date().isoformat()}"]
    marks += ["uncertain"] if memory.status == "uncertain" else []
    marks += ["denied by the user"] if memory.status == "rejected" else []
    marks += ["confirmed by the user"] if memory.user_confirmed and memory.status != "rejected" else []
    text = " ".join(memory.text.split())
    return f"#{memory.id} {', '.join(marks)}: {f'“{text}”' if memory.note else text}"


def _canonical_text(summary: Canonical) -> str:
    fields = ("user_confirmed", "llm_inferred", "general_summary")
    return "\n".join(f"[{name}]\n{getattr(summary, name) or '(empty)'}" for name in fields)


def _accepted(work: ExchangeInput, emit: Emit, answer: Answer) -> ExchangeResult:
    loose = read(LooseExchange, answer.text)

    def drop(reason: str) -> None:
        emit("ltm_item_dropped", model=answer.model, reason=reason)

    found = items(loose.items, work, drop)
    new = readable(CanonicalShape, loose.canonical or {})
    if isinstance(new, str):
        drop(f"canonical: {new}")
        return ExchangeResult(items=found, canonical=without_model(work))
    local = TRAITS[answer.tier].local
    return ExchangeResult(items=found, canonical=_local_line(work, new) if local else carried_forward(work, new))


def _local_line(work: ExchangeInput, new: CanonicalShape) -> Canonical:
    line = " ".join(new.general_summary.split())
    if complaint(line, plain(work.messages, 1800)) is not None:
        return without_model(work)
    return extended(work, [line])


_OVER = 1.1
_SIDES_SHARE = 0.8
"""The share of the cap that `user_confirmed` and `llm_inferred` may use together. The rest is for `general_summary`."""
_SENTENCES = 2


def ceiling(work: ExchangeInput) -> int:
    """Maximum tokens of a canonical summary. It is a little above the cap, because a summary counts as full only above
    the cap."""
    return int(work.canonical_cap_tokens * _OVER)


def is_full(work: ExchangeInput) -> bool:
    """Whether the summary exceeds the cap. If so, the model must rewrite the summary instead of adding lines."""
    summary = work.canonical
    fields = (summary.user_confirmed, summary.llm_inferred, summary.general_summary)
    return sum(estimate(text) for text in fields) > work.canonical_cap_tokens


def without_model(work: ExchangeInput) -> Canonical:
    """The prior summary and, after it, the exchange's most important sentences. The sentences are verbatim, each with
    its day. If no sentence is good enough to be shown, nothing is added. A part that becomes too long loses its oldest
    lines."""
    if not any(sentence.shown for sentence in work.notable):
        return work.canonical
    zone = ZoneInfo(work.timezone)
    said = [
        dated(sentence, zone) for sentence in best_sentences(work.messages, work.notable, _SENTENCES, shown_only=True)
    ]
    return extended(work, said)


def extended(work: ExchangeInput, lines: Sequence[str]) -> Canonical:
    """The prior summary with `lines` at the end of `general_summary`."""
    prior = work.canonical
    rest = max(0, ceiling(work) - estimate(prior.user_confirmed) - estimate(prior.llm_inferred))
    kept = _lines(prior.general_summary, *lines)
    return prior.model_copy(update={"general_summary": shrunk(kept, rest)})


def carried_forward(work: ExchangeInput, new: CanonicalShape) -> Canonical:
    """The prior summary with the new lines and without the obsolete lines. A full summary is replaced."""
    prior = Canonical() if is_full(work) else work.canonical
    gone = {_key(line) for line in new.obsolete}
    fields = {
        name: _joined(getattr(prior, name), getattr(new, name), gone) for name in ("user_confirmed", "llm_inferred")
    }
    used = sum(estimate(text) for text in fields.values())
    if used > work.canonical_cap_tokens * _SIDES_SHARE:
        side = int(work.canonical_cap_tokens * _SIDES_SHARE / 2)
        fields = {name: shrunk(text.splitlines(), side) for name, text in fields.items()}
        used = sum(estimate(text) for text in fields.values())
    lines = _joined(prior.general_summary, new.general_summary, gone).splitlines()
    return Canonical(**fields, general_summary=shrunk(lines, ceiling(work) - used))


def _joined(prior: str, new: str, gone: set[str]) -> str:
    return "\n".join(line for line in _lines(prior, new) if _key(line) not in gone)


def _lines(*texts: str) -> list[str]:
    return list(dict.fromkeys(line.strip() for text in texts for line in text.splitlines() if line.strip()))


def _key(line: str) -> str:
    return " ".join(line.casefold().strip("-•* .").split())
