"""Quick checks run before a search for forgotten statements. They never exclude a sentence that makes such a statement.
The patterns for LIKE match every form of a word."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from tellonce_server.domain.erasure.targets import Sentence, Target

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
    assert target.stated_in(Sentence(text)) is not target.is_empty


@given(st.sampled_from([*WORDS, *NAMED]), st.lists(st.sampled_from([*WORDS, *NAMED]), max_size=6))
@example("ss", ["STRASSE"])
def test_a_plain_text_that_names_a_topic_matches_one_of_its_patterns(topic: str, others: list[str]) -> None:
    target = Target.topic(topic)
    for form in NAMED:
        text = " ".join((form, *others))
        if text.isascii() and not target.is_empty and target.stated_in(Sentence(text)):
            assert any(like(pattern, text) for pattern in target.likes), (text, target.likes)


def like(pattern: str, text: str) -> bool:
    meant = re.escape(pattern).replace("%", ".*").replace("_", ".")
    return re.fullmatch(meant, text.lower(), re.DOTALL) is not None
