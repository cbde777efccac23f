"""Updates a chat's canonical summary, with a model's lines or without a model."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tellonce.work import Canonical, ExchangeInput
from tellonce_summarizer.keep.lines import shrunk
from tellonce_summarizer.keep.sentences import dated, telling
from tellonce_summarizer.models.answers import CanonicalShape
from tellonce_text.tokens import estimate

_OVER = 1.1
_SIDES_SHARE = 0.8
"""The share of the cap that `user_confirmed` and `llm_inferred` may use together; the rest is for `general_summary`."""
_SENTENCES = 2


def ceiling(work: ExchangeInput) -> int:
    """The maximum tokens of a canonical summary. This is a little above the cap, because a summary counts as full only
    if it exceeds the cap (`is_full`)."""
    return int(work.canonical_cap_tokens * _OVER)


def is_full(work: ExchangeInput) -> bool:
    """Whether the summary exceeds its maximum length, so that it must be rewritten before lines are added."""
    summary = work.canonical
    fields = (summary.user_confirmed, summary.llm_inferred, summary.general_summary)
    return sum(estimate(text) for text in fields) > work.canonical_cap_tokens


def without_model(work: ExchangeInput) -> Canonical:
    """Return the prior summary, followed by the most important sentences of the exchange, verbatim and each with its
    day. If the summary becomes too long, the oldest lines are dropped.

    Nothing is added if no sentence is good enough to be shown.
    """
    if not any(sentence.shown for sentence in work.notable):
        return work.canonical
    zone = ZoneInfo(work.timezone)
    said = [dated(sentence, zone) for sentence in telling(work.messages, work.notable, _SENTENCES, shown_only=True)]
    return extended(work, said)


def extended(work: ExchangeInput, lines: Sequence[str]) -> Canonical:
    """The prior summary with `lines` at the end of `general_summary`."""
    prior = work.canonical
    rest = max(0, ceiling(work) - estimate(prior.user_confirmed) - estimate(prior.llm_inferred))
    told = _lines(prior.general_summary, *lines)
    return prior.model_copy(update={"general_summary": shrunk(told, rest)})


def carried_forward(work: ExchangeInput, new: CanonicalShape) -> Canonical:
    """Return the prior summary with the new lines and without the obsolete lines. If the prior summary was full, the
    new one alone."""
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
    told = _joined(prior.general_summary, new.general_summary, gone).splitlines()
    return Canonical(**fields, general_summary=shrunk(told, ceiling(work) - used))


def _joined(prior: str, new: str, gone: set[str]) -> str:
    return "\n".join(line for line in _lines(prior, new) if _key(line) not in gone)


def _lines(*texts: str) -> list[str]:
    return list(dict.fromkeys(line.strip() for text in texts for line in text.splitlines() if line.strip()))


def _key(line: str) -> str:
    return " ".join(line.casefold().strip("-•* .").split())
