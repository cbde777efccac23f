"""Reads evaluation sets in the formats of LoCoMo and LongMemEval into dialogues. This repository contains no public
set. The files in `benchmarks/talks` are our own, in the format of LoCoMo."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.dialogue import Dialogue, Probe, Regime, Turn

_LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_DATES = ("%I:%M %p on %d %B, %Y", "%d %B %Y", "%Y/%m/%d (%a) %H:%M", "%Y/%m/%d", "%Y-%m-%d %H:%M", "%Y-%m-%d")


def locomo(file: Path) -> list[Dialogue]:
    """Read a list of conversations. A conversation has dated sessions of two speakers, and questions with the ids of
    their evidence.

    The category of a question is a number in LoCoMo and a word in our own files. If the second speaker is called
    `assistant`, the dialogue has the shape `assistant`.
    """
    return [
        _locomo(f"{file.stem}-{number}", sample) for number, sample in enumerate(json.loads(file.read_text("utf-8")), 1)
    ]


def longmemeval(file: Path) -> list[Dialogue]:
    """Read a list of questions. Each question has its own sessions of a user and an assistant. Evidence turns are
    marked in these sessions."""
    return [_longmemeval(entry) for entry in json.loads(file.read_text("utf-8"))]


def _locomo(name: str, sample: Mapping[str, Any]) -> Dialogue:
    talk = sample["conversation"]
    turns: list[Turn] = []
    ids: dict[str, int] = {}
    regime: Regime = "assistant" if talk.get("speaker_b") == "assistant" else "people"
    for at, entry in locomo_entries(talk):
        ids[entry["dia_id"]] = len(turns) + 1
        caption = entry.get("blip_caption")
        text = f"{entry['text']} [shares {caption}]" if caption else entry["text"]
        role = "user" if entry["speaker"] == talk.get("speaker_a", entry["speaker"]) else "assistant"
        turns.append(Turn(len(turns) + 1, role, None if regime == "assistant" else entry["speaker"], text, at))
    probes = [
        Probe(_LOCOMO_KINDS.get(qa["category"], qa["category"]), qa["question"], evidence, str(qa.get("answer", "")))
        for qa in sample["qa"]
        if (evidence := _locomo_evidence(qa.get("evidence", ()), ids))
    ]
    return Dialogue(name, regime, turns, probes)


def locomo_entries(talk: Mapping[str, Any]) -> Iterator[tuple[datetime, Mapping[str, Any]]]:
    """Yield the turns of a conversation in order, each half a minute after the turn before it."""
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        at = _moment(talk[f"session_{number}_date_time"])
        for index, entry in enumerate(talk[f"session_{number}"]):
            yield at + timedelta(seconds=30 * index), entry


def _locomo_evidence(named: Sequence[str], ids: Mapping[str, int]) -> tuple[int, ...]:
    found = {ids[one] for text in named for one in re.findall(r"D\d+:\d+", text) if one in ids}
    return tuple(sorted(found))


def _longmemeval(entry: Mapping[str, Any]) -> Dialogue:
    turns: list[Turn] = []
    evidence: list[int] = []
    sessions = zip(entry["haystack_dates"], entry["haystack_sessions"], strict=True)
    for day, session in sorted(sessions, key=lambda pair: _moment(pair[0])):
        at = _moment(day)
        for index, turn in enumerate(session):
            turns.append(Turn(len(turns) + 1, turn["role"], None, turn["content"], at + timedelta(seconds=30 * index)))
            if turn.get("has_answer"):
                evidence.append(len(turns))
    probes = [Probe(entry["question_type"], entry["question"], tuple(evidence))] if evidence else []
    return Dialogue(entry["question_id"], "assistant", turns, probes)


def _moment(text: str) -> datetime:
    """Parse a session's date in the format of these files. A date without a time means midnight."""
    for form in _DATES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"no date of a known form: {text!r}; known: {', '.join(_DATES)}")
