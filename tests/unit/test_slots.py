"""Messages that answer the assistant's question, and messages that only seem to answer it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce.contract import SlotType
from tellonce_server.domain.context import slots
from tellonce_text.dates.readings import Said

SAID = Said(datetime(2026, 2, 18, 12, tzinfo=UTC), ZoneInfo("America/New_York"), "US")


def fill(slot: SlotType, text: str, choices: Sequence[str] = ()) -> str | None:
    return slots.fill(slot, text, SAID, choices)


@pytest.mark.parametrize(
    "said",
    [
        *("yes", "Yes, book it for Friday", "yep", "OK", "ok, do it", "Sure thing", "sure, go ahead!", "Of course"),
        *("please do", "Please.", "go ahead", "sounds good", "why not?", "absolutely", "да", "Oui", "sí", "Ja bitte"),
    ],
)
def test_a_yes_is_taken_as_yes(said: str) -> None:
    assert fill("yes_no", said) == "yes"


@pytest.mark.parametrize(
    "said",
    [
        *("no", "No, leave it", "no thanks", "No need.", "nope", "don't", "Please don’t", "not now", "Never!"),
        *("nein danke", "нет", "non merci", "rather not"),
    ],
)
def test_a_no_is_taken_as_no(said: str) -> None:
    assert fill("yes_no", said) == "no"


@pytest.mark.parametrize(
    "said",
    [
        *(
            "Do you know the weather?",
            "Please play some jazz",
            "Of all cities I like Rome best",
            "No idea what you mean",
        ),
        *("OK Computer is a great album", "Never mind that, play some jazz", "Is it ok?", "What?", "Sure of it he was"),
    ],
)
def test_a_message_that_only_begins_like_a_yes_or_a_no_is_neither(said: str) -> None:
    assert fill("yes_no", said) is None


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("March 3", "March 3"),
        ("on the 15th, please", "15th"),
        ("3 May 2026", "3 May 2026"),
        ("2026-03-03", "2026-03-03"),
        ("3.5.", "3.5."),
        ("3/5", "3/5"),
        ("tomorrow works", "tomorrow"),
        ("in two weeks", "in two weeks"),
        ("next Friday", "next Friday"),
        ("lieber übermorgen", "übermorgen"),
        ("в пятницу", "пятницу"),
        ("tomorrow at 5pm", "tomorrow at 5pm"),
        ("today at 5pm", "today at 5pm"),
        ("am 3. Mai", "3. Mai"),
        ("next week", "next week"),
        ("yesterday", "yesterday"),
    ],
)
def test_a_date_is_taken_as_it_was_said(said: str, value: str) -> None:
    assert fill("date", said) == value


@pytest.mark.parametrize(
    "said",
    [
        *("What about yesterday's game?", "Yesterday's game was great", "Did you see the news today?"),
        *("call me at 7:30 pm", "I called 2 hours ago", "I drink coffee in the morning", "Vor drei Tagen regnete es"),
        *(
            "I was born in 1990",
            "I have lived here since March",
            "Every Tuesday I play chess",
            "The past 3 days were wet",
        ),
        *("Enjoy the weekend!", "Merry Christmas!"),
    ],
)
def test_a_date_in_talk_of_something_else_fills_no_slot(said: str) -> None:
    assert fill("date", said) is None


def test_a_date_put_as_a_question_is_an_answer() -> None:
    assert fill("date", "Next Friday, maybe?") == "Next Friday"


@pytest.mark.parametrize(
    "said", ["Play some jazz", "Maybe 10 of them", "market 12", "pi is 3.14", "version 2.5 is out"]
)
def test_a_number_beside_a_word_that_begins_like_a_month_is_no_date(said: str) -> None:
    assert fill("date", said) is None


@pytest.mark.parametrize(
    ("slot", "said", "value"),
    [
        ("number", "about 20 people", "20"),
        ("number", "3 or 4", None),
        ("time", "at 7:30 pm", "7:30 pm"),
        ("time", "um 15 Uhr", "15 Uhr"),
        ("time", "vor 17 Uhr", "17 Uhr"),
        ("time", "today at 5pm", "today at 5pm"),
        ("time", "I called 2 hours ago", None),
        ("time", "il y a une heure", None),
        ("time", "Play some jazz", None),
        ("email", "it's ann@example.com", "ann@example.com"),
        ("url", "see https://example.com/a", "https://example.com/a"),
        ("url", "write to ann@example.com", None),
        ("text", "Blue, I think", "Blue, I think"),
        ("text", "What do you mean?", None),
        ("text", "/memory", None),
    ],
)
def test_an_answer_has_the_type_that_was_asked_for(slot: SlotType, said: str, value: str | None) -> None:
    assert fill(slot, said) == value


def test_a_choice_is_one_of_those_offered() -> None:
    assert fill("choice", "the Red one", ("red", "blue")) == "red"
    assert fill("choice", "red or blue", ("red", "blue")) is None
    assert fill("choice", "scared", ("red", "blue")) is None


def test_long_talk_that_holds_a_date_fills_no_slot() -> None:
    assert fill("date", "By the way my sister told me on the phone that she got married on March 3") is None
