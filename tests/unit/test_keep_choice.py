"""Which scored sentences are kept: thresholds, short sentences that report a change, at most two sentences per message,
and no repetitions."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tellonce.work import NotableSentence
from tellonce_server.domain.keep.choice import (
    CHANGE,
    CHANGE_WORDS,
    MOST_A_MESSAGE,
    ORDER,
    SAME_COSINE,
    SEARCHED,
    SHOWN,
    WISH,
    Scored,
    choose,
    is_order,
)
from tellonce_server.domain.keep.sentences import Sentence

EAST, NORTH, SOUTH = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NORTH_EAST = (0.8, 0.6, 0.0)


def scored(
    score: float, vector: tuple[float, ...] = EAST, text: str = "We moved to Graz again.", **more: Any
) -> Scored:
    return Scored(more.pop("message_id", 1), Sentence(text, before="It is done."), vector, score, **more)


def kept(one: Scored, *known: tuple[float, ...]) -> tuple[NotableSentence, ...]:
    return tuple(choose([one], known))


def test_a_score_decides_between_shown_searched_and_not_kept() -> None:
    assert [note.shown for note in kept(scored(SHOWN))] == [True]
    assert [note.shown for note in kept(scored(SHOWN - 0.01))] == [False]
    assert [note.shown for note in kept(scored(SEARCHED))] == [False]
    assert kept(scored(SEARCHED - 0.01)) == ()


def test_a_short_statement_near_a_kept_note_is_a_change_of_it() -> None:
    near, far = scored(CHANGE + 0.1, NORTH_EAST), scored(CHANGE + 0.1, SOUTH)
    assert [note.shown for note in kept(near, EAST)] == [False]
    assert [note.shown for note in kept(scored(SEARCHED, NORTH_EAST), EAST)] == [True]
    assert kept(near) == kept(far, EAST) == ()
    assert kept(scored(CHANGE, NORTH_EAST), EAST) == ()
    assert kept(scored(CHANGE + 0.1, NORTH_EAST, "Are we moving to Graz?"), EAST) == ()
    assert kept(scored(CHANGE + 0.1, NORTH_EAST, "word " * (CHANGE_WORDS + 1)), EAST) == ()


def test_a_sentence_that_the_next_one_needs_is_kept_once() -> None:
    first = Scored(1, Sentence("I turn 43."), EAST, SHOWN)
    second = Scored(1, Sentence("We do it in the garden.", before="I turn 43."), NORTH, SEARCHED, dangling=1.0)
    (note,) = choose([first, second], [])
    assert (note.before, note.text, note.shown, note.score) == ("I turn 43.", "We do it in the garden.", True, SHOWN)
    assert len(choose([first, replace(second, dangling=0.0)], [])) == 2


def test_a_change_may_follow_its_note_in_the_same_exchange() -> None:
    notes = choose([scored(3.0, EAST), scored(CHANGE + 0.1, NORTH_EAST, message_id=2)], [])
    assert [note.message_id for note in notes] == [1, 2]


def test_what_is_known_already_is_not_kept_again_and_what_only_sounds_like_it_is() -> None:
    assert kept(scored(5.0), EAST) == ()
    assert len(kept(scored(5.0, NORTH_EAST), EAST)) == 1
    assert len(choose([scored(5.0), scored(5.0), scored(5.0, message_id=2)], [])) == 1


def test_an_order_needs_less_and_is_shown_as_a_wish() -> None:
    (note,) = kept(scored(ORDER, text="From now on call me Max."))
    assert note.shown
    assert note.group == "wish"
    assert kept(scored(ORDER - 0.01, text="From now on call me Max.")) == ()


def test_the_form_of_an_order_is_not_that_of_an_idiom_or_a_question_about_the_past() -> None:
    assert is_order("always answer in metric")
    assert is_order("ok, please remember that my locker is 12")
    assert not any(map(is_order, ("never mind", "Never been to Oslo", "remember when we met?", "I always forget")))


def test_the_sentence_before_comes_along_only_where_one_dangles() -> None:
    assert [note.before for note in kept(scored(2.0, dangling=2.0))] == ["It is done."]
    assert [note.before for note in kept(scored(2.0, dangling=0.0))] == [None]
    assert [note.before for note in kept(scored(2.0, text="Since Tuesday."))] == ["It is done."]


def test_what_dangles_with_nothing_before_it_is_only_searched() -> None:
    alone = Scored(1, Sentence("He said so to both of them."), EAST, SHOWN, dangling=2.0)
    assert [note.shown for note in kept(alone)] == [False]


def test_the_second_head_decides_the_group() -> None:
    assert [note.group for note in kept(scored(2.0, wish=WISH))] == ["wish"]
    assert [note.group for note in kept(scored(2.0, wish=WISH - 0.1))] == ["fact"]


Vectors = st.sampled_from([EAST, NORTH, SOUTH, NORTH_EAST])


@given(st.lists(st.tuples(st.integers(1, 3), st.floats(-3, 3), Vectors), max_size=30), st.lists(Vectors, max_size=2))
def test_at_most_two_a_message_are_kept_in_order_and_no_two_alike(
    drawn: list[tuple[int, float, tuple[float, ...]]], known: list[tuple[float, ...]]
) -> None:
    drawn = sorted(drawn, key=lambda one: one[0])
    every = [scored(score, vector, f"Sentence {n}.", message_id=m) for n, (m, score, vector) in enumerate(drawn)]
    notes = choose(every, known)
    assert all(sum(note.message_id == number for note in notes) <= MOST_A_MESSAGE for number in (1, 2, 3))
    texts = [one.sentence.text for one in every]
    places = [texts.index(note.text) for note in notes]
    assert places == sorted(set(places))
    vectors = [*dict.fromkeys(known), *(every[place].vector for place in places)]
    assert all(
        sum(a * b for a, b in zip(one, other, strict=True)) <= SAME_COSINE
        for number, one in enumerate(vectors)
        for other in vectors[max(number + 1, len(set(known))) :]
    )
