"""Reminders of a demanding person: requests in many words, daylight saving, other time zones, groups, and changes of
mind."""

from datetime import UTC, datetime

import pytest

from tellonce_relay.catalogue import phrase
from tests.patience import until
from tests.relay.running_relay import GROUP, Scripted, texts
from tests.relay.scenario_day import Life

pytestmark = pytest.mark.anyio


def utc(*parts: int) -> datetime:
    return datetime(2026, *parts, tzinfo=UTC)


async def test_hours_and_a_half_and_seconds_are_confirmed_and_kept(life: Life) -> None:
    asked = (
        "remind me in an hour and a half to call mum",
        "remind me in 90 sec to breathe",
        "напомни через полтора часа выключить духовку",
        "erinnere mich in einer halben Stunde an den Ofen",
        "recuérdame en una hora y media sacar el pan",
    )
    async with life.day() as day:
        shown = await day.say_all(*asked)
    assert [text.split(": ", 1)[1] for text in shown] == [
        *("call mum", "breathe", "выключить духовку", "Ofen", "sacar el pan"),
    ]
    assert "11:30" in shown[0]
    assert await life.reminders() == {
        "call mum": utc(6, 16, 9, 30),
        "breathe": datetime(2026, 6, 16, 8, 1, 30, tzinfo=UTC),
        "выключить духовку": utc(6, 16, 9, 30),
        "Ofen": utc(6, 16, 8, 30),
        "sacar el pan": utc(6, 16, 9, 30),
    }


async def test_a_time_and_a_colon_are_offered_as_a_reminder(life: Life) -> None:
    async with life.day() as day:
        shown = await day.say("in an hour and a half: call mum")
        assert shown[1:] == ["⏰ Shall I remind you today at 11:30 AM?"]
        assert await day.press("⏰ Yes, remind me") == "⏰ I'll remind you today at 11:30 AM: call mum"


async def test_a_models_reminder_in_an_hour_and_a_half_is_supported_by_the_words(life: Life) -> None:
    async with life.day(Scripted("Sure. [REMIND: call mum | AT: 2026-06-16 11:30]")) as day:
        shown = await day.say("in an hour and a half: call mum")
    assert shown == ["Sure.", "⏰ I'll remind you today at 11:30 AM: call mum"]


async def test_a_time_in_another_zone_stays_the_same_instant_after_a_move(life: Life) -> None:
    async with life.day() as day:
        shown = await day.say_all(
            "Remind me tomorrow at 9 am New York time to call Dana", "remind me on 2 July at 07:15 to catch the train"
        )
    assert shown[0] == "⏰ I'll remind you tomorrow at 3:00 PM: call Dana"
    async with life.day(own={"timezone": "Asia/Tokyo"}) as day:
        (listed,) = await day.say("When are my reminders?")
        assert listed.splitlines()[1:] == [
            "1. tomorrow at 10:00 PM: call Dana",
            "2. Thu, Jul 2 at 2:15 PM: catch the train",
        ]
        assert await day.say("remind me at 8 tonight to pack") == ["⏰ I'll remind you today at 8:00 PM: pack"]
        assert (await life.reminders())["pack"] == utc(6, 16, 11)
        rung = await day.rung("call Dana", utc(6, 17, 13, 0))
    assert rung["text"] == "⏰ call Dana"


async def test_a_series_is_stopped_by_its_button_and_the_others_go_on(life: Life) -> None:
    life.clock.at = utc(6, 18, 8)
    asked = (
        "Erinnere mich jeden Werktag um 8:30 an die Tabletten",
        "erinnere mich alle zwei Wochen montags um 18 Uhr an die Biotonne",
        "erinnere mich jeden 31. um 9 Uhr an die Miete",
    )
    async with life.day(language="de") as day:
        shown = await day.say_all(*asked)
        rung = await day.rung("Tabletten", utc(6, 19, 6, 30))
        old = dict(rung)
        assert (await day.press("✗ Beenden", rung)).startswith("✗ Gestrichen: Tabletten")
        await day.api.press(old, "✗ Beenden")
        await day.api.until(lambda: len(day.api.world.toasts) == 2)
        left = await life.reminders()
    assert [text.split(": ")[0] for text in shown] == [
        "⏰ Ich erinnere dich morgen um 08:30",
        "⏰ Ich erinnere dich am Mo., 22. Juni um 18:00",
        "⏰ Ich erinnere dich am Di., 30. Juni um 09:00",
    ]
    assert sorted(left.values()) == [utc(6, 22, 16), utc(6, 30, 7)]


