"""Buttons under the bot's messages: taps that forget, keep, confirm and correct memories."""

from datetime import timedelta
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.client import MemoryRefused
from tellonce_relay.buttons import CallbackData, encoded
from tellonce_relay.catalogue import phrase
from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import PERSONAL, Scripted, relaying, texts, until_recorded
from tests.stubs.telegram_emulator import Telegram, telegram

pytestmark = pytest.mark.anyio

OLD_LIST = {"inline_keyboard": [[{"text": "Forget", "callback_data": encoded(CallbackData("erase", 1))}]]}
"""Buttons of a list that an earlier process sent. This process does not know the list."""


async def doubt(memory: Memory, text: str) -> int:
    """Store an uncertain memory."""
    async with memory.client() as client:
        stored = await client.remember(c.RememberArgs(content=text, scope="global", kind="fact"))
    async with memory.tables() as tables:
        await tables.execute("update memories set status = 'uncertain' where id = $1", stored.memory.id)
    return stored.memory.id


async def test_forget_shows_each_match_and_the_ticked_ones_go(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        for text in ("I prefer Singapore Standard Time", "I like Singapore noodles", "I fly to Singapore on Mondays"):
            await api.say(f"/remember {text}")
        await api.replies(3)
        part = "It rained in Singapore."
        await client.record_message(c.RecordMessageArgs(role="user", content=f"Tea was good. {part} The bus was late."))
        await api.ask("/forget Singapore", replies=4)
        asked = api.sent[3]
        assert f"Tea was good. {part} The bus was late.\n    ✂ only “{part}”" in asked["text"]
        await api.press(asked, "☑ 4", until=lambda: "3 of 4 matches ticked" in asked["text"])
        await api.press(asked, "☑ 2", until=lambda: "2 of 4 matches ticked" in asked["text"])
        await api.press(asked, "Forget", until=lambda: asked["text"].startswith("✓ Erased (2 memories)"))
        profile = await client.get_profile(c.GetProfileArgs())
    left = (*profile.facts, *profile.preferences, *profile.goals, *profile.dates)
    assert [m.content for m in left] == ["I like Singapore noodles"]
    kept = "✓ Erased (2 memories). 2 matches were not ticked and still say it."
    assert api.world.toasts == ["", "", kept]


async def test_forgetting_what_one_asked_about_ticks_the_answer_too(memory: Memory) -> None:
    told = ("Sarah's phone number is 555-0142", "What is Sarah's number?")
    async with relaying(memory) as api:
        for count, text in enumerate(told, 1):
            await api.ask(text, replies=count)
        await until_recorded(memory, api.sent[1])
        shown = (await api.ask("/forget sarah's number", replies=3))[2]
        await api.press(api.sent[2], "Forget", until=lambda: texts(api)[2].startswith("✓ Forgotten"))
        assert (await api.ask("What is Sarah's number?", replies=4))[3] == phrase("offline.nothing")
    assert shown.startswith("Forget “sarah's number”? 3 of 3 matches ticked.")
    assert phrase("offline.kept") not in shown, "the bot's acknowledgment is no news beside the matches"


async def test_an_article_before_a_topic_hides_no_match(memory: Memory) -> None:
    async with relaying(memory) as api:
        api.world.languages[42] = "de"
        await api.ask("Erinnere mich morgen um 9 an die Milch", replies=1)
        shown = (await api.ask("Vergiss die Milch", replies=2))[1]
    assert shown.startswith("„Milch“ löschen? 2 von 2 Treffern angehakt.")


async def test_with_nothing_ticked_nothing_is_forgotten_and_cancel_keeps_all(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="The SingPass “beta” is late"))
        await api.ask("/forget SingPass", replies=1)
        (asked,) = api.sent
        await api.press(asked, "☑ 1", until=lambda: "0 of 1" in asked["text"])
        await api.press(asked, "Forget", until=lambda: len(api.world.toasts) == 2)
        await api.press(asked, "Cancel", until=lambda: asked["text"] == "Kept")
        context = await client.get_context(c.GetContextArgs())
    assert api.world.toasts[1] == phrase("forget.none_ticked")
    assert "SingPass" in (context.context or "")


