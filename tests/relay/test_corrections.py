"""The command `/edit` names the notes that are possibly wrong, and changes one of these notes."""

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay.catalogue import phrase
from tests.memory_fixtures import Memory
from tests.relay.running_relay import relaying

pytestmark = pytest.mark.anyio


async def _content(client: MemoryClient, number: int) -> str:
    return (await client.explain(c.ExplainArgs(memory_id=number))).text


async def test_an_edit_without_a_number_names_the_notes_that_may_be_wrong_and_one_with_it_changes_the_note(
    memory: Memory,
) -> None:
    async with relaying(memory) as api, memory.client() as client:
        stored = await client.remember(c.RememberArgs(content="My sister Ann lives in Porto"))
        assert stored.memory is not None
        number = stored.memory.id
        (shown,) = await api.ask("/edit my sister Ann lives in Faro", replies=1)
        assert shown.splitlines()[1:] == [f"/edit {number} My sister Ann lives in Porto"]
        assert (await api.ask(f"/edit {number} My sister Ann lives in Braga", replies=2))[
            1
        ] == "✓ My sister Ann lives in Braga"
        assert await _content(client, number) == "My sister Ann lives in Braga"
        found = await client.search_memory(c.SearchMemoryArgs(query="Faro", where="all"))
        assert not [result for result in found.results if "Faro" in result.text]


async def test_without_such_a_note_the_bot_asks_for_the_right_sentence(memory: Memory) -> None:
    async with relaying(memory) as api:
        for count, text in enumerate(("/edit I was born in Graz", "/edit", "/edit 999 I was born in Graz"), 1):
            shown = await api.ask(text, replies=count)
    assert shown == [phrase("edit.none"), phrase("edit.none"), phrase("server.no_memory", id=999)]
