"""Which kind of memory a sentence is, and what is pinned by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem_server.memories.categories import detect, pin_importance, pin_reason, priority, tells_who


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer concise answers", "preference"),
        ("Please always give me concise responses with bullet points, I hate long paragraphs", "preference"),
        ("always give me bullet points", "preference"),
        ("I prefer Singapore Standard Time (UTC+8) for all scheduling", "preference"),
        ("Never use emojis", "preference"),
        ("My favourite colour is blue", "preference"),
        ("I don't like small talk", "preference"),
        ("Call me Max", "preference"),
        ("I love hiking", "preference"),
        ("I need to launch the SingPass API integration by Q2 2026", "goal"),
        ("I want to learn Spanish", "goal"),
        ("My goal is to run a marathon", "goal"),
        ("I'm trying to lose 5 kg", "goal"),
        ("I'd like to learn the piano", "goal"),
        ("Don't forget my team offsite is on March 15", "date"),
        ("my team offsite is on March 15", "date"),
        ("My birthday is July 4", "date"),
        ("Flight to Tokyo on 2026-05-02", "date"),
        ("I have a dentist appointment on March 3 at 2pm", "date"),
        ("I finished the migration", "outcome"),
        ("The integration is done", "outcome"),
        ("We tried Redis but it didn't work", "outcome"),
        ("Pin this: gate code 4821", "pin"),
        ("I work as a Solution Architect at GovTech", "fact"),
        ("I live in Lisbon", "fact"),
        ("My AWS account number is 123456789012 for the dev environment", "fact"),
        ("My daughter's name is Emma", "fact"),
        ("I may move", "fact"),
    ],
)
def test_a_sentence_is_of_the_kind_its_wording_says(text: str, kind: str) -> None:
    assert detect(text) == kind


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I'm allergic to penicillin", "allergy"),
        ("I take 20 mg of lisinopril every morning", "dose"),
        ("My AWS account number is 123456789012 for the dev environment", "account number"),
        ("My passport number is E1234567", "account number"),
        ("Booking reference: XK42 9981", "account number"),
        ("I have a dentist appointment on March 3 at 2pm", "appointment"),
        ("My flight is on Friday", "appointment"),
        ("We decided to use PostgreSQL", "decision"),
        ("The board has agreed on the budget", "decision"),
        ("My emergency contact is Jonas", "emergency contact"),
        ("I like appointments", None),
        ("My dentist is nice", None),
        ("I live in Lisbon", None),
        ("The account is closed", None),
        ("I ran 5 km", None),
    ],
)
def test_key_information_is_pinned_by_itself(text: str, reason: str | None) -> None:
    assert pin_reason(text) == reason
    assert (pin_importance(text) > 0) == (reason is not None)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("I need this ASAP", 1),
        ("Urgent: renew the visa", 1),
        ("I have to file the taxes", 2),
        ("I want to learn Spanish", 3),
        ("Some day I want to sail to Iceland", 5),
        ("I live in Rome", 3),
    ],
)
def test_priority_follows_the_words_used(text: str, level: int) -> None:
    assert priority(text) == level


@given(st.text(max_size=120))
def test_any_text_has_a_kind_a_priority_and_a_bounded_importance(text: str) -> None:
    assert detect(text) in {"fact", "preference", "goal", "date", "outcome", "pin"}
    assert 1 <= priority(text) <= 5
    assert 0 <= pin_importance(text) <= 1


@pytest.mark.parametrize(
    "text",
    [
        *("Name is Priya", "My name is Anna", "Goes by Nan", "Is called Tom", "The user's nickname is Bo"),
        *(
            "Lives in Lisbon",
            "User lives in Lisbon",
            "I'm based in Oslo",
            "Moved to Berlin",
            "Is from Peru",
            "I was born in 1990",
        ),
        *(
            "Is 34 years old",
            "Works as a nurse",
            "I work at GovTech",
            "Is retired",
            "Birthday is March 3",
            "Is married to Jo",
        ),
    ],
)
def test_a_statement_tells_who_the_user_is(text: str) -> None:
    assert tells_who(text)


@pytest.mark.parametrize(
    "text",
    [
        "Likes hiking",
        "Sister lives in Rome",
        "My sister's name is Eva",
        "The lamp is from Oslo",
        "Named the cat Momo",
        "",
    ],
)
def test_other_statements_do_not(text: str) -> None:
    assert not tells_who(text)
