"""Takes out of a text the sentences that state something forgotten; pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chatmem_server.memories.claims import claims

GONE = "[forgotten]"
"""What stands where a whole text went: the message is still counted, its words are not there."""

_SENTENCE = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)
_SHARE = 0.6
"""Share of a statement's words a sentence must hold to state it."""


@dataclass(frozen=True)
class Target:
    """What is forgotten: a topic (every word of it in one sentence), or a statement (most of it)."""

    words: frozenset[str]
    names: frozenset[str]
    whole: bool

    @classmethod
    def topic(cls, topic: str) -> "Target":
        return cls(_words(topic), frozenset(), True)

    @classmethod
    def statement(cls, text: str) -> "Target":
        said = claims(text)
        return cls(_words(text), frozenset((*said.numbers, *said.dates)) | said.entities, False)

    def stated_in(self, sentence: str) -> bool:
        if not self.words:
            return False
        said = _words(sentence)
        shared = self.words & said
        if self.whole:
            return len(shared) == len(self.words)
        return len(shared) >= _SHARE * len(self.words) or (
            len(said) > 1 and len(shared) >= _SHARE * len(said) and len(shared) >= 2
        )


def redact(text: str, targets: Sequence[Target]) -> tuple[str, int]:
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


def redact_all(value: Any, targets: Sequence[Target]) -> tuple[Any, int]:
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


def states_any(text: str, targets: Iterable[Target]) -> bool:
    parts = sentences(text)
    return any(target.stated_in(part) for target in targets for part in parts)


def _words(text: str) -> frozenset[str]:
    said = claims(text)
    return frozenset((*said.stems, *said.numbers, *said.dates))
