"""Measures every signal of the candidates of one question, before anything is weighed; pure.

What is measured does not depend on the weights, so that fitting them measures once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from chatmem_server.retrieval import signals as s
from chatmem_server.retrieval.question import Question
from chatmem_server.retrieval.signals import Candidate

PARSED = 40
"""Messages whose own time expressions are read, the likeliest: reading one takes about 0.1 ms."""

SITTING = timedelta(hours=4)
"""A longer pause begins another sitting."""


class Signals(NamedTuple):
    """Of one message. `cosine` None: not embedded. All others from 0 to 1, but `words` (BM25) and `shortness`."""

    words: float
    cosine: float | None
    coverage: float
    shortness: float
    named: float
    reply: float
    given: float
    routine: float
    first_person: float
    asking: float
    time_words: float
    numbers: float
    in_span: float
    after_span: float
    tells_of_span: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of all candidates; which candidate follows which in its lane; which make up one sitting."""

    signals: Sequence[Signals]
    following: Sequence[int | None]
    sittings: Sequence[Sequence[int]]


def measure(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> Measured:
    told = _told_of(question, candidates, zone)
    numbers = s.numbers(question.wording)
    signals = [_signals(question, c, numbers, index in told) for index, c in enumerate(candidates)]
    return Measured(signals, _following(candidates), _sittings(candidates))


def _signals(question: Question, c: Candidate, numbers: Sequence[str], told: bool) -> Signals:
    # An assistant that has a person's name is a person of an imported talk, whose long messages are no replies.
    reply = s.longness(c.tokens) if c.role == "assistant" and c.routine is None and c.speaker is None else 0.0
    return Signals(
        words=s.bm25(question, c.ranks, c.tokens),
        cosine=c.cosine,
        coverage=s.coverage(question, c.ranks),
        shortness=s.shortness(c.tokens),
        named=len(question.named) == 1 and c.speaker in question.named,
        reply=0.0 if question.asks_assistant else reply,
        given=reply if question.asks_assistant else 0.0,
        routine=c.routine is not None and question.asks_routine and s.names_routine(question.text, c.routine),
        first_person=s.first_person(c.head),
        asking=s.asking(c.head),
        time_words=question.asks_when and s.time_words(c.head),
        numbers=sum(number in c.head for number in numbers) / len(numbers) if numbers else 0.0,
        in_span=bool(question.spans) and s.in_spans(c.sent_at, question.spans),
        after_span=bool(question.spans) and s.after_spans(c.sent_at, question.spans),
        tells_of_span=told,
    )


def _told_of(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> set[int]:
    """Which messages say themselves that they speak of the time the question names."""
    if not question.spans:
        return set()
    near = [i for i, c in enumerate(candidates) if s.near_spans(c.sent_at, question.spans) and s.time_words(c.head)]
    near.sort(key=lambda i: -(s.coverage(question, candidates[i].ranks) + (candidates[i].cosine or 0.0)))
    told = (i for i in near[:PARSED] if s.tells_of(candidates[i].head, candidates[i].sent_at, question.spans, zone))
    return set(told)


def _place(c: Candidate) -> tuple[int, str, int]:
    return c.chat_id, c.thread_key, c.lane_no


def _following(candidates: Sequence[Candidate]) -> list[int | None]:
    """For each candidate the one that is the next message of its lane, if that is a candidate too."""
    places = {_place(c): index for index, c in enumerate(candidates)}
    return [places.get((c.chat_id, c.thread_key, c.lane_no + 1)) for c in candidates]


def _sittings(candidates: Sequence[Candidate]) -> list[list[int]]:
    """The candidates by talk without a long pause."""
    keys = [_place(c) for c in candidates]
    sittings: list[list[int]] = []
    last: Candidate | None = None
    for index in sorted(range(len(candidates)), key=keys.__getitem__):
        c = candidates[index]
        if last is None or not _same_sitting(last, c):
            sittings.append([])
        sittings[-1].append(index)
        last = c
    return sittings


def _same_sitting(before: Candidate, after: Candidate) -> bool:
    same_lane = before.chat_id == after.chat_id and before.thread_key == after.thread_key
    return same_lane and abs(after.sent_at - before.sent_at) < SITTING
