"""Indexed texts and queries are split into the same words, in any script."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.retrieval.lexical import index_text, normal


def words(text: str) -> set[str]:
    return set(normal(text).lower().split())


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("We swam in the lake", "swim"),
        ("she had written two letters", "write"),
        ("the children's teeth", "child tooth"),
        ("I bought fish/chips", "buy fish chips"),
        ("it was late.Then we left", "then leave"),
        ("Dinner at Zoë's café", "zoe cafe"),
        ("我今天去北京大学了", "北京 大学"),
        ("昨日、東京タワーに行った", "東京 タワ"),
        ("서울에 갔다", "서울"),
        ("ＡＢＣ社", "abc"),
    ],
)
def test_a_word_is_found_whatever_its_form(told: str, asked: str) -> None:
    assert words(asked) <= words(told)


def test_what_ends_in_an_apostrophe_leaves_no_scraps() -> None:
    assert words("I’ve said they're Anna's") == {"i", "say", "they", "anna"}


def test_the_speaker_is_indexed_with_the_text() -> None:
    assert index_text("hello", "Priya") == "Priya: hello"
    assert index_text("hello", None) == "hello"


def test_a_single_character_of_a_spaceless_script_stays_findable() -> None:
    assert "茶" in words("茶 please")


@given(st.text(max_size=200))
def test_any_text_can_be_indexed_and_normalising_twice_changes_no_plain_words(text: str) -> None:
    once = normal(text)
    if once.isascii() and not set(once) & set("'/_|."):
        assert normal(once) == once


@given(st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=8), min_size=1, max_size=8))
def test_words_are_neither_lost_nor_joined(parts: list[str]) -> None:
    assert len(normal(" ".join(parts)).split()) == len(parts)
