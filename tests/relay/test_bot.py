"""The Telegram relay against a Bot API on loopback and a real memory."""

import asyncio

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import phrase
from tellonce_relay.command_table import MENU
from tellonce_relay.telegram import chat_surface
from tellonce_relay.turn.agents import Agent, AgentEntry, Agents
from tests.memory_fixtures import Memory
from tests.relay.outages import InterruptibleMemory
from tests.relay.running_relay import GROUP, Echo, Scripted, relaying, texts, until_recorded
from tests.stubs.telegram_emulator import DropAfter, DropBefore, Fault, Garbage, Refuse

pytestmark = pytest.mark.anyio


async def test_a_message_is_answered_once_and_both_sides_are_recorded(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.ask("My team offsite is on March 15", replies=1)
        answers = await api.ask("When is my team offsite?", replies=2)
    async with memory.client() as client:
        context = await client.get_context(c.GetContextArgs())
    assert "March 15" in answers[1]
    assert context.context is not None
    assert context.context.count("User: ") == 2
    assert context.context.count("Assistant: ") == 2
    assert context.coverage.gap == 0


async def test_the_menu_is_set_and_typing_is_shown_while_the_model_thinks(memory: Memory) -> None:
    thinking = asyncio.Event()
    async with relaying(memory, Echo(thinking)) as api:
        await api.say("Hello", until=lambda: bool(api.world.actions))
        assert not api.sent
        thinking.set()
        await api.replies(1)
    assert [command["command"] for command in api.world.commands] == list(MENU)


async def test_strangers_and_other_groups_get_no_word_and_stand_in_the_log_once(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    async with relaying(memory) as api:
        for _ in range(2):
            await api.say("Let me in", user=666)
            await api.say("Let me in", user=666, chat=GROUP)
            await api.say("Hello", chat=-555)
        await api.ask("Hello", replies=1)
    assert {message["chat"]["id"] for message in api.sent} == {42}
    told = [record.getMessage() for record in caplog.records if record.name == "tellonce_relay.updates.bot"]
    assert [sentence.split(":")[0] for sentence in told] == ["user 666 is not answered", "group -555 is not served"]


async def test_the_prompt_has_the_talk_and_the_tags_are_carried_out_and_never_shown(memory: Memory) -> None:
    responder = Scripted("Lovely.\n[REMEMBER: drinks green tea]\n[GOAL: run a marathon | DEADLINE: May 2026]", "Good.")
    async with relaying(memory, responder) as api, memory.client() as client:
        await api.ask("I drink green tea and will run a marathon by May 2026", replies=1)
        await api.replies(3)
        await api.ask("And now?", replies=4)
        profile = await client.get_profile(c.GetProfileArgs())
    assert texts(api)[:3] == ["Lovely.", "💾 drinks green tea", "💾 run a marathon (by May 2026)"]
    assert texts(api)[3] == "Good."
    assert "I drink green tea" in responder.prompts[1].text
    assert "[REMEMBER: drinks" not in responder.prompts[1].text
    assert [goal.content for goal in profile.goals] == ["run a marathon (by May 2026)"]
    assert any("green tea" in m.content for m in (*profile.facts, *profile.preferences))


async def test_a_finished_goal_is_completed_by_its_tag(memory: Memory) -> None:
    async with relaying(memory, Scripted("Well done! [DONE: SingPass]")) as api, memory.client() as client:
        await client.remember(c.RememberArgs(content="Launch the SingPass integration by Q2 2026", kind="goal"))
        await client.remember(c.RememberArgs(content="Learn Portuguese", kind="goal"))
        assert (await api.ask("SingPass is live", replies=2))[
            1
        ] == "💾 Done: Launch the SingPass integration by Q2 2026"
        view = (await api.ask("/memory", replies=3))[2]
    assert "SingPass" not in view
    assert "Learn Portuguese" in view


async def test_while_the_memory_is_away_the_person_is_told_once_and_answered_when_it_is_back(memory: Memory) -> None:
    async with memory.relay() as real:
        away = InterruptibleMemory(real, away=True)
        async with relaying(memory, Scripted("Here I am"), client=away.client) as api:
            await api.ask("Are you there?", replies=1)
            await away.refused(3)
            assert texts(api) == [phrase("turn.memory_away")]
            away.away = False
            await api.replies(2)
    assert texts(api) == [phrase("turn.memory_away"), "Here I am"]


@pytest.mark.parametrize(
    "fault", [Refuse(502, "Bad Gateway"), DropBefore(), DropAfter(), Garbage()], ids=lambda fault: type(fault).__name__
)
async def test_an_answer_arrives_once_whatever_becomes_of_telegrams_reply(memory: Memory, fault: Fault) -> None:
    async with relaying(memory, Scripted("**Once** only")) as api:
        api.faults["sendMessage"] = [fault]
        await api.ask("Go on", replies=1)
        await api.ask("/help", replies=2)
    async with memory.client() as client:
        kept = await client.explain(c.ExplainArgs(message_id=str(api.sent[0]["message_id"])))
    assert texts(api) == ["Once only", phrase("help.text")]
    assert kept.text == "**Once** only"


async def test_a_nul_in_an_answer_does_not_keep_it_from_being_recorded(memory: Memory) -> None:
    async with relaying(memory, Scripted("All\x00 right")) as api:
        await api.ask("Go on", replies=1)
        await api.ask("/help", replies=2)
    async with memory.relay() as client:
        kept = await client.explain(c.ExplainArgs(message_id=str(api.sent[0]["message_id"]), chat_id=42))
    assert texts(api) == ["All right", phrase("help.text")]
    assert kept.text == "All right"


@pytest.mark.parametrize("drafts", [True, False], ids=["drafts", "edits"])
async def test_a_slow_answer_is_streamed(memory: Memory, monkeypatch: pytest.MonkeyPatch, drafts: bool) -> None:
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)
    gate = asyncio.Event()

    answer = "The beginning [REM", gate, "EMBER: likes tea] and the end"
    async with relaying(memory, Scripted(answer)) as api:
        api.api.drafts = drafts
        await api.say("Go")
        await api.until(
            lambda: api.world.drafts.get(42) == "The beginning" if drafts else texts(api) == ["The beginning"]
        )
        gate.set()
        await api.until(lambda: texts(api) == ["The beginning and the end"])
    assert not api.world.drafts


async def test_every_command_answers(memory: Memory) -> None:
    async with relaying(memory, Scripted("Yes")) as api:
        await api.ask("I live in Oslo", replies=1)
        await until_recorded(memory, api.sent[0])
        for count, command in enumerate(("/memory", "/summary", "/status", "/new", "/help", "/start", "/nonsense"), 2):
            await api.ask(command, replies=count)
        why = (await api.ask("/why", reply_to=api.sent[0]["message_id"], replies=9))[8]
        await api.ask("/summary", replies=10)
    shown = texts(api)
    assert shown[1].startswith("📋 YOUR PROFILE")
    assert "💬 Conversation: 2 messages (0 summaries, 2 verbatim)" in shown[1]
    assert shown[2].startswith("📜 CONVERSATION SUMMARY")
    assert "This month's learning: 0 model calls" in shown[3]
    assert shown[5] == phrase("help.text")
    assert shown[6] == phrase("start.greeting", name="Priya")
    assert "/help" in shown[7]
    assert why.startswith("I answered: “Yes”\n")
    assert shown[9] == phrase("memory.nothing"), "the new conversation has no messages yet"


async def test_commands_and_talk_of_other_bots_are_left_alone(memory: Memory) -> None:
    async with relaying(memory, Scripted("Yes")) as api:
        await api.say("/status@other_bot", chat=GROUP)
        await api.say("/nonsense", chat=GROUP)
        await api.ask("/help@Memory_Bot", chat=GROUP, replies=1)
    assert texts(api) == [phrase("help.text")]


async def test_topics_and_replies_of_a_group_fall_into_their_threads(memory: Memory) -> None:
    responder = Scripted("Topic answer", "Open answer", "Reply answer")
    async with relaying(memory, responder) as api, memory.relay() as client:
        topic = api.open_topic(GROUP)
        await api.ask("In a topic", chat=GROUP, topic=topic, replies=1)
        await api.ask("In the open", chat=GROUP, replies=2)
        await api.ask("In reply", chat=GROUP, reply_to=api.sent[1]["message_id"], replies=3)
        in_topic = await client.get_context(c.GetContextArgs(chat_id=GROUP, message_thread_id=topic))
        in_root = await client.get_context(c.GetContextArgs(chat_id=GROUP))
    assert in_topic.thread_key == f"topic:{GROUP}:{topic}"
    assert "In the open" not in (in_topic.context or "")
    assert "In the open" in (in_root.context or "")
    assert "In a topic" not in (in_root.context or "")
    assert api.sent[0]["message_thread_id"] == topic
    assert "QUOTED MESSAGE" in responder.prompts[2].text
    assert "Open answer" in responder.prompts[2].text.split("QUOTED MESSAGE")[1]


async def test_why_explains_the_message_replied_to_or_the_last_answer(memory: Memory) -> None:
    async with relaying(memory, Scripted("Yes")) as api:
        await api.ask("/help", replies=1)
        await api.ask("/why", reply_to=api.sent[0]["message_id"], replies=2)
        await api.ask("/why", replies=3)
        number = await api.say("I live in Oslo")
        await api.replies(4)
        await api.ask("/why", replies=5)
        await api.ask("/why", reply_to=number, replies=6)
    assert texts(api)[1:3] == [phrase("why.no_record"), phrase("why.reply_first")]
    assert texts(api)[4].startswith("I answered: “Yes”\n")
    assert texts(api)[5] == "You said: “I live in Oslo”\nI have learned nothing from it."


async def test_each_place_has_its_own_agent(memory: Memory) -> None:
    entry = AgentEntry(prompt="You are an AWS architect.", chats=(GROUP,))
    agents = Agents({"aws-architect": entry, "general": AgentEntry(prompt="You are kind.", default=True)})
    responder = Scripted("ok")
    async with relaying(memory, responder, agents=agents) as api:
        await api.ask("Which queue?", chat=GROUP, replies=1)
        await api.ask("Hello", replies=2)
    assert responder.prompts[0].text.startswith("You are an AWS architect.")
    assert responder.prompts[1].text.startswith("You are kind.")
    assert agents.named("unknown") == Agent("unknown", "")


async def test_an_outage_is_reported_once_however_many_commands_wait_for_its_end(memory: Memory) -> None:
    async with memory.relay() as real:
        away = InterruptibleMemory(real, away=True)
        async with relaying(memory, client=away.client) as api:
            await api.ask("/memory", replies=1)
            await api.say("/help")
            await api.all_fetched()
            await away.refused(away.refusals + 2)
            away.away = False
            await api.replies(3)
    assert texts(api)[0] == phrase("turn.memory_away")
    assert texts(api)[1].startswith("📋")
    assert texts(api)[2:] == [phrase("help.text")]


async def test_an_answer_to_a_group_that_moved_meanwhile_overwrites_no_message_of_the_old_one(memory: Memory) -> None:
    new = -1_000_000_000_777
    async with relaying(memory, Scripted("Noted", "Sure")) as api, memory.relay() as client:
        first = await api.say("Our budget is 5000", chat=GROUP)
        await api.replies(1)
        api.world.moved[GROUP] = new
        await api.ask("And now?", chat=GROUP, replies=2)
        await until_recorded(memory, api.sent[1] | {"chat": {"id": GROUP}})
        summary = (await api.ask("/summary", chat=GROUP, replies=3))[2]
        kept = await client.explain(c.ExplainArgs(message_id=str(first), chat_id=GROUP))
    assert (api.sent[1]["chat"]["id"], api.sent[1]["message_id"]) == (new, first)
    assert kept.text == "Our budget is 5000"
    assert "(4 messages, ongoing)" in summary


async def test_the_full_chat_is_reported_once(memory: Memory) -> None:
    async with relaying(memory, Scripted("ok")) as api:
        await api.ask("Hello", replies=1)
        async with memory.tables() as tables:
            await tables.execute(
                "insert into chat_metadata (owner_id, chat_id, epoch, tokens, updated_at) values (42, 42, 0, 99999, now()) "
                "on conflict (owner_id, chat_id, epoch) do update set tokens = 99999"
            )
        await api.ask("Again", replies=3)
        await api.ask("And again", replies=4)
    assert texts(api) == ["ok", "ok", phrase("server.chat_full"), "ok"]


async def test_answers_keep_the_order_of_a_chat_and_chats_do_not_wait_for_each_other(memory: Memory) -> None:
    gate = asyncio.Event()

    class Gated(Scripted):
        async def answer(self, prompt, incoming, memory):
            if incoming.chat_id == 42:
                await gate.wait()
            yield f"re {incoming.text}"

    async with relaying(memory, Gated("")) as api:
        for text in ("one", "two", "three"):
            await api.say(text)
        assert await api.ask("other", user=43, replies=1) == ["re other"]
        gate.set()
        assert await api.replies(4) == ["re other", "re one", "re two", "re three"]
