"""What the offline extraction finds in plain English, and what it leaves alone."""

import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.work import ExtractedItem, Extraction, WorkMessage
from chatmem_summarizer.offline_extract import extract_from
from tests.summarizer.extraction_cases import NEGATIVE, POSITIVE
from tests.summarizer.unseen_sentences import TOLD, UNTOLD

SINGAPORE = ZoneInfo("Asia/Singapore")
WRITTEN = datetime(2026, 2, 18, 9, tzinfo=SINGAPORE)
KINDS = ("facts", "preferences", "goals", "dates")


def said(text: str, at: datetime = WRITTEN, number: int = 1) -> WorkMessage:
    return WorkMessage(id=number, role="user", at=at, text=text)


def found(text: str, at: datetime = WRITTEN, zone: ZoneInfo = SINGAPORE) -> Extraction:
    return extract_from([said(text, at)], zone)


def items(extraction: Extraction) -> Iterator[tuple[str, str, ExtractedItem]]:
    for certainty in ("certain", "uncertain"):
        for kind in KINDS:
            for item in getattr(getattr(extraction, certainty), kind):
                yield certainty, kind, item


def summary(text: str) -> list[tuple[str, str, str]]:
    return [(certainty, kind, item.text) for certainty, kind, item in items(found(text))]


def only(text: str, at: datetime = WRITTEN, zone: ZoneInfo = SINGAPORE) -> ExtractedItem:
    (hit,) = items(found(text, at, zone))
    return hit[2]


def test_the_table_of_sentences_is_met_with_high_precision_and_recall() -> None:
    wanted = {(text, *expected) for text, all_expected in POSITIVE for expected in all_expected}
    got = {(text, *hit) for text in (*(text for text, _ in POSITIVE), *NEGATIVE) for hit in summary(text)}
    precision, recall = len(got & wanted) / len(got), len(got & wanted) / len(wanted)
    print(f"\n{len(POSITIVE)} + {len(NEGATIVE)} sentences: precision {precision:.3f}, recall {recall:.3f}")
    for miss in sorted(wanted - got):
        print("missed:", miss)
    for extra in sorted(got - wanted):
        print("extra: ", extra)
    assert len(POSITIVE) >= 60
    assert len(NEGATIVE) >= 60
    assert precision >= 0.98
    assert recall >= 0.98


@pytest.mark.parametrize(
    ("text", "certainty", "kind", "expected"),
    [
        (
            "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure",
            "certain",
            "facts",
            "Works as a Solution Architect at GovTech, mainly doing AWS infrastructure",
        ),
        (
            "I need to launch the SingPass API integration by Q2 2026",
            "certain",
            "goals",
            "Needs to launch the SingPass API integration by Q2 2026",
        ),
        (
            "Don't forget my team offsite is on March 15",
            "certain",
            "dates",
            "Team offsite is on March 15 (2026-03-15)",
        ),
        (
            "My AWS account number is 123456789012 for the dev environment",
            "certain",
            "facts",
            "AWS account number is 123456789012 for the dev environment",
        ),
        (
            "I might move to Berlin next year, not sure",
            "uncertain",
            "goals",
            "Might move to Berlin next year (in 2027)",
        ),
        (
            "I prefer Singapore Standard Time (UTC+8) for all scheduling",
            "certain",
            "preferences",
            "Prefers Singapore Standard Time (UTC+8) for all scheduling",
        ),
    ],
)
def test_the_sentences_of_the_scenarios(text: str, certainty: str, kind: str, expected: str) -> None:
    assert summary(text) == [(certainty, kind, expected)]


def test_one_message_may_hold_several_statements() -> None:
    assert summary("Please always give me concise responses with bullet points, I hate long paragraphs") == [
        ("certain", "preferences", "Always give concise responses with bullet points"),
        ("certain", "preferences", "Hates long paragraphs"),
    ]


def test_moving_says_where_somebody_lives_now() -> None:
    item = only("I moved to Lisbon last week")
    assert item.text == "Lives in Lisbon; moved there last week (week of 2026-02-09)"
    assert item.quote == "I moved to Lisbon last week"


