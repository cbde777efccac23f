"""Analyzes a query: its type, its words with weights, and the people and times in it. Pure."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tellonce_server.domain.retrieval.asked_times import WEEK, AskedTimes
from tellonce_server.domain.retrieval.lexical import normal
from tellonce_text.dates.meanings import Span
from tellonce_text.sentences import is_question

MOST_TERMS: Final = 8
"""Maximum number of a query's words that are matched. The rarest are chosen."""

UNLISTED_SHARE: Final = 0.0005
"""The assumed share of messages that contain a rare word. The planner's statistics do not list rare words."""


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """Facts from the database for the analysis of a query. The three lists of lexemes are those of `AskedTimes.rest`,
    `exact` and `names`. `span_holds` says whether the query's period contains messages."""

    lexemes: Sequence[str]
    speakers: Sequence[str]
    size: int
    last_id: int
    last_at: datetime | None
    span_holds: bool
    near_index: bool = False
    exact_lexemes: Sequence[str] = ()
    name_lexemes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """An analyzed query. `terms` are rarest first, with their inverse document frequency as `weights`. `wording` is
    the text to embed.

    `spans` and `told` are the times that the query names (`AskedTimes`), and `time_terms` are the lexemes of their
    words. `is_exact` says whether the times are certain. `of_span` says whether the query only asks what was said at
    that time. Such a query has no terms.
    """

    text: str
    wording: str
    terms: Sequence[str]
    weights: Sequence[float]
    named: frozenset[str]
    spans: Sequence[Span]
    told: Sequence[Span]
    time_terms: Sequence[str]
    is_exact: bool
    of_span: bool
    asks_when: bool
    asks_assistant: bool
    asks_past_state: bool
    asks_routine: bool
    asks_amount: bool
    asks_advice: bool

    @property
    def precision(self) -> float:
        """The share of EXACT_TIME for a message of the named time. It is smaller for a period of more than a week."""
        if not (self.is_exact or self.of_span):
            return 0.0
        return min((min(1.0, math.sqrt(WEEK / (end - start))) for start, end in self.told), default=0.0)

    @property
    def total(self) -> float:
        return sum(self.weights) or 1.0


def question(text: str, scope_facts: ScopeFacts, shares: Mapping[str, float], asked: AskedTimes) -> Question:
    """Analyze a query. `shares` maps frequent lexemes to their share of messages. It is empty before the first
    statistics."""
    named = names_in(text, scope_facts.speakers)
    # A time whose word is the name of a speaker, such as June, is probably not a time.
    times = AskedTimes(rest=text) if names_in(f"{asked.exact} {asked.names}", list(named)) else asked
    is_exact = bool(times.exact) and (scope_facts.span_holds or not times.is_timed)
    lexemes = [*scope_facts.lexemes, *(() if is_exact else scope_facts.exact_lexemes)]
    words = [x for x in lexemes if not _names(x, named)]
    of_span = times.is_clear and _VAGUE.issuperset(set(words) - set(scope_facts.name_lexemes))
    weighed = [] if of_span else _weighed(words or lexemes, scope_facts.name_lexemes if times.told else (), shares)
    return Question(
        text=text,
        wording=without_names(times.rest if is_exact else text, named),
        terms=[x for _, x in weighed],
        weights=[w for w, _ in weighed],
        named=named,
        spans=times.spans,
        told=times.told,
        time_terms=[*scope_facts.exact_lexemes, *scope_facts.name_lexemes] if times.told else (),
        is_exact=is_exact,
        of_span=of_span,
        asks_when=bool(_WHEN.search(text)),
        asks_assistant=bool(_ASSISTANT.search(text)),
        asks_past_state=bool(_FORMERLY.search(text)),
        asks_routine=bool(_ROUTINE.search(text)),
        asks_amount=bool(_AMOUNT.search(text)),
        asks_advice=bool(_ADVICE.search(text)),
    )


def _weighed(lexemes: Sequence[str], of_times: Sequence[str], shares: Mapping[str, float]) -> list[tuple[float, str]]:
    """The rarest lexemes. The name of a time, such as "Tuesday", has little weight, because the time itself is
    compared."""
    found = ((weight(x, shares) * (VAGUE_WEIGHT if x in of_times else 1.0), x) for x in dict.fromkeys(lexemes))
    return sorted(found, reverse=True)[:MOST_TERMS]


def weight(lexeme: str, shares: Mapping[str, float]) -> float:
    """The negative logarithm of the word's share of messages. Without statistics, longer words count as rarer."""
    known = shares.get(lexeme, UNLISTED_SHARE) if shares else 0.1 * 0.75 ** len(lexeme)
    return -math.log(min(1.0, max(known, UNLISTED_SHARE))) * (VAGUE_WEIGHT if lexeme in _VAGUE else 1.0)


