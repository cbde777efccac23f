"""Fits the ranker's weights on generated dialogues, within bounds that keep their meaning; prints before and after.

    python -m benchmarks.fit [--synthetic N] [--rounds N] [--model FOLDER]

Coordinate ascent on mean evidence recall over both regimes; every second dialogue is held out and only reported.  The
result is for a person to read and to round into `retrieval/weights.py`.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from benchmarks.dialogue import Dialogue
from benchmarks.generator import corpus
from benchmarks.memory import FIRST_USER, NOW, Memory, fill, open_memory
from benchmarks.metrics import DEPTHS, recall
from chatmem.settings import ServerSettings
from chatmem_server.retrieval import weights
from chatmem_server.retrieval.hits import SearchRequest
from chatmem_server.retrieval.question import Question
from chatmem_server.retrieval.ranking import rank
from chatmem_server.retrieval.search import Retriever
from chatmem_server.retrieval.signals import Candidate

ZONE = ZoneInfo("UTC")
FACTORS = (0.0, 0.5, 0.75, 1.3, 1.8)
MARGIN = 3e-4
"""A change must win so much recall: less is noise."""

# Least and most of each weight. What is a prior (who, when, how) may not outvote words and likeness together.
BOUNDS: Mapping[str, tuple[float, float]] = {
    "DENSE": (0.5, 2.0),
    "COVERAGE": (0.0, 2.0),
    "NUMBERS": (0.0, 1.0),
    "NAMED": (0.5, 2.5),
    "USER": (0.5, 1.5),
    "ASKED_OF_ASSISTANT": (0.5, 2.0),
    "QUESTION": (0.2, 1.0),
    "FIRST_PERSON": (0.1, 0.5),
    "SHORT": (0.1, 0.6),
    "IN_SPAN": (0.5, 3.0),
    "AFTER_SPAN": (0.3, 2.0),
    "TELLS_OF_SPAN": (0.5, 3.0),
    "TIME_WORDS": (0.2, 1.0),
    "BEFORE": (0.2, 0.4),
    "ANSWER": (0.0, 0.4),
    "AFTER": (0.2, 0.5),
    "SESSION": (0.1, 0.6),
    "B": (0.3, 0.6),
    "LEAST_LEXICAL_DEVIATION": (0.5, 2.5),
    "MOST_DEVIATIONS": (2.5, 4.0),
}


@dataclass(frozen=True)
class Case:
    """One question with its candidates; `regime` names the kind of dialogue."""

    regime: str
    question: Question
    candidates: Sequence[Candidate]
    evidence: Sequence[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", type=int, default=8, metavar="N")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    cases, held_out = asyncio.run(_cases(args))
    before = current()
    print("before:", *_report(cases, held_out), sep="\n  ")
    fitted = fit(cases, before, args.rounds)
    apply(fitted)
    print("after:", *_report(cases, held_out), sep="\n  ")
    print("\n".join(f"{name}: {before[name]:.2f} -> {value:.2f}" for name, value in fitted.items()))


def fit(cases: Sequence[Case], start: Mapping[str, float], rounds: int) -> dict[str, float]:
    """One weight at a time, as long as it wins."""
    best, values = objective(cases, start), dict(start)
    for _ in range(rounds):
        for name, (least, most) in BOUNDS.items():
            for factor in FACTORS:
                tried = {**values, name: min(most, max(least, values[name] * factor))}
                if tried != values and (score := objective(cases, tried)) > best + MARGIN:
                    best, values = score, tried
        print(f"  {best:.4f}", flush=True)
    return values


def objective(cases: Sequence[Case], values: Mapping[str, float]) -> float:
    """Recall over all depths, both regimes alike."""
    apply(values)
    means = recalls(cases).values()
    return sum(sum(mean) / len(mean) for mean in means) / len(means)


def recalls(cases: Sequence[Case]) -> dict[str, list[float]]:
    rows: dict[str, list[list[float]]] = {}
    for case in cases:
        scores = rank(case.question, case.candidates, ZONE).scores
        pairs = sorted(zip(scores, case.candidates, strict=True), key=lambda pair: -pair[0])
        ranked = [candidate.id for _, candidate in pairs]
        rows.setdefault(case.regime, []).append([recall(ranked[:depth], case.evidence) for depth in DEPTHS])
    return {regime: [sum(column) / len(found) for column in zip(*found, strict=True)] for regime, found in rows.items()}


def current() -> dict[str, float]:
    return {name: float(getattr(weights, name)) for name in BOUNDS}


def apply(values: Mapping[str, float]) -> None:
    """The ranker reads its weights when it ranks."""
    for name, value in values.items():
        setattr(weights, name, value)


def _report(cases: Sequence[Case], held_out: Sequence[Case]) -> list[str]:
    return [
        f"{regime}, {name}: " + " ".join(f"@{d} {x:.3f}" for d, x in zip(DEPTHS, row, strict=True))
        for name, some in (("fitted on", cases), ("held out", held_out))
        for regime, row in recalls(some).items()
    ]


async def _cases(args: argparse.Namespace) -> tuple[list[Case], list[Case]]:
    dialogues = corpus(args.synthetic, args.seed)
    model = args.model or ServerSettings().data_dir / "models" / "all-minilm-l6-v2-int8"
    async with open_memory(model, len(dialogues)) as memory:
        await fill(memory, dialogues)
        users = list(enumerate(dialogues, FIRST_USER))
        # Dialogues alternate between the regimes, so every second pair is held out.
        read = [await _read(memory, user, dialogue) for user, dialogue in users]
    return _joined(read, (0, 1)), _joined(read, (2, 3))


def _joined(read: Sequence[Sequence[Case]], places: Sequence[int]) -> list[Case]:
    return [case for index, cases in enumerate(read) if index % 4 in places for case in cases]


async def _read(memory: Memory, user: int, dialogue: Dialogue) -> list[Case]:
    retriever = Retriever(memory.actors.kit.database, memory.actors.kit.embedder)
    cases: list[Case] = []
    for probe in dialogue.probes:
        if probe.kind != "adversarial":
            request = SearchRequest(user, user, None, probe.text, NOW, ZONE, kinds=("message",))
            seen = await retriever.read(request)
            cases.append(Case(dialogue.regime, seen.question, seen.messages, probe.evidence))
    return cases


if __name__ == "__main__":
    main()
