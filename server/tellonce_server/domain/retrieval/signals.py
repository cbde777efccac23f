"""Measures the signals of a question's candidates. `ranking` weights them later, so a fit measures them only once.
Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from math import log
from typing import Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tellonce.contract import MemoryStatus, ResultKind, Role
from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.asked_times import LONGEST_MENTIONED
from tellonce_server.domain.retrieval.question import Question
from tellonce_text.caches import of_texts
from tellonce_text.dates.meanings import Span, message_spans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

ONE_MATCH: Final = 0.0607927
"""The `ts_rank` of a word that occurs once. Each further occurrence adds less, up to 1.64 times this value."""


class Candidate(NamedTuple):
    """A message that may answer a question. The fields have the order of the query's columns.

    `head` is the beginning of the text, empty for a long reply. `ranks` contains the `ts_rank` of every term; it is
    None if the message contains no term. `cosine` is None without a vector.
    """

    chat_id: int
    id: int
    thread_key: str
    thread_no: int
    role: Role
    speaker: str | None
    sent_at: datetime
    tokens: int
    routine: str | None
    head: str
    clipped: bool
    cosine: float | None
    ranks: Sequence[float] | None


class Learned(NamedTuple):
    """A memory or a chunk summary that may answer a question. The fields have the order of the query's columns.

    `tokens` is None for a memory, and `status` for a summary. `source_ids` are messages of the chat `source_chat_id`.
    `listed`: it belongs to a category that the query names. `named`: a model named its categories. `since` and `at` are
    the period of a summary. `starts` and `ends` are a memory's date, or the period of a summary.
    """

    kind: ResultKind
    id: int
    chat_id: int | None
    thread_key: str | None
    text: str
    at: datetime
    tokens: int | None
    source_chat_id: int | None
    source_ids: Sequence[int]
    status: MemoryStatus | None
    note: bool
    cosine: float | None
    ranks: Sequence[float] | None
    listed: bool
    named: bool = False
    since: datetime | None = None
    due: datetime | None = None
    starts: datetime | None = None
    ends: datetime | None = None


PARSED = 60
"""Maximum number of messages whose time expressions are parsed. Parsing takes about 0.1 ms the first time."""

SESSION_PAUSE = timedelta(hours=4)
"""A pause of this length separates two sessions."""

NONE = -1


@dataclass(frozen=True, slots=True)
class SignalTable:
    """The signals, one entry per candidate. A `cosine` of NaN means that the message has no vector. Other signals are 0
    to 1, except `words` (BM25) and `shortness`."""

    words: Floats
    cosine: Floats
    coverage: Floats
    shortness: Floats
    named: Floats
    reply: Floats
    given: Floats
    routine: Floats
    first_person: Floats
    asking: Floats
    time_words: Floats
    numbers: Floats
    amounts: Floats
    tastes: Floats
    in_span: Floats
    mentions_span: Floats
    exact_time: Floats


@dataclass(frozen=True, slots=True)
class Measured:
    """`following` is the index of the next message of the candidate's thread, or NONE. `session` numbers the sessions."""

    signals: SignalTable
    following: Indices
    session: Indices


