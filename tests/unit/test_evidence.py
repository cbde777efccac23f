"""The evidence check: what an item adds to its sources is found out, what it only rephrases is let through."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem_server.memories.eligibility import eligible_sentences
from chatmem_server.memories.evidence import Source, check, contains_quote, stated, supported

ZONE = ZoneInfo("Asia/Singapore")
SENT = datetime(2026, 2, 18, 15, 0, tzinfo=ZONE)  # a Wednesday


def source(text: str) -> Source:
    return Source(text, SENT, ZONE)


BORNE_OUT = [
    ("User lives in Lisbon", "I live in Lisbon"),
    ("User's team offsite is on March 15, 2026", "Don't forget my team offsite is on March 15"),
    ("User has 2 dogs", "I have two dogs"),
    ("User earns 5000 dollars a month", "I earn $5,000 a month"),
    ("User earns 5000 a month", "I earn 5k a month"),
    ("User does not like coffee", "I don't like coffee"),
    ("User dislikes coffee", "I hate coffee"),
    ("User quit smoking", "I no longer smoke"),
    ("User is vegetarian", "I don't eat meat because I'm vegetarian"),
    ("Dentist appointment on 2026-02-27", "I see the dentist next Friday"),
    ("Dentist appointment on 2026-02-20", "I see the dentist next Friday"),
    ("Moved to Lisbon in the week of 2026-02-09", "I moved to Lisbon last week"),
    ("User moved to Lisbon in February 2026", "I moved to Lisbon yesterday"),
    ("Launch the integration by June 30, 2026", "I need to launch the integration by Q2 2026"),
    ("Meeting on March 3, 2026", "the meeting is on the 3rd"),
    ("Standup at 15:00", "the standup is at 3pm"),
    ("User was born in 1991", "born 1991 in Hanoi"),
    ("User is Singaporean", "I grew up in Singapore"),
    ("User flies to Tokyo on 2026-05-02", "my flight to Tokyo is on May 2"),
    ("User runs 5 km every Sunday", "I run five kilometres every Sunday"),
    ("User's doctor is Dr. Chen", "my doctor, Dr. Chen, is great"),
    ("User cannot wait for the Berlin trip", "I can't wait to go on the Berlin trip"),
    ("Пользователь живёт в Москве", "Моя Москва! Живёт во мне"),
    ("User prefers concise answers", "please keep your answers concise"),
    ("User has one brother", "I have a brother"),
    ("Dentist on Friday at 3", "dentist on thursday at 3 no wait, friday at 3"),
    ("User's name is Zara", "my name isnt Sara its Zara"),
    ("User went from 91 kg to 84 kg", "I weigh 84 kg, down from 91 kg"),
    ("Rent is 1450 from May", "my rent is 1450 from May"),
    ("Meeting with Dr. Chen at 4:30 pm", "The meeting with Dr. Chen is at 4:30"),
    ("User runs almost every day", "I run almost every day"),
    ("User studies medicine", "I was planning to study law but then chose medicine"),
    ("User lives in Vienna", "I live in Vienna right now"),
    ("User lives in Porto", "I moved to Porto yesterday"),
    ("Emma is 7", "my daughter Emma (7) and my son Jonas (4)"),
    ("User works at their father's bakery", "I work at my father's bakery"),
    ("Flight from Oslo to Berlin on May 3", "I'm flying from Oslo to Berlin on May 3"),
    ("User owes Marta 120 euros", "i owe marta 120 euros"),
    ("User's sister Nora lives in Madrid", "My sister Nora lives in Madrid"),
    ("Nora lives in Madrid", "My sister Nora lives in Madrid"),
]  # fmt: skip
MADE_UP = [
    ("User lives in Porto", "I live in Lisbon", "name"),
    ("User lives in Lisbon with Marta", "I live in Lisbon", "name"),
    ("User's team offsite is on March 16", "my team offsite is on March 15", "date"),
    ("User's team offsite is on March 15, 2025", "my team offsite is on March 15", "date"),
    ("User has 3 dogs", "I have two dogs", "number"),
    ("User runs 5 km", "I run 5 miles", "amount"),
    ("User takes 20 mg of iron", "I take 20 mcg of iron", "amount"),
    ("User does not like coffee", "I like coffee", "do not deny"),
    ("User likes coffee", "I don't like coffee", "deny this"),
    ("User is vegetarian", "I'm not vegetarian", "deny this"),
    ("User smokes", "I quit smoking", "deny this"),
    ("Dentist on 2026-03-06", "I see the dentist next Friday", "date"),
    ("Launch by September 30, 2026", "launch it by Q2 2026", "date"),
    ("User moved to Lisbon in 2024", "I moved to Lisbon", "date"),
    ("User was born in 1992", "born 1991 in Hanoi", "date"),
    ("User works at Google on AWS", "I work at Google", "name"),
    ("Meeting at 4pm", "the meeting is at 3pm", "date"),
    ("User earns 50000 a month", "I earn 5k a month", "number"),
    ("Dentist on Thursday at 3", "dentist on thursday at 3 no wait, friday at 3", "date"),
    ("User's name is Sara", "my name isnt Sara its Zara", "name"),
    ("User weighs 91 kg", "i weigh 84 kg now, down from 91 kg", "number"),
    ("User takes 25 mg of sertraline", "i take 50 mg of sertraline, doc upped it from 25 mg", "number"),
    ("User bought a Tesla", "i almost bought a tesla", "come about"),
    ("User is planning to go to Japan", "we were planning to go to japan but it fell through", "come about"),
    ("User lives in Vienna", "next week i'm in vienna", "some days"),
    ("User drinks 3 beers every night", "i had 3 beers last night", "one time"),
    ("Emma is 4", "my kids are emma (7) and jonas (4)", "another number"),
    ("Flight from Oslo on March 23", "my flight to oslo is on March 23", "other way"),
    ("Marta owes User 120 euros", "i owe marta 120 euros", "other way"),
    ("User's birthday is on March 14", "it's my mom's birthday on March 14", "somebody else's"),
    ("User likes pizza", "jan likes pizza, i like sushi", "somebody else"),
    ("User is from Brazil", "my gf is from brazil", "somebody else"),
    ("User can't handle spicy food", "i don't mind spicy but my husband can't handle it", "somebody else"),
]  # fmt: skip


@pytest.mark.parametrize(("item", "said"), BORNE_OUT)
def test_what_only_rephrases_its_source_is_supported(item: str, said: str) -> None:
    verdict = check(item, said, [source(said)])
    assert verdict.supported, verdict.reason


@pytest.mark.parametrize(("item", "said", "reason"), MADE_UP)
def test_what_adds_to_its_source_is_not(item: str, said: str, reason: str) -> None:
    verdict = check(item, said, [source(said)])
    assert not verdict.supported
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("item", "said", "hedged"),
    [
        ("User is getting a cold", "I think I might be getting a cold", True),
        ("User is moving to Berlin", "I'm moving to Berlin, not sure yet", True),
        ("User is considering a dog", "I'm thinking about getting a dog", True),
        ("User's flight is on May 3", "My flight is on May 3, i think", True),
        ("User lives in Bonn", "I live in Bonn and might get a dog", False),
        ("User thinks of Rome as home", "I think of Rome as my home", False),
    ],
)
def test_what_its_writer_is_not_sure_of_is_marked(item: str, said: str, hedged: bool) -> None:
    assert check(item, said, [source(said)]).hedged is hedged


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("I live in Lisbon now. My sister visits.", True),
        ("My sister lives in Lisbon.", False),
        ("I almost moved to Lisbon.", False),
        ("I live in Berlin. Lisbon was nice.", False),
        ("I do not live in Lisbon.", False),
    ],
)
def test_a_message_put_right_bears_out_only_what_it_still_says_of_the_user(text: str, holds: bool) -> None:
    assert supported("Lives in Lisbon", text) is holds
    assert supported("I live in Lisbon", text) is holds


def test_what_only_a_question_or_a_task_says_is_not_stated() -> None:
    message = "I'm lactose intolerant. Can you give me a pancake recipe without milk?"
    sentences = [sentence.text for sentence in eligible_sentences(message)]
    assert stated("User is lactose intolerant", message, sentences)
    assert not stated("User wants pancakes without milk", message, sentences)


def test_a_quote_that_nobody_wrote_supports_nothing() -> None:
    verdict = check("User lives in Lisbon", "I reside in Lisbon", [source("I live in Lisbon")])
    assert (verdict.supported, verdict.reason) == (False, "the quote is not in the sources")
    assert not check("User lives in Lisbon", "", [source("I live in Lisbon")]).supported
    assert not check("User lives in Lisbon", "I live in Lisbon", []).supported


@pytest.mark.parametrize(
    "quote", ["i live in  Lisbon", "“I live in Lisbon”", "I live in\nLisbon.", "'I live in Lisbon'"]
)
def test_a_quote_is_found_whatever_its_spaces_and_marks(quote: str) -> None:
    assert contains_quote('Well, "I live in Lisbon" now', quote)


def test_a_denial_just_outside_the_quote_is_seen() -> None:
    said = "I would never say that I like coffee."
    assert not check("User likes coffee", "I like coffee", [source(said)]).supported


def test_a_denial_of_something_else_does_not_count() -> None:
    said = "I don't eat meat, but I love cheese"
    assert check("User loves cheese", "I love cheese", [source(said)]).supported
    assert not check("User doesn't love cheese", "I love cheese", [source(said)]).supported


def test_names_the_caller_knows_need_no_evidence() -> None:
    said = [source("I live in Lisbon")]
    assert not check("Then Priya lives in Lisbon", "I live in Lisbon", said).supported
    assert check("Then Priya lives in Lisbon", "I live in Lisbon", said, known_names=["Priya"]).supported


def test_claims_may_come_from_several_sources() -> None:
    said = [source("The offsite is in Batam"), source("it's on March 15")]
    assert check("The offsite in Batam is on March 15, 2026", "it's on March 15", said).supported


def test_a_relative_date_is_resolved_at_the_time_of_its_own_message() -> None:
    early = Source("I see the dentist tomorrow", datetime(2026, 1, 5, 23, 30, tzinfo=ZONE), ZONE)
    assert check("Dentist on 2026-01-06", "dentist tomorrow", [early, source("ok")]).supported
    assert not check("Dentist on 2026-02-19", "dentist tomorrow", [early, source("ok")]).supported


def test_the_users_zone_decides_which_day_it_was() -> None:
    # 23:30 in Singapore on the 5th is the 5th in UTC too; 00:30 on the 6th is still the 5th there.
    sent = datetime(2026, 1, 5, 16, 30, tzinfo=ZoneInfo("UTC"))
    assert check("Dentist on 2026-01-07", "dentist tomorrow", [Source("dentist tomorrow", sent, ZONE)]).supported


@pytest.mark.parametrize(
    ("item", "text", "still"),
    [
        ("The offsite is on March 15", "offsite is March 15 at noon", True),
        ("The offsite is on March 15", "offsite is March 22", False),
        ("The offsite is on March 15, 2026", "offsite is March 22", False),
        ("User lives in Lisbon", "I live in Porto", False),
        ("User likes coffee", "I like coffee", True),
        ("User likes coffee", "I don't like coffee", False),
        ("User has two dogs", "never mind", False),
    ],
)
def test_an_edited_text_bears_out_only_what_it_still_says(item: str, text: str, still: bool) -> None:
    assert supported(item, text) == still


PLAIN = st.sampled_from(
    [
        "I live in Lisbon",
        "I have two dogs",
        "My flight is on March 3",
        "I don't like rain",
        "Emma works at GovTech",
        "I run 5 km at 7am",
    ]
)


@given(PLAIN, st.lists(PLAIN, max_size=3))
def test_a_verbatim_item_is_always_supported(said: str, others: list[str]) -> None:
    assert check(said, said, [*map(source, others), source(said)]).supported


@given(PLAIN, st.integers(10_000, 10**9))
def test_a_number_nobody_said_is_never_supported(said: str, number: int) -> None:
    assert not check(f"{said} and owns {number} shares", said, [source(said)]).supported


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_texts_can_be_checked(item: str, quote: str, said: str) -> None:
    check(item, quote, [source(said)])
    supported(item, said)


# (item, quote, message): said by or of somebody else, played, sung or pasted; a model took it for the user's.
ANOTHERS = [
    ("Lives in Osaka", "he lives in Osaka", "My friend says he lives in Osaka."),
    ("User lives in Osaka", "My friend says he lives in Osaka", "My friend says he lives in Osaka."),
    ("Hates her job at Oracle", "she hates her job at Oracle", "She told me that she hates her job at Oracle."),
    ("User is moving to Ohio", "I am moving to Ohio", "According to my neighbour, I am moving to Ohio."),
    ("User needs the report by Friday", "I need the report by Friday", "My boss wrote: I need the report by Friday."),
    ("User is a doctor", "I'm a doctor", "He goes, I'm a doctor, trust me."),
    (
        "User prefers email over phone",
        "they prefer email over phone",
        "The customer said they prefer email over phone.",
    ),
    (
        "User is a detective called Marlowe",
        "I am a detective called Marlowe",
        "In my novel, I am a detective called Marlowe who lives in Los Angeles.",
    ),
    ("User was born in the USA", "I was born in the USA", "The song goes: I was born in the USA"),
    (
        "User is the king of England",
        "I'm the king of England",
        "Oh sure, I'm the king of England and I live in Buckingham Palace.",
    ),
    ("User lives in Texas", "I live in Texas", "# I live in Texas\nconst city = 'Austin'"),
    ("User works at a bakery", "Bob works at a bakery", "You are Bob. Bob works at a bakery and likes jazz."),
    ("User likes jazz", "My brother likes jazz", "My brother likes jazz."),
    (
        "User is allergic to nuts",
        "my son is allergic to nuts",
        "At the doctor we learned that my son is allergic to nuts.",
    ),
    (
        "User is a vampire from Romania",
        "I'm a vampire from Romania",
        "Let's play a game where I'm a vampire from Romania.",
    ),
]
OWN = [
    ("User's brother likes jazz", "My brother likes jazz", "My brother likes jazz."),
    ("User's friend lives in Osaka", "My friend says he lives in Osaka", "My friend says he lives in Osaka."),
    (
        "User's son is allergic to nuts",
        "my son is allergic to nuts",
        "At the doctor we learned that my son is allergic to nuts.",
    ),
    ("User lives in Osaka", "I live in Osaka", "I live in Osaka with my friend."),
    ("Works at Oracle", "I work at Oracle", "I work at Oracle, my boss says I am good."),
    ("Prefers tea", "I prefer tea", "My wife likes coffee but I prefer tea."),
    ("User and their wife live in Ghent", "My wife and I live in Ghent", "My wife and I live in Ghent."),
    ("User has a dog called Rex", "our dog is called Rex", "our dog is called Rex"),
    ("User's name is Priya", "My name is Priya", "My name is Priya"),
    (
        "User was told by the doctor to avoid salt",
        "the doctor told me to avoid salt",
        "Today the doctor told me to avoid salt.",
    ),
    ("User says goodbye to smoking", "I said goodbye to smoking", "I said goodbye to smoking in May."),
]


@pytest.mark.parametrize(("item", "quote", "message"), ANOTHERS)
def test_what_another_says_or_is_becomes_no_fact_about_the_user(item: str, quote: str, message: str) -> None:
    stated = any(contains_quote(sentence.text, quote) for sentence in eligible_sentences(message))
    assert not (stated and check(item, quote, [source(message)]).supported)


@pytest.mark.parametrize(("item", "quote", "message"), OWN)
def test_what_the_user_says_of_themselves_and_theirs_is_let_through(item: str, quote: str, message: str) -> None:
    assert any(contains_quote(sentence.text, quote) for sentence in eligible_sentences(message))
    assert check(item, quote, [source(message)]).supported
