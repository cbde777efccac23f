"""What is looked at first never hides what a sentence does say, and LIKE patterns meet every form of a word."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatmem_server.erasure.targets import Sentence, Sought, Target

WORDS = (
    "I my the cities city knives wives Häuser Straße moved moving to Berlin St.John-May mid-May 50 fifty 1,000 5k 5 M 3.50 007 "
    "two-thirds half dozen first 2nd 20mg B12 May 3 2026-05-03 tomorrow Tuesday at 5pm kilo's Anna's rock-climbing C++ AT&T "
    "twenty one hundred and three couple 猫 東京 кошки don't won't never"
).split()
NAMED = (
    "go went gone goes child children childrens knife knives shelf shelves mouse mice wife wives move moving moved study "
    "studied studies stop stopped haus häuser straße strasse мёд мед мёда кошка кошки gato gatos café cafes cheval chevaux "
    "allergy allergic allergies bus buses leave left born bear die dying happy happier"
).split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@given(TEXTS)
@example("Meet me mid-May at St.John-May 5")
@example("It cost 1,000 and 5 k, one hundred and three")
def test_a_quick_look_overlooks_no_word_that_a_sentence_says(text: str) -> None:
    read = Sentence(text)
    assert [word for word in read.words if not Target(frozenset((word,))).may_be_in(read)] == []


@given(st.sampled_from([*WORDS, *NAMED]), st.lists(st.sampled_from([*WORDS, *NAMED]), max_size=6))
@example("cheval", [])
def test_a_quick_look_overlooks_no_topic_that_a_sentence_names(topic: str, others: list[str]) -> None:
    target = Target.topic(topic)
    for form in NAMED:
        read = Sentence(" ".join((form, *others)))
        if target.named_in(read) and target.words <= read.words:
            assert target.may_be_in(read), read.text


@given(TEXTS)
def test_a_sentence_states_itself(text: str) -> None:
    target = Target.statement(text)
    assert Sought([target]).stated_in(text) is not target.is_empty


def test_a_sentence_that_shares_a_number_and_no_word_is_another() -> None:
    target = Target.statement("Shelf 50 of the shed holds the lanterns")
    assert not Sought([target]).in_text("I own 50 globes. I paid 150 for two.")
    assert Sought([target]).in_text("I own globes. The lanterns are on shelf fifty in the shed.")


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("city", "Two cities"),
        ("cities", "a City"),
        ("Haus", "drei Häuser"),
        ("Häuser", "ein Haus"),
        ("Straße", "in der Strasse"),
        ("happy", "happier, happiness"),
        ("kids", "the kid"),
        ("Café", "cafes"),
        ("кошка", "две кошки"),
        ("東京", "私は東京に住んでいます"),
        ("C++", "c++ at work"),
    ],
)
def test_a_pattern_meets_every_regular_form(topic: str, text: str) -> None:
    for pattern in Target.topic(topic).patterns:
        meant = re.escape(pattern).replace("%", ".*").replace("_", ".")
        assert re.fullmatch(meant, text, re.IGNORECASE | re.DOTALL), pattern