async def test_a_day_that_a_month_lacks_is_its_last_day_or_left_out_and_the_confirmation_says_which(life: Life) -> None:
    life.clock.at = utc(1, 29, 8)
    async with life.day() as day:
        monthly, listed, plain = await day.say_all(
            "remind me every month on the 31st at 9 to pay the rent",
            "remind me every 15th and 31st of the month at 9 to send invoices",
            "remind me every month on the 28th at 9 to read the meter",
        )
        await day.rung("pay the rent", utc(1, 31, 8))
        await due(life, utc(2, 15, 8), utc(2, 28, 8), utc(2, 28, 8))
    assert monthly.splitlines()[2:] == [phrase("reminder.on_last_day", day=31)]
    assert listed.splitlines()[2:] == [phrase("reminder.skips", day=31)]
    assert len(plain.splitlines()) == 1


async def test_a_series_with_an_end_says_when_it_ends_and_ends_then(life: Life) -> None:
    async with life.day() as day:
        pills, stretch, never = await day.say_all(
            "remind me for 2 days every day at 8 take the pills",
            "until Friday every morning remind me to stretch",
            "remind me every Monday until June 20 to swim",
        )
        assert pills.splitlines()[2:] == [phrase("reminder.last", when="Thu, Jun 18 at 8:00 AM")]
        assert stretch.splitlines()[2:] == [phrase("reminder.last", when="Fri, Jun 19 at 9:00 AM")]
        assert never == phrase("reminder.ends_before", when="Sat, Jun 20 at 11:59 PM")
        assert len(await life.reminders()) == 2
        await day.rung("take the pills", utc(6, 17, 6))
        await due(life, utc(6, 17, 7), utc(6, 18, 6))
        await day.rung("stretch", utc(6, 17, 7))
        await due(life, utc(6, 18, 6), utc(6, 18, 7))
        await day.rung("take the pills", utc(6, 18, 6))
        await due(life, utc(6, 18, 7))
    assert [text.split(" (")[0] for text in texts(life.api) if text.startswith("⏰ ") and "I'll" not in text] == [
        *("⏰ take the pills", "⏰ stretch", "⏰ take the pills"),
    ]


async def test_a_model_may_set_a_series_with_an_end(life: Life) -> None:
    async with life.day(Scripted("Sure. [REMIND: take the pills | AT: every day at 8:00 for 5 days]")) as day:
        shown = await day.say("I need the pills every day at 8 for 5 days, please ring")
    assert shown[0] == "Sure."
    assert shown[1].splitlines()[2:] == [phrase("reminder.last", when="Sun, Jun 21 at 8:00 AM")]


async def due(life: Life, *times: datetime) -> None:
    """Wait until the coming reminders are due at these times."""

    async def as_expected() -> bool:
        return sorted((await life.reminders()).values()) == list(times)

    await until(as_expected)


async def test_in_spring_the_hour_that_does_not_exist_is_confirmed_as_the_one_after(life: Life) -> None:
    life.clock.at = utc(3, 28, 21)
    async with life.day() as day:
        shown = await day.say_all(
            "remind me tomorrow at 2:30 am to check the server",
            "remind me in 8 hours to wake up",
            "remind me every day at 7:00 to stretch",
            "remind me tomorrow at 9 to phone",
        )
    assert [text.split(": ")[0].removeprefix("⏰ I'll remind you ") for text in shown] == [
        *("tomorrow at 3:30 AM", "tomorrow at 7:00 AM", "tomorrow at 7:00 AM", "tomorrow at 9:00 AM"),
    ]
    assert sorted((await life.reminders()).values()) == [
        *(utc(3, 29, 1, 30), utc(3, 29, 5), utc(3, 29, 5), utc(3, 29, 7)),
    ]


