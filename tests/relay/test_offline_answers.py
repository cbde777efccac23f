"""The offline responder: what a message wants, and which finds answer it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from chatmem import contract as c
from chatmem_relay.incoming import Incoming
from chatmem_relay.responders.offline import CLOSEST, NOTHING, from_memory
from chatmem_relay.responders.wording import best_sentences, wish

AT = datetime(2026, 2, 16, 9, 15, tzinfo=UTC)


def asked(text: str) -> Incoming:
    return Incoming(text=text, chat_id=1, message_id="9", sent_at=AT, channel="terminal")


def found(text: str, **changes: Any) -> c.SearchResult:
    known = {
        "id": 1,
        "kind": "fact",
        "text": text,
        "at": AT,
        "age": "just now",
        "chat_id": 1,
        "score": 1.0,
        "sources": (),
    }
    return c.SearchResult.model_validate({"role": None, "speaker": None, "thread_key": None} | known | changes)


def said(text: str, role: str = "user", score: float = 1.0) -> c.SearchResult:
    return found(text, kind="message", role=role, thread_key="root:1", score=score)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What do you know about me?", "about_me"),
        ("What are my current goals?", "goals"),
        ("Which important dates are coming?", "dates"),
        ("Catch me up", "recap"),
        ("Hello!", "greeting"),
        ("Thanks a lot", "thanks"),
        ("Where did I leave my keys?", "answer"),
        ("Wo wohne ich?", "answer"),
        ("Где я живу?", "answer"),
        ("我住在哪里吗", "answer"),
        ("I moved to Lisbon", "statement"),
        ("Do not forget the milk", "statement"),
    ],
)
def test_a_message_is_known_by_its_words(text: str, wanted: str) -> None:
    assert wish(text) == wanted


@pytest.mark.parametrize("question", ["Where do I live?", "What is my boss called?"])
def test_another_inflection_of_the_asked_word_is_a_direct_answer(question: str) -> None:
    answer = from_memory([found("Lives in Lisbon; her boss is called Ana")], asked(question))
    assert answer == "On February 16, 2026 you told me: “Lives in Lisbon; her boss is called Ana”"


def test_a_find_that_shares_no_word_is_called_the_closest() -> None:
    assert from_memory([found("Plays chess")], asked("Where do I live?")).startswith(CLOSEST)


def test_neither_the_question_nor_an_earlier_one_nor_our_own_answer_is_an_answer() -> None:
    echoes = [
        said("Where do I live?"),
        said("Do I live in Rome?"),
        said(NOTHING, "assistant"),
        said("Noted: “I live here”", "assistant"),
    ]
    assert from_memory(echoes, asked("Where do I live?")) == NOTHING


def test_a_memory_and_the_message_it_came_from_are_told_once() -> None:
    answer = from_memory([said("I live in Lisbon now"), found("live in Lisbon", score=0.9)], asked("Where do I live?"))
    assert answer.count("Lisbon") == 1


def test_of_a_long_text_the_sentences_that_answer_are_quoted_in_their_order() -> None:
    text = (
        "Good morning. Markets rose. The forecast says rain until noon. Your first call is at ten. Rain stops by two."
    )
    assert (
        best_sentences(text, "What was the rain forecast?") == "The forecast says rain until noon. Rain stops by two."
    )
