"""The places in a text that match a request to forget, the certainty of each match, and the text without these
places."""

import asyncio
import hashlib
import hmac
import time
from datetime import UTC, datetime
from unittest.mock import AsyncMock, MagicMock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.erasure.deletion import Order, _Erasure
from tellonce_server.domain.erasure.forget_query import (
    DEGREES,
    LiteralQuery,
    Source,
    Stated,
    StatementQuery,
    TopicQuery,
)
from tellonce_server.domain.erasure.previews import Match
from tellonce_server.domain.erasure.redaction import GONE, marks_of, redact, redact_derived
from tellonce_server.domain.tombstones import Tombstones
from tellonce_server.store import forget
from tellonce_server.store.forget import Statement
from tellonce_text.literal import Literal

MESSAGE = Source("message", 42, 7)
SUMMARY = Source("summary", 42, 1)
ALL = frozenset(DEGREES)


def topic(said: str) -> TopicQuery:
    literal = Literal.of(said)
    assert literal is not None
    return TopicQuery(said, literal)


def degrees(query: TopicQuery | StatementQuery, text: str, source: Source = MESSAGE) -> list[str]:
    return [mark.degree for mark in query.marks(text, source)]


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        ("Rose", "Rose sings. Prices rise.", ["exact", "form"]),
        ("art", "The party", ["part"]),
        ("art", "The party is art", ["exact"]),
        ("Haus", "zwei Häuser", ["form"]),
        ("猫", "我有一只猫。", ["exact"]),
        ("123", "1, 2, 3", ["number"]),
        ("vuxley", "vuxley2.pdf", ["exact"]),
        ("covid", "2 COVID19 tests", ["exact"]),
        ("12", "1234", ["part"]),
        ("May", "maybe", ["part"]),
        ("the", "in the end", ["exact"]),
        ("fifty guests", "50 guests come", ["form"]),
    ],
)
def test_how_surely_a_text_names_a_topic(said: str, text: str, found: list[str]) -> None:
    assert degrees(topic(said), text) == found


@pytest.mark.parametrize(
    ("text", "source", "found"),
    [
        ("I live in Berlin.", MESSAGE, ["exact"]),
        ("My brother lives in Berlin.", MESSAGE, ["form"]),
        ("My brother lives in Berlin.", Source("message", 42, 9), ["exact"]),
        ("The user lives in Berlin with two cats.", SUMMARY, ["exact"]),
        ("Berlin is big.", MESSAGE, []),
        ("Lives in Berlin", Source("memory", None, 3), ["exact"]),
        ("Anything", Source("memory", None, 1), ["exact"]),
        ("Lives in Berlin", Source("message", 42, 9, 1), []),
    ],
)
def test_a_statement_differs_from_similar_texts(text: str, source: Source, found: list[str]) -> None:
    query = StatementQuery([Stated("Lives in Berlin", id=1, sources=frozenset(((42, 9),)))])
    wanted = ["form"] if source.place == "memory" and source.id == 3 else found
    assert degrees(query, text, source) == wanted


@pytest.mark.parametrize(
    ("stated", "text", "found"),
    [
        (Stated("The user's wedding is on June 5"), "The wedding is on June 5.", ["exact"]),
        (Stated("The user's wedding is on June 5"), "The wedding is on 5 June.", ["exact"]),
        (Stated("It is on June 5"), "On June 5th.", ["exact"]),
        (Stated("The user's wedding is on June 5"), "The wedding was grand.", []),
        (Stated("The user eats no meat", quotes=("Ich bin Vegetarier",)), "Ja, ich bin Vegetarier!", ["exact"]),
        (Stated("The user eats no meat", quotes=("私は肉を食べません",)), "はい、私は肉を食べません。", ["exact"]),
        (Stated("The user lives in Berlin", quotes=("Berlin",)), "My brother lives in Berlin.", ["form"]),
        (Stated("The user lives in Berlin", quotes=("Yes",)), "Yes, it rains.", []),
    ],
)
def test_a_statement_is_found_by_its_dates_and_by_its_quotes(stated: Stated, text: str, found: list[str]) -> None:
    assert degrees(StatementQuery([stated]), text) == found


