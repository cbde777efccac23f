"""The assistant tools, tested through MCP."""

import asyncio
from typing import Any

import pytest
from mcp import MCPError

from tellonce import contract as c
from tellonce.client import DATA_META, MemoryRefused
from tellonce_server.api.text import search_remark
from tellonce_server.store import queue
from tests.memory_fixtures import START, USER, Clock, Memory

pytestmark = pytest.mark.anyio

HERE = {"chat_id": USER}


async def test_a_message_recorded_twice_is_there_once(memory: Memory) -> None:
    async with memory.client() as client:
        first = await client.record_message(c.RecordMessageArgs(role="user", content="Hello there", message_id="7"))
        again = await client.record_message(c.RecordMessageArgs(role="user", content="Hello there", message_id="7"))
    assert (first.outcome, again.outcome) == ("created", "duplicate")
    assert first.id == again.id
    assert first.thread_key == "root:42"
    assert first.session_id == "mcp:chat:42"
    assert again.queued == ()


async def test_the_same_id_with_other_text_is_an_edit_and_keeps_the_old_version(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Offsite is March 15", message_id="7"))
        edited = await client.record_message(
            c.RecordMessageArgs(role="user", content="Offsite is March 22", message_id="7")
        )
        why = await client.explain(c.ExplainArgs(message_id="7"))
    assert edited.outcome == "edited"
    assert why.text == "Offsite is March 22"
    assert [v.text for v in why.versions] == ["Offsite is March 15"]


async def test_the_context_shows_what_was_said_under_its_day(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="My name is Priya"))
        clock.forward(minutes=2)
        await client.record_message(c.RecordMessageArgs(role="assistant", content="Hello Priya"))
        context = await client.get_context(c.GetContextArgs(query="What is my name?"))
    assert context.context is not None
    assert (
        "─── Monday, 16 February 2026 ───\n[09:15 AM] User: My name is Priya\n[09:17 AM] Assistant: Hello Priya"
        in context.context
    )
    assert context.coverage == c.Coverage(verbatim=2, summarised=0, pending=0, gap=0)
    assert context.tokens <= context.token_budget


async def test_a_receipt_replays_its_context_byte_for_byte(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="I live in Singapore"))
        context = await client.get_context(c.GetContextArgs(query="Where do I live?"))
        await client.record_message(c.RecordMessageArgs(role="assistant", content="In Singapore"))
        replay = await client.explain(c.ExplainArgs(receipt_id=context.receipt_id))
    assert replay.text == context.context


async def test_remember_stores_dedups_and_supersedes(memory: Memory) -> None:
    async with memory.client() as client:
        first = await client.remember(c.RememberArgs(content="I live in Singapore"))
        again = await client.remember(c.RememberArgs(content="I live in Singapore."))
        assert first.memory is not None
        moved = await client.remember(c.RememberArgs(content="I live in Lisbon", replaces=(first.memory.id,)))
        assert moved.memory is not None
        profile = await client.get_profile(c.GetProfileArgs())
    assert [first.outcome, again.outcome, moved.outcome] == ["stored", "duplicate", "superseded"]
    assert moved.superseded is not None
    assert moved.superseded.superseded_by == moved.memory.id
    assert [m.content for m in profile.facts] == ["I live in Lisbon"]


async def test_a_statement_that_comes_several_times_at_once_is_stored_once(memory: Memory) -> None:
    async with memory.client() as client:
        bike = c.RememberArgs(content="I own a red bike")
        stored = await asyncio.gather(*(client.remember(bike) for _ in range(6)))
    assert sorted(one.outcome or "" for one in stored) == ["duplicate"] * 5 + ["stored"]
    assert len({one.memory.id for one in stored if one.memory is not None}) == 1


async def test_a_forged_confirm_token_erases_nothing(memory: Memory) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I like tea"))
        with pytest.raises(MemoryRefused, match="no confirm token"):
            await client.forget(c.ForgetArgs(topic="tea", confirm="AAAA"))
        profile = await client.get_profile(c.GetProfileArgs())
    assert len(profile.facts) == 1


