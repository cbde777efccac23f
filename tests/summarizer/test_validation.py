"""Tests of the validation for texts of small local models. It is stricter than the validation for other models."""

import pytest

from tellonce_summarizer.tasks.local_answers import complaint, overlap

SOURCE = "User: I tried changing the redirect URI but the callback still fails with invalid_grant.\nAssistant: Check the clock."


@pytest.mark.parametrize(
    "text",
    [
        "The user tried changing the redirect URI; the callback still fails with invalid_grant.",
        "Redirect URI changed, callback still fails; the assistant suggests to check the clock.",
    ],
)
def test_a_plain_summary_passes(text: str) -> None:
    assert complaint(text, SOURCE) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("the callback fails " * 20, "too long"),
        ("Here's a summary: the callback still fails.", "chatter"),
        ("Here is the redirect URI summary.", "chatter"),
        ("Certainly! The callback still fails.", "chatter"),
        ("Sure, the callback still fails.", "about the model itself"),
        ("Summary: the callback still fails", "about the model itself"),
        ("Title: the callback still fails", "about the model itself"),
        ("Let me tell why the callback still fails.", "about the model itself"),
        ("I'll create the callback summary.", "about the model itself"),
        ("```\nthe callback still fails\n```", "code fence"),
        ("# Callback\nThe callback still fails.", "title"),
        ("**Callback**\nThe callback still fails.", "title"),
        ("Callback problems:\nThe callback still fails.", "title"),
        ("Ein Gespräch über Wetter, Urlaub und Musik im Garten.", "hardly a word"),
    ],
)
def test_a_bad_summary_is_named_for_what_it_is(text: str, why: str) -> None:
    assert why in (complaint(text, SOURCE) or "")


def test_thirty_percent_of_a_long_source_may_exceed_300_characters() -> None:
    source = "the redirect URI and the callback fail " * 100
    assert complaint("the callback fails and the redirect " * 12, source) is None
    assert complaint("the callback fails and the redirect " * 60, source) is not None


def test_overlap_is_the_share_of_words_that_occur_in_the_source() -> None:
    assert overlap("the red cat", "The cat sleeps") == pytest.approx(2 / 3)
    assert overlap("", "x") == 0.0
