"""Takes out of a text the sentences that state something forgotten; pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chatmem_server.memories.claims import claims, tokens_of
from chatmem_server.text.stemming import stem
from chatmem_server.text.word_forms import is_english, is_spaceless, roots

GONE = "[forgotten]"
"""What stands where a whole text went: the message is still counted, its words are not there."""

_SENTENCE = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)
_SHARE = 0.6
"""Share of a statement's words a sentence must hold to state it."""


@dataclass(frozen=True)
class Target:
    """What is forgotten: a topic (every word of it in one sentence, in any form), or a statement (most of it)."""

    words: frozenset[str]
    topic_words: tuple[str, ...] = ()

    @classmethod
    def topic(cls, topic: str) -> "Target":
        """A topic of no telling word states nothing: `is_empty`."""
        said = claims(topic)
        telling = {word for word in tokens_of(topic) if stem(word) in said.stems and _tells(word)}
        return cls(frozenset((*said.numbers, *said.dates)), tuple(sorted(telling)))

    @classmethod
    def statement(cls, text: str) -> "Target":
        return cls(_words(text))

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.topic_words

    @property
    def is_spaceless(self) -> bool:
        """Whether a word of the topic stands inside others, so that no index of words finds it."""
        return any(map(is_spaceless, self.topic_words))

    @property
    def patterns(self) -> list[str]:
        """LIKE patterns one of which any text that states it matches."""
        return [f"%{min(roots(word), key=len)}%" for word in self.topic_words] or [f"%{word}%" for word in self.words]

    def stated_in(self, sentence: str) -> bool:
        if self.is_empty:
            return False
        if self.topic_words:
            # Naming is looked at first: reading what a sentence says takes ten times as long.
            return self.named_in(sentence) and (not self.words or self.words <= _words(sentence))
        said = _words(sentence)
        shared = self.words & said
        return len(shared) >= _SHARE * len(self.words) or (
            len(said) > 1 and len(shared) >= _SHARE * len(said) and len(shared) >= 2
        )

    def named_in(self, text: str) -> bool:
        """Whether the text has a form of every word of the topic, wherever it stands."""
        said = tokens_of(text)
        english = is_english(said)
        known = frozenset[str]().union(*(roots(word, english=english) for word in said))
        return all(
            word in text.lower() if is_spaceless(word) else bool(roots(word, english=english) & known)
            for word in self.topic_words
        )


class Recognises(Protocol):
    def stated_in(self, sentence: str) -> bool: ...


class AnyOf:
    """Targets looked for in many texts. A sentence is judged once: the versions of a text repeat most of theirs."""

    def __init__(self, targets: Iterable[Recognises]) -> None:
        self._targets = tuple(targets)
        self._judged: dict[str, bool] = {}

    def stated_in(self, sentence: str) -> bool:
        known = self._judged.get(sentence)
        if known is None:
            known = self._judged[sentence] = any(target.stated_in(sentence) for target in self._targets)
        return known


def _tells(word: str) -> bool:
    return len(word) > 1 or is_spaceless(word)


def redact(text: str, targets: Sequence[Recognises]) -> tuple[str, int]:
    """The text without the sentences that state a target, and how many went."""
    kept: list[str] = []
    gone = 0
    for part in sentences(text):
        if part.strip() and any(target.stated_in(part) for target in targets):
            gone += 1
        else:
            kept.append(part)
    if not gone:
        return text, 0
    left = "".join(kept).strip()
    return (left if any(c.isalnum() for c in left) else ""), gone


def redact_all(value: Any, targets: Sequence[Recognises]) -> tuple[Any, int]:
    """The same through a JSON value: a list loses items that are left empty."""
    if isinstance(value, str):
        return redact(value, targets)
    if isinstance(value, list):
        pairs = [redact_all(item, targets) for item in value]
        return [item for item, gone in pairs if item or not gone], sum(gone for _, gone in pairs)
    if isinstance(value, dict):
        entries = {key: redact_all(item, targets) for key, item in value.items()}
        return {key: item for key, (item, _) in entries.items()}, sum(gone for _, gone in entries.values())
    return value, 0


def sentences(text: str) -> list[str]:
    """The text cut into sentences; joined they are the text again."""
    return _SENTENCE.findall(text)


def states_any(text: str, targets: Iterable[Recognises]) -> bool:
    parts = sentences(text)
    return any(target.stated_in(part) for target in targets for part in parts)


def _words(text: str) -> frozenset[str]:
    said = claims(text)
    return frozenset((*said.stems, *said.numbers, *said.dates))