async def test_nothing_of_the_private_chat_appears_in_a_shared_group(memory: Memory) -> None:
    async with memory.relay() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="My PIN pal is Zorblax", chat_id=42))
        await client.remember(c.RememberArgs(content="I adore Zorblax", chat_id=42, scope="global"))
        context = await client.get_context(c.GetContextArgs(chat_id=-100, query="Zorblax"))
        found = await client.search_memory(c.SearchMemoryArgs(chat_id=-100, query="Zorblax", where="all"))
    assert "Zorblax" not in (context.context or "")
    assert found.results == ()


async def test_an_answer_under_the_id_of_the_users_message_does_not_replace_it(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(
            c.RecordMessageArgs(role="user", content="Where do bees sleep?", message_id="turn-1")
        )
        with pytest.raises(MemoryRefused, match="is the user's; give this one an id of its own"):
            await client.record_message(
                c.RecordMessageArgs(role="assistant", content="In the hive.", message_id="turn-1")
            )
        why = await client.explain(c.ExplainArgs(message_id="turn-1"))
    assert why.text == "Where do bees sleep?"


async def test_start_new_chat_opens_an_epoch(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Hello there"))
        begun = await client.start_new_chat(c.StartNewChatArgs())
    assert begun == c.NewChat(epoch=1, archived=False)


async def test_every_result_shows_its_times_in_the_users_zone(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="The offsite comes closer"))
        await client.remember(c.RememberArgs(content="My team offsite is on March 15", kind="date"))
        known = await client.mcp.call_tool("get_profile", HERE)
        talk = await client.mcp.call_tool("summarize_chat", HERE)
        why = await client.mcp.call_tool("explain", {**HERE, "memory_id": 1})
        stored = await client.mcp.read_resource("memory://memory/1")
        said = await client.mcp.read_resource("memory://chat/42/messages")
    texts = [str(part) for result in (known, talk, why) for part in (result.content, result.structured_content)]
    texts += [str(result.contents) for result in (stored, said)]
    assert "2026-03-15T00:00:00+08:00" in texts[0]
    assert "2026-03-15T00:00:00+08:00" in texts[1]
    assert all("+08:00" in text and "+00:00" not in text and "00Z" not in text for text in texts)


@pytest.mark.parametrize("query", ["limit=many", "before=x", f"before={'9' * 30}", "limit=-5"])
async def test_a_resource_asked_for_no_number_of_messages_says_what_would_be_one(memory: Memory, query: str) -> None:
    async with memory.client() as client:
        with pytest.raises(MCPError, match=r"is not a valid number; write (limit|before)=20"):
            await client.mcp.read_resource(f"memory://chat/42/messages?{query}")


async def test_one_message_is_counted_as_one(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="hi"))
        known = await client.mcp.call_tool("get_profile", HERE)
    assert "conversation: 1 message, 0 summaries, 1 verbatim" in str(known.content)


async def test_a_caller_that_reads_only_data_gets_no_text_except_of_an_error(memory: Memory) -> None:
    only: Any = {DATA_META: True}
    async with memory.client() as client:
        known = await client.mcp.call_tool("get_profile", HERE)
        data = await client.mcp.call_tool("get_profile", HERE, meta=only)
        refused = await client.mcp.call_tool("explain", {**HERE, "memory_id": 99}, meta=only)
    assert known.content
    assert data.content == []
    assert data.structured_content == known.structured_content
    assert refused.is_error
    assert "99" in str(refused.content)


async def test_a_day_without_an_offset_is_the_users_day(memory: Memory) -> None:
    async with memory.client() as client:
        goal = {"content": "Finish the report", "kind": "goal", "deadline": "2026-03-15"}
        stored = await client.mcp.call_tool("remember", {**HERE, **goal})
        await client.record_message(c.RecordMessageArgs(role="user", content="The report is long"))
        span = {"since": "2026-02-16T09:15:00", "until": "2026-02-16T09:16"}
        found = await client.mcp.call_tool("search_memory", {**HERE, "query": "report", "kinds": ["message"], **span})
        day = {"since": "2026-02-16", "until": "2026-02-16"}
        that_day = await client.mcp.call_tool("search_memory", {**HERE, "query": "report", "kinds": ["message"], **day})
        earlier = await client.mcp.call_tool("search_memory", {**HERE, "query": "report", "until": "2026-02-16T09:14"})
    assert stored.structured_content is not None
    assert stored.structured_content["memory"]["deadline"] == "2026-03-15T00:00:00+08:00"
    assert "The report is long" in str(found.content)
    assert "The report is long" in str(that_day.content)
    assert "Nothing found" in str(earlier.content)


