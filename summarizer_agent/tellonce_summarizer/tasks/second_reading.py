"""A second, independent reading of the claims that a model marked as certain. For each claim, the model answers whether
the words in their context support it.

If the check does not find a number, a name or a day of a confirmed claim in the user's words, a third call asks about
these details."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from zoneinfo import ZoneInfo

from tellonce.journal import Emit
from tellonce.work import ExchangeInput, ExchangeItem, ExchangeResult, Tier, When
from tellonce_llm import Answer, Completion, SystemBlock, Turn
from tellonce_summarizer.models.answers import LooseVerdicts, VerdictShape, VerdictsShape, read, readable, schema_of
from tellonce_summarizer.models.fallback_chain import FallbackChain, Outcome, Task
from tellonce_summarizer.quotes import own
from tellonce_summarizer.tasks import prompts
from tellonce_summarizer.tasks.exchange import certain_items
from tellonce_summarizer.tasks.prompts import transcript
from tellonce_text import check
from tellonce_text.own_words import own_words

NOT_YET = "not read a second time yet"
NOT_FOUND = "a second reading did not find this in what was said"
_TOKENS = 1500
_BEFORE_CHARACTERS = 400
_LONGEST_DOUBT = 200
_DETAILS = 20

Verdicts = Mapping[int, str | None]
"""A verdict for each statement by the statement's number: None if the statement is confirmed, else the reason why it is
not confirmed."""


async def read_again(
    work: ExchangeInput,
    first: Outcome[ExchangeResult],
    chain: FallbackChain,
    emit: Emit,
    *,
    admitted: bool,
    together: str | None = None,
) -> Outcome[ExchangeResult]:
    """The result `first`, with a doubt added to each claim that the same tier does not confirm when it is asked again,
    and with the details that it confirms although the check does not find them.

    If a second reading is not allowed or gives no usable answer, every claim gets a doubt and the result is
    provisional.
    """
    claims = certain_items(first.result)
    if not claims or first.tier == "keep":
        return first
    if not admitted:
        return _doubted(first, dict.fromkeys((place for place, _ in claims), NOT_YET), unread=True)
    task = reading_task(work, [item for _, item in claims])
    verdicts, calls = await chain.ask(first.tier, task, emit, together)
    outcome = replace(first, calls=(*first.calls, *calls))
    if verdicts is None:
        return _doubted(outcome, dict.fromkeys((place for place, _ in claims), NOT_YET), unread=True)
    confirmations = {place: verdicts.get(number, NOT_YET) for number, (place, _) in enumerate(claims, 1)}
    doubted = _doubted(outcome, {place: why for place, why in confirmations.items() if why is not None})
    return await _with_details(work, doubted, chain, emit, together)


async def _with_details(
    work: ExchangeInput, outcome: Outcome[ExchangeResult], chain: FallbackChain, emit: Emit, together: str | None
) -> Outcome[ExchangeResult]:
    """Ask the same tier about the details of the confirmed claims that the check does not find, if there are any."""
    claims = dict(certain_items(outcome.result))
    details = {place: found for place, claim in claims.items() if 0 < len(found := _details(work, claim)) <= _DETAILS}
    if not details:
        return outcome
    task = reading_task(work, [claims[place] for place in details], list(details.values()))
    verdicts, calls = await chain.ask(outcome.tier, task, emit, together)
    holding = {place for number, place in enumerate(details, 1) if (verdicts or {}).get(number, NOT_YET) is None}
    items = tuple(
        item.model_copy(update={"confirmed": details[place]}) if place in holding else item
        for place, item in enumerate(outcome.result.items)
    )
    result = outcome.result.model_copy(update={"items": items})
    return replace(outcome, result=result, calls=(*outcome.calls, *calls))


def _details(work: ExchangeInput, claim: ExchangeItem) -> tuple[str, ...]:
    """The details of the claim that the server's check will not find in the quotes."""
    said, zone = {message.id: message for message in own(work.messages)}, ZoneInfo(work.timezone)
    quotes = [(quote.text, said[quote.message_id]) for quote in claim.quotes if quote.message_id in said]
    when = check.When(claim.when.start, claim.when.end, claim.when.precision) if claim.when else None
    return check.check(
        claim.text,
        [check.Quoted(own_words(text), own_words(m.text), m.role, m.at, zone) for text, m in quotes],
        shown=[message.text for message in (*work.before, *work.messages)],
        known=[memory.text for memory in work.known],
        when=when,
        deadline=claim.deadline,
    ).details