def test_key_information_is_pinned_and_taste_is_not() -> None:
    assert only("My AWS account number is 123456789012 for the dev environment").pin
    assert only("I take 20 mg of Lisinopril every morning").pin
    assert only("We decided to use PostgreSQL instead of MongoDB").pin
    assert only("I have a dentist appointment on March 3 at 10am").pin
    assert not only("I love jazz").pin


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Don't forget my team offsite is on March 15", "2026-03-15T00:00:00+08:00"),
        ("My flight is on January 5", "2027-01-05T00:00:00+08:00"),
        ("I have a job interview tomorrow at 9am", "2026-02-19T09:00:00+08:00"),
        ("I need to launch the API by Q2 2026", "2026-06-30T23:59:00+08:00"),
        ("I need to finish my thesis by the end of March", "2026-03-31T23:59:00+08:00"),
        ("My dentist appointment is next Tuesday at 3pm", "2026-02-24T15:00:00+08:00"),
        ("The team meeting is on Thursday at 10:00", "2026-02-19T10:00:00+08:00"),
        ("My wife's birthday is May 21", "2026-05-21T00:00:00+08:00"),
        ("I was born on 3 January 1990 in Hamburg", "2027-01-03T00:00:00+08:00"),
        ("My lease ends on 31 August 2026", "2026-08-31T00:00:00+08:00"),
        ("My flight is on 2026-12-24", "2026-12-24T00:00:00+08:00"),
        ("My exam is on 24.12.2026", "2026-12-24T00:00:00+08:00"),
        ("Remind me to call the dentist in 3 days", "2026-02-21T23:59:00+08:00"),
    ],
)
def test_dates_resolve_against_the_time_of_the_message(text: str, due: str) -> None:
    assert only(text).due == datetime.fromisoformat(due)


def test_a_date_whose_day_and_month_could_be_swapped_is_left_alone() -> None:
    assert not list(items(found("My exam is on 03/04/2026")))


def test_the_day_is_the_users_not_utc() -> None:
    late = datetime.fromisoformat("2026-02-18T20:00:00+00:00")
    assert only("I have an exam tomorrow", late).due == datetime.fromisoformat("2026-02-20T00:00:00+08:00")
    berlin = only("I have an exam tomorrow", late, ZoneInfo("Europe/Berlin"))
    assert berlin.due == datetime.fromisoformat("2026-02-19T00:00:00+01:00")


def test_only_the_users_own_messages_count() -> None:
    assistant = WorkMessage(id=1, role="assistant", at=WRITTEN, text="I live in Berlin and I love jazz.")
    routine = WorkMessage(id=2, role="user", at=WRITTEN, text="I live in Berlin.", routine="smart-checkin")
    assert not list(items(extract_from([assistant, routine], SINGAPORE)))


def test_recalled_text_is_not_learned_again() -> None:
    text = "⟦memory⟧\nI live in Berlin.\n⟦/memory⟧\nI love jazz."
    assert summary(text) == [("certain", "preferences", "Loves jazz")]


def test_code_quotes_and_pasted_mail_are_not_the_users_words() -> None:
    for text in (
        "```\nI live in Berlin\n```",
        "> I live in Berlin\nok?",
        'He said: "I live in Berlin and I love jazz"',
        "From: Bob\nSubject: Hi\n\nI live in Berlin.",
        "On Monday Bob wrote:\nI live in Berlin.",
        "Translate this:\nI live in Berlin. I love jazz.",
        "    I live in Berlin",
    ):
        assert summary(text) == [], text


def test_a_masked_secret_is_no_memory() -> None:
    assert summary("My account number is [secret:card] for the shop") == []


def test_a_retraction_in_the_next_sentence_takes_a_statement_back() -> None:
    assert summary("I'm a millionaire. Just kidding!") == []
    assert [hit[0] for hit in summary("I'm moving to Oslo in May. Not sure though.")] == ["uncertain"]


