"""Summaries without a language model: the telling sentences, quoted with who said them and when; invents nothing."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from chatmem.work import ChunkInput, ErasureInput, SummaryBody, SummaryResult, WorkMessage
from chatmem_summarizer import validate
from chatmem_summarizer.length import clip
from chatmem_summarizer.offline_extract import extract_from
from chatmem_summarizer.salience import Scored, alike, ranked, topics

_SENTENCES = 4
_SENTENCE_CHARACTERS = 200
_LINES = 6
_LINE_CHARACTERS = 160
_SAME = 0.8
"""Share of common words from which two lines say the same."""

_I = re.IGNORECASE
_DECISION = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)? (?:\w+ )?(?:decided|agreed|chose|settled|picked|opted)|(?:let's|we'll|i'll|we will"
    r"|i will|i'm|we're) (?:go|going|use|using|stick) with"
    r"|decision is|final decision|approved|we(?:'re| are) going to use|let's use|let's do)\b", _I)  # fmt: skip
_OUTCOME = re.compile(
    r"\b(?:tried|it works|works now|worked|doesn't work|didn't work|did not work|failed|fails|still (?:fails|failing"
    r"|broken|get)|fixed|solved|resolved|turned out|no luck|succeeded|finished|completed|done with|passed(?! away)|shipped"
    r"|deployed|launched"
    r"|root cause)\b", _I)  # fmt: skip
_PENDING = re.compile(
    r"\b(?:i'll|i will|we'll|we will|todo|to-do|to do:|remind me|follow up|next steps?|i still (?:need|have) to|i "
    r"(?:need|have) to|waiting for|pending|action item|will send|get back to"
    r"|don't forget to|remember to)\b", _I)  # fmt: skip
_CHATTY_PENDING = re.compile(
    r"\b(?:i'll (?:be|try|let you|see|think)|i will (?:be|try|let you)|i need (?:your|you|help)|i'll help|i'll "
    r"explain|i'll walk)\b",
    _I,
)


def chunk_summary(work: ChunkInput | ErasureInput) -> SummaryResult:
    """The summary of one run of messages."""
    zone = ZoneInfo(work.timezone)
    return SummaryResult(text=paragraph(work.messages, zone), body=body(work.messages, zone))


def paragraph(messages: Sequence[WorkMessage], zone: ZoneInfo, *, lead: str = "") -> str:
    """Three to five sentences: what it is about and when, then the telling sentences in the order said."""
    chosen = _chosen(ranked(messages), _SENTENCES)
    if not chosen:
        return lead or _small_talk(messages) or validate.fallback(messages)
    days = len({message.at.astimezone(zone).date() for message in messages}) > 1
    said = [attributed(scored, zone, dated=days) for scored in chosen]
    return " ".join([lead or _opening(messages, zone), *said]).strip()


def _small_talk(messages: Sequence[WorkMessage]) -> str:
    """Where no sentence tells anything: what the user said, in brief."""
    said = [clip(" ".join(message.text.split()), 60) for message in messages if message.role == "user"]
    return (
        clip(f"{len(messages)} short messages; the user said: {'; '.join(said)}", 2 * validate.LONGEST) if said else ""
    )


def body(messages: Sequence[WorkMessage], zone: ZoneInfo) -> SummaryBody:
    """The structured part: every line is somebody's sentence or an extracted statement, oldest first."""
    found = extract_from(messages, zone)
    in_order = sorted(ranked(messages), key=lambda scored: scored.order)
    goals = [item.text for item in found.certain.goals]
    facts = [item.text for kind in ("facts", "preferences", "dates") for item in getattr(found.certain, kind)]
    decisions = _lines(in_order, _DECISION, zone)
    outcomes = [line for line in _lines(in_order, _OUTCOME, zone) if line not in decisions]
    pending = [line for line in _lines(in_order, _PENDING, zone, no=_CHATTY_PENDING) if not _told_by(line, goals)]
    return SummaryBody(
        goals=lines([*goals, *_open_questions(messages)]),
        decisions=lines(decisions),
        facts=lines([fact for fact in facts if not _told_by(fact, decisions)]),
        outcomes=lines(outcomes),
        pending=lines(pending),
    )


def lines(texts: Iterable[str], limit: int = _LINES) -> tuple[str, ...]:
    """The last `limit` different lines, clipped, in their order."""
    kept: list[str] = []
    for text in texts:
        line = clip(text, _LINE_CHARACTERS)
        if line and not any(alike(line, other) >= _SAME and _same_numbers(line, other) for other in kept):
            kept.append(line)
    return tuple(kept[-limit:])


def _same_numbers(one: str, other: str) -> bool:
    return set(re.findall(r"\d+", one)) == set(re.findall(r"\d+", other))


def _told_by(line: str, others: Iterable[str]) -> bool:
    return any(alike(line, other) >= _SAME for other in others)


def attributed(scored: Scored, zone: ZoneInfo, *, dated: bool = False) -> str:
    """`User: …` or, where the summary spans days, `User (Feb 15): …`, as a sentence of its own."""
    who = "User" if scored.message.role == "user" else "Assistant"
    if scored.message.routine:
        who = f"Routine {scored.message.routine}"
    day = f" ({day_of(scored.message.at, zone)})" if dated else ""
    text = clip(" ".join(scored.text.split()), _SENTENCE_CHARACTERS)
    return f"{who}{day}: {text}" + ("" if text[-1:] in ".!?…" else ".")


def day_of(at: datetime, zone: ZoneInfo) -> str:
    """`Feb 15`, in the user's zone."""
    local = at.astimezone(zone)
    return f"{local:%b} {local.day}"


def period(first: datetime, last: datetime, zone: ZoneInfo) -> str:
    """`Feb 15`, `Feb 15–16` or `Feb 28–Mar 2`."""
    begin, end = first.astimezone(zone), last.astimezone(zone)
    if begin.date() == end.date():
        return day_of(first, zone)
    if (begin.year, begin.month) == (end.year, end.month):
        return f"{day_of(first, zone)}–{end.day}"
    return f"{day_of(first, zone)}–{day_of(last, zone)}"


def _opening(messages: Sequence[WorkMessage], zone: ZoneInfo) -> str:
    about = topics(messages)
    if not about or not messages:
        return ""
    return f"On {period(messages[0].at, messages[-1].at, zone)} they talked about {_listed(about)}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _chosen(best: Sequence[Scored], limit: int) -> list[Scored]:
    """The best sentences that do not repeat each other, from as many messages as there are, in the order said."""
    chosen: list[Scored] = []
    for per_message in (1, 2):
        for scored in best:
            same_message = sum(other.message.id == scored.message.id for other in chosen)
            told = any(alike(scored.text, other.text) >= _SAME for other in chosen)
            if len(chosen) < limit and same_message < per_message and not told:
                chosen.append(scored)
    return sorted(chosen, key=lambda scored: scored.order)


def _lines(
    in_order: Iterable[Scored], cue: re.Pattern[str], zone: ZoneInfo, no: re.Pattern[str] | None = None
) -> list[str]:
    hits = (s for s in in_order if cue.search(s.text) and not s.asks and not (no and no.search(s.text)))
    return [attributed(scored, zone, dated=True) for scored in hits]


def _open_questions(messages: Sequence[WorkMessage]) -> list[str]:
    """The user's last question, when nobody answered it in these messages."""
    if not messages or messages[-1].role != "user":
        return []
    questions = [scored.text for scored in ranked(messages[-1:]) if scored.asks]
    return [f"Open question: {questions[0]}"] if questions else []