def measure(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> Measured:
    following, session = _placed(candidates)
    return Measured(_signals(question, candidates, zone), following, session)


def _signals(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> SignalTable:
    heads = [c.head for c in candidates]
    tokens = _floats([c.tokens for c in candidates])
    ranks = ranks_of(question, [c.ranks for c in candidates])
    cosine = np.array([c.cosine for c in candidates], dtype=np.float64)
    covered, none = coverage(question, ranks), np.zeros(len(candidates))
    spans, asked = question.spans, numbers(question.wording)
    sent = _floats(any(start <= c.sent_at < end for start, end in spans) for c in candidates) if spans else none
    told = _mentioning(question, candidates, covered, cosine, zone) if question.told else none
    of_time = np.maximum(sent, told)
    reply = longness(tokens) * _floats(map(_replies, candidates))
    return SignalTable(
        words=bm25(question, ranks, tokens),
        cosine=cosine,
        coverage=with_time(question, covered, of_time),
        shortness=shortness(tokens),
        named=_floats(c.speaker in question.named for c in candidates) if len(question.named) == 1 else none,
        reply=none if question.asks_assistant else reply,
        given=reply if question.asks_assistant else none,
        routine=_floats(c.routine is not None and names_routine(question.text, c.routine) for c in candidates)
        if question.asks_routine
        else none,
        first_person=_floats(map(first_person, heads)),
        asking=_floats(map(asking, heads)),
        time_words=_floats(map(time_words, heads)) if question.asks_when else none,
        numbers=_floats(_held(asked, head) for head in heads) if asked else none,
        amounts=_floats(map(amounts, heads)) if question.asks_amount else none,
        tastes=_floats(c.role == "user" and tastes(c.head) for c in candidates)
        if question.asks_advice and not question.asks_assistant
        else none,
        in_span=sent,
        mentions_span=told * (1 - w.SAID_THEN * sent),
        exact_time=of_time * question.precision,
    )


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _replies(c: Candidate) -> bool:
    """Whether the assistant wrote the message as a reply. In an imported chat, an assistant message with a speaker is
    from a person."""
    return c.role == "assistant" and c.routine is None and c.speaker is None


def _held(numbers: Sequence[str], text: str) -> float:
    return sum(number in text for number in numbers) / len(numbers)


def _mentioning(
    question: Question, candidates: Sequence[Candidate], coverage: Floats, cosine: Floats, zone: ZoneInfo
) -> Floats:
    """For each message, 1 if it contains a time expression for the time in the question."""
    likely = coverage + np.nan_to_num(cosine)
    # A message sent near the period can refer to it by words such as "last month"; any message can give the date.
    reach = [(start - LONGEST_MENTIONED, end + LONGEST_MENTIONED) for start, end in question.told]
    far = [not any(start <= c.sent_at < end for start, end in reach) for c in candidates]
    timed = [i for i, c in enumerate(candidates) if time_words(c.head) or _DIGIT.search(c.head)]
    timed.sort(key=lambda i: (far[i], candidates[i].speaker not in question.named, -likely[i]))
    told = np.zeros(len(candidates))
    for i in timed[:PARSED]:
        told[i] = mentions(candidates[i].head, candidates[i].sent_at, question.told, zone)
    return told


def _placed(candidates: Sequence[Candidate]) -> tuple[Indices, Indices]:
    """The indexes of the next messages, and the numbers of the sessions."""
    keys = [(c.chat_id, c.thread_key) for c in candidates]
    threads = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    thread = np.array([threads[key] for key in keys], dtype=np.intp)
    number = np.array([c.thread_no for c in candidates], dtype=np.int64)
    at = _floats([c.sent_at.timestamp() for c in candidates])
    order = np.lexsort((number, thread))
    same_thread = np.diff(thread[order]) == 0
    next_one = same_thread & (np.diff(number[order]) == 1)
    following = np.full(len(candidates), NONE, dtype=np.intp)
    following[order[:-1][next_one]] = order[1:][next_one]
    begins = ~(same_thread & (np.abs(np.diff(at[order])) < SESSION_PAUSE.total_seconds()))
    session = np.zeros(len(candidates), dtype=np.intp)
    session[order[1:]] = np.cumsum(begins)
    return following, session


@dataclass(frozen=True, slots=True)
class Scale:
    """Mean and standard deviation of a score over the candidates."""

    mean: float
    deviation: float

    def standard(self, values: Floats) -> Floats:
        """Values in standard deviations, limited to MOST_DEVIATIONS. Missing values (NaN) are 0."""
        if not self.deviation:
            return np.zeros(len(values))
        scaled: Floats = ((values - self.mean) / self.deviation).clip(-w.MOST_DEVIATIONS, w.MOST_DEVIATIONS)
        scaled[np.isnan(scaled)] = 0.0
        return scaled

    def standard_or(self, values: Floats, words: Floats) -> Floats:
        """Like `standard`, but a text without a vector gets its standardized lexical score instead, if this is
        positive. Without this, a message that was just recorded would rank too low, because it has no vector yet."""
        scaled = self.standard(values)
        return np.where(np.isnan(values), np.maximum(0.0, words), scaled) if self.deviation else scaled


def scale(values: Floats, least: float) -> Scale:
    """The mean and the standard deviation of the values. The deviation is never below `least`. Small differences
    between a few candidates mean nothing."""
    return Scale(float(values.mean()), max(least, float(values.std()))) if len(values) else Scale(0.0, 0.0)


def ranks_of(question: Question, ranks: Sequence[Sequence[float] | None]) -> Floats:
    """The `ts_rank` of every term in every text: one row per text, one column per term."""
    found = np.zeros((len(ranks), len(question.terms)))
    for index, of_one in enumerate(ranks):
        if of_one is not None:
            found[index] = of_one
    return found


def bm25(question: Question, ranks: Floats, tokens: Floats) -> Floats:
    """The BM25 score of every text. Long texts have lower scores. For a question about the assistant's words, a text's
    length counts only up to LONG_TOKENS."""
    counted = np.minimum(tokens, w.LONG_TOKENS) if question.asks_assistant else tokens
    length = 1 - w.B + w.B * counted / w.MIDDLING_TOKENS
    matched: Floats = ranks @ np.array(question.weights) / ONE_MATCH
    return matched * (w.K1 + 1) / (1 + w.K1 * length)


def coverage(question: Question, ranks: Floats) -> Floats:
    """The weight of the matched words, divided by the weight of all words of the question."""
    matched: Floats = (ranks > 0).astype(np.float64) @ np.array(question.weights)
    return matched / question.total


def with_time(question: Question, covered: Floats, of_time: Floats) -> Floats:
    """The coverage, including the times that the question names. If the question certainly names a time, TIME_COVERED
    is the weight of this time, and the words have the rest. If the question names nothing but a time, only the match of
    the time counts."""
    if question.of_span:
        return of_time
    if not question.is_exact:
        return covered
    shared: Floats = (1 - w.TIME_COVERED) * covered + w.TIME_COVERED * of_time
    return shared


def longness(tokens: Floats) -> Floats:
    """The length of a reply on a logarithmic scale: 0 up to LONG_TOKENS, 1 from VERY_LONG_TOKENS."""
    grown: Floats = np.log(np.maximum(1, tokens) / w.LONG_TOKENS) / log(w.VERY_LONG_TOKENS / w.LONG_TOKENS)
    return grown.clip(0.0, 1.0)


def shortness(tokens: Floats) -> Floats:
    """`ln(SHORT_TOKENS / tokens)`, or 0 for a longer message."""
    lacking: Floats = np.log(w.SHORT_TOKENS / np.maximum(1, tokens))
    return lacking.clip(0.0)


# The same messages are candidates for many questions, so the analysis of each text is cached.
_REMEMBERED: Final = 4_096


@of_texts
@lru_cache(_REMEMBERED)
def asking(text: str) -> float:
    """The share of a text's sentences that are questions."""
    if "?" not in text and "？" not in text:
        return 0.0
    questions = text.count("?") + text.count("？")
    others = text.count(".") + text.count("!") + text.count("。") + text.count("！")
    return questions / (questions + others)


@of_texts
@lru_cache(_REMEMBERED)
def first_person(text: str) -> bool:
    """Whether the text has a first-person word. A set of words is five times as fast as a pattern."""
    if not _FIRST_PERSON.isdisjoint(text.split()):
        return True
    return not text.isascii() and not _FIRST_PERSON_UNSPACED.isdisjoint(text)


@of_texts
@lru_cache(_REMEMBERED)
def time_words(text: str) -> bool:
    """Whether the text has a time word. A set of words is ten times as fast as the pattern."""
    words = _WORD.findall(text.lower())
    if not _TIME_WORDS.isdisjoint(words):
        return True
    might = not _TIME_LEADS.isdisjoint(words) or not text.isascii() or _DIGIT.search(text)
    return bool(might) and _TIME_PHRASES.search(text) is not None


@of_texts
@lru_cache(_REMEMBERED)
def amounts(text: str) -> bool:
    return _DIGIT.search(text) is not None or not _AMOUNT_WORDS.isdisjoint(_WORD.findall(text.lower()))


@of_texts
@lru_cache(_REMEMBERED)
def tastes(text: str) -> bool:
    return _TASTE.search(text) is not None


def numbers(text: str) -> list[str]:
    return _NUMBER.findall(text)


def names_routine(text: str, routine: str) -> bool:
    """Whether a text contains a part of a routine's name: `the checkin` contains one of `evening-check-in`."""
    plain = text.lower().replace("-", "")
    return any(part in plain for part in routine.lower().replace("-in", "in").split("-") if len(part) > 3)


def mentions(text: str, sent_at: datetime, spans: Sequence[Span], zone: ZoneInfo) -> bool:
    """Whether a time expression in a message overlaps one of the periods."""
    return any(
        first < end and last > start for first, last in _mentioned_spans(text, sent_at, zone) for start, end in spans
    )


@of_texts
@lru_cache(_REMEMBERED)
def _mentioned_spans(text: str, sent_at: datetime, zone: ZoneInfo) -> Sequence[Span]:
    return [(start, end) for start, end in message_spans(text, sent_at, zone) if end - start <= LONGEST_MENTIONED]


_FIRST_PERSON: Final = frozenset(
    "I i I'm i'm im Im I’m I've i've ive I’ve I'd i'd I’d I'll i'll I’ll my My me me. me, me! mine Mine we We we're We're our Our us us."
    " Я я мне Мне меня мой моя мои мы Мы ich Ich mir mich mein meine meinen je Je j'ai J'ai mon ma yo Yo mi Mi io Io".split()
)
_FIRST_PERSON_UNSPACED: Final = frozenset("我私僕俺나저")
_WORD: Final = re.compile(r"[^\W\d_]+")
_TIME_WORDS: Final = frozenset(
    "today tonight tomorrow yesterday weekend weekends morning ago recently days weeks months years monday tuesday wednesday"
    " thursday friday saturday sunday january february march april june july august september october november december"
    " сегодня вчера завтра назад gestern heute morgen hier demain ayer hoy mañana".split()
)
_TIME_LEADS: Final = frozenset("last next this past coming just".split())
_DIGIT: Final = re.compile(r"\d")
_TIME_PHRASES: Final = re.compile(
    r"\d(?:st|nd|rd|th|\s*[ap]m)\b|\b(?:19|20)\d\d\b|\b(?:last|next|this|past|coming|just) (?:few )?"
    r"(?:days?|weeks?|months?|years?|night|summer|winter|spring|fall|autumn|now)\b|[昨今明][天日年]|[上下先来]个?[周月週]",
    re.IGNORECASE,
)
_AMOUNT_WORDS: Final = frozenset(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand million dozen half once twice".split()
)
_TASTE: Final = re.compile(
    r"\b(?:love|like|hate|prefer|favou?rite|enjoy|adore|rather|never|always|only|please|allergic|fan of"
    r"|(?:can|do)(?:n['’]?t|not| not) (?:stand|bear|like|eat|drink|have|do|want))\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d[\d.,:]*\d|\d")
