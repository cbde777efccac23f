"""Dates put on the calendar before statements are compared, so that tomorrow is not tomorrow a month later."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem_server.dates.dating import with_dates
from chatmem_server.memories.dedup import Statement, decide

SAID = datetime(2026, 2, 18, 9, 0, tzinfo=ZoneInfo("Asia/Singapore"))


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("Call the dentist tomorrow", "Call the dentist 2026-02-19"),
        ("Call the dentist tomorrow (2026-02-19)", "Call the dentist 2026-02-19"),
        ("Team offsite is on March 15 (2026-03-15)", "Team offsite is on 2026-03-15"),
        ("I visited Rome on March 15", "I visited Rome on 2025-03-15"),
        ("I moved last month (January 2026)", "I moved 2026-01"),
        ("yesterday evening", "2026-02-17 in the evening"),
        ("My birthday is July 4 (2026-07-04)", "My birthday is July 4"),
        ("I have yoga every Tuesday", "I have yoga every Tuesday"),
        ("I call my mother on Sundays", "I call my mother on Sundays"),
        ("Standup at 9am", "Standup at 9am"),
        ("I live in Lisbon", "I live in Lisbon"),
    ],
)
def test_what_happens_once_gets_its_date_and_what_returns_keeps_its_words(text: str, dated: str) -> None:
    assert with_dates(text, SAID) == dated


def test_without_a_time_only_annotations_are_used() -> None:
    assert with_dates("Call the dentist tomorrow", None) == "Call the dentist tomorrow"
    assert with_dates("Team offsite is on March 15 (2026-03-15)", None) == "Team offsite is on 2026-03-15"


def verdict(old: str, new: str, days: int) -> str:
    return decide(Statement(new, at=SAID + timedelta(days=days)), [(Statement(old, id=1, at=SAID), 0.97)]).verdict


def test_the_same_relative_date_said_again_later_is_a_new_statement() -> None:
    assert verdict("Call the dentist tomorrow", "Call the dentist tomorrow", 0) == "duplicate"
    assert verdict("Call the dentist tomorrow", "Call the dentist tomorrow", 30) == "new"
    assert verdict("Call the dentist tomorrow", "Call the dentist today", 1) == "duplicate"


def test_a_birthday_is_the_same_every_year() -> None:
    assert (
        verdict("Wife's birthday is May 21 (2026-05-21)", "Wife's birthday is May 21 (2027-05-21)", 300) == "duplicate"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Lives in Singapore", "Lives in Lisbon; moved there last week (week of 2026-02-09)", "supersedes"),
        ("Lives in Berlin with their wife Anna and their two kids", "Lives in Munich", "supersedes"),
        ("Name is Priya", "Name is Asha", "supersedes"),
        ("Favorite color is blue", "Favorite color is green", "supersedes"),
        ("Team offsite is on March 15 (2026-03-15)", "Team offsite is on March 22 (2026-03-22)", "supersedes"),
        ("Team offsite is on March 15 (2026-03-15)", "my team offsite is on March 15", "duplicate"),
        ("Is vegetarian", "Is vegan", "supersedes"),
        ("Is 27", "Is 28", "supersedes"),
        ("Works as a nurse at Mercy Hospital", "Works as a teacher at Mercy Hospital", "supersedes"),
        ("Needs to launch the integration by Q2 2026", "Needs to launch the integration by Q3 2026", "supersedes"),
        ("Works with their brother", "I work with my brother", "duplicate"),
        ("AWS account number is 123456789012 for the dev environment", "AWS account number is 210987654321 for the prod environment", "new"),
        ("AWS account number is 123456789012 for the dev environment", "AWS account number is 123456789013 for the dev environment", "supersedes"),
        ("Likes coffee", "Doesn't like coffee any more", "supersedes"),
        ("Works at Google", "No longer works at Google", "supersedes"),
        ("Dentist appointment is next Tuesday (2026-02-24) at 3pm", "Dentist appointment is on Wednesday (2026-02-25) at 3pm", "supersedes"),
        ("Lives in Singapore", "Is from Singapore", "new"),
        ("Has a dog named Rex", "Has a cat named Luna", "new"),
        ("Likes jazz", "Likes techno", "new"),
        ("Has a meeting with Sarah on Monday (2026-02-23)", "Has a meeting with Sarah on Friday (2026-02-27)", "new"),
    ],
)  # fmt: skip
def test_statements_in_the_third_person_are_compared_alike(old: str, new: str, expected: str) -> None:
    assert verdict(old, new, 2) == expected


@given(st.text(max_size=120), st.datetimes(timezones=st.just(ZoneInfo("Europe/Berlin"))))
def test_any_text_can_be_dated(text: str, said_at: datetime) -> None:
    with_dates(text, said_at)
