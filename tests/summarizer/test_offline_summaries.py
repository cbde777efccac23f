"""Summaries made without a language model."""

import re
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.work import (
    Canonical,
    ChunkText,
    KnownMemory,
    ProfileInput,
    SummaryBody,
    SummaryResult,
    ThreadInput,
    WorkMessage,
)
from chatmem_summarizer import offline_summarize
from chatmem_summarizer.length import clip, head_and_tail, tokens
from chatmem_summarizer.offline_canonical import canonical
from chatmem_summarizer.offline_extract import extract
from chatmem_summarizer.offline_profile import profile
from chatmem_summarizer.offline_rolling import thread_summary
from chatmem_summarizer.offline_summarize import chunk_summary, lines
from chatmem_summarizer.salience import topics
from tests.summarizer.talk import START, ZONE, chunk, exchange, messages

FIELDS = ("goals", "decisions", "facts", "outcomes", "pending")


def all_tokens(result: SummaryResult) -> int:
    return tokens(result.text) + sum(tokens(line) for name in FIELDS for line in getattr(result.body, name))


def test_a_chunk_summary_tells_of_the_user_what_happened_and_when() -> None:
    result = chunk_summary(chunk())
    assert result.text.startswith("On Feb 15–16 they talked about ")
    assert "The user is working on the SingPass integration" in result.text
    assert "The user decided to use chrony on all hosts (Feb 16)." in result.text
    assert "Certainly" not in result.text
    assert 3 <= result.text.count(". ") + 1 <= 6


def test_of_an_imported_history_the_days_stand_in_their_order() -> None:
    told = chunk()
    backwards = told.model_copy(update={"messages": tuple(reversed(told.messages))})
    assert chunk_summary(backwards).text.startswith("On Feb 15–16 they talked about ")


def test_its_body_sorts_goals_decisions_outcomes_and_open_questions() -> None:
    body = chunk_summary(chunk()).body
    assert "Needs to launch the integration by Q2 2026" in body.goals
    assert "Open question: How do we rotate the signing keys?" in body.goals
    assert body.decisions == ("User (Feb 16): We decided to use chrony on all hosts.",)
    assert any("still fails" in line for line in body.outcomes)
    assert any("4 minutes off" in line for line in body.outcomes)


def test_sentences_of_a_paragraph_stand_in_the_order_said() -> None:
    text = chunk_summary(chunk()).text
    assert text.index("SingPass integration") < text.index("redirect URI but") < text.index("chrony on all")


def test_small_talk_is_summed_up_by_what_was_said() -> None:
    texts = [text for n in range(1, 11) for text in (f"Message {n}", f"Got message {n}.")]
    result = chunk_summary(chunk(texts))
    assert result.text.startswith("20 short messages; the user said: Message 1; Message 2; Message 3")
    assert result.body == SummaryBody()


def test_topics_are_the_telling_words_once() -> None:
    found = topics(
        messages(["I love my Tesla", "Teslas are fast", "The Tesla needs charging tonight, charging is slow"])
    )
    assert found[0] == "Tesla"
    assert len([topic for topic in found if topic.startswith("Tesla")]) == 1
    assert "the" not in [topic.lower() for topic in found]


words = st.sampled_from(
    "I we decided need launch API by Friday 42 works failed Berlin love tried server error because Anna maybe ? thanks".split()
)
sentences = st.lists(words, min_size=1, max_size=14).map(" ".join)


strange = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80)


@settings(max_examples=80, deadline=None)
@given(texts=st.lists(st.one_of(sentences, strange.filter(str.strip)), min_size=1, max_size=20))
def test_any_conversation_has_a_short_summary_that_is_always_the_same(texts: list[str]) -> None:
    result = chunk_summary(chunk(texts))
    assert result == chunk_summary(chunk(texts))
    assert result.text.strip()
    assert len(result.text) < 1400


FRAME = """on feb 15 16 they talked about and user assistant short messages the user said open question conversation with is
their them they're"""


@settings(max_examples=80, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=20))
def test_a_summary_says_nothing_that_was_not_said(texts: list[str]) -> None:
    result = chunk_summary(chunk(texts))
    said = set(re.findall(r"\w+", " ".join(texts).lower())) | set(FRAME.split()) | {str(len(texts))}
    paragraph = re.findall(r"\w+", result.text.lower())
    assert [word for word in paragraph if not said & {word, word[:-1], word[:-2], f"{word[:-3]}y"}] == []
    told = " ".join(line for name in FIELDS for line in getattr(result.body, name))
    assert set(re.findall(r"\d+", told)) <= {"42", "15", "16", "2026", "02", *(f"{day:02}" for day in range(17, 23))}


def chunk_text(text: str, body: SummaryBody, day: int, count: int = 20) -> ChunkText:
    at = START + timedelta(days=day)
    return ChunkText(text=text, body=body, from_at=at, to_at=at + timedelta(hours=2), count=count)


