"""Reminders are set in words or by a model, shown with their time, changed by buttons, and delivered once and on
time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
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
from tests.stubs.telegram_emulator import DropAfter, telegram

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
        await api.ask("cancel the boiler reminder, that serial number is wrong", replies=5)
        await api.press(api.sent[4], "✗ 1", until=lambda: api.sent[4]["text"].startswith("✗ Cancelled"))
        shown = await api.ask("forget this", reply_to=number, replies=6)
    assert shown[1].endswith("“The boiler's serial number is BX-99”")
    assert shown[2].startswith("⏰ I'll remind you Mon, Feb 23 at 8:00 AM: The boiler's serial number is BX-99")
    assert shown[3] == "I'll keep that."
    assert shown[5].startswith("Forget “The boiler's serial number is BX-99”?")
    assert "[message, Feb 16] The boiler's" in shown[5]


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


async def test_each_time_in_a_message_is_a_reminder_with_its_own_text(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        await api.say("remind me tomorrow at 9 to call mom and at 17 to pick up Tim")
        await api.say("remind me at 10 and at 15:00 to take the pills")
        await api.say("set an alarm for 6:30")
        shown = await api.ask("remind me every morning and every evening to take my pill", replies=4)
        await api.press(api.sent[0], "✗ 2")
        await coming(client, lambda found: len(found) == 5)
        await api.until(lambda: api.sent[0]["text"].startswith("✗ Cancelled: pick up Tim"))
        edited = await api.say("remind me on Friday at 8 and again at 20:00 to water the plants")
        await api.replies(5)
        await api.edit(edited, "remind me on Friday at 8 and at 9 and at 21:00 to water the plants")
        await api.replies(6)
        found = await coming(client, lambda found: len(found) == 8)
    assert shown[0] == "⏰ I'll remind you:\n1. tomorrow at 9:00 AM: call mom\n2. tomorrow at 5:00 PM: pick up Tim"
    assert shown[1] == "⏰ I'll remind you:\n1. today at 10:00 AM: take the pills\n2. today at 3:00 PM: take the pills"
    assert shown[2].startswith("What should I remind you of?")
    assert shown[3].splitlines()[1:] == [
        "1. tomorrow at 9:00 AM: take my pill (every morning)",
        "2. today at 7:00 PM: take my pill (every evening)",
    ]
    assert [one.due_at.astimezone(ZONE).hour for one in found[5:]] == [8, 9, 21]


async def test_the_time_of_a_reminder_may_be_given_in_the_next_message(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    asked = phrase("reminder.asks_when")
    async with telegram() as api:
        async with relaying(memory, clock=clock, api=api, state=tmp_path):
            assert await api.ask("remind me to call mom", replies=1) == [asked]
        async with relaying(memory, clock=clock, api=api, state=tmp_path):
            assert "already past" in (await api.ask("yesterday at 5", replies=2))[1]
            assert (await api.ask("at 6pm, please", replies=3))[2] == "⏰ I'll remind you today at 6:00 PM: call mom"
            assert (await api.ask("at 7pm", replies=4))[3] == phrase("offline.kept")
            await api.ask("remind me to call Ann", replies=5)
            await api.ask("/forget Ann", replies=6)
            await api.press(api.sent[5], "Forget", until=lambda: texts(api)[5].startswith("✓ Forgotten"))
            await api.say("at 7pm")
            assert (await api.replies(7))[6].startswith("What should I remind you of?")
            number = await api.say("remind me to water the plants")
            await api.replies(8)
            await api.edit(number, "remind me at 8pm to water the plants")
            assert (await api.replies(9))[8] == "⏰ I'll remind you today at 8:00 PM: water the plants"
        async with relaying(memory, Scripted("Seven it is."), clock=clock, api=api, state=tmp_path):
            assert (await api.ask("/remind call dad", replies=10))[9] == asked
            clock.forward(minutes=61)
            assert (await api.ask("at 7pm", replies=11))[10] == "Seven it is."


async def test_without_a_model_a_named_day_is_offered_as_a_reminder(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        said = await api.say("The dentist is on Friday")
        await api.replies(2)
        assert api.sent[1]["text"] == "⏰ Shall I remind you Fri, Feb 20 at 9:00 AM?"
        await api.edit(said, "The dentist is on Saturday at 15:00", until=lambda: bool(api.world.reactions))
        await api.press(api.sent[1], "⏰ Yes, remind me", old=True)
        await api.until(lambda: "Feb 21 at 2:00 PM: The dentist is on Saturday at 15:00" in texts(api)[1])
        await api.ask("don't forget to call the plumber on Friday", replies=3)
        await api.press(api.sent[2], "⏰ Yes, remind me")
        await api.until(
            lambda: texts(api)[2] == "⏰ I'll remind you Fri, Feb 20 at 9:00 AM: call the plumber on Friday"
        )
        assert len(await coming(client, bool)) == 2
        for count, text in enumerate(("I was in Paris on Friday", "Is Ann here on Friday?", "We may meet in May"), 4):
            await api.ask(text, replies=count)
        listed = (await api.ask("cancel the plumber reminder", replies=7))[6]
    assert not any("Shall I" in text for text in texts(api)[3:])
    assert listed == "⏰ Your reminders:\n1. Fri, Feb 20 at 9:00 AM: call the plumber on Friday"


async def test_a_reminder_every_two_weeks_comes_again_after_two_weeks(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        assert await api.ask("remind me every other Friday at 8 to put out the glass", replies=1) == [
            "⏰ I'll remind you Fri, Feb 20 at 8:00 AM: put out the glass (every other Friday at 8)"
        ]
        (first,) = await coming(client, bool)
        clock.at = first.due_at
        await api.say("/help", until=lambda: "⏰ put out the glass (every other Friday at 8)" in texts(api))
        await coming(client, lambda found: found[0].due_at == first.due_at + timedelta(days=14))


async def test_a_model_may_set_a_reminder_that_repeats_within_a_day_or_on_a_weekday_of_the_month(
    memory: Memory, clock: Clock
) -> None:
    answers = (
        "Sure. [REMIND: pay the rent | AT: on the first Monday of every month at 10:00]",
        "Vale. [REMIND: beber agua | AT: cada dos horas entre las 9 y las 17]",
        "OK. [REMIND: stretch | AT: every 30 minutes]",
    )
    asked = (
        "remind me to pay the rent on the first Monday of every month at 10",
        "Recuérdame cada dos horas entre las 9 y las 17 beber agua",
        "remind me to stretch every day at 8",
    )
    async with relaying(memory, Scripted(*answers), clock=clock) as api, memory.relay() as client:
        for count, text in enumerate(asked, 1):
            await api.ask(text, replies=2 * count)
        rent, water = [one for one in await coming(client, bool) if "stretch" not in one.memory.content][::-1]
        clock.at = rent.due_at
        await api.say("/help")
        await coming(client, lambda found: rent.due_at + timedelta(days=35) in [one.due_at for one in found])
    shown = texts(api)
    assert shown[1] == (
        "⏰ I'll remind you Mon, Mar 2 at 10:00 AM: pay the rent (on the first Monday of every month at 10:00)"
    )
    assert shown[3] == "⏰ I'll remind you today at 11:00 AM: beber agua (cada dos horas entre las 9 y las 17)"
    assert water.repeats == "0 9-17/2 * * *"
    assert shown[5].startswith("❔ Is this right?\nstretch"), "the user asked for another repetition"


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


async def test_the_confirmation_of_a_repetition_with_an_end_says_that_it_does_not_end(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, clock=clock) as api:
        await api.say("Remind me every day at 8 and 20 to take pills for 5 days")
        shown = await api.ask("Remind me every day at 8 to read for 20 minutes", replies=2)
    assert [phrase("reminder.endless") in one for one in shown] == [True, False]
