"""A personal group shares its owner's global memories and profile. From the private chat, the group sees only the
newest exchange."""

import pytest

from tellonce import contract as c
from tests.memory_fixtures import USER, Memory

pytestmark = pytest.mark.anyio

GROUP, SHARED = -200, -100


async def test_the_sources_of_a_global_memory_are_shown_only_in_their_chat_or_to_the_owner(
    memory: Memory,
) -> None:
    async with memory.relay() as client:
        for chat, text in ((USER, "Keep this: I play the cello"), (GROUP, "Shall we have lunch?")):
            await client.record_message(c.RecordMessageArgs(role="user", content=text, chat_id=chat, message_id="1"))
        known = await client.remember(
            c.RememberArgs(content="I play the cello", scope="global", chat_id=USER, source_message_id="1")
        )
        told = {
            chat: await client.explain(c.ExplainArgs(memory_id=known.memory.id, chat_id=chat)) for chat in (USER, GROUP)
        }
        said_there = await client.remember(
            c.RememberArgs(content="I sing bass", scope="global", chat_id=GROUP, source_message_id="1")
        )
        from_home = await client.explain(c.ExplainArgs(memory_id=said_there.memory.id, chat_id=USER))
    assert [source.text for source in told[USER].sources] == ["Keep this: I play the cello"]
    assert told[GROUP].sources == ()
    assert [source.text for source in from_home.sources] == ["Shall we have lunch?"]


async def test_a_memory_said_again_elsewhere_keeps_its_sources(memory: Memory) -> None:
    async with memory.relay() as client:
        for chat, number in ((USER, "1"), (GROUP, "1"), (GROUP, "2")):
            await client.record_message(
                c.RecordMessageArgs(role="user", content="I play the cello", chat_id=chat, message_id=number)
            )
        first, again = [
            await client.remember(
                c.RememberArgs(content="I play the cello", scope="global", chat_id=chat, source_message_id=number)
            )
            for chat, number in ((USER, "1"), (GROUP, "2"))
        ]
    assert again.outcome == "duplicate"
    assert again.memory.sources == first.memory.sources == (1,)


async def test_what_was_superseded_in_the_private_chat_is_not_explained_in_the_group(memory: Memory) -> None:
    async with memory.relay() as client:
        oslo = (await client.remember(c.RememberArgs(content="I live in Oslo", chat_id=USER, scope="chat"))).memory
        assert oslo is not None
        lisbon = await client.remember(c.RememberArgs(content="I live in Lisbon", chat_id=USER, replaces=(oslo.id,)))
        assert lisbon.memory is not None
        here, there = [
            await client.explain(c.ExplainArgs(memory_id=lisbon.memory.id, chat_id=chat)) for chat in (USER, GROUP)
        ]
    assert lisbon.outcome == "superseded"
    assert [m.content for m in here.memories] == ["I live in Oslo"]
    assert there.memories == ()


async def test_the_narrative_is_shown_in_every_chat_of_its_owner_and_in_no_other(memory: Memory) -> None:
    async with memory.relay() as client:
        for chat in (USER, GROUP, SHARED):
            await client.record_message(c.RecordMessageArgs(role="user", content="Hello there", chat_id=chat))
        async with memory.tables() as tables:
            await tables.execute("update user_profile set narrative = 'Afraid of Zorblax' where owner_id = $1", USER)
        told = [(await client.get_profile(c.GetProfileArgs(chat_id=chat))).narrative for chat in (USER, GROUP, SHARED)]
    assert told == ["Afraid of Zorblax", "Afraid of Zorblax", ""]


@pytest.mark.parametrize("asked_in", [USER, GROUP])
async def test_a_search_of_all_chats_finds_no_memory_of_another_chat_alone(memory: Memory, asked_in: int) -> None:
    other = GROUP if asked_in == USER else USER
    async with memory.relay() as client:
        for chat, scope, text in (
            (other, "chat", "The door code is Zorblax one"),
            (other, "global", "The gate code is Zorblax two"),
            (asked_in, "chat", "The safe code is Zorblax three"),
        ):
            stored = c.RememberArgs.model_validate({"content": text, "chat_id": chat, "scope": scope})
            await client.remember(stored)
        found = await client.search_memory(c.SearchMemoryArgs(query="Zorblax code", where="all", chat_id=asked_in))
        by_others = await client.search_memory(c.SearchMemoryArgs(query="Zorblax code", where="all", chat_id=other))
    assert sorted(r.text for r in found.results) == ["The gate code is Zorblax two", "The safe code is Zorblax three"]
    assert sorted(r.text for r in by_others.results) == ["The door code is Zorblax one", "The gate code is Zorblax two"]
