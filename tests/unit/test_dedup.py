"""Dedup: what must never merge, what should, and what replaces what."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem_server.memories.attributes import attributes
from chatmem_server.memories.dedup import Decision, Statement, contradiction, decide, is_duplicate, lexical_similarity
from chatmem_server.memories.dedup_guards import disagreement

PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("dedup_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]
ADVERSARIAL = [pair for pair in PAIRS if pair["expect"] != "duplicate"]
PARAPHRASES = [pair for pair in PAIRS if pair["expect"] == "duplicate"]
# Categories whose guard must hold even where an embedding sees no difference at all.
GUARDED = [p for p in ADVERSARIAL if p["category"] not in {"multi", "values"}]


def verdict(a: str, b: str, cosine: float | None) -> str:
    return decide(Statement(b), [(Statement(a, id=1), cosine)]).verdict


def test_the_set_is_large_and_covers_every_kind_of_difference() -> None:
    kinds = Counter(pair["category"] for pair in ADVERSARIAL)
    assert len(ADVERSARIAL) >= 200
    assert {"numbers", "dates", "negation", "entities", "persons", "units", "direction", "tense", "translation"} <= set(
        kinds
    )


@pytest.mark.parametrize("pair", ADVERSARIAL, ids=lambda pair: f"{pair['a']} / {pair['b']}")
def test_different_statements_are_never_merged(pair: dict[str, Any]) -> None:
    for cosine in (pair["cosine"], None):
        assert verdict(pair["a"], pair["b"], cosine) != "duplicate"
        assert verdict(pair["b"], pair["a"], cosine) != "duplicate"


@pytest.mark.parametrize("pair", GUARDED, ids=lambda pair: f"{pair['a']} / {pair['b']}")
def test_a_difference_in_claims_holds_against_any_cosine(pair: dict[str, Any]) -> None:
    assert verdict(pair["a"], pair["b"], 1.0) != "duplicate"


@pytest.mark.parametrize(
    "pair", [p for p in PAIRS if p["expect"] == "supersedes"], ids=lambda p: f"{p['a']} / {p['b']}"
)
def test_a_new_value_supersedes_the_old_one_with_and_without_embeddings(pair: dict[str, Any]) -> None:
    assert verdict(pair["a"], pair["b"], pair["cosine"]) == "supersedes"
    assert verdict(pair["a"], pair["b"], None) == "supersedes"


@pytest.mark.parametrize("pair", [p for p in PAIRS if p["expect"] == "new"], ids=lambda p: f"{p['a']} / {p['b']}")
def test_what_can_hold_beside_it_is_new(pair: dict[str, Any]) -> None:
    assert verdict(pair["a"], pair["b"], pair["cosine"]) == "new"
    assert verdict(pair["a"], pair["b"], None) == "new"


def test_paraphrases_are_merged_and_nothing_else() -> None:
    """Prints precision and recall, so that a change shows by how much it moved them."""
    merged = [p for p in PAIRS if verdict(p["a"], p["b"], p["cosine"]) == "duplicate"]
    by_words = [p for p in PAIRS if verdict(p["a"], p["b"], None) == "duplicate"]
    near = [p for p in PARAPHRASES if p["cosine"] > 0.9]
    found, found_near = (sum(p in merged for p in group) for group in (PARAPHRASES, near))
    wrong, wrong_words = (sum(p["expect"] != "duplicate" for p in group) for group in (merged, by_words))
    print(
        f"{len(PAIRS)} pairs; precision {1 - wrong / len(merged):.3f}, recall {found / len(PARAPHRASES):.3f}"
        f" of all paraphrases, {found_near / len(near):.3f} of those with a cosine above 0.9;"
        f" without embeddings precision {1 - wrong_words / len(by_words):.3f},"
        f" recall {sum(p in by_words for p in PARAPHRASES) / len(PARAPHRASES):.3f}"
    )
    assert not wrong
    assert not wrong_words
    assert found / len(PARAPHRASES) >= 0.9
    assert found_near / len(near) >= 0.95


def test_the_nearest_duplicate_is_named() -> None:
    decision = decide(
        Statement("I'm living in Singapore"),
        [(Statement("I like jazz", id=1), 0.2), (Statement("I live in Singapore", id=2), 0.97)],
    )
    assert (decision.verdict, decision.memory_id, decision.memory_ids) == ("duplicate", 2, (2,))


def test_everything_contradicted_is_superseded_at_once() -> None:
    known = [
        (Statement("I live in Singapore", id=1), 0.5),
        (Statement("User is based in Singapore near the park", id=2), 0.4),
        (Statement("My brother lives in Munich", id=3), 0.6),
    ]
    decision = decide(Statement("I moved to Lisbon last week"), known)
    assert decision.verdict == "supersedes"
    assert set(decision.memory_ids) == {1, 2}


def test_nothing_known_makes_a_statement_new() -> None:
    assert decide(Statement("I live in Lisbon"), []) == Decision("new")
    assert decide(Statement("I live in Lisbon"), []).memory_id is None


def test_a_value_said_again_with_more_detail_contradicts_nothing() -> None:
    assert contradiction("I live in Lisbon, Portugal", "I live in Lisbon") is None
    assert contradiction("I work at Stripe in Dublin", "I work at Stripe") is None


@pytest.mark.parametrize(
    ("text", "subject", "name"),
    [
        ("I live in Lisbon", "self", "residence"),
        ("My sister lives in Lisbon", "sister", "residence"),
        ("Emma lives in Lisbon", "emma", "residence"),
        ("I moved from Singapore to Lisbon", "self", "residence"),
        ("I work as a nurse at Charité", "self", "job"),
        ("My wife's birthday is May 2", "wife", "birthday"),
    ],
)
def test_an_attribute_belongs_to_whoever_it_is_said_of(text: str, subject: str, name: str) -> None:
    assert (subject, name) in {(a.subject, a.name) for a in attributes(text)}


@pytest.mark.parametrize(
    "text",
    ["I might move to Berlin", "I want to live in Rome", "I no longer live in Rome", "I like jazz", "I speak French"],
)
def test_wishes_denials_and_things_held_in_number_give_no_single_value(text: str) -> None:
    assert attributes(text) == ()


WORDS = st.sampled_from(
    "I my sister like live in Lisbon two 5 km on March 15 not coffee work at Google never the dog Emma".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=9).map(" ".join) | st.text(max_size=60)


@given(TEXTS, st.none() | st.floats(-1, 1))
def test_a_statement_is_a_duplicate_of_itself(text: str, cosine: float | None) -> None:
    assert disagreement(text, text) is None
    assert is_duplicate(text, text, cosine)
    assert decide(Statement(text), [(Statement(text, id=7), cosine)]).verdict == "duplicate"


@given(TEXTS, TEXTS, st.none() | st.floats(-1, 1))
def test_being_a_duplicate_goes_both_ways(one: str, other: str, cosine: float | None) -> None:
    assert is_duplicate(one, other, cosine) == is_duplicate(other, one, cosine)


@given(TEXTS, TEXTS)
def test_lexical_similarity_is_symmetric_and_between_nothing_and_one(one: str, other: str) -> None:
    assert 0 <= lexical_similarity(one, other) <= 1
    assert lexical_similarity(one, other) == lexical_similarity(other, one)


@given(
    st.sampled_from(
        [
            "I have {} books",
            "My code is {}",
            "I take {} mg of aspirin daily",
            "The rent is {} euros",
            "Bus {} stops here",
        ]
    ),
    st.integers(2, 10**12),
    st.integers(2, 10**12),
)
def test_statements_with_different_numbers_are_never_merged(frame: str, one: int, other: int) -> None:
    merged = verdict(frame.format(one), frame.format(other), 1.0) == "duplicate"
    assert merged == (one == other)


@given(st.dates(), st.dates())
def test_statements_with_different_dates_are_never_merged(one: Any, other: Any) -> None:
    merged = verdict(f"The wedding is on {one}", f"The wedding is on {other}", 1.0) == "duplicate"
    assert merged == (one == other)
