"""Dedup with the cosines of the real embedding model, as the server runs it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_cache_path

from chatmem_server.embedding.model_files import GRAPH, MODEL, TOKENIZER, ModelFilesUnavailable, fetch
from chatmem_server.embedding.session import Session
from chatmem_server.memories.dedup import SAME_COSINE, Statement, decide
from tests.unit.test_dedup_unseen import DIFFERENT, SAME

pytestmark = [pytest.mark.anyio, pytest.mark.model]

PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("dedup_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


UNSEEN: list[dict[str, Any]] = [
    *({"category": f"unseen {category}", "expect": "new", "a": a, "b": b} for category, a, b in DIFFERENT),
    *({"category": "unseen paraphrase", "expect": "duplicate", "a": a, "b": b} for a, b in SAME),
]


@dataclass
class Counts:
    """Of one category. `tempting`: pairs the cosine alone would merge."""

    pairs: int = 0
    tempting: int = 0
    merged: int = 0
    wrong: list[dict[str, Any]] = field(default_factory=list)
    missed: list[tuple[float, dict[str, Any]]] = field(default_factory=list)


async def cosines(pairs: list[dict[str, Any]]) -> list[float]:
    folder = user_cache_path("chatmem-tests") / "models" / MODEL
    try:
        await fetch(folder, lambda done, total: None)
    except ModelFilesUnavailable as missing:
        pytest.skip(f"the embedding model cannot be had: {missing}")
    session = Session(folder / GRAPH, folder / TOKENIZER)
    return [sum(x * y for x, y in zip(*session.embed([pair["a"], pair["b"]]), strict=True)) for pair in pairs]


def counted(pairs: list[dict[str, Any]], found: list[float]) -> dict[str, Counts]:
    """By category, each pair decided both ways round: which of the two was said first must not matter."""
    categories: dict[str, Counts] = {}
    for pair, cosine in zip(pairs, found, strict=True):
        counts = categories.setdefault(pair["category"], Counts())
        verdicts = {
            decide(Statement(new), [(Statement(old, id=1), cosine)]).verdict
            for new, old in ((pair["b"], pair["a"]), (pair["a"], pair["b"]))
        }
        counts.pairs += 1
        counts.tempting += cosine > SAME_COSINE
        counts.merged += verdicts == {"duplicate"}
        if pair["expect"] == "duplicate" and verdicts != {"duplicate"}:
            counts.missed.append((cosine, pair))
        if pair["expect"] != "duplicate" and "duplicate" in verdicts:
            counts.wrong.append(pair)
    return categories


async def test_with_the_real_model_nothing_different_is_merged_and_nine_paraphrases_of_ten_are() -> None:
    """`pytest -s tests/unit/test_dedup_model.py` prints the table, by category."""
    pairs = PAIRS + UNSEEN
    categories = counted(pairs, await cosines(pairs))
    same = [counts for name, counts in categories.items() if name.endswith("paraphrase")]
    merged, wrong = sum(c.merged for c in same), [pair for c in categories.values() for pair in c.wrong]
    print("\n| category | pairs | cosine above 0.9 | merged | wrongly | precision | recall |")
    for name, c in categories.items():
        precision = 1 - len(c.wrong) / c.merged if c.merged else 1.0
        recall = f"{c.merged / c.pairs:.2f}" if c in same else "–"
        print(f"| {name} | {c.pairs} | {c.tempting} | {c.merged} | {len(c.wrong)} | {precision:.2f} | {recall} |")
    for cosine, pair in sorted((x for c in same for x in c.missed), key=lambda missed: -missed[0]):
        print(f"missed {cosine:.2f}: {pair['a']} / {pair['b']}")
    assert sum(c.pairs for c in categories.values()) - sum(c.pairs for c in same) >= 200
    assert wrong == []
    assert merged / sum(c.pairs for c in same) >= 0.9


async def test_the_table_of_cosines_is_the_models() -> None:
    """The int8 graph stays near the float32 values that the other tests use."""
    apart = [abs(cosine - pair["cosine"]) for pair, cosine in zip(PAIRS, await cosines(PAIRS), strict=True)]
    print(f"mean difference {sum(apart) / len(apart):.4f}, greatest {max(apart):.3f}")
    assert sum(apart) / len(apart) < 0.03