def names_in(text: str, speakers: Sequence[str]) -> frozenset[str]:
    """The speakers, in the stored spelling, whose full name or the first part of it is in the query."""
    return frozenset(speaker for speaker in speakers if _mention(speaker).search(text))


def without_names(text: str, named: frozenset[str]) -> str:
    """The query without names of persons. Otherwise, every text about a person would be similar to the query."""
    bare = text
    for speaker in named:
        bare = _mention(speaker).sub(" ", bare)
    bare = re.sub(r"\s+", " ", bare).strip()
    return bare if re.search(r"\w", bare) else text


def asks(text: str) -> bool:
    """Whether a message is a question, or a request to recall something."""
    return is_question(text) or bool(_RECALL.search(text))


VAGUE_WEIGHT: Final = 0.35
_VAGUE: Final = frozenset(
    "mani much long often kind type sort thing get go say tell talk mention like would could take make do use name what"
    " describ happen user".split()
)
_WHEN: Final = re.compile(
    r"\bwhen\b(?! (?:I|he|she|they|we|you)\b)|\b(?:what|which) (?:time|day|date|year|month|week)\b|\bhow long (?:ago|since)\b",
    re.IGNORECASE,
)
_ASSISTANT: Final = re.compile(
    r"(?<!\bcan )(?<!\bcould )(?<!\bwould )(?<!\bwill )\byou(?:['’]ve| have)? (?:\w+ )?(?:told|sa(?:y|id)|recommend\w*|suggest\w*|g[ai]ve\w*|mention\w*|ma[kd]e|dr[ae]w|provid\w*"
    r"|list\w*|advis\w*|writ\w*|wrote|explain\w*|sen[dt]|propos\w*|describ\w*|answer\w*|repl\w*)\b|\baccording to you\b"
    r"|\byour (?:last |previous |earlier )?(?:answer|reply|suggestion|recommendation|advice|list|briefing|message|check-in)\w*\b",
    re.IGNORECASE,
)
_FORMERLY: Final = re.compile(
    r"\b(?:(?:did|was|were|had)\b.*\bbefore|before(?=\W*\Z)|previous(?:ly)?|used? to|former(?:ly)?|earlier|back then"
    r"|originally|(?<!\bhow )(?<!\byears )old|at first)\b",
    re.IGNORECASE,
)
_ROUTINE: Final = re.compile(
    r"\b(?:briefings?|check-?ins?|summar(?:y|ies)|reports?|digests?|scans?|updates?|routines?|reminders?|newsletters?"
    r"|(?:morning|evening|night|daily|weekly) (?:message|post|news|cost|overview)s?)\b",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"\bhow (?:much|many|old|far|fast|heavy|tall|big|large|long)\b(?! (?:ago|since)\b)"
    r"|\b(?:prices?|costs?|fees?|rent|weigh(?:s|t)?|rates?|amount|percentage|salary|distance|number of)\b",
    re.IGNORECASE,
)
_ADVICE: Final = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:should|could|can|shall) (?:i|we)\b|\b(?:suggest|recommend|advise|help me)\b"
    r"|\b(?:ideas|tips|advice|suggestions|recommendations)\b",
    re.IGNORECASE,
)
_RECALL: Final = re.compile(
    r"^\W*(?:please\W+)?(?:have|has|had|can|could|tell|remind me|remember|show me|find|list|give me|recall|recount|retell"
    r"|recap|summari[sz]e|describe|outline|write|go (?:over|through)|walk me through|name|help|suggest|recommend|advise|explain"
    r"|compare|calculate|work out)\b",
    re.IGNORECASE,
)
# These words can also be names. They count as names only if they begin with a capital letter.
_AMBIGUOUS: Final = frozenset(
    "will mark grace rose may hope joy bill frank art drew sue pat dawn faith april june august summer ray max chase guy"
    " rich bob jack miles penny ruby amber iris jade victor user assistant me you i bot".split()
)


def _names(lexeme: str, named: frozenset[str]) -> bool:
    """Whether a lexeme is probably the stem of a name. "Amy" has the stem "ami"."""
    words = [word for name in named for word in normal(name).lower().split()]
    return any(word.startswith(lexeme[:-1]) and len(lexeme) >= len(word) - 2 for word in words)


def _mention(speaker: str) -> re.Pattern[str]:
    names = {speaker, speaker.split()[0] if speaker.split() else speaker}
    parts = [
        re.escape(n) if n.lower() in _AMBIGUOUS else f"(?i:{re.escape(n)})"
        for n in sorted(names, key=len, reverse=True)
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?:['’]s)?(?!\w)")