async def test_forget_alone_asks_before_wiping_and_keep_keeps(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        await api.ask("/forget", replies=1)
        await api.ask("/remember I like tea", replies=2)
        await api.ask("/forget", replies=3)
        await api.press(api.sent[2], "Keep", until=lambda: api.sent[2]["text"] == "Kept")
        kept = await client.get_profile(c.GetProfileArgs())
        await api.ask("/forget", replies=4)
        await api.press(api.sent[3], "Forget everything", until=lambda: api.sent[3]["text"] == "✓ Forgotten (1 memory)")
        wiped = await client.get_profile(c.GetProfileArgs())
    assert texts(api)[0] == phrase("forget.wipe_nothing")
    assert [m.content for m in kept.facts] == ["I like tea"]
    assert (wiped.facts, wiped.preferences) == ((), ())


async def test_a_button_of_something_long_gone_says_so(memory: Memory) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client:
        number = await doubt(memory, "The user might move to Berlin")
        await api.ask("Hello", replies=2)
        target = c.ForgetArgs(memory_ids=(number,))
        await client.forget(target.model_copy(update={"confirm": (await client.forget(target)).confirm}))
        await api.press(api.sent[1], "✓", until=lambda: bool(api.world.toasts))
    assert api.world.toasts == [phrase("server.no_memory", id=number)]


async def test_an_uncertain_memory_is_asked_about_under_a_later_reply_and_a_tap_decides(memory: Memory) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client:
        confirmations = [await doubt(memory, f"The user might move to city {i}") for i in range(3)]
        await api.ask("Hello", chat=PERSONAL, replies=1)
        await api.ask("Hello", replies=4)
        asked = api.sent[2:4]
        await api.press(asked[0], "✓", until=lambda: asked[0]["text"].startswith("✓"))
        await api.press(asked[1], "✗", until=lambda: asked[1]["text"] == "✗ Not kept")
        await api.ask("And now?", replies=6)
        states = {
            m.id: m.status
            for m in [(await client.explain(c.ExplainArgs(memory_id=i))).memory for i in confirmations]
            if m
        }
    assert [message["chat"]["id"] for message in api.sent] == [PERSONAL, 42, 42, 42, 42, 42]
    assert [states[i] for i in confirmations] == ["active", "rejected", "uncertain"]
    assert "city 2" in texts(api)[5]


async def test_a_no_to_an_overdue_goal_says_that_it_is_no_longer_a_goal(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.tables() as tables:
        number = await doubt(memory, "The user finishes the thesis")
        overdue = "update memories set kind = 'goal', deadline = $2, overdue_at = now() where id = $1"
        await tables.execute(overdue, number, clock() - timedelta(days=400))
        await api.ask("Hello", replies=2)
        asked = api.sent[1]
        question = asked["text"]
        await api.press(asked, "✗")
        await api.until(lambda: asked["text"] == phrase("memory.closed", content="The user finishes the thesis"))
    assert question == phrase("memory.is_still_a_goal", content="The user finishes the thesis")


async def put_right(memory: Memory, api: Telegram, wording: str) -> tuple[int, int]:
    """Correct an uncertain memory by a reply. Returns the numbers of the memory and of the replying message."""
    number = await doubt(memory, "The user might move to Berlin")
    await api.ask("Hello", replies=2)
    await api.press(api.sent[1], "✎ Edit")
    await api.replies(3)
    answer = await api.say(wording, reply_to=api.sent[2]["message_id"])
    await api.replies(4)
    return number, answer


async def test_an_uncertain_memory_can_be_put_right_by_a_reply(memory: Memory) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client:
        number, _ = await put_right(memory, api, "I will move to Bern in May")
        assert api.api.of("sendMessage")[2]["reply_markup"]["force_reply"]
        known = (await client.explain(c.ExplainArgs(memory_id=number))).memory
    assert texts(api)[3] == "✓ Remembered: I will move to Bern in May"
    assert known is not None
    assert (known.content, known.status) == ("I will move to Bern in May", "active")


async def test_a_tap_that_comes_again_after_a_kill_does_not_act_again(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api:
        async with relaying(memory, state=tmp_path, api=api):
            await api.say("/remember I like tea")
            await api.ask("/forget tea", replies=2)
            asked = api.sent[1]
            await api.press(asked, "Forget")
            tap = api.world.updates[-1]
            await api.until(lambda: asked["text"].startswith("✓ Forgotten"))
        shown = asked["text"]
        api.world.updates.insert(0, tap)
        async with relaying(memory, state=tmp_path, api=api):
            await api.ask("/help", replies=3)
            await api.press({**asked, "reply_markup": OLD_LIST}, "Forget")
            await api.until(lambda: asked["text"] == phrase("forget.list_gone"))
    assert api.world.toasts == [shown, phrase("forget.list_gone")]


async def test_under_an_old_message_a_button_does_what_it_can_and_says_what_it_cannot(memory: Memory) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client:
        number = await doubt(memory, "The user might move to Berlin")
        await api.ask("Is Berlin nice?", replies=2)
        await api.ask("/forget Berlin", replies=3)
        await api.press(api.sent[1], "✓", old=True)
        await api.press({**api.sent[2], "reply_markup": OLD_LIST}, "Forget", old=True)
        await api.until(lambda: len(api.world.toasts) == 2)
        known = (await client.explain(c.ExplainArgs(memory_id=number))).memory
    assert known is not None
    assert known.status == "active"
    assert api.world.toasts == ["✓ The user might move to Berlin", phrase("forget.list_gone")]


async def test_an_edited_right_wording_puts_the_memory_right_again(memory: Memory) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client:
        number, answer = await put_right(memory, api, "I will move to Bern in April")
        await api.edit(answer, "I will move to Bern in May")
        await api.replies(5)
        known = (await client.explain(c.ExplainArgs(memory_id=number))).memory
        with pytest.raises(MemoryRefused):
            await client.explain(c.ExplainArgs(message_id=str(answer)))
    assert texts(api)[4] == "✓ Remembered: I will move to Bern in May"
    assert known is not None
    assert known.content == "I will move to Bern in May"
