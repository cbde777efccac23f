"""A correction without a model. The bot names the notes that are possibly wrong. The command `/edit` changes one of
these notes."""

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay.catalogue import phrase
from tellonce_relay.orders import order_of
from tests.memory_fixtures import USER, Memory
from tests.relay.running_relay import relaying

pytestmark = pytest.mark.anyio


async def _content(client: MemoryClient, number: int) -> str:
    return (await client.explain(c.ExplainArgs(memory_id=number))).text


@pytest.mark.parametrize(
    ("language", "request_"),
    [
        ("en", "Please correct: my sister Ann lives in Faro"),
        ("de", "Korrektur: my sister Ann lives in Faro"),
        ("es", "Por favor, corrige: my sister Ann lives in Faro"),
        ("ru", "Исправь: my sister Ann lives in Faro"),
    ],
)
async def test_a_request_to_correct_names_the_notes_that_may_be_wrong_and_is_not_kept_itself(
    memory: Memory, language: str, request_: str
) -> None:
    async with relaying(memory) as api, memory.client() as client:
        api.world.languages[USER] = language
        stored = await client.remember(c.RememberArgs(content="My sister Ann lives in Porto"))
        assert stored.memory is not None
        number = stored.memory.id
        (shown,) = await api.ask(request_, replies=1)
        assert shown.splitlines()[1:] == [f"/edit {number} My sister Ann lives in Porto"]
        assert (await api.ask(f"/edit {number} My sister Ann lives in Braga", replies=2))[
            1
        ] == "✓ My sister Ann lives in Braga"
        assert await _content(client, number) == "My sister Ann lives in Braga"
        found = await client.search_memory(c.SearchMemoryArgs(query="Faro", where="all"))
        assert not [result for result in found.results if "Faro" in result.text]


async def test_a_number_in_a_request_to_correct_is_not_the_number_of_a_note(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        stored = await client.remember(c.RememberArgs(content="Four people came to the party"))
        assert stored.memory is not None
        (shown,) = await api.ask(f"Correct: {stored.memory.id} people came to the party", replies=1)
        assert "Four people came" in shown
        assert await _content(client, stored.memory.id) == "Four people came to the party"


async def test_without_such_a_note_the_bot_asks_for_the_right_sentence(memory: Memory) -> None:
    async with relaying(memory) as api:
        for count, text in enumerate(("Correction: I was born in Graz", "/edit", "/edit 999 I was born in Graz"), 1):
            shown = await api.ask(text, replies=count)
    assert shown == [phrase("edit.none"), phrase("edit.none"), phrase("server.no_memory", id=999)]


@pytest.mark.parametrize("text", ["Correct, I live in Graz", "Correct!", "That is the correct address: Main Street 3"])
async def test_a_statement_with_the_word_is_no_request_to_correct(text: str) -> None:
    found = order_of(text)
    assert found is None or found.kind != "correct"
