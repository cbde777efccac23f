"""What a text says once its writer has put it right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.corrections import corrects, settled


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("dentist is on thursday at 3 no wait, friday at 3", "dentist is on friday at 3"),
        ("My dentist is on Thursday at 3. No wait, Friday.", "My dentist is on Friday at 3."),
        ("it is on March 3, no wait, March 5 at 10am", "it is on March 5 at 10am"),
        ("i live in Bonn, sorry, i mean in Berlin", "i live in Berlin"),
        ("my name is John, I mean Jon", "my name is Jon"),
        ("I have two, no, three kids", "I have three kids"),
        ("meeting at 3pm - scratch that - 4pm", "meeting at 4pm"),
        ("we leave at 7:30, make that 8", "we leave at 8"),
        ("I'm free on Monday, no wait, I have yoga", "I have yoga"),
        ("My flight is not on Monday, it's on Tuesday", "My flight is on Tuesday"),
        ("My flight isn't on March 23 but on March 24", "My flight is on March 24"),
        ("my name isnt Sara its Zara", "my name is Zara"),
        ("my rent is not 1300 but 1450", "my rent is 1450"),
        ("I take 20 mg of Lisinopril, not 40", "I take 20 mg of Lisinopril"),
        ("my flight is at 7 on the 3rd not the 4th", "my flight is at 7 on the 3rd"),
        ("i weigh 84 kg now, down from 91", "i weigh 84 kg now"),
        ("my rent went up from 1300 to 1450", "my rent went up to 1450"),
        ("my interview moved from 2pm to 4:30pm tomorrow", "my interview moved to 4:30pm tomorrow"),
        ("it's not that i dislike my job, it's the commute", "it's the commute"),
    ],
)
def test_what_is_put_right_replaces_what_was_wrong(said: str, meant: str) -> None:
    assert settled(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "I live in Bonn. Actually I love it",
        "I work at Google. Sorry, Anna asked for it.",
        "I live in Rome, sorry for the typo",
        "I love jazz, I mean who doesn't",
        "No, I live in Rome",
        "Is it Thursday? No, Friday",
        "I moved from Bonn to Berlin",
        "I work from 9 to 5",
        "I am not 40",
        "It's not May 3",
        "I'm not in Rome but will be",
        "I'm not a doctor but I play one on TV",
        "I'm vegan, not vegetarian",
        "I use Postgres, not MySQL",
        "Not only tea but coffee",
    ],
)
def test_what_corrects_nothing_stays_as_it_is(said: str) -> None:
    assert settled(said) == said


def test_a_sentence_may_put_right_the_one_before() -> None:
    assert corrects("No wait, Friday.")
    assert corrects("sorry, the 4th")
    assert not corrects("No, I live in Rome.")
    assert not corrects("Sorry, I was asleep on Monday when you wrote")


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["no wait, ", "not 3, ", "3 ", "Friday ", "from 3 to 4 ", ". ", "is not Tom but "])).map(
        "".join
    )
)
def test_any_text_can_be_read_and_none_grows(said: str) -> None:
    assert len(settled(said)) <= len(said)