async def test_in_autumn_the_hour_that_comes_twice_rings_once_also_across_a_restart(life: Life) -> None:
    life.clock.at = utc(10, 24, 10)
    async with life.day() as day:
        shown = await day.say_all(
            "remind me tomorrow at 2:30 am to stop the backup",
            "remind me every day at 02:15 to look",
            "remind me in 24 hours to eat",
            "remind me tomorrow at noon to cook",
        )
        await day.rung("look", utc(10, 25, 0, 15))
        await day.rung("stop the backup", utc(10, 25, 0, 30))
    life.clock.at = utc(10, 25, 0, 40)
    async with life.day() as day:
        await day.rung("eat", utc(10, 25, 10))
    assert [text.split(": ")[0].rpartition("at ")[2] for text in shown[2:]] == ["11:00 AM", "12:00 PM"]
    rung = [text.split(" (")[0] for text in texts(life.api) if text.startswith("⏰ ") and "I'll" not in text]
    assert rung == ["⏰ look", "⏰ stop the backup", "⏰ eat"]
    assert (await life.reminders())["look (every day at 02:15)"] == utc(10, 26, 1, 15)


async def test_what_is_past_impossible_or_no_time_sets_nothing(life: Life) -> None:
    async with life.day() as day:
        shown = await day.say_all(
            "remind me yesterday at 5 to pay",
            "remind me on 31 June to cook",
            "remind me on 30 February at 9 to cook",
            "remind me at 25:00 to sleep",
            "remind me in 0 minutes to jump",
            "remind me when I'm home",
        )
        assert await life.reminders() == {}
        stated = await day.say_all(
            "remind me at 9 to pay",
            "remind me on 03/04 to renew",
            "remind me next Friday at noon to swim",
            "remind me to buy milk",
            "tomorrow 18:00",
            "remind me to buy eggs",
            "What's the capital of Peru?",
        )
    assert all("hen should I remind you?" in text for text in shown)
    assert stated[0] == "⏰ I'll remind you today at 9:00 PM: pay"
    assert "Sat, Apr 3, 2027 at 9:00 AM" in stated[1]
    assert "Fri, Jun 26 at 12:00 PM" in stated[2]
    assert stated[4] == "⏰ I'll remind you tomorrow at 6:00 PM: buy milk"
    assert sorted(await life.reminders()) == ["buy milk", "pay", "renew", "swim"]


@pytest.mark.parametrize("order", ["[DONE: call Jo] {set}", "{set} [DONE: call Jo]"])
async def test_a_reply_to_a_confirmation_moves_its_reminder(life: Life, order: str) -> None:
    moved = order.format(set="[REMIND: call Jo | AT: 2026-06-16 16:30]")
    model = Scripted("Sure. [REMIND: call Jo | AT: 2026-06-16 17:00]", f"Changed. {moved}")
    async with life.day(model) as day:
        await day.say("remind me at 17:00 to call Jo")
        shown = await day.say("make it 16:30", reply_to=day.api.sent[-1]["message_id"])
    assert "Assistant: ⏰ I'll remind you today at 5:00 PM: call Jo" in model.prompts[1].text
    assert set(shown) == {"Changed.", "✗ Cancelled: call Jo", "⏰ I'll remind you today at 4:30 PM: call Jo"}
    assert await life.reminders() == {"call Jo": utc(6, 16, 14, 30)}


async def test_a_reminder_of_a_topic_rings_there_and_is_in_no_private_list(life: Life) -> None:
    topic = life.api.open_topic(GROUP)
    async with life.day() as day:
        order = "@memory_bot remind me at 15:00 to send the invoice to ACME"
        await day.say(order, user=43, chat=GROUP, topic=topic)
        (private,) = await day.say("/reminders")
        rung = await day.rung("send the invoice", utc(6, 16, 13))
    assert private.startswith("You have no reminders.")
    assert (rung["chat"]["id"], rung["message_thread_id"]) == (GROUP, topic)
