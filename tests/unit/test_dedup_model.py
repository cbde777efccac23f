"""Dedup with the cosines of the real embedding model, as the server runs it."""

import json
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_cache_path

from chatmem_server.embedding.model_files import GRAPH, MODEL, TOKENIZER, ModelFilesUnavailable, fetch
from chatmem_server.embedding.session import Session
from chatmem_server.memories.dedup import Statement, decide

pytestmark = [pytest.mark.anyio, pytest.mark.model]

PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("dedup_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


async def cosines() -> list[float]:
    folder = user_cache_path("chatmem-tests") / "models" / MODEL
    try:
        await fetch(folder, lambda done, total: None)
    except ModelFilesUnavailable as missing:
        pytest.skip(f"the embedding model cannot be had: {missing}")
    session = Session(folder / GRAPH, folder / TOKENIZER)
    return [sum(x * y for x, y in zip(*session.embed([pair["a"], pair["b"]]), strict=True)) for pair in PAIRS]


async def test_with_real_cosines_nothing_different_is_merged_and_most_paraphrases_are() -> None:
    found = await cosines()
    verdicts = [
        decide(Statement(pair["b"]), [(Statement(pair["a"], id=1), cosine)]).verdict
        for pair, cosine in zip(PAIRS, found, strict=True)
    ]
    wrong = [
        p for p, verdict in zip(PAIRS, verdicts, strict=True) if verdict == "duplicate" and p["expect"] != "duplicate"
    ]
    same = [
        (verdict == "duplicate", cosine)
        for p, verdict, cosine in zip(PAIRS, verdicts, found, strict=True)
        if p["expect"] == "duplicate"
    ]
    near = [merged for merged, cosine in same if cosine > 0.9]
    tempting = sum(c > 0.9 for p, c in zip(PAIRS, found, strict=True) if p["expect"] != "duplicate")
    recall, recall_near = sum(merged for merged, _ in same) / len(same), sum(near) / len(near)
    print(
        f"int8 model: {tempting} of {len(PAIRS) - len(same)} different pairs have a cosine above 0.9, {len(wrong)} merged;"
        f" {recall:.3f} of {len(same)} paraphrases merged, {recall_near:.3f} of the {len(near)} above 0.9"
    )
    assert not wrong
    assert recall_near >= 0.95
    assert recall >= 0.9


async def test_the_table_of_cosines_is_the_models() -> None:
    """The int8 graph stays near the float32 values that the other tests use."""
    apart = [abs(cosine - pair["cosine"]) for pair, cosine in zip(PAIRS, await cosines(), strict=True)]
    print(f"mean difference {sum(apart) / len(apart):.4f}, greatest {max(apart):.3f}")
    assert sum(apart) / len(apart) < 0.03