def thread(*chunks: ChunkText, prior: str = "", prior_body: SummaryBody | None = None, cap: int = 350) -> ThreadInput:
    return ThreadInput(
        timezone=ZONE,
        level="thread",
        prior_text=prior,
        prior_body=prior_body or SummaryBody(),
        chunks=chunks,
        cap_tokens=cap,
    )


def test_a_thread_summary_has_a_line_for_each_chunk_and_keeps_every_line_once() -> None:
    first = chunk_text("They set up OAuth.", SummaryBody(decisions=("Use chrony on all hosts.",)), 0)
    second = chunk_text("They launched.", SummaryBody(decisions=("Use chrony on all hosts.", "Use KMS for keys.")), 2)
    result = thread_summary(thread(first, second))
    assert result.text == "Feb 15 (20 messages): They set up OAuth.\nFeb 17 (20 messages): They launched."
    assert result.body.decisions == ("Use chrony on all hosts.", "Use KMS for keys.")


def test_answered_questions_and_finished_tasks_leave_a_thread_summary() -> None:
    prior = SummaryBody(
        goals=("Open question: How do we rotate keys?", "Needs to launch the SingPass API"),
        pending=("Send review to Mei",),
    )
    new = SummaryBody(
        outcomes=("User (Feb 20): We launched the SingPass API.",), goals=("Open question: Who is on call?",)
    )
    body = thread_summary(thread(chunk_text("They launched.", new, 5), prior_body=prior)).body
    assert body.goals == ("Open question: Who is on call?",)
    assert body.pending == ("Send review to Mei",)


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 30), cap=st.integers(60, 400), length=st.integers(1, 60))
def test_a_thread_summary_never_exceeds_its_cap_and_keeps_the_newest(count: int, cap: int, length: int) -> None:
    body = SummaryBody(facts=tuple(f"Fact {n} about Berlin" for n in range(6)))
    chunks = [chunk_text(f"Chunk{n} " + "told words " * length, body, n) for n in range(count)]
    result = thread_summary(thread(*chunks, prior="Feb 1: Old talk.\n" * 5, cap=cap))
    assert all_tokens(result) <= cap
    assert result.text.strip()


def known(
    number: int, text: str, kind: str = "fact", *, confirmed: bool = False, status: str = "active"
) -> KnownMemory:
    return KnownMemory.model_validate(
        {"id": number, "kind": kind, "text": text, "status": status, "user_confirmed": confirmed}
    )


def test_the_canonical_summary_tells_confirmed_from_inferred_and_grows_by_a_line() -> None:
    memories = (
        known(1, "Lives in Lisbon", confirmed=True),
        known(2, "Likes jazz"),
        known(3, "May move", status="uncertain"),
    )
    prior = Canonical(general_summary="Feb 14: User: I set up the repository.")
    work = exchange(
        "I need to launch the API by Q2 2026", "Good plan, start with the OAuth flow.", known=memories, canonical=prior
    )
    result = canonical(work, extract(work))
    assert result.user_confirmed == "- Lives in Lisbon"
    assert result.llm_inferred == "- Likes jazz\n- Needs to launch the API by Q2 2026"
    assert result.general_summary.splitlines() == [
        "Feb 14: User: I set up the repository.",
        "Feb 15: User: I need to launch the API by Q2 2026; Assistant: Good plan, start with the OAuth flow.",
    ]


def test_an_exchange_of_pleasantries_adds_nothing() -> None:
    prior = Canonical(general_summary="Feb 14: User: I set up the repository.")
    work = exchange("Thanks!", "You're welcome!", canonical=prior)
    assert canonical(work, extract(work)) == prior


def test_doing_an_exchange_again_adds_nothing() -> None:
    work = exchange("I need to launch the API by Q2 2026")
    once = canonical(work, extract(work))
    again = exchange("I need to launch the API by Q2 2026", canonical=once)
    assert canonical(again, extract(again)) == once


@settings(max_examples=60, deadline=None)
@given(lines=st.integers(0, 200), facts=st.integers(0, 150), cap=st.integers(100, 2000))
def test_the_canonical_summary_never_exceeds_its_cap_by_more_than_a_tenth(lines: int, facts: int, cap: int) -> None:
    prior = Canonical(
        general_summary="\n".join(f"Feb {n}: User: I told a long story number {n} about boats." for n in range(lines))
    )
    memories = tuple(known(n, f"Fact number {n} about somebody's life", confirmed=n % 2 == 0) for n in range(facts))
    work = exchange("I live in Berlin", canonical=prior, known=memories, canonical_cap_tokens=cap)
    result = canonical(work, extract(work))
    assert tokens(result.user_confirmed) + tokens(result.llm_inferred) + tokens(result.general_summary) <= cap * 1.1
    assert "I live in Berlin" in result.general_summary


