"""Routine messages are sent first and then recorded in full with a short form. They are sent on time and at most
once."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce_llm.errors import LLMUnavailable
from tellonce_relay.routines.built_in_routines import NothingToSend
from tellonce_relay.routines.delivery import DeliveryContext, Post, send_and_record
from tellonce_relay.routines.file import Routine
from tellonce_relay.routines.schedule import Schedule, run_schedule
from tellonce_relay.routines.texts import FALLBACK_CHARACTERS, Writer, command_output, shortened, usable
from tellonce_relay.stores import Stores
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.telegram.markdown import Marked
from tellonce_relay.telegram.message_sender import Address, MessageSender
from tellonce_relay.turn.agents import Agents
from tellonce_relay.turn.turn import NotShown
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS
from tests.relay.running_relay import TOKEN, ZONE, Scripted, down, relaying
from tests.stubs.telegram_emulator import DropAfter, Refuse, Telegram

pytestmark = pytest.mark.anyio

BRIEFING = "Good morning. " + " ".join(f"Item {i} is due." for i in range(120)) + " Rain until noon."


async def send(memory: Memory, api: Telegram, clock: Clock, text: str = BRIEFING, model: object = None) -> str:
    async with memory.relay() as client, make_bot(TOKEN, api.url) as bot:
        delivery = DeliveryContext(MessageSender(bot, tries=2), client, Stores(), ZONE, model, clock)
        try:
            await send_and_record(delivery, Post(text, 42, "morning-summary"))
        except NotShown as error:
            return str(error)
    return "sent"


async def window(memory: Memory) -> str:
    async with memory.client() as client:
        return (await client.get_context(c.GetContextArgs(query="hello"))).context or ""


async def test_telegram_gets_all_of_it_and_the_window_its_short_form(
    memory: Memory, api: Telegram, clock: Clock
) -> None:
    async def model(_: str) -> str:
        return "There are 120 items due. It rains until noon."

    await send(memory, api, clock, model=model)
    clock.forward(hours=8)
    assert "".join(message["text"] for message in api.sent).replace(" ", "") == BRIEFING.replace(" ", "")
    assert "[morning-summary | 09:15 AM, 8h ago]: There are 120 items due. It rains until noon." in await window(memory)
    async with memory.relay() as client:
        kept = await client.explain(c.ExplainArgs(message_id=str(api.sent[0]["message_id"]), chat_id=42))
    assert kept.text == BRIEFING


@pytest.mark.parametrize("said", [None, "down", "slow"])
async def test_without_a_usable_model_the_short_form_is_the_beginning(said: str | None) -> None:
    async def model(_: str) -> str:
        if said == "down":
            raise LLMUnavailable("ollama", "down")
        await asyncio.sleep(60)
        return ""

    assert await shortened(BRIEFING, model if said else None, seconds=0.01) == BRIEFING[:FALLBACK_CHARACTERS]


async def test_the_model_that_shortens_a_routine_sees_no_secret() -> None:
    seen: list[str] = []

    async def model(prompt: str) -> str:
        seen.append(prompt)
        return "All is well."

    said = await shortened("The scan found password: hunter2xyz in the logs. All is well otherwise.", model)
    assert said == "All is well."
    assert "hunter2xyz" not in seen[0]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("One. Two. Three. Four.", "One. Two. Three."),
        ("Here is a summary: fine.", None),
        ("```\nfine\n```", None),
        ("", None),
        (BRIEFING + " And more.", None),
        (BRIEFING[:80], None),
    ],
)
def test_what_a_model_says_is_a_summary_only_if_it_is_short_plain_and_no_prefix(said: str, kept: str | None) -> None:
    assert usable(said, BRIEFING) == kept


async def test_what_telegram_did_not_take_is_not_recorded(memory: Memory, api: Telegram, clock: Clock) -> None:
    api.world.blocked.add(42)
    assert "blocked" in await send(memory, api, clock)
    assert "morning-summary" not in await window(memory)


async def test_a_script_gives_up_while_telegram_is_away(memory: Memory, api: Telegram, clock: Clock) -> None:
    api.faults["sendMessage"] = [Refuse(502, "Bad Gateway")] * 3
    assert await send(memory, api, clock) != "sent"
    assert not api.sent


async def test_a_message_whose_number_is_unknown_is_recorded_and_not_sent_twice(
    memory: Memory, api: Telegram, clock: Clock
) -> None:
    api.faults["sendMessage"] = [DropAfter()]
    await send(memory, api, clock, "Short and good.")
    assert [message["text"] for message in api.sent] == ["Short and good."]
    assert "Short and good." in await window(memory)


async def test_the_sender_finds_what_it_sent_and_nothing_else(api: Telegram) -> None:
    await api.say("mine")
    async with make_bot(TOKEN, api.url) as bot:
        sender = MessageSender(bot)
        number = await sender.send(Address(42), Marked("here"))
        fresh = MessageSender(bot)
        assert await fresh.find(42, Marked("here"), 1) == number
        assert await fresh.find(43, Marked("here"), 0) is None
        assert await fresh.find(42, Marked("mine"), 0) is None, "what a person wrote is never taken for ours"


async def test_a_search_leaves_a_message_alone_that_is_sent_meanwhile(api: Telegram) -> None:
    async def pause(_: float) -> None:
        await sender.send(Address(42), Marked("a reminder"))

    async with make_bot(TOKEN, api.url) as bot:
        sender = MessageSender(bot, sleep=pause)
        first = await sender.send(Address(42), Marked("first"))
        await api.say("mine")
        api.faults["editMessageText"] = [Refuse(502, "Bad Gateway")]
        assert await sender.find(42, Marked("lost"), first) is None
    assert [message["text"] for message in api.sent] == ["first", "a reminder"]


def routine(name: str, cron: str = "16 9 * * *", **more: object) -> Routine:
    return Routine.model_validate({"name": name, "cron": cron, **more})


async def due(
    memory: Memory, clock: Clock, *routines: Routine, responder: object = None, minutes: float = 1
) -> list[str]:
    """The messages of routines that are due at 09:16. The clock jumps from 09:15:59, and `minutes` is the length of the
    jump."""
    clock.at = datetime(2026, 2, 16, 1, 15, 59, tzinfo=UTC)
    async with relaying(memory, responder, routines=routines, clock=clock) as api:
        await api.ask("/help", replies=1)
        clock.at += timedelta(minutes=minutes)
        return (await api.replies(2))[1:]


async def test_a_routine_of_the_model_is_written_from_memory_and_sent_when_due(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="Run a marathon in May", kind="goal"))
    responder = Scripted("Your marathon is in May. [REMEMBER: nothing]")
    said = await due(memory, clock, routine("morning-summary"), responder=responder)
    assert said == ["Your marathon is in May."]
    assert "Run a marathon in May" in responder.prompts[0].text
    assert "morning-summary" in await window(memory)


async def test_a_check_in_the_model_finds_unwelcome_is_not_sent(memory: Memory, clock: Clock) -> None:
    responder = Scripted("NOTHING.")
    told_after = routine("then", command=[sys.executable, "-c", "print('Next')"])
    said = await due(memory, clock, routine("smart-checkin"), told_after, responder=responder)
    assert len(responder.prompts) == 1
    assert said == ["Next"]


async def test_without_a_model_a_check_in_asks_after_the_most_urgent_goal(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="Run a marathon in May", kind="goal"))
    said = await due(memory, clock, routine("smart-checkin"), responder=Scripted([down()]))
    assert said == ["“Run a marathon in May (2026-05)” is due on Sun, May 31. How is it going?"]


async def test_a_command_is_run_and_what_it_prints_is_sent(memory: Memory, clock: Clock) -> None:
    command = [sys.executable, "-c", "print('Total: 12.30 USD')"]
    assert await due(memory, clock, routine("aws-daily-cost", command=command)) == ["Total: 12.30 USD"]
    assert "[aws-daily-cost | 09:16 AM" in await window(memory)


async def test_a_command_that_takes_long_holds_up_no_other_routine_but_itself(
    memory: Memory, api: Telegram, clock: Clock, tmp_path: Path
) -> None:
    gate, stop = tmp_path / "gate", asyncio.Event()
    waits = f"import pathlib, time\nwhile not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.01)\nprint('Scanned')"
    scan = routine("scan", cron="* * * * *", command=[sys.executable, "-c", waits])
    later = routine("then", cron="30 9 * * *", command=[sys.executable, "-c", "print('Next')"])
    clock.at = datetime(2026, 2, 16, 1, 15, 59, tzinfo=UTC)
    moments = [clock.at + timedelta(minutes=at) for at in (1, 2, 15)]

    async def pause(stop: asyncio.Event, seconds: float) -> bool:
        if not moments:
            return not await stop.wait()
        clock.at = moments.pop(0)
        return True

    async with memory.relay() as client, make_bot(TOKEN, api.url) as bot:
        delivery = DeliveryContext(MessageSender(bot), client, Stores(), ZONE, now=clock)
        schedule = Schedule((scan, later), Writer(client, Scripted(""), ZONE), delivery, Agents({}), 42)
        running = asyncio.create_task(run_schedule(schedule, stop, pause))
        assert await api.replies(1) == ["Next"]
        gate.touch()
        assert await api.replies(2) == ["Next", "Scanned"]
        stop.set()
        await running
    assert len(api.sent) == 2


async def test_a_routine_noticed_too_late_is_skipped(memory: Memory, clock: Clock) -> None:
    stale = routine("aws-daily-cost", command=[sys.executable, "-c", "print('stale')"])
    fresh = routine("then", cron="15 10 * * *", command=[sys.executable, "-c", "print('fresh')"])
    assert await due(memory, clock, stale, fresh, minutes=60) == ["fresh"]


@pytest.mark.parametrize(
    ("program", "seconds", "said"),
    [
        ("import sys; sys.stderr.write('no key'); sys.exit(3)", HANGS, "⚠ scan failed with code 3.\nno key"),
        ("import time; time.sleep(600)", 0.5, "⚠ scan: the command did not end within 0.5 s."),
    ],
)
async def test_a_command_that_fails_is_reported(program: str, seconds: float, said: str) -> None:
    assert await command_output(routine("scan", command=[sys.executable, "-c", program], seconds=seconds)) == said


async def test_a_command_that_is_missing_is_reported_and_one_that_is_silent_is_not(tmp_path: Path) -> None:
    missing = routine("scan", command=[str(tmp_path / "nothing")])
    assert "can't be run" in await command_output(missing)
    with pytest.raises(NothingToSend):
        await command_output(routine("scan", command=[sys.executable, "-c", ""]))
