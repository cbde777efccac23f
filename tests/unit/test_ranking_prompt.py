"""The selection of search results for a prompt."""

from collections.abc import Sequence
from datetime import UTC, datetime

from tellonce.settings import ContextDefaults
from tellonce_server.domain.retrieval import prompt_selection as p
from tellonce_server.domain.retrieval.search_results import Result

AT = datetime(2026, 2, 18, tzinfo=UTC)
THREAD = "root:1"
ASKING, TELLING = "what is my name?", "I like tea"
LIMITS = ContextDefaults()


def found(
    number: int, kind: str = "message", *, thread: str | None = THREAD, covered: float = 0.9, cosine: float = 0.6
) -> Result:
    return Result(
        kind,
        number,
        1,
        thread,
        f"text {number}",
        "user",
        None,
        AT,
        9,
        8.0 - number,
        cosine,
        (number,),
        covered,
    )


def ids(hits: list[Result]) -> list[int]:
    return [hit.id for hit in hits]


def test_a_statement_recalls_five_messages_and_no_more() -> None:
    assert ids(p.choose([found(n) for n in range(20)], TELLING, THREAD, frozenset(), LIMITS)) == [0, 1, 2, 3, 4]


def test_a_question_is_offered_all_that_bears_on_it_in_rank_order_and_five_messages_at_least() -> None:
    assert ids(p.choose([found(n) for n in range(20)], ASKING, THREAD, frozenset(), LIMITS)) == list(range(8))
    assert ids(p.choose([found(n) for n in range(9, 20)], ASKING, THREAD, frozenset(), LIMITS)) == list(range(9, 14))


def test_a_message_of_equal_words_and_the_question_asked_before_are_no_evidence() -> None:
    said = found(1)._replace(text="My sister Ann lives in Graz since May.")
    again = found(3)._replace(text="in which town does my sister live")
    twice = found(4)._replace(text="my sister Ann lives in Graz, since May")
    other = found(5)._replace(text="She moved there for a job at the opera.")
    asked = "In which town does my sister live?"
    assert ids(p.choose([said, again, twice, other], asked, THREAD, frozenset(), LIMITS)) == [1, 5]


def test_replies_that_repeat_a_better_message_in_slightly_other_words_leave_room_for_other_evidence() -> None:
    said = found(0)._replace(text="My sister Ann lives in Graz since May, with two cats and a dog.")
    told = "You told me {}: my sister Ann lives in Graz since May, with two cats and a dog"
    replies = [
        found(number)._replace(text=told.format(when), role="assistant")
        for number, when in enumerate(("so", "twice", "once", "already", "that", "it"), 1)
    ]
    person = found(7)._replace(text=f"Well, {said.text}")
    of_other_talk = replies[0]._replace(id=8, text=f"Yes, {said.text}", speaker="Lee")
    other = found(9)._replace(text="She moved there for a job at the opera.", score=4.0)
    reply = found(10)._replace(
        text="Your sister Ann lives in Graz, and the opera there is closed.", role="assistant", score=3
    )
    chosen = p.choose([said, *replies, person, of_other_talk, other, reply], ASKING, THREAD, frozenset(), LIMITS)
    assert ids(chosen) == [0, 7, 8, 9, 10]


def test_what_is_far_is_not_recalled_for_a_statement() -> None:
    assert p.choose([found(1, covered=0.0, cosine=0.1)], TELLING, THREAD, frozenset(), LIMITS) == []


def test_the_first_five_are_not_shown_anyway() -> None:
    assert ids(p.choose([found(n) for n in range(9)], TELLING, THREAD, frozenset({0, 1}), LIMITS)) == [2, 3, 4, 5, 6]


def test_the_question_itself_is_no_answer() -> None:
    same = Result("message", 1, 1, THREAD, ASKING, "user", None, AT, 9, 9.0, 1.0, (1,), 1.0)
    assert p.choose([same], ASKING, THREAD, frozenset(), LIMITS) == []


