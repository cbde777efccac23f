"""Fits the ranker's weights on generated dialogues. Each weight stays within bounds that preserve its meaning. Prints
the recall before and after the fit.

    python -m benchmarks.fit [--synthetic N] [--rounds N] [--model FOLDER]

The method is coordinate ascent on mean evidence recall. All shapes of dialogues have equal weight. The report also
contains the recall on dialogues of another seed, which are not used for fitting. The report also contains the recall of
each shape with weights that were fitted on the other two shapes. If this recall differs much from the recall with the
weights for all shapes, the weights are specific to a shape. A person reads the result and puts rounded values into
`retrieval/weights.py`.
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
from benchmarks.metrics import recall
from tellonce.settings import ServerSettings
from tellonce_server.domain.retrieval import weights
from tellonce_server.domain.retrieval.ranking import weigh
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.domain.retrieval.signals import Measured, measure
from tellonce_server.embedding.model_files import MODEL

ZONE = ZoneInfo("UTC")
DEPTHS = (5, 10, 20)
FACTORS = (0.0, 0.6, 0.8, 1.25, 1.6)
MARGIN = 5e-4
"""Minimum gain of recall for a change. Smaller gains are noise."""

# The bounds of each weight. A prior (speaker, time, form) must not outweigh words and similarity together.
BOUNDS: Mapping[str, tuple[float, float]] = {
    "DENSE": (0.5, 2.0),
    "COVERAGE": (0.0, 2.0),
    "NUMBERS": (0.0, 1.0),
    "NAMED": (0.5, 3.0),
    "USER": (0.5, 2.0),
    "ASKED_OF_ASSISTANT": (0.5, 2.0),
    "QUESTION": (0.2, 2.0),
    "FIRST_PERSON": (0.1, 0.8),
    "SHORT": (0.1, 0.8),
    "IN_SPAN": (0.5, 3.0),
    "MENTIONS_SPAN": (0.5, 3.0),
    "TIME_WORDS": (0.2, 1.5),
    "AMOUNTS": (0.2, 1.5),
    "TASTES": (0.2, 1.5),
    "BEFORE": (0.1, 0.4),
    "ANSWER": (0.0, 0.4),
    "AFTER": (0.1, 0.5),
    "SESSION": (0.0, 0.6),
    "LEAST_LEXICAL_DEVIATION": (0.5, 4.0),
    "MOST_DEVIATIONS": (2.5, 5.0),
}


@dataclass(frozen=True)
class Case:
    """One question, and the measured signals of the question's candidates. `shape` is the shape of the dialogue, `ids`
    are the ids of the candidates."""

    shape: str
    measured: Measured
    ids: Sequence[int]
    evidence: Sequence[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", type=int, default=4, metavar="N", help="dialogues of each shape")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    model = args.model or ServerSettings().data_dir / "models" / MODEL
    fitted_on = asyncio.run(cases_of(corpus(args.synthetic, args.seed), model))
    held_out = asyncio.run(cases_of(corpus(args.synthetic, args.seed + 1), model))
    report(fitted_on, held_out, args.rounds)


def report(fitted_on: Sequence[Case], held_out: Sequence[Case], rounds: int) -> None:
    before = current()
    print("before:", *_lines(fitted_on, held_out), sep="\n  ")
    fitted = fit(fitted_on, before, rounds)
    apply(fitted)
    print("after:", *_lines(fitted_on, held_out), sep="\n  ")
    print(*(f"{name}: {before[name]:.2f} -> {value:.2f}" for name, value in fitted.items()), sep="\n")
    for shape in dict.fromkeys(case.shape for case in fitted_on):
        others = [case for case in fitted_on if case.shape != shape]
        apply(fit(others, before, rounds))
        print(f"fitted without {shape}:", *_lines([], [case for case in held_out if case.shape == shape]), sep="\n  ")


def fit(cases: Sequence[Case], start: Mapping[str, float], rounds: int) -> dict[str, float]:
    """Change one weight at a time while recall improves."""
    best, values = objective(cases, start), dict(start)
    for _ in range(rounds):
        for name, (least, most) in BOUNDS.items():
            for tried in {min(most, max(least, values[name] * factor)) for factor in FACTORS} - {values[name]}:
                changed = {**values, name: tried}
                if (score := objective(cases, changed)) > best + MARGIN:
                    best, values = score, changed
    return values


def objective(cases: Sequence[Case], values: Mapping[str, float]) -> float:
    """Mean recall over DEPTHS, with every shape weighted equally."""
    apply(values)
    means = recalls(cases).values()
    return sum(sum(mean) / len(mean) for mean in means) / len(means)


def recalls(cases: Sequence[Case]) -> dict[str, list[float]]:
    rows: dict[str, list[list[float]]] = {}
    for case in cases:
        scores = weigh(case.measured).scores
        ranked = [number for _, number in sorted(zip(scores, case.ids, strict=True), reverse=True)[: DEPTHS[-1]]]
        rows.setdefault(case.shape, []).append([recall(ranked[:depth], case.evidence) for depth in DEPTHS])
    return {shape: [sum(column) / len(found) for column in zip(*found, strict=True)] for shape, found in rows.items()}


def current() -> dict[str, float]:
    return {name: float(getattr(weights, name)) for name in BOUNDS}


def apply(values: Mapping[str, float]) -> None:
    """Set the weights, which the ranker reads at every ranking."""
    for name, value in values.items():
        setattr(weights, name, value)


async def cases_of(dialogues: Sequence[Dialogue], model: Path) -> list[Case]:
    async with open_memory(model, len(dialogues)) as memory:
        await fill(memory, dialogues)
        return [
            case for user, dialogue in enumerate(dialogues, FIRST_USER) for case in await _cases(memory, user, dialogue)
        ]


async def _cases(memory: Memory, user: int, dialogue: Dialogue) -> list[Case]:
    retriever = Retriever(memory.services.deps.database, memory.services.deps.embedder)
    cases: list[Case] = []
    for probe in dialogue.probes:
        if probe.kind != "adversarial":
            request = SearchRequest(user, user, None, probe.text, NOW, ZONE, kinds=("message",))
            seen = await retriever.read(request)
            measured = measure(seen.question, seen.messages, ZONE)
            cases.append(Case(dialogue.regime, measured, [c.id for c in seen.messages], probe.evidence))
    return cases


def _lines(fitted_on: Sequence[Case], held_out: Sequence[Case]) -> list[str]:
    return [
        f"{shape}, {name}: " + " ".join(f"@{d} {x:.3f}" for d, x in zip(DEPTHS, row, strict=True))
        for name, some in (("fitted on", fitted_on), ("held out", held_out))
        for shape, row in recalls(some).items()
    ]


if __name__ == "__main__":
    main()
