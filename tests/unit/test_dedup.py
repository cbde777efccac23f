"""Tests the decision whether two statements are the same. The tests use 586 pairs of everyday statements, and the
cosines of the embedding model."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.memory import dedup

PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("dedup_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_no_two_different_statements_are_merged() -> None:
    wrong = [p for p in PAIRS if p["expect"] != "duplicate" and dedup.same(p["a"], p["b"])]
    assert wrong == []


def test_statements_that_are_one_share_the_key_they_are_found_by() -> None:
    merged = [p for p in PAIRS if dedup.same(p["a"], p["b"])]
    assert len(merged) >= 15
    assert all(dedup.key(p["a"]) == dedup.key(p["b"]) for p in merged)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I bought a house in 2020.", "In 2020 I bought a house"),
        ("Prefers TEA", "prefers tea."),
        ("我住在里斯本。", "我住在里斯本"),
        ("Живу в Лиссабоне с мая", "С мая живу в Лиссабоне"),
    ],
)
def test_the_same_words_are_one_statement_in_any_language(one: str, other: str) -> None:
    assert dedup.same(one, other)
    assert dedup.key(one) == dedup.key(other)


@given(st.text(max_size=60), st.text(max_size=60))
def test_sameness_needs_the_same_key_whatever_the_text(one: str, other: str) -> None:
    assert not dedup.same(one, other) or dedup.key(one) == dedup.key(other)
    assert dedup.same(one, one)


@pytest.mark.parametrize(
    ("text", "denied", "cosine", "same_source", "certain", "expected"),
    [
        ("Is a vegetarian", "The user is a vegetarian", 0.93, False, True, True),
        ("Eats no meat", "Is a vegetarian", 0.7, True, True, True),
        ("Eats no meat", "Is a vegetarian", 0.92, False, False, True),
        ("Has three dogs", "Has two dogs", 0.94, False, True, False),
        ("Pays 1250 euros", "Pays 1200 euros", 0.98, True, True, False),
        ("Lives in Oslo", "Lives in Lisbon", 0.91, True, True, False),
        ("Is a vegetarian", "Is a vegetarian", None, False, True, True),
        ("Likes hiking", "Is a vegetarian", 0.2, True, False, False),
    ],
)
def test_what_was_denied_stays_denied_in_other_words_and_what_is_put_right_is_heard(
    text: str, denied: str, cosine: float | None, same_source: bool, certain: bool, expected: bool
) -> None:
    assert dedup.is_denied(text, denied, cosine, same_source=same_source, certain=certain) is expected


def test_two_readings_of_one_message_differ_from_two_statements() -> None:
    assert dedup.is_restated("The user's home is Lisbon", "The user lives in Lisbon")
    assert not dedup.is_restated("The user lives in Lisbon", "The user lives in Oslo")
    assert not dedup.is_restated("The user has 2 dogs", "The user has 3 dogs")