async def test_a_search_says_that_no_text_has_its_words_and_which_ways_are_left(memory: Memory) -> None:
    async def answer(**more: object) -> str:
        found = await client.mcp.call_tool("search_memory", {**HERE, **more})
        return "\n".join(getattr(part, "text", "") for part in found.content)

    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="My account is at Zoë's bank"))
        day = {"since": "2026-02-16", "until": "2026-02-16"}
        near = await answer(query="."), await answer(query=". .", **day), await answer(query="coffee", **day)
        assert (await answer(query="accounts")).startswith("[message")
        assert (await answer(query="zoe's")).startswith("[message")
        assert (await answer(query="today")).startswith("[message")
        nowhere = await answer(query="coffee", where="all", kinds=["goal"])
        early = await answer(query="coffee", until="2020-01-01")
    assert near[0] == "Nothing found. Try other words or where=all."
    assert near[1].startswith("[message")
    assert near[2] == "Nothing found. Try other words, where=all or a wider time span."
    assert nowhere == "Nothing found. Try other words or other kinds."
    assert early == "Nothing found. Try other words, where=all or a wider time span."


def test_a_search_whose_results_share_no_word_begins_with_a_sentence_that_says_so() -> None:
    found = c.SearchResult.model_validate(
        dict.fromkeys(("role", "speaker", "chat_id", "thread_key"))
        | {"id": 1, "kind": "message", "text": "My account is at the bank", "at": START, "age": "now", "score": 1.0}
        | {"sources": ()}
    )
    results = c.SearchResults(results=(found,), next_cursor=None)
    sentence = "No text contains these words. The nearest in meaning:"
    assert search_remark(c.SearchMemoryArgs(query="coffee"), results) == sentence
    assert search_remark(c.SearchMemoryArgs(query="which banks?"), results) == ""
    assert search_remark(c.SearchMemoryArgs(query="what happened last week"), results) == ""
    assert search_remark(c.SearchMemoryArgs(query="coffee", cursor="x"), results) == ""


async def test_a_period_that_begins_after_its_end_is_refused(memory: Memory) -> None:
    async with memory.client() as client:
        span = {"since": "2026-02-17", "until": "2026-02-16"}
        refused = await client.mcp.call_tool("search_memory", {**HERE, "query": "tea", **span})
        preview = await client.mcp.call_tool("forget", {**HERE, **span})
    sentence = "Argument until: is before since; swap them, or leave one out."
    assert (refused.is_error, preview.is_error) == (True, True)
    assert sentence in str(refused.content)
    assert sentence in str(preview.content)


async def test_a_message_must_say_on_whose_clock_it_was_sent(memory: Memory) -> None:
    async with memory.client() as client:
        message = {"role": "user", "content": "hi", "sent_at": "2026-02-16T09:15:00"}
        refused = await client.mcp.call_tool("record_message", message)
    assert refused.is_error
    assert "Argument sent_at: needs its UTC offset, as in 2026-03-15T09:00:00+08:00." in str(refused.content)


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00"])
async def test_a_moment_at_the_edge_of_time_is_refused(memory: Memory, moment: str) -> None:
    async with memory.client() as client:
        goal = {"content": "Finish the report", "kind": "goal", "deadline": moment}
        refused = [
            await client.mcp.call_tool("remember", {**HERE, **goal}),
            await client.mcp.call_tool("get_context", {**HERE, "as_of": moment}),
            await client.mcp.call_tool("search_memory", {**HERE, "query": "report", "since": moment}),
        ]
    assert all("is not a year from 2 to 9998" in str(result.content) for result in refused)


