"""A chat's canonical summary without a language model: known memories as lines, and one line for each exchange."""

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from chatmem.work import Canonical, ExchangeInput, Extraction, KnownMemory, WorkMessage
from chatmem_summarizer.length import clip, tokens
from chatmem_summarizer.offline_rolling import shrunk
from chatmem_summarizer.offline_summarize import day_of
from chatmem_summarizer.salience import alike, ranked

_CONFIRMED_SHARE = 0.35
_INFERRED_SHARE = 0.3
_SAID_CHARACTERS = 160
_OVER = 1.1
_SAME = 0.85


def canonical(work: ExchangeInput, extraction: Extraction) -> Canonical:
    """The summary after this exchange, within its ceiling."""
    active = [memory for memory in work.known if memory.status == "active"]
    confirmed = [memory.text for memory in active if memory.user_confirmed]
    inferred = [*(memory.text for memory in active if not memory.user_confirmed), *_news(extraction, active)]
    top = newest(confirmed, int(work.canonical_cap_tokens * _CONFIRMED_SHARE))
    middle = newest(inferred, int(work.canonical_cap_tokens * _INFERRED_SHARE))
    rest = ceiling(work) - tokens(top) - tokens(middle)
    told = [*work.canonical.general_summary.splitlines(), exchange_line(work.messages, ZoneInfo(work.timezone))]
    return Canonical(
        user_confirmed=top, llm_inferred=middle, general_summary=shrunk([line for line in told if line.strip()], rest)
    )


def ceiling(work: ExchangeInput) -> int:
    """Tokens a canonical summary never exceeds: a little above the cap, for passing that is how a chat shows it is full."""
    return int(work.canonical_cap_tokens * _OVER)


def newest(statements: Iterable[str], budget: int) -> str:
    """`- …` lines; where they do not all fit into `budget` tokens, the last ones."""
    kept: list[str] = []
    for statement in reversed(list(dict.fromkeys(statements))):
        line = f"- {' '.join(statement.split())}"
        if tokens("\n".join([line, *kept])) > budget:
            break
        kept.insert(0, line)
    return "\n".join(kept)


def exchange_line(messages: Iterable[WorkMessage], zone: ZoneInfo) -> str:
    """`Feb 18: User: …; Assistant: …`, the telling sentence of each; empty when nothing was said worth keeping."""
    all_messages = list(messages)
    said = [
        line
        for role, label in (("user", "User"), ("assistant", "Assistant"))
        if (line := _said(all_messages, role, label))
    ]
    if not said or not said[0].startswith("User"):
        return ""
    return f"{day_of(all_messages[0].at, zone)}: {'; '.join(said)}"


def _said(messages: list[WorkMessage], role: str, label: str) -> str:
    best = ranked([message for message in messages if message.role == role])
    return f"{label}: {clip(' '.join(best[0].text.split()), _SAID_CHARACTERS)}" if best else ""


def _news(extraction: Extraction, active: list[KnownMemory]) -> list[str]:
    certain = extraction.certain
    items = (*certain.facts, *certain.preferences, *certain.goals, *certain.dates)
    return [item.text for item in items if not any(alike(item.text, memory.text) >= _SAME for memory in active)]
