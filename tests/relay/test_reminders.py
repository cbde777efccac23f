"""Reminders are set in words or by a model, shown with their time, changed by buttons, and delivered once and on
time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.reminders import ClaimRemindersArgs, FinishReminderArgs, ListRemindersArgs, Reminder, SetReminderArgs
from tellonce_relay.catalogue import phrase
from tellonce_relay.turn.reminders import what_of
from tellonce_server.services.remember import Rememberer
from tests.hand_worker import read
from tests.memory_fixtures import Clock, Memory
from tests.patience import until
from tests.relay.running_relay import ZONE, Scripted, relaying, texts
from tests.server.test_repeated_extraction import dropped, reads
from tests.stubs.telegram_emulator import DropAfter

pytestmark = pytest.mark.anyio

CALL = "remind me tomorrow at 9 to call mom"
MOM = "⏰ I'll remind you tomorrow at 9:00 AM: call mom"


async def statuses(memory: Memory) -> dict[str, str]:
    async with memory.tables() as tables:
        return {row["content"]: row["status"] for row in await tables.fetch("select content, status from memories")}


async def coming(client: MemoryClient, wanted: Callable[[tuple[Reminder, ...]], bool]) -> tuple[Reminder, ...]:
    """Wait until the reminders are as expected. A reminder is not finished at the moment when it is shown, but shortly
    after."""

    async def as_wanted() -> tuple[tuple[Reminder, ...]] | None:
        found = (await client.list_reminders(ListRemindersArgs(chat_id=42))).reminders
        return (found,) if wanted(found) else None

    (found,) = await until(as_wanted)
    return found


async def test_a_reminder_set_in_words_is_confirmed_delivered_once_and_history_then(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        assert await api.ask(CALL, replies=1) == [MOM]
        clock.forward(minutes=5)
        async with memory.agent() as agent:
            again = {CALL: "The user wants to call mom on 2026-02-17 at 09:00"}
            await read(agent, reads(again, kind="date"))
            assert await dropped(agent) == {"set or ended since": 1}
        clock.forward(hours=21, minutes=55)  # 7:15 on that day in Singapore
        await api.ask("/reminders", replies=2)
        assert len(await coming(client, bool)) == 1
        clock.forward(hours=1, minutes=46)
        await api.say("/help")
        await coming(client, lambda found: not found)
        await api.press(next(m for m in api.sent if m["text"] == "⏰ call mom"), "✓ Done")
        await api.until(lambda: "✓ call mom" in texts(api))
        found = await client.search_memory(c.SearchMemoryArgs(chat_id=42, query="What did I ask you about mom?"))
    assert sum(text in ("⏰ call mom", "✓ call mom") for text in texts(api)) == 1
    assert CALL in [result.text for result in found.results if result.role == "user"]
    assert await statuses(memory) == {"call mom (2026-02-17 09:00)": "completed"}


async def test_one_that_repeats_comes_again_and_late_ones_say_when_they_were_due(memory: Memory, clock: Clock) -> None:
    next_time = datetime(2026, 3, 9, 0, 0, tzinfo=UTC)
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        await api.say("remind me to water the plants every Monday at 8am")
        assert (await api.replies(1))[0].startswith(
            "⏰ I'll remind you Mon, Feb 23 at 8:00 AM: water the plants (every"
        )
        clock.forward(days=15)  # both Mondays have passed: the reminder is delivered once now, and again next week
        await api.say("/help")
        await coming(client, lambda found: found[0].due_at == next_time)
        late = next(m for m in api.sent if "This was due" in m["text"])
        await api.press(late, "✗ Stop it")
        await coming(client, lambda found: not found)
        await api.until(lambda: late["text"].startswith("✗ Cancelled"))
        await api.press(late, "Undo")
        await coming(client, lambda found: [r.due_at for r in found] == [next_time])
    assert sum("This was due" in text or "Back again" in text for text in texts(api)) == 1


async def test_undo_and_the_list_take_reminders_back(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api:
        for count, text in enumerate(("in 20 minutes to take the pizza out", "on Friday at 6pm about the dentist"), 1):
            await api.ask(f"Remind me {text}", replies=count)
        first = api.sent[0]
        await api.press(first, "Undo", until=lambda: first["text"] == "✗ Cancelled: take the pizza out")
        await api.press(first, "Undo", until=lambda: first["text"].startswith("⏰ Back again: take the pizza out"))
        listed = (await api.ask("what reminders do I have?", replies=3))[2]
        await api.press(api.sent[2], "✗ 2", until=lambda: api.sent[2]["text"].startswith("✗ Cancelled: the dentist"))
        kept = await statuses(memory)
    assert listed.splitlines()[1:] == [
        "1. today at 9:36 AM: take the pizza out",
        "2. Fri, Feb 20 at 6:00 PM: the dentist",
    ]
    assert sorted(kept.values()) == ["active", "completed"]


async def test_a_models_reminder_is_checked_against_the_users_words(memory: Memory, clock: Clock) -> None:
    tag = "Sure. [REMIND: call mom | AT: 2026-02-17 09:00]"
    invented = "Fine. [REMIND: divorce Ann | AT: 2026-02-17 09:00]"
    async with relaying(memory, Scripted(tag, invented), clock=clock) as api, memory.relay() as client:
        assert await api.ask("Could you remind me tomorrow at 9 to call mom?", replies=2) == ["Sure.", MOM]
        asked = (await api.ask("What will the weather be like?", replies=4))[3]
        assert asked.startswith("❔ Is this right?\ndivorce Ann (Tue, Feb 17, 2026, 9:00 AM)\nAn assistant claims it.")
        left = await coming(client, bool)
    assert [r.memory.content for r in left] == ["call mom (2026-02-17 09:00)"]


async def test_a_model_cancels_a_reminder_by_a_tag_and_one_without_a_possible_time_is_reported(
    memory: Memory, clock: Clock
) -> None:
    answers = (
        "Sure. [REMIND: call mom | AT: 2026-02-17 09:00]",
        "I set it. [REMIND: check the oven | AT: 25:00]",
        "I set it. [REMIND: pay | AT: 2026-02-15 09:00]",
        "Cancelled. [DONE: calling mom]",
    )
    async with relaying(memory, Scripted(*answers), clock=clock) as api, memory.relay() as client:
        asked = ("remind me tomorrow at 9 to call mom", "check the oven at 25:00", "pay yesterday", "don't call mom")
        for count, text in enumerate(asked, 1):
            await api.ask(text, replies=2 * count)
        cancelled = await coming(client, lambda found: not found)
        await api.press(api.sent[7], "Undo")
        kept = await coming(client, bool)
    shown = texts(api)
    assert shown[:3] == ["Sure.", MOM, "I set it."]
    assert shown[3].startswith("⏰ Not set: “check the oven”. When should I remind you?")
    assert shown[5].startswith("⏰ Not set: “pay”. That is already past (Sun, Feb 15 at 9:00 AM).")
    assert (shown[6], cancelled) == ("Cancelled.", ())
    assert [what_of(reminder) for reminder in kept] == ["call mom"]


async def test_without_a_model_a_reply_is_about_its_message_and_words_about_a_reminder_show_it(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, clock=clock) as api:
        number = await api.say("The boiler's serial number is BX-99")
        await api.replies(1)
        await api.ask("What's this?", reply_to=number, replies=2)
        await api.ask("remind me every Monday at 8", reply_to=number, replies=3)
        await api.ask("cancel the boiler reminder, that serial number is wrong", replies=4)
        await api.press(api.sent[3], "✗ 1", until=lambda: api.sent[3]["text"].startswith("✗ Cancelled"))
        shown = await api.ask("forget this", reply_to=number, replies=5)
    assert shown[1].endswith("“The boiler's serial number is BX-99”")
    assert shown[2].startswith("⏰ I'll remind you Mon, Feb 23 at 8:00 AM: The boiler's serial number is BX-99")
    assert shown[4].startswith("Forget “The boiler's serial number is BX-99”?")
    assert "[message, Feb 16] The boiler's" in shown[4]


async def test_what_is_forgotten_never_rings_and_a_lost_answer_of_telegram_doubles_nothing(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, clock=clock) as api, memory.client() as client, memory.relay() as relay:
        for minutes, what in ((20, "stir the soup"), (30, "call Zoe")):
            at = clock() + timedelta(minutes=minutes)
            await relay.set_reminder(SetReminderArgs(chat_id=42, content=what, at=at))
        await api.ask("/forget Zoe", replies=1)
        await api.press(api.sent[0], "Forget", until=lambda: api.sent[0]["text"].startswith("✓ Forgotten"))
        clock.forward(hours=1)
        api.faults["sendMessage"] = [DropAfter()]
        await api.say("/help", until=lambda: len(api.sent) >= 3)
        await api.say("/help", until=lambda: len(api.sent) >= 4)
    assert sum("stir the soup" in text for text in texts(api)) == 1
    assert not any("Zoe" in text for text in texts(api)[1:])
    assert client is not None


async def test_an_order_repeated_after_its_delivery_rings_no_second_time(memory: Memory, clock: Clock) -> None:
    order = SetReminderArgs(chat_id=42, content="stir the soup", at=clock() + timedelta(minutes=20))
    async with memory.relay() as client:
        first = await client.set_reminder(order)
        assert (await client.set_reminder(order)).memory.id == first.memory.id
        clock.forward(hours=1)
        (due,) = (await client.claim_reminders(ClaimRemindersArgs(worker="bot"))).reminders
        done = FinishReminderArgs(chat_id=42, memory_id=due.memory.id, due_at=due.due_at)
        assert (await client.finish_reminder(done)).finished
        assert (await client.set_reminder(order)).memory.id == first.memory.id
        assert (await client.claim_reminders(ClaimRemindersArgs(worker="bot"))).reminders == ()


async def test_an_order_repeated_during_its_delivery_rings_no_second_time(
    memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a kill, the relay can set a reminder again while it delivers this reminder."""
    args = SetReminderArgs(content="call Bob", at=clock(), chat_id=42)
    remember = Rememberer.remember
    async with memory.relay() as client:
        first = await client.set_reminder(args)

        async def interrupted(self: Rememberer, *given: Any) -> Any:
            due = first.due_at
            await client.finish_reminder(FinishReminderArgs(chat_id=42, memory_id=first.memory.id, due_at=due))
            return await remember(self, *given)

        monkeypatch.setattr(Rememberer, "remember", interrupted)
        again = await client.set_reminder(args)
        assert again.memory.id == first.memory.id
        assert (await client.list_reminders(ListRemindersArgs(chat_id=42))).reminders == ()
        assert (await client.claim_reminders(ClaimRemindersArgs(worker="bot"))).reminders == ()
    async with memory.tables() as tables:
        assert await tables.fetchval("select count(*) from memories where status = 'active'") == 0