def reading_task(
    work: ExchangeInput, claims: Sequence[ExchangeItem], details: Sequence[Sequence[str]] = ()
) -> Task[Verdicts | None]:
    """Return a task with one question for each claim; the claims are numbered from 1. `details` are the details of each
    claim that are in doubt."""
    request = Completion(
        turns=(Turn("user", shown(work, claims, details)),),
        system=(SystemBlock(prompts.SECOND_READING, cache=True),),
        max_tokens=_TOKENS,
        json_schema=schema_of(VerdictsShape),
    )
    return Task(request=partial(_same, request), accept=_verdicts, without_model=lambda: None)


def shown(work: ExchangeInput, claims: Sequence[ExchangeItem], details: Sequence[Sequence[str]] = ()) -> str:
    """The messages and the claims, without the first reading's own doubts."""
    zone = ZoneInfo(work.timezone)
    before = transcript(work.before, zone, _BEFORE_CHARACTERS)
    texts = {memory.id: memory.text for memory in work.known}
    checks = ["".join(f"\nCheck: {detail}" for detail in of) for of in details] or [""] * len(claims)
    pairs = enumerate(zip(claims, checks, strict=True), 1)
    statements = "\n\n".join(_statement(n, claim, texts, zone) + doubts for n, (claim, doubts) in pairs)
    return (
        f"USER: {work.user_name or 'name unknown'}\n\nMESSAGES\n{before}\n{transcript(work.messages, zone)}"
        f"\n\n{statements}"
    )


def _same(request: Completion, tier: Tier) -> Completion:
    return request


def _statement(number: int, claim: ExchangeItem, texts: Mapping[int, str], zone: ZoneInfo) -> str:
    quoted = " … ".join(f"“{quote.text}” [{quote.message_id}]" for quote in claim.quotes)
    over = [texts[known] for known in (*claim.replaces, *claim.ends) if known in texts]
    lines = [f"STATEMENT {number}, about {claim.about}: {claim.text}", f"Quoted: {quoted}"]
    lines += [f"Time: {_span(claim.when, zone)}"] if claim.when else []
    lines += [f"Deadline: {claim.deadline.astimezone(zone).date().isoformat()}"] if claim.deadline else []
    lines += [f"So this is over or replaced: {text}" for text in over]
    return "\n".join(lines)


def _span(when: When, zone: ZoneInfo) -> str:
    ends = (end.astimezone(zone).strftime("%Y-%m-%d %H:%M") if end else "…" for end in (when.start, when.end))
    return f"{' to '.join(ends)} ({when.precision})"


def _verdicts(answer: Answer) -> Verdicts:
    parts = (readable(VerdictShape, part) for part in read(LooseVerdicts, answer.text).verdicts)
    found: dict[int, str | None] = {}
    for part in parts:
        if not isinstance(part, str):
            # If a statement gets two verdicts, the negative one counts.
            why = None if part.holds else (part.why or "").strip() or NOT_FOUND
            found[part.number] = found.get(part.number) or why
    return found


def _doubted(
    outcome: Outcome[ExchangeResult], confirmations: Mapping[int, str], *, unread: bool = False
) -> Outcome[ExchangeResult]:
    items = tuple(
        item.model_copy(update={"certain": False, "doubt": confirmations[place][:_LONGEST_DOUBT]})
        if place in confirmations
        else item
        for place, item in enumerate(outcome.result.items)
    )
    result = outcome.result.model_copy(update={"items": items})
    return replace(outcome, result=result, provisional=outcome.provisional or unread)
