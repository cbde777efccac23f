"""Tests which sentences of a long message are shown in a context."""

from tellonce_server.domain.retrieval.excerpt import excerpt
from tellonce_text.tokens import estimate

REPLY = """Then you have a starting point. Have you spoken to a doctor about that medicine, and about the day you began?

1. Take it early, not during the aura.
2. A second dose of the medicine may be taken after two hours.
3. That is 300 mg at most.

Try it three times before you judge it. Wine and aged cheese often come together, so begin with the wine."""


def shown(text: str, query: str, whole: int) -> str:
    return excerpt(text, estimate(text), query, whole=whole)


def test_an_excerpt_has_the_sentence_with_the_questions_words_and_the_one_after_it() -> None:
    assert shown(REPLY, "How big is a dose of that medicine?", 30) == (
        "… 2. A second dose of the medicine may be taken after two hours. 3. That is 300 mg at most. …"
    )


def test_the_number_of_an_item_stays_with_its_sentence_and_a_question_gives_way_to_an_answer() -> None:
    assert shown(REPLY, "Which medicine?", 17) == "… 2. A second dose of the medicine may be taken after two hours. …"


def test_sentences_that_do_not_fit_are_shown_only_if_no_other_does_or_there_is_room() -> None:
    assert shown(REPLY, "Which cheese?", 60).startswith("… ")
    assert shown(REPLY, "Which violin?", 60).startswith("Then you have a starting point.")
    assert shown(f"{REPLY} {'And so on and so forth. ' * 40}", "Which cheese?", 160).startswith("Then you have")


def test_a_sentence_longer_than_the_room_is_cut() -> None:
    cut = shown("The cheese " + "and the wine " * 60 + "came together.", "Which cheese?", 40)
    assert cut.startswith("The cheese and the wine")
    assert estimate(cut) <= 40


def test_a_text_without_words_has_no_excerpt() -> None:
    assert excerpt("", 200, "Which cheese?", whole=60) == ""
    assert excerpt("\n\n", 200, "Which cheese?") == ""