def test_in_its_own_message_a_short_quote_is_the_statement() -> None:
    query = StatementQuery([Stated("The user lives in Berlin", quotes=("Yes",), sources=frozenset(((42, 9),)))])
    own, other = Source("message", 42, 9), Source("message", 42, 8)
    assert [degrees(query, "Yes", source) for source in (other, own)] == [[], ["exact"]]


def test_many_statements_are_each_found_by_their_words() -> None:
    query = StatementQuery([Stated(f"Shelf {n} holds the lamp") for n in range(500)])
    assert degrees(query, "Shelf 77 holds the lamp") == ["exact"]
    assert degrees(query, "It is 77 miles to the sea") == []


@settings(max_examples=300)
@given(st.text("ab. !?\nx12-", min_size=1, max_size=60), st.data())
def test_what_is_left_of_a_text_does_not_say_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    literal = Literal.of(text[start : start + data.draw(st.integers(1, 8))])
    if literal is not None:
        left, gone = redact(text, marks_of(LiteralQuery(literal), ALL, MESSAGE))
        assert not literal.spans(left)
        assert gone
        assert all(part in text or literal.spans(part) for part in gone)


def test_the_mark_of_what_is_gone_says_nothing() -> None:
    literal = Literal.of("forgotten")
    assert literal is not None
    assert redact(GONE, marks_of(LiteralQuery(literal), ALL, MESSAGE)) == (GONE, [])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- “I met Zed.” (2026-10-01)\n- “I like tea.” (2026-10-02)", "- “I like tea.” (2026-10-02)"),
        ("“I like tea.” (2026-10-02)\n“I met Zed!” (2026-10-01, Ann)", "“I like tea.” (2026-10-02)"),
        ("1. I met Zed.\n2. Tea.", "2. Tea."),
        ("*** \nI met Zed.\n”\n- Tea (2026-10-01)", "*** \n”\n- Tea (2026-10-01)"),
        ("Tea.\n- I met Zed. 42", "Tea.\n42"),
    ],
)
def test_a_derived_line_leaves_no_mark_or_day_behind(text: str, left: str) -> None:
    assert redact_derived(text, marks_of(topic("Zed"), ALL, SUMMARY)) == left


def test_a_tombstone_of_a_message_recognizes_its_sentence_in_this_message_alone_in_both_forms() -> None:
    key, said = b"k", "My cat is Mia. I am fine."
    tombstones = Tombstones(key)
    (_, claim) = tombstones.message_claims(said, ["My cat is Mia."])
    former = hmac.new(key, b"m:42:7:My cat is Mia.", hashlib.sha256).digest()  # before migration 0062
    for marks in ({(42, 7): frozenset((claim,))}, {None: frozenset((former,))}):
        assert tombstones.forgotten_in(42, 7, said, marks) == ["My cat is Mia."]
        assert tombstones.forgotten_in(42, 8, said, marks) == []


def test_the_choice_of_many_memories_does_not_hold_the_server_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memories are compared with the preview in the event loop, where all other calls wait."""
    many, now = 5000, datetime(2026, 2, 16, tzinfo=UTC)
    stored = [Statement(n, 1 + n % 2, None, "fact", f"I own lamp {n}", (), now, None, ()) for n in range(many)]
    chosen = [Match("memory", 0, n, 1, "exact", ticked=True) for n in range(many)]
    order = Order(ChatScope(42, 42), None, topic("lamp"), chosen, frozenset(), messages=True)
    monkeypatch.setattr(forget, "memories", AsyncMock(return_value=stored))
    erasure = _Erasure(MagicMock(), order)
    began = time.process_time()
    meant = asyncio.run(erasure._meant_memories())
    assert time.process_time() - began < 1
    assert len(meant) == len(erasure._erased.changed) == many / 2
