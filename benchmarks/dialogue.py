"""A conversation with questions and their evidence, the common form of all evaluation data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Regime = Literal["people", "friends", "assistant"]


@dataclass(frozen=True)
class Turn:
    """One message. `id` is the turn's place in the dialogue, from 1."""

    id: int
    role: Literal["user", "assistant"]
    speaker: str | None
    text: str
    at: datetime


@dataclass(frozen=True)
class Probe:
    """One question, and the turns that answer it. `answer` is empty if the file has no answer."""

    kind: str
    text: str
    evidence: Sequence[int]
    answer: str = ""


@dataclass(frozen=True)
class Dialogue:
    name: str
    regime: Regime
    turns: Sequence[Turn]
    probes: Sequence[Probe]
