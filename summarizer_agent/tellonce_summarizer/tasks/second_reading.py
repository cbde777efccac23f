"""Asks a second, independent question about each claim that is marked as certain: do the messages support the claim?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from zoneinfo import ZoneInfo

from tellonce.journal import Emit
from tellonce.reasons import reason
from tellonce.work import (
    Claim,
    ClaimVerdict,
    ExchangeInput,
    ExchangeItem,
    ExchangeResult,
    SecondReadingInput,
    SecondReadingResult,
    When,
)
from tellonce_llm.model import Answer, Completion, SystemBlock, Turn
from tellonce_summarizer.models.answers import LooseVerdicts, VerdictShape, VerdictsShape, read, readable, schema_of
from tellonce_summarizer.models.fallback_chain import FallbackChain, Outcome, Task
from tellonce_summarizer.tasks import prompts
from tellonce_summarizer.tasks.prompts import transcript

NOT_YET = reason("unread")
NOT_FOUND = reason("not_found")
_TOKENS = 1500
_BEFORE_CHARACTERS = 400
_LONGEST_DOUBT = 200


async def with_second_reading(
    work: ExchangeInput,
    first: Outcome[ExchangeResult],
    chain: FallbackChain,
    emit: Emit,
    *,
    admitted: bool,
    together: str | None = None,
) -> Outcome[ExchangeResult]:
    """Let the same tier read the claims of `first` a second time. Return `first` with a doubt at each claim that the
    second reading does not confirm. If there is no usable second reading, every claim gets a doubt, and the result is
    provisional."""
    claims = [(place, item) for place, item in enumerate(first.result.items) if item.certain and not item.note]
    if not claims or first.tier == "keep":
        return first
    task = reading_task(_second_input(work, [item for _, item in claims]))
    found, calls = await chain.ask(first.tier, task, emit, together) if admitted else (None, ())
    outcome = replace(first, calls=(*first.calls, *calls))
    if found is None:
        return _doubted(outcome, dict.fromkeys((place for place, _ in claims), NOT_YET), unread=True)
    doubts = {verdict.memory_id: verdict.doubt for verdict in found.verdicts}
    confirmations = {place: doubts.get(number, NOT_YET) for number, (place, _) in enumerate(claims, 1)}
    return _doubted(outcome, {place: why for place, why in confirmations.items() if why is not None})


def reading_task(work: SecondReadingInput) -> Task[SecondReadingResult]:
    """The task of a second reading, with one question for each claim; the claims are numbered from 1."""
    request = Completion(
        turns=(Turn("user", shown(work)),),
        system=(SystemBlock(prompts.SECOND_READING, cache=True),),
        max_tokens=_TOKENS,
        json_schema=schema_of(VerdictsShape),
    )
    return Task(lambda _: request, accept=partial(_verdicts, work.claims), without_model=SecondReadingResult)


def _second_input(work: ExchangeInput, items: Sequence[ExchangeItem]) -> SecondReadingInput:
    """Without the doubts of the first reading."""
    texts = {memory.id: memory.text for memory in work.known}
    return SecondReadingInput(
        timezone=work.timezone,
        user_name=work.user_name,
        before=work.before,
        messages=work.messages,
        claims=tuple(
            Claim(
                memory_id=number,
                about=item.about,
                text=item.text,
                quotes=item.quotes,
                when=item.when,
                deadline=item.deadline,
                over=tuple(texts[known] for known in (*item.replaces, *item.ends) if known in texts),
            )
            for number, item in enumerate(items, 1)
        ),
    )


def shown(work: SecondReadingInput) -> str:
    """The messages and the claims."""
    zone = ZoneInfo(work.timezone)
    before = transcript(work.before, zone, _BEFORE_CHARACTERS)
    statements = "\n\n".join(_statement(n, claim, zone) for n, claim in enumerate(work.claims, 1))
    return (
        f"USER: {work.user_name or 'name unknown'}\n\nMESSAGES\n{before}\n{transcript(work.messages, zone)}"
        f"\n\n{statements}"
    )


def _statement(number: int, claim: Claim, zone: ZoneInfo) -> str:
    quoted = " … ".join(f"“{quote.text}” [{quote.message_id}]" for quote in claim.quotes)
    lines = [f"STATEMENT {number}{f', about {claim.about}' if claim.about else ''}: {claim.text}"]
    lines += [f"Quoted: {quoted}"] if quoted else []
    lines += [f"Time: {_span(claim.when, zone)}"] if claim.when else []
    lines += [f"Deadline: {claim.deadline.astimezone(zone).date().isoformat()}"] if claim.deadline else []
    lines += [f"So this is over or replaced: {text}" for text in claim.over]
    return "\n".join(lines)


def _span(when: When, zone: ZoneInfo) -> str:
    ends = (end.astimezone(zone).strftime("%Y-%m-%d %H:%M") if end else "…" for end in (when.start, when.end))
    return f"{' to '.join(ends)} ({when.precision})"


def _verdicts(claims: Sequence[Claim], answer: Answer) -> SecondReadingResult:
    parts = (readable(VerdictShape, part) for part in read(LooseVerdicts, answer.text).verdicts)
    found: dict[int, str | None] = {}
    for part in parts:
        if not isinstance(part, str):
            # If a statement gets two verdicts, the negative one counts.
            why = None if part.holds else (part.why or "").strip()[:_LONGEST_DOUBT] or NOT_FOUND
            found[part.number] = found.get(part.number) or why
    return SecondReadingResult(
        verdicts=tuple(
            ClaimVerdict(memory_id=claim.memory_id, doubt=found[number])
            for number, claim in enumerate(claims, 1)
            if number in found
        )
    )


def _doubted(
    outcome: Outcome[ExchangeResult], confirmations: Mapping[int, str], *, unread: bool = False
) -> Outcome[ExchangeResult]:
    items = tuple(
        item.model_copy(update={"certain": False, "doubt": confirmations[place]}) if place in confirmations else item
        for place, item in enumerate(outcome.result.items)
    )
    result = outcome.result.model_copy(update={"items": items})
    return replace(outcome, result=result, provisional=outcome.provisional or unread)
