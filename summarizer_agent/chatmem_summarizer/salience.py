"""Which sentences of a conversation matter, and what it is about; counts words, knows no language model."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chatmem.work import WorkMessage
from chatmem_summarizer.own_words import BLANK, blanked, sentences
from chatmem_summarizer.stop_words import STOP_WORDS

_WORD = re.compile(r"[^\W\d_][\w'-]*[\w+#]|[^\W\d_]\b|[\u3400-\u9fff]{2,}")
_CUES = (
    (re.compile(
        r"\b(?:decided|decision|chose|agreed|settled|going with|go with|approved|confirmed|concluded)\b", re.I), 2.0),
    (re.compile(
        r"\b(?:deadline|due|by (?:the end|monday|tuesday|wednesday|thursday|friday|q[1-4])|must|goal|plan(?:s|ning)? "
        r"to|need to)\b", re.I), 1.2),
    (re.compile(
        r"\b(?:failed|fails|error|broken|doesn't work|didn't work|fixed|solved|works now|root cause|because|turned "
        r"out)\b", re.I), 1.0),
    (re.compile(r"\b(?:my|i|i'm|i've|we|our)\b", re.I), 0.6),
    (re.compile(r"\d"), 0.8),
    (re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+"), 0.5),
)  # fmt: skip
_PHATIC = re.compile(
    r"^(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|sure|great|cool|nice|perfect|got it|you'?re welcome|no problem"
    r"|good (?:morning|night|evening)|bye|see you"
    r"|of course|certainly|absolutely|happy to help|glad (?:to|i)|let me know|feel free|is there anything|how can i"
    r"|i(?:'d| would) be happy|here(?:'s| is| are)"
    r"|great question|good question|i hope|hope (?:this|that)|sounds good|sorry|i understand|noted|understood|done)"
    r"\b[^.!?]{0,60}[.!?]*$",
    re.I,
)
_QUESTION = re.compile(r"\?\W*$")


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence, who said it in which message, and how much it matters."""

    text: str
    message: WorkMessage
    order: int
    score: float

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return bool(_QUESTION.search(self.text))


def words(text: str) -> list[str]:
    """The words that carry meaning, in lower case."""
    return [word for word in (match.group().lower() for match in _WORD.finditer(text)) if word not in STOP_WORDS]


def ranked(messages: Sequence[WorkMessage]) -> list[Scored]:
    """Every sentence worth showing, best first; ties in the order said."""
    spread = Counter(word for message in messages for word in set(words(message.text)))
    counts = Counter(word for message in messages for word in words(message.text))
    said = [(message, text) for message in messages for text in _sentences(message)]
    scored = [
        Scored(text, message, order, _score(text, message, counts, spread, len(messages)))
        for order, (message, text) in enumerate(said)
    ]
    return sorted((s for s in scored if s.score > 0), key=lambda s: (-s.score, s.order))


def topics(messages: Sequence[WorkMessage], limit: int = 4) -> list[str]:
    """What the conversation is about: the telling words, as they were written, commonest first."""
    written: dict[str, Counter[str]] = {}
    weight: defaultdict[str, float] = defaultdict(float)
    for message in messages:
        seen = Counter(match.group() for match in _WORD.finditer(_plain(message.text)))
        for word, count in seen.items():
            low = word.lower()
            if low not in STOP_WORDS and len(low) > 2:
                written.setdefault(low, Counter())[word] += count
                weight[low] += _topic_weight(word, count, message)
    best = sorted(weight, key=lambda low: (-weight[low], low))[: limit * 2]
    return [_form(written[low]) for low in _without_kin(best)][:limit]


def _form(forms: Counter[str]) -> str:
    """How it was mostly written; of equals, the one with capitals."""
    return min(forms, key=lambda form: (-forms[form], form))


def _topic_weight(word: str, count: int, message: WorkMessage) -> float:
    named = 1.5 if word[0].isupper() or any(letter.isupper() for letter in word[1:]) else 1.0
    return min(count, 3) * named * (1.5 if message.role == "user" else 1.0)


def _without_kin(best: Iterable[str]) -> list[str]:
    """`goal` beside `goals` says nothing new."""
    kept: list[str] = []
    for word in best:
        if not any(
            word.startswith(other[:5]) and other.startswith(word[:5])
            for other in kept
            if min(len(word), len(other)) >= 4
        ):
            kept.append(word)
    return kept


def alike(one: str, other: str) -> float:
    """The share of telling words two texts have in common, of the shorter one."""
    first, second = set(words(one)), set(words(other))
    if not first or not second:
        return float(one.strip().lower() == other.strip().lower())
    return len(first & second) / min(len(first), len(second))


def _plain(text: str) -> str:
    return blanked(text).replace(BLANK, " ")


def _sentences(message: WorkMessage) -> list[str]:
    return [s.quote.strip() for s in sentences(message.text) if 12 <= len(s.quote) <= 400 and BLANK * 12 not in s.text]


def _score(text: str, message: WorkMessage, counts: Counter[str], spread: Counter[str], total: int) -> float:
    telling = words(text)
    if len(telling) < 2 or _PHATIC.match(text):
        return 0.0
    weights = [(1 + math.log(counts[word])) * math.log(1 + total / spread[word]) for word in telling if spread[word]]
    score = sum(weights) / (4 + len(telling))
    score += sum(bonus for pattern, bonus in _CUES if pattern.search(text)) * 0.5
    score *= 1.4 if message.role == "user" else 1.0
    return score * (0.6 if _QUESTION.search(text) else 1.0) * (0.7 if len(text) > 220 else 1.0)
