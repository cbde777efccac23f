"""How many doubts a person is asked about, and for how long an unanswered one keeps the others waiting."""

from datetime import UTC, datetime, timedelta

from tellonce import contract as c
from tellonce_relay.doubts import PATIENCE, Doubts
from tellonce_relay.notebook import Notebook

CHAT = 42
NOON = datetime(2026, 2, 16, 12, tzinfo=UTC)


def uncertain(number: int) -> c.Memory:
    fixed = {"kind": "fact", "scope": "chat", "chat_id": CHAT, "status": "uncertain", "origin": "extracted"}
    unset = dict.fromkeys(("deadline", "valid_to", "superseded_by"))
    plain = {
        "confidence": 0.5,
        "priority": 3,
        "importance": 0.5,
        "pinned": False,
        "user_confirmed": False,
        "sources": (),
    }
    return c.Memory.model_validate(
        {"id": number, "content": f"Might move to city {number}", "valid_from": NOON, **fixed, **unset, **plain}
    )


class Watch:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def ask(doubts: Doubts, known: list[c.Memory]) -> list[int]:
    asked = [m.id for m in doubts.to_ask(CHAT, known)]
    for number in asked:
        doubts.asked(CHAT, number)
    return asked


def test_two_questions_are_open_at_a_time_and_each_is_asked_once() -> None:
    doubts, known = Doubts(Notebook(), Watch()), [uncertain(n) for n in (3, 1, 2)]
    assert ask(doubts, known) == [1, 2]
    assert ask(doubts, known) == []
    assert ask(doubts, [m for m in known if m.id != 1]) == [3]


def test_a_question_nobody_answers_holds_up_no_other_for_ever() -> None:
    watch = Watch()
    doubts, known = Doubts(Notebook(), watch), [uncertain(n) for n in (1, 2, 3)]
    assert ask(doubts, known) == [1, 2]
    watch.now += PATIENCE - timedelta(seconds=1)
    assert ask(doubts, known) == []
    watch.now += timedelta(seconds=1)
    assert ask(doubts, known) == [3]
