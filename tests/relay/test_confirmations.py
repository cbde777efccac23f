"""How many uncertain memories a person is asked about at a time, and how long an unanswered question delays the next
questions."""

from datetime import UTC, datetime, timedelta

from tellonce import contract as c
from tellonce_relay.commands.confirmations import PATIENCE, Confirmations
from tellonce_relay.seen_store import SeenStore

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


def ask(confirmations: Confirmations, known: list[c.Memory]) -> list[int]:
    asked = [m.id for m in confirmations.to_ask(CHAT, known)]
    for number in asked:
        confirmations.asked(CHAT, uncertain(number))
    return asked


def test_two_questions_are_open_at_a_time_and_each_is_asked_once() -> None:
    confirmations, known = Confirmations(SeenStore(), Watch()), [uncertain(n) for n in (3, 1, 2)]
    assert ask(confirmations, known) == [1, 2]
    assert ask(confirmations, known) == []
    assert ask(confirmations, [m for m in known if m.id != 1]) == [3]


def test_a_goal_that_was_asked_about_is_asked_about_once_more_when_it_is_overdue() -> None:
    watch = Watch()
    confirmations = Confirmations(SeenStore(), watch)
    goal = uncertain(1).model_copy(update={"kind": "goal", "deadline": NOON + timedelta(days=1)})
    first = confirmations.question(goal)
    for days, expected in ((0, [goal]), (0, []), (40, [goal]), (0, [])):
        watch.now += timedelta(days=days)
        asked = confirmations.to_ask(CHAT, [goal])
        assert asked == expected
        for one in asked:
            confirmations.asked(CHAT, one)
    assert confirmations.question(goal) != first


def test_a_question_nobody_answers_holds_up_no_other_for_ever() -> None:
    watch = Watch()
    confirmations, known = Confirmations(SeenStore(), watch), [uncertain(n) for n in (1, 2, 3)]
    assert ask(confirmations, known) == [1, 2]
    watch.now += PATIENCE - timedelta(seconds=1)
    assert ask(confirmations, known) == []
    watch.now += timedelta(seconds=1)
    assert ask(confirmations, known) == [3]


def test_the_question_says_who_claims_it_and_quotes_the_persons_words() -> None:
    confirmations, doubt = Confirmations(SeenStore(), Watch()), uncertain(1)
    known = c.Explanation(subject="memory", id="1", at=NOON, text=doubt.content, model="assistant")
    quoted = known.model_copy(update={"quotes": ("I may move to city 1",)})
    asked = confirmations.question(doubt)
    assert confirmations.question(doubt, quoted) == (
        f"{asked}\nAn assistant claims it.\nYour words: “I may move to city 1”"
    )
    assert (
        confirmations.question(doubt, known) == f"{asked}\nAn assistant claims it, without words of yours that say so."
    )
