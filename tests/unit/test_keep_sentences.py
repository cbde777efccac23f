"""Finds the user's own sentences. Quoted, pasted and code parts are recognized by their form, in linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.keep.sentences import MOST_WORDS, NAMES, SPARE_WORDS, Sentence, features, sentences
from tests.patience import promised

ARTICLE = "The company was founded in a small town. It makes shoes and hats for the whole country. " * 5
LONGEST_MESSAGE = 2**16


def texts(message: str) -> list[str]:
    return [sentence.text for sentence in sentences(message)]


def test_a_message_is_cut_at_its_stops_and_lines_but_not_behind_an_abbreviation() -> None:
    message = "Saw Dr. Brandt today. all good!\nwe fly to Split in May. Then to Bari?\n- two cats\n2. one dog"
    expected = ["Saw Dr. Brandt today.", "all good!", "we fly to Split in May.", "Then to Bari?", "two cats", "one dog"]
    assert texts(message) == expected
    assert texts("私は東京に住んでいます。犬がいます。") == ["私は東京に住んでいます。", "犬がいます。"]


def test_a_line_that_was_wrapped_is_one_sentence() -> None:
    wrapped = (
        "we finally signed the papers for the small house at the end of the thread\nand will move in there in spring."
    )
    assert texts(wrapped) == [wrapped.replace("\n", " ")]


def test_each_sentence_knows_its_place_and_the_one_before() -> None:
    first, middle, last = sentences("We moved. To Graz, in May. It rains.")
    assert (first.first, first.last, first.before) == (True, False, None)
    assert (middle.first, middle.last, middle.before) == (False, False, "We moved.")
    assert (last.first, last.last, last.before) == (False, True, "To Graz, in May.")


@pytest.mark.parametrize(
    "foreign",
    [
        "```\nI live in Rome\n```",
        "~~~py\nI live in Rome\n~~~",
        "```\nI live in Rome, and this fence never ends",
        "> I live in Rome",
        "    I live in Rome",
        "| I live | in Rome |",
        '"I live in Rome."',
        "“I live in Rome and I have lived there for as long as I can think, with all of my seven cats”",
        "⟦memory⟧\nI live in Rome\n⟦/memory⟧",
        "----- Forwarded message -----\nI live in Rome",
        "From: Ann <ann@example.org>\nSubject: hello\n\nI live in Rome",
        "Ann: where do you live?\nBen: I live in Rome\nAnn: nice",
        "[12:01] Ann: where now?\n[12:02] Ben: I live in Rome\n[12:02] Ben: and you?",
    ],
)
def test_what_is_quoted_pasted_or_code_is_not_the_users_own(foreign: str) -> None:
    assert texts(f"My sister is Eva.\n\n{foreign}") == ["My sister is Eva."]


def test_a_long_text_behind_a_colon_is_pasted_and_what_follows_it_is_not() -> None:
    assert texts(f"Sum this up:\n\n{ARTICLE}\n\nI start there on Monday.") == [
        "Sum this up:",
        "I start there on Monday.",
    ]
    assert texts(f"Sum this up:\n{ARTICLE}") == ["Sum this up:"]
    assert texts(ARTICLE * 4) == []


def test_the_users_own_list_is_no_transcript() -> None:
    assert texts("Allergies: nuts\nJob: nurse\nCity: Oslo") == ["Allergies: nuts", "Job: nurse", "City: Oslo"]


def test_dictation_without_stops_is_cut_at_about_forty_words_and_nothing_is_lost() -> None:
    said = " ".join(f"word{number}" for number in range(500))
    pieces = texts(said)
    assert " ".join(pieces) == said
    assert all(MOST_WORDS / 2 <= len(piece.split()) <= MOST_WORDS + SPARE_WORDS for piece in pieces)


@given(st.text("ab .!?…\n\"“”'>`~-:@|[]()1é。我,\t", max_size=300))
def test_any_text_has_sentences_of_bounded_length_from_the_text(message: str) -> None:
    words = set("".join(message.split()))
    for text in texts(message):
        assert text == text.strip() != ""
        assert len(text.split()) <= MOST_WORDS + SPARE_WORDS
        assert set("".join(text.split())) <= words


@pytest.mark.parametrize(
    "unit",
    ["a", "a ", ".", ". ", "A. ", "!?", '"', "“a ", "«a„ ", "\n", "a\n\n", " \n", "a: b\n", "> a\n", "```\n", "`", "~", "---",
     "---a\n", "ab: c@d\n", "[a] b: c\n", "a,", "我", "我。", "⟦memory⟧", "\t\n", "    ", ")]\"'", "1. ", "word word "],
)  # fmt: skip
def test_the_longest_message_takes_time_linear_in_its_length(unit: str) -> None:
    message = (unit * LONGEST_MESSAGE)[:LONGEST_MESSAGE]
    began = time.process_time()
    sentences(message)
    assert time.process_time() - began < promised(1)


def test_features_are_noughts_and_ones_and_know_nothing_of_length() -> None:
    short, long = Sentence("I like tea.", first=False), Sentence(f"I like tea{' and cake' * 12}.", first=False)
    assert features(short) == features(long)
    assert len(features(short)) == len(NAMES)
    seen = dict(zip(NAMES, features(Sentence("meet Eva at 7 😀?", last=False)), strict=True))
    assert {name for name, value in seen.items() if value} == {
        "question", "digit", "name", "small_beginning", "first", "emoji",
    }  # fmt: skip
