"""The importance of a message by the contract's rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_text.importance import message_importance


@pytest.mark.parametrize(
    ("role", "content", "importance"),
    [
        ("user", "Good morning", 0.5),
        ("assistant", "Good morning", 0.55),
        ("user", "Coffee today?", 0.7),
        ("user", "what a day", 0.7),
        ("user", "How are you", 0.7),
        ("user", "Why not", 0.7),
        ("user", "When I was ten we moved", 0.7),
        ("user", "Whatever you say", 0.5),
        ("user", "I know what you mean", 0.5),
        ("user", "```\nx\n```", 0.65),
        ("user", "Write a function", 0.65),
        ("user", "It is a classic", 0.5),
        ("user", "The class is full", 0.65),
        ("user", "There is an error", 0.6),
        ("user", "A KeyError again", 0.6),
        ("user", "No problem", 0.6),
        ("user", "Two issues left", 0.6),
        ("user", "Tissue paper, and terror", 0.5),
        ("user", "a" * 200, 0.5),
        ("user", "a" * 201, 0.6),
        ("user", "Why does this function fail with an error?", 0.95),
        ("assistant", "Why does this function fail with an error?" + "a" * 200, 1.0),
    ],
)
def test_importance_is_the_sum_of_what_the_text_shows(role: str, content: str, importance: float) -> None:
    assert message_importance(role, content) == importance


@given(st.sampled_from(["user", "assistant"]), st.text())
def test_importance_lies_between_a_half_and_one(role: str, content: str) -> None:
    assert 0.5 <= message_importance(role, content) <= 1.0


@given(st.text())
def test_an_answer_is_never_less_important_than_the_same_words_of_the_user(content: str) -> None:
    assert message_importance("assistant", content) >= message_importance("user", content)
