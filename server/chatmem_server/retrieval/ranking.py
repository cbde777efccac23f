"""How well messages answer a question: weighed signals, standardised over the candidates; pure.

Scores fused by their standardised value beat fused ranks; a message's neighbours and its sitting carry part of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import sqrt
from zoneinfo import ZoneInfo

from chatmem_server.retrieval import signals as s
from chatmem_server.retrieval import weights as w
from chatmem_server.retrieval.question import Question
from chatmem_server.retrieval.signals import Candidate

PARSED = 40
"""Messages whose own time expressions are read, the best by all else: reading one takes about 0.1 ms."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Mean and standard deviation of a score over the candidates."""

    mean: float
    deviation: float

    def standard(self, value: float | None) -> float:
        """In standard deviations, at most MOST_DEVIATIONS of them; 0 for what could not be measured."""
        if value is None or not self.deviation:
            return 0.0
        return max(-w.MOST_DEVIATIONS, min(w.MOST_DEVIATIONS, (value - self.mean) / self.deviation))


@dataclass(frozen=True, slots=True)
class Ranking:
    """One score a candidate, higher is better; with the scales others can be compared by."""

    scores: Sequence[float]
    lexical: Scale
    dense: Scale


def rank(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> Ranking:
    """Scores are comparable within one ranking only."""
    words = [s.bm25(question, c.ranks, c.tokens) for c in candidates]
    lexical = scale(words, w.LEAST_LEXICAL_DEVIATION)
    dense = scale([c.cosine for c in candidates if c.cosine is not None], w.LEAST_DENSE_DEVIATION)
    own = [
        w.LEXICAL * lexical.standard(word) + w.DENSE * dense.standard(c.cosine) + _manner(question, c)
        for c, word in zip(candidates, words, strict=True)
    ]
    _add_numbers(question, candidates, own)
    _add_time(question, candidates, own, zone)
    return Ranking(_with_surroundings(candidates, own), lexical, dense)


def scale(values: Sequence[float], least: float) -> Scale:
    """`least`: a deviation below which differences mean nothing, as among two or three candidates."""
    if not values:
        return Scale(0.0, 0.0)
    mean = sum(values) / len(values)
    return Scale(mean, max(least, sqrt(sum((value - mean) ** 2 for value in values) / len(values))))


def _manner(question: Question, c: Candidate) -> float:
    """What speaks for a message beside likeness: how much it covers, who said it and how."""
    score = w.COVERAGE * s.coverage(question, c.ranks) - w.SHORT * s.shortness(c.tokens)
    if len(question.named) == 1 and c.speaker in question.named:
        score += w.NAMED
    if c.role == "assistant" and c.routine is None:
        score += (w.ASKED_OF_ASSISTANT if question.asks_assistant else -w.USER) * s.longness(c.tokens)
    if c.routine is not None and question.asks_routine:
        score += w.ROUTINE * s.names_routine(question.text, c.routine)
    if c.head:
        score += w.FIRST_PERSON * s.first_person(c.head) - w.QUESTION * s.asking(c.head)
        score += w.TIME_WORDS * (question.asks_when and s.time_words(c.head))
    return score


def _add_numbers(question: Question, candidates: Sequence[Candidate], own: list[float]) -> None:
    wanted = s.numbers(question.wording)
    if not wanted:
        return
    for index, c in enumerate(candidates):
        own[index] += w.NUMBERS * sum(number in c.head for number in wanted) / len(wanted)


def _add_time(question: Question, candidates: Sequence[Candidate], own: list[float], zone: ZoneInfo) -> None:
    if not question.spans:
        return
    near: list[int] = []
    for index, c in enumerate(candidates):
        own[index] += w.IN_SPAN * s.in_spans(c.sent_at, question.spans)
        own[index] += w.AFTER_SPAN * s.after_spans(c.sent_at, question.spans)
        if s.near_spans(c.sent_at, question.spans) and s.time_words(c.head):
            near.append(index)
    for index in sorted(near, key=lambda i: -own[i])[:PARSED]:
        c = candidates[index]
        own[index] += w.TELLS_OF_SPAN * s.tells_of(c.head, c.sent_at, question.spans, zone)


def _with_surroundings(candidates: Sequence[Candidate], own: Sequence[float]) -> list[float]:
    """A question lends to the message after it, which may be its answer; any other message mostly to the one before it,
    which it may echo."""
    asking = [s.asking(c.head) for c in candidates]
    onward = {
        _place(c): max(0.0, score + w.QUESTION * q) * (w.BEFORE + w.ANSWER * q)
        for c, score, q in zip(candidates, own, asking, strict=True)
    }
    back = {_place(c): max(0.0, score) * w.AFTER * (1 - q) for c, score, q in zip(candidates, own, asking, strict=True)}
    sittings = _sittings(candidates, own)
    return [
        score
        + onward.get((c.chat_id, c.thread_key, c.lane_no - 1), 0.0)
        + back.get((c.chat_id, c.thread_key, c.lane_no + 1), 0.0)
        + w.SESSION * sitting
        for c, score, sitting in zip(candidates, own, sittings, strict=True)
    ]


def _place(c: Candidate) -> tuple[int, str, int]:
    return c.chat_id, c.thread_key, c.lane_no


def _sittings(candidates: Sequence[Candidate], own: Sequence[float]) -> list[float]:
    """For each candidate the mean of the three best of its sitting: a talk that answers well lends to its messages."""
    order = sorted(range(len(candidates)), key=lambda i: _place(candidates[i]))
    means = [0.0] * len(candidates)
    pause = timedelta(hours=w.SITTING_HOURS)
    run: list[int] = []
    for index in order:
        if run and not _same_sitting(candidates[run[-1]], candidates[index], pause):
            _lend(run, own, means)
            run = []
        run.append(index)
    _lend(run, own, means)
    return means


def _same_sitting(before: Candidate, after: Candidate, pause: timedelta) -> bool:
    same_lane = before.chat_id == after.chat_id and before.thread_key == after.thread_key
    return same_lane and abs(after.sent_at - before.sent_at) < pause


def _lend(run: Sequence[int], own: Sequence[float], means: list[float]) -> None:
    best = sorted((own[index] for index in run), reverse=True)[:3]
    for index in run:
        means[index] = sum(best) / len(best)
