"""The analysis of a query: people, times and words."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce_server.domain.retrieval import question as q
from tellonce_server.domain.retrieval.asked_times import AskedTimes, asked_times, seen_from

ZONE = ZoneInfo("Asia/Singapore")
NOW = datetime(2026, 2, 18, 4, 0, tzinfo=UTC)


def scope_facts(*lexemes: str, speakers: tuple[str, ...] = ()) -> q.ScopeFacts:
    return q.ScopeFacts(lexemes, speakers, 100, 100, None, False)


def asked(
    text: str, *lexemes: str, speakers: tuple[str, ...] = (), shares: dict[str, float] | None = None
) -> q.Question:
    return q.question(text, scope_facts(*lexemes, speakers=speakers), shares or {}, AskedTimes(rest=text))


def test_the_names_of_speakers_are_taken_out_of_the_words_and_of_the_wording() -> None:
    question = asked("When did Amy's puppy run away?", "ami", "puppi", "run", "away", speakers=("Amy", "Ben"))
    assert question.named == {"Amy"}
    assert question.wording == "When did puppy run away?"
    assert "ami" not in question.terms
    assert "puppi" in question.terms


def test_a_name_nobody_here_bears_stays_a_word() -> None:
    question = asked("Who is Amy?", "ami", speakers=("Ben",))
    assert (question.named, question.terms) == (frozenset(), ["ami"])


def test_the_first_name_is_enough_and_case_does_not_matter() -> None:
    assert q.names_in("what does priya like", ["Priya Raman"]) == {"Priya Raman"}


def test_a_name_that_is_a_word_counts_only_with_its_capital() -> None:
    assert q.names_in("will it rain", ["Will"]) == frozenset()
    assert q.names_in("Where does Will live?", ["Will"]) == {"Will"}


def test_a_query_that_is_only_a_name_keeps_it() -> None:
    question = asked("Amy?", "ami", speakers=("Amy",))
    assert question.wording == "Amy?"
    assert question.terms == ["ami"]


def test_rare_words_come_first_and_vague_ones_weigh_little() -> None:
    shares = {"hike": 0.02, "go": 0.2, "lake": 0.01}
    question = asked("which lake did we go hiking at", "hike", "go", "lake", "zorblax", shares=shares)
    assert question.terms == ["zorblax", "lake", "hike", "go"]
    assert list(question.weights) == sorted(question.weights, reverse=True)


def test_without_statistics_longer_words_count_as_rarer() -> None:
    assert q.weight("architecture", {}) > q.weight("car", {})


def test_at_most_eight_terms_are_kept() -> None:
    assert len(asked("x", *(f"word{n}" for n in range(30))).terms) == q.MOST_TERMS


@pytest.mark.parametrize(
    ("text", "when", "assistant", "former"),
    [
        ("When did I move?", True, False, False),
        ("What day is the offsite?", True, False, False),
        ("I was happy when she came", False, False, False),
        ("Which hostel did you recommend?", False, True, False),
        ("What was your advice on bread?", False, True, False),
        ("where did I live before?", False, False, True),
        ("what do I do for work", False, False, False),
    ],
)
def test_the_manner_of_a_query_is_seen(text: str, when: bool, assistant: bool, former: bool) -> None:
    question = asked(text)
    assert (question.asks_when, question.asks_assistant, question.asks_past_state) == (when, assistant, former)


@pytest.mark.parametrize("text", ["What is my name?", "remind me of the code", "where's my key", "wheres my key",
                                  "whats the weather like tomorrow", "北京怎么去？",
                                  "Please recount how I found the flat", "Write a summary of my studies",
                                  "Help me choose new lamps", "Name every date on which work was to begin"])  # fmt: skip
def test_a_question_asks(text: str) -> None:
    assert q.asks(text)


@pytest.mark.parametrize("text", ["Good morning!", "I love this song", "ok thanks"])
def test_a_greeting_or_a_statement_does_not_ask(text: str) -> None:
    assert not q.asks(text)


def test_yesterday_is_a_day_of_the_users_zone() -> None:
    [(start, end)] = asked_times("what did I say yesterday", NOW, ZONE).spans
    assert start == datetime(2026, 2, 17, tzinfo=ZONE)
    assert end == datetime(2026, 2, 18, tzinfo=ZONE)


def test_what_lies_ahead_is_no_time_to_search_in() -> None:
    times = asked_times("what do I have tomorrow", NOW, ZONE)
    assert times.spans == []
    assert [start.day for start, _ in times.told] == [19]


def test_a_talk_long_over_is_read_from_its_end() -> None:
    text = "what did she do last month"
    times = seen_from(asked_times(text, NOW, ZONE), text, datetime(2023, 6, 9, tzinfo=UTC), ZONE)
    [(start, _)] = times.spans
    assert (start.year, start.month) == (2023, 5)


@pytest.mark.parametrize(
    ("text", "rest", "names"),
    [
        ("What happened last week?", "What happened   ?", ""),
        ("Was habe ich am 26. Oktober gesagt?", "Was habe ich am   gesagt?", ""),
        ("昨天我说了什么", "  我说了什么", ""),
        ("Who teaches the Tuesday class?", "Who teaches the Tuesday class?", "the Tuesday"),
        ("Is the dentist at 9am?", "Is the dentist at 9am?", "at 9am"),
        ("What did I learn this year?", "What did I learn this year?", "this year"),
    ],
)
def test_the_words_of_a_certain_time_are_separate_and_a_name_of_a_time_stays_a_word(
    text: str, rest: str, names: str
) -> None:
    times = asked_times(text, NOW, ZONE)
    assert (times.rest.split(), times.names) == (rest.split(), names)


def _timed(text: str, *lexemes: str, holds: bool = True, speakers: tuple[str, ...] = ()) -> q.Question:
    given = q.ScopeFacts(lexemes, speakers, 100, 100, None, holds, exact_lexemes=("last", "week"))
    return q.question(text, given, {}, asked_times(text, NOW, ZONE))


def test_the_words_of_a_certain_time_are_no_search_words() -> None:
    question = _timed("What did the dentist find last week?", "dentist", "find")
    assert set(question.terms) == {"dentist", "find"}
    assert question.wording.split() == ["What", "did", "the", "dentist", "find", "?"]
    assert set(question.time_terms) == {"last", "week"}
    assert not question.of_span


def test_a_query_of_a_time_and_vague_words_asks_for_all_that_was_said_then() -> None:
    question = _timed("What did you say last week?", "say")
    assert question.of_span
    assert not question.terms
    assert not asked("What did you say?", "say").of_span


def test_a_time_of_day_when_nothing_was_said_stays_a_search_word() -> None:
    text = "What was yesterday at 9am?"
    given = q.ScopeFacts((), (), 100, 100, None, span_holds=False, exact_lexemes=("9am",))
    assert q.question(text, given, {}, asked_times(text, NOW, ZONE)).terms == ["9am"]


def test_the_name_of_a_speaker_is_no_time() -> None:
    text = "Which nuts is June allergic to?"
    given = q.ScopeFacts(("nut", "june", "allerg"), ("June",), 100, 100, None, span_holds=True)
    question = q.question(text, given, {}, asked_times(text, NOW, ZONE))
    assert (question.spans, question.told) == ((), ())
    assert question.named == {"June"}