@pytest.mark.parametrize(("name", "arguments"), [("chat_with_memory", {}), ("nothing_like_it", {})])
async def test_a_prompt_asked_for_wrongly_says_where_to_look(
    memory: Memory, name: str, arguments: dict[str, str]
) -> None:
    async with memory.client() as client:
        with pytest.raises(MCPError, match="prompts/list names prompts and arguments"):
            await client.mcp.get_prompt(name, arguments)


@pytest.mark.parametrize(
    ("chat", "told"),
    [("abc", "memory://chats lists"), ("43", "Chat 43 is not yours"), (str(2**52), "There is no chat")],
)
async def test_the_prompt_learn_says_what_is_wrong_with_its_chat(memory: Memory, chat: str, told: str) -> None:
    async with memory.client() as client:
        with pytest.raises(MCPError, match=told):
            await client.mcp.get_prompt("learn", {"chat_id": chat})


async def test_the_prompt_learn_says_that_the_database_does_not_answer(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(queue, "hand_out", away)
    async with memory.client() as client:
        with pytest.raises(MCPError, match="does not answer now"):
            await client.mcp.get_prompt("learn", {"chat_id": str(USER)})


async def test_what_a_message_refers_to_takes_no_more_room_than_a_quotation(memory: Memory) -> None:
    async with memory.client() as client:
        long = {"role": "assistant", "content": "The forecast is long. " * 2_000, "message_id": "1"}
        await client.mcp.call_tool("record_message", {**HERE, **long})
        small = await client.mcp.call_tool("get_context", {**HERE, "query": "Why?", "token_budget": 300})
        briefing = {**long, "message_id": "2", "routine": "morning-summary", "summary": "Sunny, two meetings."}
        await client.mcp.call_tool("record_message", {**HERE, **briefing})
        reply = await client.get_context(c.GetContextArgs(query="When?", reply_to_message_id="2"))
    assert len(str(small.content)) < 300 * 4 * 3
    assert reply.focus is not None
    assert (reply.focus.source, reply.focus.text) == ("reply", "Sunny, two meetings.")


async def test_what_was_tried_and_how_it_ended_is_shown_like_a_fact(memory: Memory) -> None:
    tried = "We tried Redis; it failed"
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content=tried, kind="outcome"))
        known = await client.get_profile(c.GetProfileArgs())
        context = await client.get_context(c.GetContextArgs())
    assert [(m.kind, m.content) for m in known.facts] == [("outcome", tried)]
    assert context.context is not None
    assert f"OUTCOMES\n- #{known.facts[0].id} {tried} (" in context.context


async def test_a_confirm_token_alone_is_refused_with_what_belongs_to_it(memory: Memory) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I like tea"))
        preview = await client.mcp.call_tool("forget", {**HERE, "topic": "tea"})
        assert preview.structured_content is not None
        refused = await client.mcp.call_tool("forget", {**HERE, "confirm": preview.structured_content["confirm"]})
    assert "would erase: 1 memory; confirm=" in str(preview.content)
    assert "call forget with the same arguments and confirm" in str(preview.content)
    assert "everything beside confirm, as in the preview." in str(refused.content)


async def test_a_message_sent_again_without_its_topic_keeps_its_thread(memory: Memory) -> None:
    async with memory.client() as client:
        first = c.RecordMessageArgs(role="user", content="Hello there", message_id="7", message_thread_id=5)
        await client.record_message(first)
        again = await client.record_message(first.model_copy(update={"message_thread_id": None}))
    assert (again.outcome, again.thread_key) == ("duplicate", "topic:42:5")


async def test_a_profile_comes_in_pages_and_by_kind_and_status(memory: Memory) -> None:
    async with memory.client() as client:
        for number in range(7):
            await client.remember(c.RememberArgs(content=f"I own a boat named Number{number}", kind="fact"))
        await client.remember(c.RememberArgs(content="I want to sail to Crete", kind="goal"))
        first = await client.get_profile(c.GetProfileArgs(limit=5))
        rest = await client.get_profile(c.GetProfileArgs(limit=5, cursor=first.next_cursor))
        goals = await client.get_profile(c.GetProfileArgs(kinds=("goal",)))
        ended = await client.get_profile(c.GetProfileArgs(status="completed"))
        with pytest.raises(MemoryRefused, match="use next_cursor of the previous page"):
            await client.get_profile(c.GetProfileArgs(cursor="x"))
    async with memory.relay() as relay:
        whole = await relay.get_profile(c.GetProfileArgs(chat_id=USER))
    pages = [m.content[-1] for page in (first, rest) for m in page.facts]
    assert pages == list("6543210"), "newest first, nothing twice"
    assert [m.content for m in first.goals] == ["I want to sail to Crete"]
    assert (rest.next_cursor, goals.facts, len(goals.goals), ended.goals) == (None, (), 1, ())
    assert len(whole.facts) == 7