@pytest.mark.parametrize(
    ("rule", "days"), [("R/2026-02-20T08:00/P14D", 14), ("0 8 20 * *", 28), ("0 8 * * 5 until 2026-03-01T00:00", 7)]
)
async def test_a_stored_repetition_of_any_kind_comes_again(memory: Memory, clock: Clock, rule: str, days: int) -> None:
    first = datetime(2026, 2, 20, 8, tzinfo=ZONE)
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        await client.set_reminder(SetReminderArgs(chat_id=42, content="glass", at=first, repeats=rule, words="often"))
        clock.at = first
        await api.say("/help", until=lambda: "⏰ glass (often)" in texts(api))
        await coming(client, lambda found: found[0].due_at == first + timedelta(days=days))


async def test_a_model_may_set_a_reminder_by_a_rule_that_the_words_support(memory: Memory, clock: Clock) -> None:
    answers = (
        "Sure. [REMIND: pay the rent | AT: 2026-03-02T10:00 | EVERY: 0 10 * * 1#1 (on the first Monday at 10)]",
        "Vale. [REMIND: beber agua | AT: 2026-02-16T11:00 | EVERY: 0 9-17/2 * * * (cada dos horas entre las 9 y las 17)]",
        "OK. [REMIND: stretch | AT: 2026-02-16T09:30 | EVERY: */30 * * * * (every 30 minutes)]",
        "OK. [REMIND: breathe | AT: 2026-02-16T09:30 | EVERY: * * * * * (every minute)]",
    )
    asked = (
        "remind me to pay the rent on the first Monday of every month at 10",
        "Recuérdame cada dos horas entre las 9 y las 17 beber agua",
        "remind me to stretch every day at 8",
        "remind me to breathe every minute",
    )
    async with relaying(memory, Scripted(*answers), clock=clock) as api, memory.relay() as client:
        for count, text in enumerate(asked, 1):
            await api.ask(text, replies=2 * count)
        rent, water = [one for one in await coming(client, bool) if "stretch" not in one.memory.content][::-1]
        clock.at = rent.due_at
        await api.say("/help")
        await coming(client, lambda found: rent.due_at + timedelta(days=35) in [one.due_at for one in found])
    shown = texts(api)
    assert shown[1] == "⏰ I'll remind you Mon, Mar 2 at 10:00 AM: pay the rent (on the first Monday at 10)"
    assert shown[3] == "⏰ I'll remind you today at 11:00 AM: beber agua (cada dos horas entre las 9 y las 17)"
    assert water.repeats == "0 9-17/2 * * *"
    assert shown[5].startswith("❔ Is this right?\nstretch"), "the user asked for another repetition"
    assert shown[7].startswith(f"⏰ Not set: “breathe”. {phrase('reminder.misread')}")


