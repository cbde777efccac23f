"""Numbers, dates, denials, names and words extracted from a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_text.claims import claims, content_stems
from tellonce_text.stemming import stem


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("I have two dogs and 3 cats", {"2", "3"}),
        ("I weigh 70.50 kg", {"70.5"}),
        ("twenty-five thousand dollars", {"25000"}),
        ("two hundred and five people", {"205"}),
        ("$1,250.00 a month", {"1250"}),
        ("I earn 5k", {"5000"}),
        ("3 million yen", {"3000000"}),
        ("20mg at night", {"20"}),
        ("80 square metres", {"80"}),
        ("50 % of it", {"50"}),
        ("the third floor", {"3"}),
        ("a dozen eggs", {"12"}),
        ("version 3.11.2", {"3.11.2"}),
        ("account 123456789012", {"123456789012"}),
        ("one dog", {"1"}),
        ("no one knows which one of them", set()),
        ("zero issues", {"0"}),
        ("on March 15 at 7am in 2026", set()),
        ("GPT-4 and B12", set()),
    ],
)
def test_amounts_are_read_in_digits_and_words(text: str, numbers: set[str]) -> None:
    assert claims(text).numbers == numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on March 15, 2026", "on 15 March 2026"),
        ("on 2026-03-15", "on the 15th of March 2026"),
        ("at 7pm", "at 19:00"),
        ("at noon", "at 12:00"),
        ("at 6 in the morning", "at 6 am"),
        ("at six in the evening", "at 18:00"),
        ("at 7:30 in the evening", "at 19:30"),
        ("at 10 at night", "at 10 pm"),
        ("at 2 at night", "at 2 am"),
        ("at 12 at night", "at midnight"),
        ("in two weeks", "in 2 weeks"),
        ("Mon at nine", "Monday at nine"),
    ],
)
def test_the_same_date_reads_the_same_however_it_is_written(one: str, other: str) -> None:
    assert claims(one).dates == claims(other).dates != frozenset()


def test_content_words_are_stemmed_and_bare_of_stop_words() -> None:
    assert content_stems("I was working on the two cities") == [stem("work"), stem("city")]


@pytest.mark.parametrize(
    "family",
    [("work", "works", "worked", "working"), ("city", "cities"), ("allergy", "allergies", "allergic"), ("move", "moved", "moving"),
     ("dog", "dogs"), ("meet", "met", "meeting", "meetings"), ("run", "ran", "running"), ("class", "classes"), ("plan", "planned")],
)  # fmt: skip
def test_inflections_share_a_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    "words", [("work", "word"), ("live", "leave"), ("plan", "plane"), ("universe", "city"), ("bus", "but")]
)
def test_different_words_keep_different_stems(words: tuple[str, str]) -> None:
    assert stem(words[0]) != stem(words[1])


def test_stems_stay_the_same_because_tombstones_contain_their_hashes() -> None:
    words = "being went flies lives rose married moved planning burnt knives drew preferences dying his news"
    stems = [*"be go fly live rise marry move plan burnt knive drew prefer die his news".split()]
    assert [*map(stem, words.split())] == stems


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    found = claims(text)
    assert all((*found.numbers, *found.stems))


@given(st.integers(0, 10**15))
def test_every_whole_number_is_found(number: int) -> None:
    assert claims(f"The code is {number} today").numbers == {str(number)}


@given(st.integers(1, 999_999))
def test_a_number_with_thousands_separators_is_the_same_number(number: int) -> None:
    assert claims(f"It costs {number:,} euros").numbers == {str(number)}