def test_the_same_statement_twice_is_one() -> None:
    twice = extract_from([said("I love jazz.", number=1), said("I love jazz!", number=2)], SINGAPORE)
    assert [item.source_ids for _, _, item in items(twice)] == [(1,)]


NAMES = st.sampled_from(["Ana", "Wei", "Priya", "Otto", "Zürich", "Lisbon", "GovTech", "Neovim", "PostgreSQL"])
NUMBERS = st.integers(2, 10**12).map(str)
FRAMES = st.sampled_from(
    [
        "I live in {name}", "My account number is {number}", "I have {number} cats", "I work at {name} since {number}",
        "My wife {name} is a nurse", "I need to pay {number} euros by March 15", "I'm {name} and I love {name}",
        "I moved to {name} in 2019", "Is {name} in {number}?", "if I lived in {name} …", "{name} said I love {number}",
        "I take {number} mg of {name} daily", "ok", "My flight to {name} is on {number} May", "Don't forget {name}!",
        "I might visit {name} next year", "call me {name}", "I don't eat {name}", "`x = {number}`", "- I hate {name}",
    ]
)  # fmt: skip
JOINTS = st.sampled_from([". ", ", and ", "\n", "! ", " but ", "; ", " — ", ", "])


@st.composite
def talk(draw: st.DrawFn) -> str:
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        parts += [draw(FRAMES).format(name=draw(NAMES), number=draw(NUMBERS)), draw(JOINTS)]
    return "".join(parts)


anything = st.one_of(talk(), st.text(max_size=200), talk().map(str.upper), talk().map(str.lower))


@settings(max_examples=200, deadline=None)
@given(text=anything.filter(str.strip))
def test_every_quote_stands_in_the_message_and_the_result_is_always_the_same(text: str) -> None:
    first = found(text)
    assert first == found(text)
    for _, _, item in items(first):
        assert item.quote in text
        assert item.source_ids == (1,)
        assert len(item.text) <= 310


RESOLVED = re.compile(r" ?\((?:week of )?(?:in )?(?:[A-Z][a-z]+ )?\d{4}(?:-\d\d-\d\d)?\)|(?<=May) \d{4}")


@settings(max_examples=200, deadline=None)
@given(text=anything.filter(str.strip), days=st.integers(0, 800))
def test_no_number_and_no_name_is_invented(text: str, days: int) -> None:
    for _, _, item in items(found(text, WRITTEN + timedelta(days))):
        bare = RESOLVED.sub("", item.text)
        assert set(re.findall(r"\d+", bare)) <= set(re.findall(r"\d+", text)), item.text
        names = set(re.findall(r"(?<=\s)[A-Z][\w]+", bare))
        assert {name.lower() for name in names} <= set(re.findall(r"\w+", text.lower())), item.text


@pytest.mark.parametrize(
    "word", ["March 3 ", "my the our ", "I have a ", "and I ", "1 ", "'a ", "(", "because i like ", "#"]
)
def test_endless_text_costs_no_endless_time(word: str) -> None:
    started = time.process_time()
    found((word * 20_000)[:20_000])
    assert time.process_time() - started < 2.0


def test_sentences_nobody_tuned_a_rule_to_are_read_as_well() -> None:
    """First look, before any rule was changed: 43 of 45 told were found, 3 of 60 untold (pasted mails) became facts."""
    told = [(text, kinds, words) for text, wants in TOLD for kinds, words in wants]
    met = [_tells(found(text), kinds, words) for text, kinds, words in told]
    wrong = [
        (text, item.text) for text in UNTOLD for certainty, _, item in items(found(text)) if certainty == "certain"
    ]
    missed = [text for (text, _, _), ok in zip(told, met, strict=True) if not ok]
    print(f"\n{len(told)} told, {sum(met)} found; {len(UNTOLD)} untold, {len(wrong)} taken for facts; missed {missed}")
    assert sum(met) >= 0.95 * len(told)
    assert wrong == []


def _tells(extraction: Extraction, kinds: frozenset[str], words: tuple[str, ...]) -> bool:
    return any(
        kind in kinds and all(word.casefold() in item.text.casefold() for word in words)
        for _, kind, item in items(extraction)
    )