def test_memories_come_with_a_word_in_common_or_great_similarity_and_three_at_most() -> None:
    far = found(1, "fact", covered=0.0, cosine=0.69)
    near = [
        found(2, "goal", covered=0.0, cosine=0.7),
        found(3, "date", covered=0.2, cosine=0.1),
        found(4, "fact"),
        found(5, "pin"),
    ]
    assert ids(p.choose([far, *near], TELLING, THREAD, frozenset(), LIMITS)) == [2, 3, 4]


def test_how_many_come_and_how_alike_a_memory_must_be_is_set() -> None:
    few = ContextDefaults(messages=2, memories=1, min_cosine=0.9)
    hits = [*(found(n) for n in range(5)), *(found(n, "fact", covered=0.0, cosine=n / 10) for n in range(8, 11))]
    assert ids(p.choose(hits, TELLING, THREAD, frozenset(), few)) == [0, 1, 9]


def test_another_thread_is_silent_while_this_one_answers() -> None:
    hits = [found(1, thread="topic:1:7"), found(2)]
    assert ids(p.choose(hits, ASKING, THREAD, frozenset(), LIMITS)) == [2]


def test_another_thread_speaks_when_this_one_has_nothing_near() -> None:
    hits = [found(1, thread="topic:1:7"), found(2, covered=0.0, cosine=0.1)]
    assert ids(p.choose(hits, ASKING, THREAD, frozenset(), LIMITS)) == [1, 2]


def test_another_thread_speaks_when_it_holds_plainly_more_of_the_question() -> None:
    hits = [found(1, thread="topic:1:7", covered=0.9), found(2, covered=0.5)]
    assert ids(p.choose(hits, ASKING, THREAD, frozenset(), LIMITS)) == [1, 2]


def test_more_of_another_chat_is_shown_the_better_it_answers() -> None:
    def shown(cosine: float, covered: float, own: Sequence[Result] = (), *, several: bool = True) -> int:
        there = [found(n, cosine=cosine, covered=covered)._replace(chat_id=2, score=8.0) for n in range(60)]
        return len(p.with_other_chats(own, [*there, *own], ASKING, 1, several=several)) - len(own)

    assert shown(0.5, 0.0) == shown(0.1, 0.6) == p.OTHER_CHATS
    assert shown(0.35, 0.0) == shown(0.1, 0.4) == p.POSSIBLE
    assert shown(0.2, 0.2) == 0
    assert shown(0.2, 1.0, several=False) == 0, "one common word says little"
    own = [found(99, cosine=0.35, covered=0.1)]
    assert shown(0.4, 0.0, own) == 0, "this chat is about as near"
    assert shown(0.6, 0.0, own) == p.OTHER_CHATS


def test_a_memory_of_all_chats_is_no_answer_of_this_chat_and_hides_no_message_of_another() -> None:
    there = [found(n)._replace(chat_id=2, score=8.0) for n in range(3)]
    note = found(50, "fact", covered=1.0, cosine=0.9)._replace(chat_id=None)
    assert ids(p.with_other_chats([note], there, ASKING, 1, several=True)) == [0, 1, 2, 50]
    assert not p.is_answered(p.of_chat([note], 1))
    own = note._replace(chat_id=1)
    assert p.is_answered(p.of_chat([own], 1)), "a memory of this chat alone is its answer"
    assert ids(p.with_other_chats([own], there, ASKING, 1, several=True)) == [50]


def test_messages_of_all_chats_are_in_one_order_before_other_results() -> None:
    there, here = found(1)._replace(chat_id=2), found(2, cosine=0.1, covered=0.1)
    own = [here, found(5, "fact", cosine=0.1, covered=0.1)]
    assert ids(p.with_other_chats(own, [there, here], ASKING, 1, several=True)) == [1, 2, 5]
    assert ids(p.with_other_chats(own, [here, there], ASKING, 1, several=True)) == [2, 1, 5]


def test_this_chat_answers_if_one_of_its_messages_is_near() -> None:
    weak, near = found(7, cosine=0.2, covered=0.1), found(8, cosine=0.5, covered=0.5)
    assert p.is_answered([weak, near])
    assert not p.is_answered([weak])