async def test_a_whole_number_is_an_id_in_any_form_and_an_empty_selection_selects_nothing(memory: Memory) -> None:
    async with memory.client() as client:
        hello = {**HERE, "role": "user", "content": "I like tea", "message_thread_id": "5"}
        first = await client.mcp.call_tool("record_message", {**hello, "message_id": 7})
        again = await client.mcp.call_tool("record_message", {**hello, "message_id": 7.0, "message_thread_id": 5.0})
        found = await client.mcp.call_tool("search_memory", {**HERE, "query": "tea", "kinds": []})
        context = await client.mcp.call_tool("get_context", {**HERE, "message_thread_id": 5, "include": []})
        preview = await client.mcp.call_tool("forget", {**HERE, "topic": "tea", "memory_ids": [], "message_ids": []})
    assert "created message 1 in topic:42:5" in str(first.content)
    assert "duplicate message 1 in topic:42:5" in str(again.content)
    assert all("I like tea" in str(result.content) for result in (found, context, preview))


async def test_a_new_chat_expects_no_answer_to_an_earlier_question(memory: Memory) -> None:
    asks = c.RecordMessageArgs(role="assistant", content="Which day?", expects=c.Expects(slot="day", type="date"))
    async with memory.client() as client:
        await client.record_message(asks)
        before = await client.get_context(c.GetContextArgs(query="Friday"))
        await client.start_new_chat(c.StartNewChatArgs())
        after = await client.get_context(c.GetContextArgs(query="Friday"))
        await client.record_message(asks)
        again = await client.get_context(c.GetContextArgs(query="Friday"))
    assert [x.focus.source if x.focus else None for x in (before, after, again)] == ["slot", None, "slot"]


async def test_a_routine_without_a_summary_is_shown_once(memory: Memory) -> None:
    report = c.RecordMessageArgs(role="assistant", content="The greenhouse cost 40 euros", routine="daily-cost")
    async with memory.client() as client:
        await client.record_message(report)
        bare = await client.get_context(c.GetContextArgs(query="What did the greenhouse cost?"))
        await client.record_message(
            report.model_copy(update={"summary": "Costs are low", "content": "The barn cost 90"})
        )
        summed_up = await client.get_context(c.GetContextArgs(query="What did the barn cost?"))
    assert (bare.context or "").count("The greenhouse cost 40 euros") == 1
    assert [(summed_up.context or "").count(text) for text in ("Costs are low", "The barn cost 90")] == [1, 1]


async def test_only_a_memory_that_holds_can_be_shared(memory: Memory) -> None:
    async with memory.relay() as relay:
        for number, action in enumerate(("reject", "complete"), start=1):
            goal = c.RememberArgs(content=f"Sail to Crete in boat {number}", kind="goal", chat_id=USER)
            kept = (await relay.remember(goal)).memory
            assert kept is not None
            change = c.UpdateMemoryArgs(memory_id=kept.id, action=action, to_chat_id=-100, chat_id=USER)
            await relay.update_memory(change)
            with pytest.raises(MemoryRefused, match="cannot be shared; confirm or reopen it first"):
                await relay.update_memory(change.model_copy(update={"action": "share"}))
        reopen = c.UpdateMemoryArgs(memory_id=1, action="reopen", chat_id=USER)
        await relay.update_memory(reopen)
        shared = await relay.update_memory(reopen.model_copy(update={"action": "share", "to_chat_id": -100}))
        known = await relay.get_profile(c.GetProfileArgs(chat_id=-100))
    assert [goal.content for goal in known.goals] == [shared.content] == ["Sail to Crete in boat 1"]