async def test_a_reminder_ordered_in_words_is_set_even_if_the_model_forgets_its_tag(
    memory: Memory, clock: Clock
) -> None:
    recall = "remind me what we decided on Friday"
    model = Scripted("I will.", "Ja.", "You chose blue.")
    async with relaying(memory, model, clock=clock) as api, memory.relay() as client:
        await api.ask(CALL, replies=2)
        await api.ask("Kannst du mich am Freitag um 18 Uhr an den Zahnarzt erinnern?", replies=4)
        await api.say(recall)
        await api.ask("Thanks", replies=6)
        left = await coming(client, bool)
    said = ["I will.", MOM, "Ja.", "⏰ I'll remind you Fri, Feb 20 at 6:00 PM: Zahnarzt", *["You chose blue."] * 2]
    assert texts(api) == said
    assert [what_of(reminder) for reminder in left] == ["call mom", "Zahnarzt"]


async def test_the_time_is_said_where_it_is_missing_past_or_cannot_be_kept(memory: Memory, clock: Clock) -> None:
    asked = ("remind me to buy milk", "remind me yesterday at 5 to laugh", "remind me every minute to breathe")
    async with relaying(memory, clock=clock) as api:
        for count, text in enumerate(asked, 1):
            await api.ask(text, replies=count)
    shown = texts(api)
    assert shown[0].startswith("When should I remind you?")
    assert "already past" in shown[1]
    assert shown[2].startswith("I can't repeat a reminder that way.")
    assert await statuses(memory) == {}


