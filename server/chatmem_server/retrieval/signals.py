"""The signals of a message that may answer a question, each a plain number; pure. `ranking` weighs them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from math import log
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from chatmem.contract import Role
from chatmem_server.dates.time_expressions import spans_in_message
from chatmem_server.retrieval import weights as w
from chatmem_server.retrieval.question import Question, Span

ONE_MATCH: Final = 0.0607927
"""`ts_rank` of a word that occurs once; more occurrences add less and less, up to 1.64 of it, much as in BM25."""

LONGEST_TOLD: Final = timedelta(days=32)
"""A message that says "last year" tells of no time in particular."""


class Candidate(NamedTuple):
    """A message that may answer, in the order of the query's columns.

    `head` is its beginning, empty for a long reply; `ranks` the `ts_rank` of every term; `cosine` None: not embedded.
    """

    chat_id: int
    id: int
    thread_key: str
    lane_no: int
    role: Role
    speaker: str | None
    sent_at: datetime
    utc_offset: int
    tokens: int
    routine: str | None
    head: str
    clipped: bool
    cosine: float | None
    ranks: Sequence[float]


def bm25(question: Question, ranks: Sequence[float], tokens: int) -> float:
    """Of a reply that is asked for its length says nothing against it."""
    counted = min(tokens, w.LONG_TOKENS) if question.asks_assistant else tokens
    length = 1 - w.B + w.B * counted / w.MIDDLING_TOKENS
    matched = sum(weight * rank for weight, rank in zip(question.weights, ranks, strict=True))
    return matched / ONE_MATCH * (w.K1 + 1) / (1 + w.K1 * length)


def coverage(question: Question, ranks: Sequence[float]) -> float:
    """The share of the question's weight that the matched words carry, 0 to 1."""
    return sum(weight for weight, rank in zip(question.weights, ranks, strict=True) if rank) / question.total


def longness(tokens: int) -> float:
    """0 up to LONG_TOKENS, 1 from VERY_LONG_TOKENS."""
    return min(1.0, max(0.0, log(max(1, tokens) / w.LONG_TOKENS) / log(w.VERY_LONG_TOKENS / w.LONG_TOKENS)))


def shortness(tokens: int) -> float:
    """0 from SHORT_TOKENS upwards; one more per factor e below."""
    return max(0.0, log(w.SHORT_TOKENS / max(1, tokens)))


def asking(text: str) -> float:
    """The share of a text's sentences that are questions."""
    questions = text.count("?") + text.count("？")
    if not questions:
        return 0.0
    others = text.count(".") + text.count("!") + text.count("。") + text.count("！")
    return questions / (questions + others)


def first_person(text: str) -> bool:
    return _FIRST_PERSON.search(text) is not None


def time_words(text: str) -> bool:
    return _TIME_WORDS.search(text) is not None


def numbers(text: str) -> list[str]:
    """The numbers of a query as they are written."""
    return _NUMBER.findall(text)


def names_routine(text: str, routine: str) -> bool:
    """Whether a text names a part of a routine's name, hyphens aside."""
    plain = text.lower().replace("-", "")
    return any(part in plain for part in routine.lower().replace("-in", "in").split("-") if len(part) > 3)


def in_spans(at: datetime, spans: Sequence[Span]) -> bool:
    return any(start <= at < end for start, end in spans)


def after_spans(at: datetime, spans: Sequence[Span]) -> bool:
    return any(end <= at < end + timedelta(days=w.AFTER_DAYS) for _, end in spans)


def near_spans(at: datetime, spans: Sequence[Span]) -> bool:
    """Whether a message of then can still speak of the span."""
    return any(start - LONGEST_TOLD <= at < end + LONGEST_TOLD for start, end in spans)


def tells_of(text: str, sent_at: datetime, spans: Sequence[Span], zone: ZoneInfo) -> bool:
    """Whether a message's own time expressions, read at its time, mean one of the spans."""
    own = [span for span in spans_in_message(text, sent_at, zone) if span.end - span.start <= LONGEST_TOLD]
    return any(span.start < end and span.end > start for span in own for start, end in spans)


_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|I['’]m|my|[Mm]ine|me|[Ww]e|[Oo]ur|us|My)\b|我|我们|私|僕|俺|\b(?:[Яя]|мне|мой|моя)\b"
)
_TIME_WORDS: Final = re.compile(
    r"\b(?:\d{1,2}(?::\d\d)?\s*(?:am|pm)|(?:19|20)\d\d|to(?:day|night|morrow)|yesterday|weekends?|morning|ago|recently|just now"
    r"|(?:last|next|this|past|coming) (?:few )?(?:days?|weeks?|months?|years?|night|summer|winter|spring|fall|autumn)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november"
    r"|december|\d{1,2}(?:st|nd|rd|th)|days|weeks|months|years)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d[\d.,:]*\d|\d")
