"""The offline responder: how it interprets a message, and which search results it uses for the answer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import AsyncMock
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import LANGUAGES, Language, phrase, use_language
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.offline import OfflineResponder, best_sentences, choose, from_memory, listed_memories
from tellonce_relay.responders.prompt import Prompt
from tellonce_server.api.text import search_remark
from tellonce_text.sentences import split_sentences

AT = datetime(2026, 2, 16, 9, 15, tzinfo=UTC)


def answer_from(results: Sequence[c.SearchResult], incoming: Incoming, *more: Any) -> str:
    return from_memory(choose(results, incoming), incoming, *more)


def asked(text: str) -> Incoming:
    return Incoming(text=text, chat_id=1, message_id="9", sent_at=AT, channel="terminal")


def search_result(text: str, **changes: Any) -> c.SearchResult:
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


def said(text: str, role: str = "user", **changes: Any) -> c.SearchResult:
    return search_result(text, kind="message", role=role, thread_key="root:1", **changes)


@pytest.mark.anyio
@pytest.mark.parametrize("learned", [(), ("My boss is Ana.",)])
@pytest.mark.parametrize("question", ["What do I own?", "Who am I?"])
async def test_a_question_without_a_topic_lists_what_was_just_said_before_it_is_learned(
    learned: tuple[str, ...], question: str
) -> None:
    memory = AsyncMock()
    memory.get_profile.return_value = profile(*learned)
    told = [said("I own a zeppelin"), said("My boss is Ana."), said(question), said("Ok", role="assistant")]
    memory.search_memory.return_value.results = told
    answers = [one async for one in OfflineResponder().answer(Prompt((), ""), asked(question), memory)]
    assert sorted(str(answers[0]).splitlines()) == ["• I own a zeppelin (Feb 16)", "• My boss is Ana. (Feb 16)"]


def test_a_question_without_a_topic_searches_a_conversation_of_which_nothing_is_learned() -> None:
    spoken = c.Conversation(messages=4, summaries=0, verbatim=4)
    assert listed_memories(profile().model_copy(update={"conversation": spoken}), asked("Who am I?"), ()) is None


def test_two_messages_of_a_burst_are_not_quoted_as_one_sentence() -> None:
    results = [said("I parked on level 3"), said("dentist is on the second floor", id=2)]
    (line,) = answer_from(results, asked("Where did I park?")).splitlines()
    assert "I parked on level 3" in line
    assert "level 3 dentist" not in line


def profile(*facts: str) -> c.Profile:
    stored = [c.Memory.model_construct(id=n, kind="fact", content=text, valid_from=AT) for n, text in enumerate(facts)]
    return c.Profile.model_construct(facts=tuple(stored), preferences=(), goals=(), dates=(), pins=(), uncertain=())


@pytest.mark.parametrize("question", ["Where do I live?", "What is my boss called?"])
def test_another_inflection_of_the_asked_word_is_found_and_only_the_persons_words_are_quoted(question: str) -> None:
    answer = answer_from([search_result("Lives in Lisbon; her boss is called Ana")], asked(question))
    assert answer == "I remember: Lives in Lisbon; her boss is called Ana (Feb 16)"


def test_a_memory_that_is_no_longer_true_is_marked() -> None:
    former = search_result("I live in Singapore").model_copy(update={"status": "superseded"})
    done = search_result("I live in a tent").model_copy(update={"status": "completed"})
    assert answer_from([done], asked("Where did I live before?")) == "I remember: I live in a tent (Feb 16)"
    answer = answer_from([former, search_result("I live in Lisbon", id=9)], asked("Where did I live before?"))
    assert sorted(answer.splitlines()) == [
        "I remember: I live in Lisbon (Feb 16)",
        "No longer so: I live in Singapore (Feb 16)",
    ]


def test_the_newest_words_come_first_and_an_older_memory_gives_way_to_them() -> None:
    results = [
        search_result("The user lives in Singapore", at=AT - timedelta(days=80)),
        said("I live in Singapore. It is hot here.", at=AT - timedelta(days=60)),
        said("We live in Lisbon now!", at=AT - timedelta(days=2)),
    ]
    assert answer_from(results, asked("Where do I live?")) == (
        "You told me on Feb 14: “We live in Lisbon now!”\n"
        "You told me on Dec 18, 2025: “I live in Singapore. It is hot here.”"
    )


@pytest.mark.parametrize(
    ("question", "words", "named"),
    [
        ("When is the dentist?", "The dentist is on Friday at 3pm", "Friday at 3pm: Fri, Feb 13, 3:00 PM"),
        ("Wann ist der Zahnarzt?", "Der Zahnarzt ist nächste Woche Dienstag", "Dienstag: Tue, Feb 17"),
        ("¿Cuándo es el dentista?", "El dentista es pasado mañana", "pasado mañana: Thu, Feb 12"),
        ("C'est quand, le dentiste ?", "Le dentiste est demain matin", "demain matin: Wed, Feb 11"),
        ("Quando è il dentista?", "Il dentista è dopodomani", "dopodomani: Thu, Feb 12"),
        ("Quando é o dentista?", "O dentista é amanhã", "amanhã: Wed, Feb 11"),
        ("Когда зубной?", "Зубной послезавтра", "послезавтра: Thu, Feb 12"),
    ],
)
def test_an_answer_adds_the_day_that_the_persons_words_name(question: str, words: str, named: str) -> None:
    answer = answer_from([said(words, at=datetime(2026, 2, 10, 9, tzinfo=UTC))], asked(question))
    assert answer.startswith(f"You told me on Feb 10: “{words}” (")
    assert named in answer


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("I moved to Lisbon yesterday and Ines visits on Friday", "yesterday: Mon, Feb 9; Friday: Fri, Feb 13"),
        (
            "I moved yesterday, on Sunday came Ben, and Ines visits tomorrow at 5 or on Friday",
            "yesterday: Mon, Feb 9; tomorrow at 5: Wed, Feb 11, 5:00 PM",
        ),
        ("Ines visits on March 4 and leaves the next Monday", "the next Monday: Mon, Feb 16"),
        ("Ines left on December 3 and visits on March 4", "December 3: Wed, Dec 3, 2025"),
        ("Ines left 2 hours ago", "2 hours ago: ≈ Tue, Feb 10, 7:00 AM"),
        ("Ines left a few weeks ago", "a few weeks ago: Jan 17–Jan 23"),
    ],
)
def test_an_answer_adds_every_day_that_is_not_in_doubt(words: str, days: str) -> None:
    answer = answer_from([said(words, at=datetime(2026, 2, 10, 9, tzinfo=UTC))], asked("When does Ines visit?"))
    assert answer.endswith(f"You told me on Feb 10: “{words}” ({days})")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When is my dentist?", "My dentist is on the 3rd, no wait, on the 4th of March at 10:30"),
        ("Wann ist der Zahnarzt?", "Der Zahnarzt ist am 3., nein, am 4. März um 10:30"),
        ("¿Cuándo es el dentista?", "El dentista es el día 3, no, el 4 de marzo a las 10:30"),
        ("Когда зубной?", "Зубной 3-го, нет, 4 марта в 10:30"),
    ],
)
def test_an_answer_adds_no_day_that_is_in_doubt(question: str, words: str) -> None:
    answer = answer_from([said(words, at=datetime(2026, 2, 10, 9, tzinfo=UTC))], asked(question))
    assert answer == f"You told me on Feb 10: “{words}”"


REQUESTS = [
    "remind me every day at 21:00 to take my pills",
    "Erinnere mich jeden Werktag um 7:15 an meine Pillen",
    "Recuérdame cada día a las 8 tomar mis pills",
    "Напомни мне каждый день в 8 о pills",
    "remind me on Feb 30 to take my pills",
]


@pytest.mark.parametrize("request_to_bot", REQUESTS)
def test_an_answer_never_quotes_a_request_to_the_bot(request_to_bot: str) -> None:
    statement = "I take my pills with milk"
    results = [said(request_to_bot, id=1, at=AT - timedelta(hours=2)), said(statement, id=2)]
    answer = answer_from(results, asked("When do I take my pills in the morning, at 8 or in 20 minutes?"))
    assert request_to_bot not in answer
    assert statement in answer


@pytest.mark.parametrize("statement", ["Tom has to remind me about the keys", "On Friday at 5 we meet", "12 eggs"])
def test_a_statement_with_a_time_or_the_words_of_a_request_is_quoted(statement: str) -> None:
    assert statement in answer_from([said(statement)], asked("What about the keys, the eggs, and Friday?"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_and_its_days_are_one_sentence_so_that_both_are_forgotten(language: Language) -> None:
    words = "My visit is on Friday at 14:30. I moved my sofa yesterday!"
    with use_language(language):
        answer = answer_from([said(words, at=datetime(2026, 2, 10, 9, tzinfo=UTC))], asked("When is my sofa's visit?"))
    *_, last = split_sentences(answer)
    assert all(text in last for text in ("visit", "13", "sofa", "9"))


def test_a_casual_count_is_marked_as_such() -> None:
    answer = answer_from(
        [said("The lease ends in two weeks", at=datetime(2026, 2, 10, 9, tzinfo=UTC))],
        asked("When does the lease end?"),
    )
    assert answer.endswith("“The lease ends in two weeks” (in two weeks: ≈ Tue, Feb 24)")


def test_what_is_said_about_another_name_is_no_answer() -> None:
    plumber = said("The plumber is Jonas, his number is 555-0199", at=AT - timedelta(days=1))
    results = [plumber, said("Sarah's phone number is 555-0142")]
    answer = answer_from(results, asked("What is Sarah's number?"))
    assert answer == "You told me on Feb 16: “Sarah's phone number is 555-0142”"


def test_a_newer_memory_stands_beside_the_words() -> None:
    results = [said("I live in Singapore", at=AT - timedelta(days=60)), search_result("The user lives in Lisbon")]
    assert (
        answer_from(results, asked("Where do I live?")).splitlines()[0]
        == "I remember: The user lives in Lisbon (Feb 16)"
    )


def test_what_shares_no_word_with_the_question_is_called_the_nearest() -> None:
    answer = answer_from([search_result("Plays chess"), said("I play chess")], asked("Where do I live?"))
    assert answer == f"{phrase('offline.nearest')}\nYou told me on Feb 16: “I play chess”"
    assert answer_from([search_result("Plays chess")], asked("Where do I live?")) == phrase("offline.nothing")


def test_neither_the_question_nor_an_earlier_one_nor_our_own_answer_is_evidence() -> None:
    echoes = [
        said("Where do I live?"),
        said("Do I live in Rome?"),
        said("do you know where I live?\nwhere do I live"),
        said("Forget that I live in Rome"),
        said("remind me where I live"),
        said(phrase("offline.nothing"), "assistant"),
        said("You told me on Feb 1: “I live in Oslo”", "assistant"),
    ]
    assert answer_from(echoes, asked("Where do I live?")) == phrase("offline.nothing")


@pytest.mark.parametrize("newer", [0, 3])
def test_in_a_summary_the_persons_questions_and_our_own_answers_are_no_evidence(newer: int) -> None:
    question, echo = "User: “Where do I live?” (2026-02-15)", "User: “/forget where I live” (2026-02-15)"
    answer = f"Assistant: “{phrase('offline.told', day='Feb 1', quote='“I live in Oslo”')}” (2026-02-15)"
    told = "User: “I live in Lisbon now” (2026-02-15)"
    summary = search_result("\n".join([question, echo, answer]), kind="summary")
    message = said("I live in Rome", at=AT - timedelta(days=newer))
    assert answer_from([summary, message], asked("Where do I live?")).splitlines() == [
        f"You told me on Feb {16 - newer}: “I live in Rome”"
    ]
    assert answer_from([summary], asked("Where do I live?")) == phrase("offline.nothing")
    mixed = answer_from([search_result(f"{question}\n{told}", kind="summary")], asked("Where do I live?"))
    assert told in mixed
    assert question not in mixed


def test_only_what_is_said_about_the_named_person_is_shown() -> None:
    results = [
        said("Nora has a new flat in Oslo", at=AT - timedelta(days=30), score=5),
        said("I moved to Lisbon in March", at=AT, score=4.5),
        said("Nora is seven and likes strawberries", at=AT - timedelta(days=60), score=4),
    ]
    first, second = answer_from(results, asked("Where is Nora's flat?")).splitlines()
    assert ("Oslo" in first, "strawberries" in second) == (True, True)


def test_sentences_about_the_named_person_that_say_nothing_of_what_was_asked_are_called_the_nearest() -> None:
    results = [said("Nora is seven", score=5), said("I live in Lisbon", score=4, at=AT + timedelta(minutes=1))]
    head, first, *_ = answer_from(results, asked("Where does Nora live?")).splitlines()
    assert (head, "Nora is seven" in first) == (phrase("offline.nearest"), True)


def test_of_a_message_only_what_tells_is_quoted_and_word_for_word() -> None:
    answer = answer_from(
        [said("I live in Lisbon. Nice weather. Where do you live? My boat is old.")], asked("Where do I live?")
    )
    assert answer == "You told me on Feb 16: “I live in Lisbon. Nice weather.”"


def test_a_bots_name_is_not_part_of_a_quote() -> None:
    answer = answer_from([said("@memory_bot our meeting is on 5 December")], asked("@memory_bot when is our meeting?"))
    assert "“our meeting is on 5 December" in answer


def test_what_another_speaker_said_is_credited_to_them() -> None:
    answer = answer_from([said("I live in Oslo", speaker="Ben")], asked("Where does Ben live?"))
    assert answer == "Ben said on Feb 16: “I live in Oslo”"


def test_a_memory_and_the_message_it_came_from_are_told_once() -> None:
    answer = answer_from(
        [search_result("live in Lisbon"), said("I live in Lisbon now", score=0.9)], asked("Where do I live?")
    )
    assert answer == "You told me on Feb 16: “I live in Lisbon now”"


def test_of_a_long_text_the_sentences_that_answer_are_quoted_in_their_order_and_gaps_are_marked() -> None:
    text = "Good morning. The forecast says rain until noon. Your first call is at ten. Rain stops by two."
    assert (
        best_sentences(text, "What was the rain forecast?")
        == "… The forecast says rain until noon. … Rain stops by two."
    )


def test_a_change_told_in_other_words_comes_before_the_words_of_the_question() -> None:
    results = [
        said("I live in Graz", at=AT - timedelta(days=60), score=6),
        said("I moved to Berlin", at=AT - timedelta(days=2), score=4),
        said("I was in Prague", at=AT - timedelta(days=90), score=5),
        said("The rent is high", at=AT - timedelta(days=1), score=2),
    ]
    assert answer_from(results, asked("Where do I live?")).splitlines() == [
        "You told me on Feb 14: “I moved to Berlin”",
        "You told me on Dec 18, 2025: “I live in Graz”",
    ]
    assert phrase("offline.nearest") not in answer_from(results, asked("Where did I move to?"))


def test_words_that_only_mean_what_is_asked_are_shown_newest_first_and_far_ones_not() -> None:
    results = [
        said("I moved to Oslo", score=3.6, at=AT - timedelta(days=1)),
        said("I grew up speaking Portuguese", score=3.5),
        said("The printer is broken", score=1.2, at=AT - timedelta(hours=1)),
    ]
    assert answer_from(results, asked("Where do I live?")).splitlines() == [
        phrase("offline.nearest"),
        "You told me on Feb 16: “I grew up speaking Portuguese”",
        "You told me on Feb 15: “I moved to Oslo”",
    ]


@pytest.mark.parametrize(("text", "missing"), [("I drink CAFÉ", False), ("I drink tea", True), ("A cafe-bar", False)])
def test_the_command_search_says_if_no_result_contains_a_word_of_the_query(text: str, missing: bool) -> None:
    results = c.SearchResults(results=(search_result(text),), next_cursor=None)
    assert bool(search_remark(c.SearchMemoryArgs(query="my café"), results)) is missing


SINGAPORE = ZoneInfo("Asia/Singapore")
PASSPORT = datetime(2027, 5, 1, tzinfo=SINGAPORE)


@pytest.mark.parametrize(
    ("kind", "text", "due", "answer"),
    [
        ("date", "Passport expires", PASSPORT, "Passport expires (Sat, May 1, 2027)"),
        ("date", "Passport desk", PASSPORT.replace(hour=9), "Passport desk (Sat, May 1, 2027, 9:00 AM)"),
        ("goal", "Renew the passport", PASSPORT, "Renew the passport (by Sat, May 1, 2027)"),
        ("fact", "Has a passport", None, "Has a passport (Feb 16)"),
    ],
)
def test_a_date_or_goal_is_answered_with_the_day_on_which_it_is_due(
    kind: str, text: str, due: datetime | None, answer: str
) -> None:
    due_utc = due.astimezone(UTC) if due is not None else None
    results = [search_result(text, kind=kind, due=due_utc)]
    assert answer_from(results, asked("When does my passport expire?"), SINGAPORE).endswith(f"I remember: {answer}")


def test_a_list_of_dates_gives_the_day_on_which_each_is_due() -> None:
    stored = c.Memory.model_construct(
        id=1, kind="date", content="Passport expires", valid_from=AT, deadline=PASSPORT.astimezone(UTC), note=False
    )
    known = profile().model_copy(update={"dates": (stored,)})
    assert listed_memories(known, asked("What are my dates?"), (), SINGAPORE) == "• Passport expires (Sat, May 1, 2027)"


@pytest.mark.parametrize(
    ("filler", "telling", "question"),
    [
        ("Point {} of the plan is to paint wall {}.", "The budget is 1234 euros.", "What is the budget of the plan?"),
        ("Punkt {} im Plan: Wand {} streichen.", "Das Budget ist 1234 Euro.", "Wie hoch ist das Budget im Plan?"),
        (
            "El punto {} del plan es pintar la pared {}.",
            "El presupuesto es de 1234 euros.",
            "¿El presupuesto del plan?",
        ),
        ("Пункт {} плана: покрасить стену {}.", "Бюджет 1234 евро.", "Какой бюджет у плана?"),
    ],
)
def test_of_a_long_text_the_sentence_with_the_rare_word_is_quoted(filler: str, telling: str, question: str) -> None:
    text = " ".join([*(filler.format(n, n) for n in range(150)), telling])
    assert telling in best_sentences(text, question)
