"""The order of two messages by each signal of the ranker."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.retrieval import weights
from tellonce_server.domain.retrieval.asked_times import AskedTimes
from tellonce_server.domain.retrieval.echoes import BELOW, below_sources
from tellonce_server.domain.retrieval.question import Question, ScopeFacts, question
from tellonce_server.domain.retrieval.ranking import rank
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.domain.retrieval.signals import (
    ONE_MATCH,
    Candidate,
    Scale,
    asking,
    coverage,
    longness,
    mentions,
    ranks_of,
    scale,
)

AT = datetime(2026, 2, 18, 4, 0, tzinfo=UTC)
ZONE = ZoneInfo("UTC")
DAY = timedelta(days=1)


def asked(
    text: str, *terms: str, speakers: tuple[str, ...] = (), spans: tuple[tuple[datetime, datetime], ...] = ()
) -> Question:
    return question(text, ScopeFacts(terms, speakers, 100, 100, AT, True), {}, AskedTimes(spans, spans, rest=text))


def said(number: int, head: str, **changes: object) -> Candidate:
    """A message that is far from all other messages, both in time and in its position in the thread."""
    plain = Candidate(
        chat_id=1,
        id=number,
        thread_key="root:1",
        thread_no=10 * number,
        role="user",
        speaker=None,
        sent_at=AT - number * 30 * DAY,
        tokens=20,
        routine=None,
        head=head,
        clipped=False,
        cosine=0.3,
        ranks=(),
    )
    return plain._replace(**changes)  # fields by name


def order(q: Question, *candidates: Candidate) -> list[int]:
    scores = below_sources(q, candidates, rank(q, candidates, ZONE).scores, ())
    return [c.id for _, c in sorted(zip(scores, candidates, strict=True), key=lambda pair: -pair[0])]


HIT, MISS = (ONE_MATCH,), (0.0,)


@pytest.mark.parametrize(("kind", "lower"), [("fact", True), ("summary", False)])
def test_a_reply_echoes_a_memory_but_not_the_summary_that_contains_the_reply(kind: str, lower: bool) -> None:
    words = "Ann lives in a small red house by the lake in Graz"
    q, reply = asked("sister", "sister"), said(1, words, role="assistant")
    learned = Result(kind, 5, 1, None, words, None, None, reply.sent_at, 9, 0.5, 0.3, (1,), 0.0)
    (score,) = below_sources(q, [reply], np.array([2.0]), [learned])
    assert score == pytest.approx(0.5 - BELOW if lower else 2.0)


def test_a_message_with_the_word_comes_before_one_without() -> None:
    assert order(asked("puppy", "puppi"), said(1, "hello", ranks=MISS), said(2, "a puppy", ranks=HIT)) == [2, 1]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    q = question(
        "lake house", ScopeFacts(("lake", "hous"), (), 9, 9, AT, True), {"lake": 0.3, "hous": 0.01}, AskedTimes()
    )
    rare = tuple(HIT[0] if term == "hous" else 0.0 for term in q.terms)
    common = tuple(HIT[0] if term == "lake" else 0.0 for term in q.terms)
    assert order(q, said(1, "lake", ranks=common), said(2, "house", ranks=rare)) == [2, 1]


def test_likeness_ranks_where_no_word_is_shared() -> None:
    q = asked("pets", "pet")
    assert order(q, said(1, "a", ranks=MISS, cosine=0.2), said(2, "b", ranks=MISS, cosine=0.6)) == [2, 1]


def test_a_message_without_an_embedding_is_neither_near_nor_far() -> None:
    q = asked("pets", "pet")
    candidates = [said(n, "x", ranks=MISS, cosine=c) for n, c in ((1, 0.1), (2, None), (3, 0.9))]
    assert order(q, *candidates) == [3, 2, 1]


def test_what_the_person_named_said_comes_first() -> None:
    q = asked("What does Amy like?", "like", speakers=("Amy", "Ben"))
    assert order(q, said(1, "tea", speaker="Ben", ranks=MISS), said(2, "tea", speaker="Amy", ranks=MISS)) == [2, 1]


def test_who_names_both_prefers_neither() -> None:
    q = asked("What do Amy and Ben like?", "like", speakers=("Amy", "Ben"))
    scores = rank(
        q, [said(1, "tea", speaker="Ben", ranks=MISS), said(2, "tea", speaker="Amy", ranks=MISS)], ZONE
    ).scores
    assert scores[0] == pytest.approx(scores[1])


def test_a_long_reply_that_repeats_the_question_does_not_beat_the_users_own_words() -> None:
    q = asked("degree", "degre")
    reply = said(1, "", role="assistant", tokens=600, ranks=(ONE_MATCH * 1.5,), cosine=0.5)
    own = said(2, "my degree", ranks=HIT, cosine=0.45)
    assert order(q, reply, own) == [2, 1]


def test_a_long_reply_that_speaks_of_the_matter_lifts_the_users_message_before_it() -> None:
    q = asked("lake house", "lake", "hous")
    both, none = (ONE_MATCH, ONE_MATCH), (0.0, 0.0)
    before = said(1, "I was there once", thread_no=5, ranks=none, sent_at=AT)
    reply = said(2, "", thread_no=6, role="assistant", tokens=600, ranks=both, sent_at=AT + timedelta(minutes=1))
    elsewhere = said(3, "I was there once", ranks=none)
    placed = order(q, elsewhere, reply, before)
    assert placed.index(1) < placed.index(3)


def test_a_long_message_of_a_person_in_the_assistants_role_is_no_reply() -> None:
    q = asked("puppy", "puppi")
    person, machine = (
        said(n, "I got a puppy", role="assistant", speaker=name, tokens=150, ranks=HIT)
        for n, name in ((1, "Ben"), (2, None))
    )
    assert order(q, machine, person) == [1, 2]


def test_whose_words_they_are_counts_for_a_message_and_not_for_its_neighbours() -> None:
    q = asked("What about Amy's puppy?", "puppi", speakers=("Amy", "Ben"))
    by_amy, by_ben = (
        [
            said(n, "a puppy", thread_no=10 * n, speaker=speaker, ranks=HIT, sent_at=AT + n * DAY),
            said(n + 1, "hm", thread_no=10 * n + 1, speaker="Ben", ranks=MISS, sent_at=AT + n * DAY),
        ]
        for n, speaker in ((3, "Amy"), (6, "Ben"))
    )
    scores = rank(q, [*by_amy, *by_ben], ZONE).scores
    assert scores[0] == pytest.approx(scores[2] + weights.NAMED)
    assert scores[1] == pytest.approx(scores[3])


def test_a_reply_is_found_when_the_query_asks_for_what_the_assistant_said() -> None:
    q = asked("Which hostel did you recommend?", "hostel")
    others = [said(n, "something else", ranks=MISS) for n in range(3, 12)]
    reply = said(2, "", role="assistant", tokens=600, ranks=HIT)
    assert order(q, said(1, "a hostel", ranks=HIT), reply, *others)[:2] == [2, 1]


def test_a_short_turn_of_the_assistant_loses_nothing() -> None:
    q = asked("hostel", "hostel")
    user, assistant = said(1, "x", ranks=HIT), said(2, "x", role="assistant", ranks=HIT)
    scores = rank(q, [user, assistant], ZONE).scores
    assert scores[0] == pytest.approx(scores[1])


SAID = "My sister Ann lives in Porto with two cats"


def later(number: int, text: str, **changes: object) -> Candidate:
    return said(number, text, role="assistant", ranks=HIT, sent_at=AT, **changes)


@pytest.mark.parametrize("reply", [f"You told me on Nov 28: “{SAID}”", f"I remember: {SAID} (Nov 28)", SAID.upper()])
def test_a_reply_that_only_repeats_the_user_is_below_what_it_repeats(reply: str) -> None:
    q = asked("Where does Ann live?", "ann")
    assert order(q, said(1, SAID, ranks=MISS), later(2, reply)) == [1, 2]
    assert order(q, said(1, "Hm", ranks=MISS), later(2, reply)) == [2, 1]


@pytest.mark.parametrize(
    ("user", "reply"),
    [
        (
            {},
            "Ann lives in Porto, and she will visit you on Sunday with the children and the old dog of the neighbours",
        ),
        ({"sent_at": AT + DAY}, SAID),
        (
            {"head": "Does my sister Ann live in Porto with two cats?"},
            "Does my sister Ann live in Porto with two cats?",
        ),
    ],
)
def test_a_reply_that_says_more_or_that_the_user_repeats_or_that_repeats_a_question_keeps_its_place(
    user: dict[str, object], reply: str
) -> None:
    told = said(1, SAID, ranks=MISS)._replace(**user)  # fields by name
    assert order(asked("Ann", "ann"), told, later(2, reply))[0] == 2


def test_a_reply_that_repeats_the_user_is_found_when_the_query_asks_what_the_assistant_said() -> None:
    q = asked("Where did you say that Ann lives?", "ann")
    assert q.asks_assistant
    assert order(q, said(1, SAID, ranks=MISS), later(2, SAID)) == [2, 1]


def test_a_question_answers_less_than_a_statement() -> None:
    q = asked("puppy", "puppi")
    assert order(q, said(1, "A puppy, really?", ranks=HIT), said(2, "A puppy, really.", ranks=HIT)) == [2, 1]


def test_when_is_answered_by_a_message_with_time_words() -> None:
    q = asked("When did we swim?", "swim")
    assert order(q, said(1, "We swam there", ranks=HIT), said(2, "We swam there yesterday", ranks=HIT)) == [2, 1]


@pytest.mark.parametrize("text", ["How much was the bike?", "How many spokes has it?", "And the price of the bike?"])
def test_an_amount_is_answered_by_a_message_with_a_number(text: str) -> None:
    q = asked(text, "bike")
    without, digits, word = (
        said(n, head, ranks=HIT)
        for n, head in enumerate(("The bike was dear.", "The bike, 300.", "The bike, ninety."), 1)
    )
    assert order(q, without, digits) == [2, 1]
    assert order(q, without, word) == [3, 1]


def test_how_long_ago_asks_for_a_time_and_not_for_an_amount() -> None:
    assert not asked("How long ago did we ride?").asks_amount
    assert asked("How long is the ride?").asks_amount


@pytest.mark.parametrize(
    ("text", "advice", "past"),
    [
        ("Can you recommend a film?", True, False),
        ("Could you suggest one?", True, False),
        ("What film did you recommend?", True, True),
        ("Could you repeat what you suggested?", True, True),
    ],
)
def test_who_asks_for_a_recommendation_does_not_ask_what_was_recommended(text: str, advice: bool, past: bool) -> None:
    assert (asked(text).asks_advice, asked(text).asks_assistant) == (advice, past)


def test_advice_builds_on_what_the_user_likes_and_refuses() -> None:
    q = asked("Can you suggest a drink?", "drink")
    plain, taste = said(1, "A drink was spilt.", ranks=HIT), said(2, "That drink, never again.", ranks=HIT)
    assert order(q, plain, taste) == [2, 1]
    assert order(q, plain, taste._replace(role="assistant")) == [1, 2]


def test_the_day_that_the_query_names_counts() -> None:
    q = asked("walk", "walk", spans=((AT, AT + DAY),))
    on, before = said(1, "walk", ranks=HIT, sent_at=AT), said(2, "walk", ranks=HIT, sent_at=AT - 20 * DAY)
    assert order(q, before, on) == [1, 2]


def test_a_message_that_mentions_the_day_beats_one_sent_on_it() -> None:
    q = asked("walk", "walk", spans=((AT, AT + DAY),))
    on = said(1, "hello there", ranks=MISS, sent_at=AT)
    after = said(2, "I went out yesterday", ranks=MISS, sent_at=AT + DAY)
    assert order(q, on, after) == [2, 1]


def test_among_many_who_mention_their_yesterdays_the_named_person_is_read_first() -> None:
    q = asked("What happened to Amy?", "happen", speakers=("Amy", "Ben"), spans=((AT, AT + DAY),))
    others = [said(n, f"yesterday {n}", ranks=HIT, cosine=0.5, speaker="Ben", sent_at=AT + DAY) for n in range(3, 99)]
    told = said(1, "I fell ill yesterday", ranks=HIT, cosine=0.5, speaker="Amy", sent_at=AT + DAY)
    assert order(q, *others, told)[0] == 1


def test_the_answer_after_a_matching_question_is_lifted() -> None:
    q = asked("puppy name", "puppi", "name")
    question_turn = said(1, "What is the puppy's name?", thread_no=5, ranks=(ONE_MATCH, ONE_MATCH), sent_at=AT)
    answer = said(2, "Biscuit, of course.", thread_no=6, ranks=(0.0, 0.0), sent_at=AT + timedelta(minutes=1))
    elsewhere = said(3, "Biscuit, of course.", ranks=(0.0, 0.0))
    assert order(q, question_turn, elsewhere, answer).index(2) < order(q, question_turn, elsewhere, answer).index(3)


def test_a_thread_passes_no_score_to_another_thread() -> None:
    q = asked("puppy", "puppi")
    match = said(1, "puppy", thread_no=5, ranks=HIT, sent_at=AT)
    beside = said(2, "yes", thread_no=6, thread_key="topic:1:9", ranks=MISS, sent_at=AT)
    alone = said(3, "yes", ranks=MISS, sent_at=AT)
    scores = rank(q, [match, beside, alone], ZONE).scores
    assert scores[1] == pytest.approx(scores[2], abs=weights.SESSION * 10)
    assert scores[1] <= scores[2]


def test_a_routine_is_found_by_a_part_of_its_name() -> None:
    q = asked("What was in the morning briefing?", "morn", "brief")
    routine = said(1, "", role="assistant", tokens=600, routine="morning-summary", ranks=(0.0, 0.0))
    other = said(2, "", role="assistant", tokens=600, routine="weekly-etf", ranks=(0.0, 0.0))
    assert order(q, other, routine) == [1, 2]


@given(st.integers(1, 10_000))
def test_longness_lies_between_zero_and_one(tokens: int) -> None:
    assert 0.0 <= longness(np.array([float(tokens)]))[0] <= 1.0


@given(st.text(max_size=80))
def test_the_share_of_questions_lies_between_zero_and_one(text: str) -> None:
    assert 0.0 <= asking(text) <= 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_coverage_lies_between_zero_and_one(ranks: list[float]) -> None:
    q = asked("x", *(f"w{n}" for n in range(len(ranks))))
    assert 0.0 <= coverage(q, ranks_of(q, [ranks]))[0] <= 1.0 + 1e-9


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_a_standard_score_is_bounded(values: list[float]) -> None:
    by = scale(np.array(values), 0.1)
    assert (np.abs(by.standard(np.array(values))) <= weights.MOST_DEVIATIONS).all()


def test_what_was_not_measured_is_average() -> None:
    assert Scale(0.4, 0.1).standard(np.array([np.nan])).tolist() == [0.0]


def test_no_candidates_no_scores() -> None:
    assert rank(asked("x", "x"), [], ZONE).scores.tolist() == []


@given(st.permutations(range(6)))
def test_the_order_candidates_come_in_changes_no_score(places: list[int]) -> None:
    q = asked("puppy", "puppi")
    every = [
        said(n, "puppy?" if n % 2 else "a puppy", thread_no=n, ranks=HIT if n % 3 else MISS, sent_at=AT + n * DAY)
        for n in range(6)
    ]
    straight = rank(q, every, ZONE).scores
    shuffled = rank(q, [every[n] for n in places], ZONE).scores
    assert [shuffled[places.index(n)] for n in range(6)] == pytest.approx(straight)


def test_a_mentioned_year_is_not_a_particular_time() -> None:
    assert not mentions("I moved here last year", AT, [(AT - 300 * DAY, AT - 299 * DAY)], ZONE)
    assert mentions("I moved here yesterday", AT, [(AT - 2 * DAY, AT)], ZONE)


def test_a_message_that_shares_rare_words_with_the_best_results_rises() -> None:
    best = said(1, "Somebody stole my tuning fork in Tregaron", ranks=HIT)
    others = [said(n, f"Something else happened to number {n}", ranks=MISS) for n in range(2, 40)]
    akin = said(40, "The fork is back from Tregaron", ranks=MISS)
    assert order(asked("stolen", "steal"), best, *others, akin)[:2] == [1, 40]


def test_a_best_result_gains_nothing_from_its_own_words() -> None:
    alone = said(1, "Zanzibar quokka marmalade", ranks=HIT)
    others = [said(n, "Some plain words", ranks=HIT) for n in range(2, 42)]
    scores = rank(asked("what", "what"), [alone, *others], ZONE).scores
    assert scores[0] == pytest.approx(scores[1])


def test_the_words_of_a_message_without_a_vector_count_as_much_as_words_and_meaning_of_another() -> None:
    q = asked("harmonium", "harmonium")
    others = [said(n, "I play music at home", ranks=MISS, cosine=0.9 if n == 2 else 0.2) for n in range(2, 42)]
    new = said(1, "We found a harmonium", ranks=HIT, cosine=None)
    assert order(q, *others, new)[0] == 1
    assert order(q, *others, new._replace(ranks=MISS))[0] != 1


def test_without_any_vectors_the_lexical_score_counts_once() -> None:
    q = asked("harmonium", "harmonium")
    plain = said(1, "a harmonium", ranks=HIT, cosine=None), said(2, "music", ranks=MISS, cosine=None)
    assert rank(q, plain, ZONE).similarity[0] <= weights.MOST_DEVIATIONS + weights.COVERAGE