async def test_a_tag_cancels_the_reminder_it_names_and_an_unclear_one_is_asked_about(
    memory: Memory, clock: Clock
) -> None:
    model = Scripted("Done. [DONE: call the bank]", "Cancelled. [DONE: the call]")
    async with relaying(memory, model, clock=clock) as api, memory.relay() as client:
        for count, text in enumerate(("tomorrow at 9 to call Bob", "on Friday at 9 to call the bank"), 1):
            await api.ask(f"/remind {text}", replies=count)
        await client.remember(c.RememberArgs(content="Call the tax office", kind="goal", chat_id=42))
        await api.ask("please cancel the call to the bank, they phoned me", replies=4)
        left = [what_of(one) for one in await coming(client, bool)]
        asked = (await api.ask("cancel the call", replies=6))[5]
        kept = [what_of(one) for one in await coming(client, bool)]
        goals = (await client.get_profile(c.GetProfileArgs(chat_id=42))).goals
    assert texts(api)[3] == "✗ Cancelled: call the bank"
    assert asked.startswith("❔ Is it done?\ncall Bob")
    assert left == kept == ["call Bob"]
    assert [goal.content for goal in goals] == ["Call the tax office"]


async def test_a_promised_reminder_that_is_not_set_is_asked_about_at_once(memory: Memory, clock: Clock) -> None:
    claims = "Noted. [REMEMBER: Ann is divorced] [REMEMBER: Bob has three children]"
    drink = "I will. [REMIND: drink water | AT: 2026-02-18T12:00 | EVERY: R/2026-02-18T12:00/PT2H]"
    async with relaying(memory, Scripted(claims, drink), clock=clock) as api, memory.relay() as client:
        await api.ask("What a day!", replies=3)
        asked = (await api.ask("nag me about water", replies=5))[4]
        clock.forward(days=2, hours=4)
        await api.press(api.sent[4], "✓")
        await coming(client, bool)
        await api.until(lambda: any(text.startswith("⏰ drink water\n") for text in texts(api)))
    assert asked.splitlines()[:2] == [
        "❔ Is this right?",
        "drink water (Wed, Feb 18 at 12:00 PM, Wed, Feb 18 at 2:00 PM, Wed, Feb 18 at 4:00 PM, …)",
    ]
    assert "Your words: “nag me about water”" in asked
    late = next(text for text in texts(api) if text.startswith("⏰ drink water\n"))
    assert late.splitlines()[1:] == ["(This was due Wed, Feb 18 at 12:00 PM.)"]


async def test_a_promised_reminder_that_the_memory_refuses_is_reported(memory: Memory, clock: Clock) -> None:
    invented = "Sure. [REMIND: divorce Ann | AT: 2026-02-17 09:00]"
    async with relaying(memory, Scripted(invented), clock=clock) as api:
        await api.ask("What will the weather be like?", replies=2)
        await api.press(api.sent[1], "✗")
        await api.until(lambda: "Ann" not in api.sent[1]["text"] or "❔" not in api.sent[1]["text"])
        again = await api.ask("And the day after?", replies=4)
    assert again[3].startswith("⏰ Not set: “divorce Ann”.")
