"""Which sentences may make facts, and where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem_server.memories.eligibility import eligible_sentences, own_words
from chatmem_server.text.fences import FENCE_CLOSE, FENCE_OPEN


def stated(message: str) -> list[str]:
    return [sentence.text for sentence in eligible_sentences(message)]


@pytest.mark.parametrize(
    ("message", "sentences"),
    [
        ("I live in Rome. I have two dogs!", ["I live in Rome.", "I have two dogs!"]),
        ("- I like tea\n- I hate long emails", ["I like tea", "I hate long emails"]),
        ("Dr. Chen is my doctor. He is in St. Gallen.", ["Dr. Chen is my doctor.", "He is in St. Gallen."]),
        ("I use Python 3.11 at example.org daily", ["I use Python 3.11 at example.org daily"]),
        ("When I was 10 I moved to Oslo", ["When I was 10 I moved to Oslo"]),
        ("What I like most is jazz.", ["What I like most is jazz."]),
        ('My dog is called "Rex".', ['My dog is called "Rex".']),
        ("I'm not really into jazz. I'm not kidding.", ["I'm not really into jazz.", "I'm not kidding."]),
        ("I live in Bonn, not sure if I told you", ["I live in Bonn, not sure if I told you"]),
        ("我住在上海。我有两只狗。", ["我住在上海。", "我有两只狗。"]),
        ("Could you always answer in German?", ["Could you always answer in German?"]),
        ("I'm vegetarian, what can I cook?", ["I'm vegetarian"]),
        ("I live in Lisbon and my rent is high so what should I do?", ["I live in Lisbon and my rent is high"]),
    ],
)
def test_plain_statements_are_kept(message: str, sentences: list[str]) -> None:
    assert stated(message) == sentences


@pytest.mark.parametrize(
    "message",
    [
        "What is my name?",
        "do you know where I live",
        "Is my flight on Monday",
        "Where's my passport",
        "If I were rich I'd buy a boat.",
        "Suppose I lived in Rome.",
        "Let's say my name is Bob.",
        "Imagine I have two dogs",
        "What if I moved to Oslo.",
        "I wish I lived in Rome.",
        "As if I had three cats.",
        "Imagine a person. She lives in Oslo. Her name is Zoe.",
        "```\nname = 'I live in Rome'\n```",
        "```\nI live in Rome",
        "> I live in Rome",
        '"I live in Rome and I have two dogs"',
        "“I live in Rome with my cat”",
        "「私はローマに住んでいます」",
        f"{FENCE_OPEN}\nUser lives in Rome.\n{FENCE_CLOSE}",
        f"{FENCE_OPEN} User lives in Rome.",
        "<blockquote>I live in Rome</blockquote>",
        "Translate: I live in Rome",
        "Write a story where I live in Rome",
        "    I live in Rome",
        "On Mon, Feb 2, 2026 Ana wrote:\nI live in Rome.",
        "Angenommen ich wohne in Rom.",
        "你住在上海吗",
        "I am the king of England. Just kidding!",
        "from: hr@acme-corp.com\nto: all\n\nI live in Hamburg.",
        "For my d&d character: she hates orcs and lives in a tower.",
        "",
        "...",
    ],
)
def test_nothing_is_learned_from_what_is_not_stated(message: str) -> None:
    assert not [text for text in stated(message) if "…" not in text]


def test_only_what_is_quoted_is_left_out_of_a_sentence() -> None:
    (sentence,) = eligible_sentences('My boss said "you live in Rome now" to me yesterday.')
    assert "Rome" not in sentence.text
    assert sentence.text.startswith("My boss said")
    assert "vegan" not in "".join(stated('He said "I am vegan"'))


def test_a_scene_ends_with_its_paragraph_or_a_return_to_fact() -> None:
    assert stated("Imagine I lived in Rome. I have a boat.\n\nI live in Bonn.") == ["I live in Bonn."]
    assert stated("Imagine I lived in Rome. Actually I live in Bonn.") == ["Actually I live in Bonn."]


def test_recalled_text_between_own_words_is_skipped() -> None:
    message = f"I moved. {FENCE_OPEN} User lives in Rome. {FENCE_CLOSE} I live in Bonn."
    assert stated(message) == ["I moved.", "I live in Bonn."]


MESSAGES = st.lists(
    st.sampled_from(
        ["I live in Rome. ", "What is it? ", "```code```", "\n", "\n\n", '"quoted words are here" ', "> quote\n", FENCE_OPEN, FENCE_CLOSE,
         "If I were you. ", "- item\n", "Dr. No. ", "…", "我住在上海。"]
    )
    | st.text(max_size=20),
    max_size=8,
).map("".join)  # fmt: skip


@given(MESSAGES)
def test_sentences_stand_in_order_where_they_say(message: str) -> None:
    end = 0
    for sentence in eligible_sentences(message):
        assert end <= sentence.start < sentence.end <= len(message)
        end = sentence.end
        assert message[sentence.start] == sentence.text[0] or sentence.text[0] in " …"


@given(MESSAGES)
def test_blanking_keeps_every_place(message: str) -> None:
    assert len(own_words(message)) == len(message)


@given(st.text(alphabet="abcdefgh .!?\n", max_size=60), MESSAGES)
def test_nothing_between_fences_is_ever_learned(inside: str, around: str) -> None:
    marked = f"{around}{FENCE_OPEN}{inside}zebra stripes{FENCE_CLOSE}"
    assert not any("zebra" in sentence.text for sentence in eligible_sentences(marked))


@pytest.mark.parametrize(
    "message",
    [
        "name: John Smith\nrole: admin",
        "Name: John Smith\nRole: admin\nCity: Porto",
        "- name: deploy\n  host: berlin\n",
        "user:\n  name: John Smith\n  role: admin",
        "city: Porto\nemail: j@example.com\nage: 34",
        "Look at this:\nname: John Smith\nrole: admin",
    ],
)
def test_a_record_of_somebody_makes_no_facts_about_the_writer(message: str) -> None:
    assert not any(word in " ".join(stated(message)) for word in ("John", "admin", "berlin", "Porto", "34"))


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My details:\nname: Ana Sousa\nrole: nurse", "Ana Sousa"),
        ("Some things about me:\n\nName: Ana Sousa\nCity: Porto\nAge: 34", "Porto"),
        ("goal: run a marathon\ndeadline: June 12", "run a marathon"),
        ("My name: Ana Sousa", "Ana Sousa"),
        ("tomorrow: dentist\nfriday: gym", "dentist"),
        ("I live in Porto\nname: John\nrole: admin", "I live in Porto"),
    ],
)
def test_a_list_the_writer_calls_their_own_is_kept(message: str, kept: str) -> None:
    assert kept in " ".join(stated(message))