def test_a_profile_reads_as_prose_and_leaves_out_what_is_uncertain() -> None:
    memories = (
        known(1, "Prefers tea", "preference"),
        known(2, "Lives in Lisbon"),
        known(3, "Name is Priya"),
        known(4, "Needs to launch the API by Q2 2026", "goal"),
        known(5, "Team offsite is on March 15 (2026-03-15)", "date"),
        known(6, "Might move", "goal", status="uncertain"),
    )
    work = ProfileInput(timezone=ZONE, memories=memories, cap_tokens=500)
    assert profile(work).narrative == (
        "Name is Priya. Lives in Lisbon. Preferences: prefers tea. Goals: needs to launch the API by Q2 2026. "
        "Dates: Team offsite is on March 15 (2026-03-15)."
    )


def test_a_profile_that_is_too_long_loses_its_last_memories() -> None:
    memories = (known(1, "Name is Priya"), *(known(n, f"Saw bird number {n}", confirmed=True) for n in range(2, 60)))
    told = profile(ProfileInput(timezone=ZONE, memories=memories, cap_tokens=60)).narrative
    assert told.startswith("Name is Priya. Saw bird number 2.")
    assert "59" not in told


@settings(max_examples=40, deadline=None)
@given(count=st.integers(0, 120), cap=st.integers(50, 500))
def test_a_profile_never_exceeds_its_cap(count: int, cap: int) -> None:
    memories = tuple(known(n, f"Fact number {n} about somebody's long life") for n in range(count))
    work = ProfileInput(timezone=ZONE, memories=memories, cap_tokens=cap)
    assert tokens(profile(work).narrative) <= cap


@given(text=st.text(max_size=400), characters=st.integers(5, 300))
def test_clipping_keeps_its_promise(text: str, characters: int) -> None:
    assert len(clip(text, characters)) <= characters
    assert len(head_and_tail(text, characters)) <= characters


@pytest.mark.parametrize("routine", [None, "morning-summary"])
def test_a_routine_is_named_as_its_speaker(routine: str | None) -> None:
    text = "The forecast for Singapore is heavy rain until 6 pm today."
    message = WorkMessage(id=1, role="assistant", at=START, text=text, routine=routine)
    result = chunk_summary(chunk().model_copy(update={"messages": (message,)}))
    assert (f"Routine {routine}:" if routine else "Assistant:") in result.text


TRIP = (
    "Hey! We're thinking about a trip to Japan in April, two weeks, me and my wife Mei.",
    "Sounds wonderful! April is cherry blossom season. Would you like to focus on cities, nature, or both?",
    "Both I guess. Budget is about 6000 SGD without flights. Mei hates crowds, and I'm allergic to shellfish.",
    "Noted. I'd suggest Kanazawa and Takayama, which are quieter than Kyoto.",
    "We decided to skip Kyoto and do Tokyo, Kanazawa and Takayama. I need to book the flights before the end of February",
    "Great choice! Shall I draft a day by day plan?",
    "I tried booking with ANA but the payment failed twice",
    "Sorry to hear that. Often the bank blocks foreign transactions.",
    "Called DBS, they unblocked it, flights are booked now!",
    "Congratulations! Next: the hotels.",
    "Which area in Kanazawa would you stay in?",
)
RÜCKEN = (
    "Guten Morgen! Ich habe schlecht geschlafen, mein Rücken tut weh.",
    "Das tut mir leid. Hast du schon etwas versucht?",
    "Ich habe gestern Yoga probiert, das hat nicht geholfen. Der Termin beim Orthopäden ist am 3. März um 10 Uhr.",
    "Gut, dass du einen Termin hast. Bis dahin hilft Wärme.",
    "Wir haben beschlossen, ein neues Bett zu kaufen. Ich muss noch die Krankenkasse anrufen.",
)


def test_a_talk_is_told_by_how_it_ended_and_what_was_done_is_no_goal_any_more() -> None:
    result = chunk_summary(chunk(TRIP))
    assert "The user decided to skip Kyoto and do Tokyo, Kanazawa and Takayama" in result.text
    assert "flights are booked now!" in result.text
    assert result.body.goals == ("Open question: Which area in Kanazawa would you stay in?",)
    assert any("6000 SGD" in line for line in result.body.facts)
    assert [line.split(": ", 1)[1][:12] for line in result.body.outcomes] == ["I tried book", "Called DBS, "]


def test_a_talk_in_another_language_is_summarised_in_it() -> None:
    result = chunk_summary(chunk(RÜCKEN))
    assert result.text.startswith("Am 15.2.–16.2. ging es um ")
    assert "Nutzer (16.2.): Wir haben beschlossen, ein neues Bett zu kaufen." in result.text
    assert "they talked" not in result.text
    assert any("3. März um 10 Uhr" in line for line in result.body.facts)
    assert len(result.body.decisions) == len(result.body.outcomes) == len(result.body.pending) == 1


def test_of_thousands_of_lines_only_those_that_may_stay_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def never_alike(one: str, other: str) -> float:
        compared.append(one)
        return 0.0

    monkeypatch.setattr(offline_summarize, "alike", never_alike)
    told = [f"Point {n} of the agenda" for n in range(5_000)]
    assert lines(told, 12) == tuple(told[-12:])
    assert len(compared) < 12 * 12
