"""How well messages answer a question: weighed signals, standardised over the candidates; pure.

Scores fused by their standardised value beat fused ranks.  A message lends part of its likeness to those beside it and to
its sitting; that it is a poor answer itself, being a question, somebody else's or a long reply, takes nothing from that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from zoneinfo import ZoneInfo

from chatmem_server.retrieval import weights as w
from chatmem_server.retrieval.measuring import Measured, Signals, measure
from chatmem_server.retrieval.question import Question
from chatmem_server.retrieval.signals import Candidate


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
    return weigh(measure(question, candidates, zone))


def weigh(m: Measured) -> Ranking:
    lexical = scale([x.words for x in m.signals], w.LEAST_LEXICAL_DEVIATION)
    dense = scale([x.cosine for x in m.signals if x.cosine is not None], w.LEAST_DENSE_DEVIATION)
    alike = [
        w.LEXICAL * lexical.standard(x.words) + w.DENSE * dense.standard(x.cosine) + _fitting(x) for x in m.signals
    ]
    scores = [likeness + _manner(x) for likeness, x in zip(alike, m.signals, strict=True)]
    _lend_in_sittings(m, alike, scores)
    _lend_to_neighbours(m, alike, scores)
    return Ranking(scores, lexical, dense)


def scale(values: Sequence[float], least: float) -> Scale:
    """`least`: a deviation below which differences mean nothing, as among two or three candidates."""
    if not values:
        return Scale(0.0, 0.0)
    mean = sum(values) / len(values)
    return Scale(mean, max(least, sqrt(sum((value - mean) ** 2 for value in values) / len(values))))


def _fitting(x: Signals) -> float:
    """What else shows that a message speaks of what is asked: how much of it, which numbers, which time."""
    return w.COVERAGE * x.coverage + w.NUMBERS * x.numbers + w.TELLS_OF_SPAN * x.tells_of_span


def _manner(x: Signals) -> float:
    """What makes a message that speaks of it an answer: who said it, how and when.  A message keeps this to itself."""
    return (
        w.NAMED * x.named
        - w.USER * x.reply
        + w.ASKED_OF_ASSISTANT * x.given
        + w.ROUTINE * x.routine
        + w.FIRST_PERSON * x.first_person
        - w.QUESTION * x.asking
        - w.SHORT * x.shortness
        + w.TIME_WORDS * x.time_words
        + w.IN_SPAN * x.in_span
        + w.AFTER_SPAN * x.after_span
    )


def _lend_in_sittings(m: Measured, alike: Sequence[float], scores: list[float]) -> None:
    """A talk that speaks of what is asked lends to all its messages: a share of its three best."""
    for sitting in m.sittings:
        best = sorted((alike[index] for index in sitting), reverse=True)[:3]
        lent = w.SESSION * sum(best) / len(best)
        for index in sitting:
            scores[index] += lent


def _lend_to_neighbours(m: Measured, alike: Sequence[float], scores: list[float]) -> None:
    """A question lends to the message after it, which may be its answer; any other one mostly to that before it, which it
    may echo.  So does a long reply, which is no answer itself."""
    for index, following in enumerate(m.following):
        if following is not None:
            scores[following] += max(0.0, alike[index]) * (w.BEFORE + w.ANSWER * m.signals[index].asking)
            scores[index] += max(0.0, alike[following]) * w.AFTER * (1 - m.signals[following].asking)
