"""Every assistant has its own conversation, and all share one memory."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tellonce import contract as c
from tellonce.client import MemoryRefused
from tellonce.connect import connect_http
from tellonce_server.core.scope import CONVERSATIONS, conversation
from tests.memory_fixtures import USER, Memory
from tests.server.processes import http_server

pytestmark = pytest.mark.anyio

OTHER = 43
CODE = conversation(USER, "claude-code").chat_id
PROJECT = conversation(USER, "claude-code", "/home/ann/shop").chat_id


def said(text: str, **more: object) -> c.RecordMessageArgs:
    return c.RecordMessageArgs.model_validate({"role": "user", "content": text, **more})


async def test_channels_conversations_and_sessions_are_talks_of_their_own_over_one_memory(
    tmp_path: Path, dsn: str
) -> None:
    async with (
        http_server(tmp_path / "data", dsn) as server,
        connect_http(server.url, server.token("relay")) as telegram,
        connect_http(server.url, server.token("assistant"), name="Claude Code") as code,
        connect_http(server.url, server.token("assistant"), name="claude-ai") as desktop,
    ):
        bots = await telegram.record_message(said("Lunch was ramen", chat_id=USER, message_id="1"))
        channels = await code.record_message(said("List the files", message_id="1"))
        project = await code.record_message(said("Fix the basket", message_id="1", conversation_id="/home/ann/shop"))
        again = await code.record_message(said("Fix the basket", message_id="1", conversation_id="/home/ann/shop"))
        session = await code.record_message(
            said("Add a coupon", conversation_id="/home/ann/shop", message_thread_id="f00d-1")
        )
        hooks = await desktop.record_message(said("Rename the basket", channel="claude-code"))
        known = await desktop.remember(c.RememberArgs(content="The user keeps a parrot"))
        shop = await code.get_context(
            c.GetContextArgs(conversation_id="/home/ann/shop", message_thread_id="f00d-1", query="Which coupon?")
        )
        lunch = await desktop.search_memory(c.SearchMemoryArgs(query="ramen", where="all"))
        nothing = await desktop.search_memory(c.SearchMemoryArgs(query="ramen"))
        listed = await code.mcp.read_resource("memory://chats")
        by_number = await desktop.record_message(said("Well done", chat_id=project_chat(project)))
    assert (bots.session_id, bots.thread_key) == ("telegram:chat:42", "root:42")
    assert (channels.session_id, channels.thread_key) == (f"claude-code:chat:{CODE}", f"root:{CODE}")
    assert project.thread_key == f"root:{PROJECT}"
    assert again.outcome == "duplicate"
    assert session.thread_key == f"topic:{PROJECT}:f00d-1"
    assert hooks.thread_key == channels.thread_key
    assert by_number.thread_key == project.thread_key
    assert known.memory is not None
    assert "parrot" in (shop.context or "")
    assert "Add a coupon" in (shop.context or "")
    assert "Fix the basket" not in window(shop)
    assert [(r.text, r.chat_id) for r in lunch.results if r.kind == "message"] == [("Lunch was ramen", USER)]
    assert [r for r in nothing.results if r.kind == "message"] == []
    text = listed.contents[0].text
    assert '"conversation_id": "/home/ann/shop"' in text
    assert CONVERSATIONS <= PROJECT < 2**53, "a client that reads numbers as doubles gets it back whole"


def project_chat(recorded: c.RecordedMessage) -> int:
    return int(recorded.thread_key.partition(":")[2])


def window(context: c.Context) -> str:
    return (context.context or "").partition("CONVERSATION HISTORY")[2].partition("\n\n")[0]


async def test_a_conversation_is_its_owners_alone_and_one_place_is_named(memory: Memory) -> None:
    async with memory.client() as mine, memory.client(OTHER) as theirs, memory.relay() as relay:
        await mine.record_message(said("Mine", conversation_id="plan"))
        recorded = await theirs.record_message(said("Theirs", conversation_id="plan"))
        (chat,) = {project_chat(await mine.record_message(said("More", conversation_id="plan")))}
        assert project_chat(recorded) != chat
        for client, place in (
            (theirs, {"chat_id": chat}),
            (relay, {"chat_id": chat}),
            (mine, {"chat_id": CONVERSATIONS + 5}),
            (mine, {"chat_id": USER, "conversation_id": "plan"}),
            (relay, {"conversation_id": "plan"}),
        ):
            with pytest.raises(MemoryRefused):
                await client.record_message(said("Where?", **place))
        with pytest.raises(ValidationError):
            said("Where?", conversation_id="x" * 129)
        async with memory.tables() as tables:
            owners = await tables.fetch("select owner_id, count(*) as n from messages group by 1 order by 1")
    assert [(r["owner_id"], r["n"]) for r in owners] == [(USER, 2), (OTHER, 1)]


async def test_two_channels_of_one_chat_share_no_reply_thread(memory: Memory) -> None:
    async with memory.client() as guest, memory.relay() as telegram:
        for client in (telegram, guest):
            await client.record_message(said("First", chat_id=USER, message_id="57"))
        home, other = [
            await client.record_message(said("Reply", chat_id=USER, message_id="58", reply_to_message_id="57"))
            for client in (telegram, guest)
        ]
        further = await guest.record_message(said("More", chat_id=USER, message_id="59", reply_to_message_id="58"))
    assert home.thread_key == "reply:42:57"
    assert other.thread_key == "reply:42:mcp/57"
    assert further.thread_key == other.thread_key


async def test_a_number_in_any_form_is_a_topic_and_a_name_a_session(memory: Memory) -> None:
    async with memory.client() as client:
        keys = [
            (await client.record_message(said("Hi", chat_id=USER, message_thread_id=thread))).thread_key
            for thread in (7, "7", 7.0, "s-7")
        ]
    assert keys == ["topic:42:7"] * 3 + ["topic:42:s-7"]


async def test_a_memory_of_another_chat_is_refused_with_the_name_of_its_chat(memory: Memory) -> None:
    async with memory.client() as client, memory.relay() as relay:
        kept = await client.remember(
            c.RememberArgs(content="The fence is painted on Fridays", scope="chat", conversation_id="garden")
        )
        assert kept.memory is not None
        one = {"memory_id": kept.memory.id}
        pin = {**one, "action": "pin"}
        for call in (client.explain(c.ExplainArgs(**one)), client.update_memory(c.UpdateMemoryArgs(**pin))):
            with pytest.raises(MemoryRefused, match=f"belongs to chat {kept.memory.chat_id} alone"):
                await call
        pinned = await client.update_memory(c.UpdateMemoryArgs(**pin, chat_id=kept.memory.chat_id))
        with pytest.raises(MemoryRefused, match="No memory 1 in this chat"):
            await relay.update_memory(c.UpdateMemoryArgs(**pin, chat_id=-200))
    assert pinned.pinned
