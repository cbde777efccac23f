"""If a relay ends at the worst time, the next relay gives the missing answers once and in order."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.reminders import ListRemindersArgs
from tellonce_relay.catalogue import phrase
from tellonce_relay.routines.delivery import DeliveryContext, Post, send_and_record
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.stores import Stores
from tellonce_relay.telegram import chat_surface, message_sender
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.telegram.message_sender import MessageSender
from tellonce_relay.updates.inbox import Inbox
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS, until
from tests.relay.outages import InterruptibleMemory
from tests.relay.running_relay import TOKEN, ZONE, Echo, Scripted, relaying, texts
from tests.stubs.telegram_emulator import Fault, Hang, Late, Stall, Telegram, telegram
from tests.stubs.transcription_stub import TranscriptionStub

pytestmark = pytest.mark.anyio

LONG = 1000
"""Enough words for an answer of two messages."""


@pytest.fixture(autouse=True)
def _drafts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)


async def talk(memory: Memory) -> list[tuple[str, str]]:
    """Role and first characters of every message of the private chat in the memory."""
    async with memory.client() as client:
        context = (await client.get_context(c.GetContextArgs(token_budget=20_000))).context or ""
    said = [line.split("] ", 1)[1] for line in context.split("\n") if line.startswith("[") and "] " in line]
    return [(role, text[:10]) for role, _, text in (line.partition(": ") for line in said)]


def asked(method: str, times: int = 1) -> Callable[[Telegram], bool]:
    return lambda api: len(api.api.of(method)) >= times


@pytest.mark.parametrize(
    ("faults", "responder", "reached"),
    [
        ({}, Echo(asyncio.Event()), asked("sendChatAction")),
        ({"sendMessage": [Stall()]}, Echo(), asked("sendMessage")),
        ({"sendMessage": [Hang()]}, Echo(), asked("sendMessage")),
        ({"sendMessage": [None, Stall()]}, Echo(length=LONG), asked("sendMessage", 2)),
        ({"sendMessage": [None, Hang()]}, Echo(length=LONG), asked("sendMessage", 2)),
        ({}, Echo(asyncio.Event(), before="Well, "), asked("sendMessage")),
        ({"sendMessage": [Stall()]}, Echo(asyncio.Event(), before="Well, "), asked("sendMessage")),
        ({"sendMessage": [Hang()]}, Echo(asyncio.Event(), before="Well, "), asked("sendMessage")),
        ({"editMessageText": [Stall()]}, Echo(before="Well, "), asked("editMessageText")),
        ({"editMessageText": [Hang()]}, Echo(before="Well, "), asked("editMessageText")),
    ],
    ids=[
        "while the model thinks",
        "before the answer was sent",
        "after the answer was sent",
        "before its second part was sent",
        "after its second part was sent",
        "after a draft was shown",
        "before a draft was sent",
        "after a draft was sent",
        "before the draft became the answer",
        "after the draft became the answer",
    ],
)
async def test_a_kill_costs_no_answer_and_gives_none_twice(
    memory: Memory, tmp_path: Path, faults: dict[str, list[Fault | None]], responder: Echo, reached: object
) -> None:
    async with telegram() as api:
        api.faults.update(faults)
        api.api.drafts = False
        async with relaying(memory, responder, state=tmp_path, api=api, killed=True):
            await api.say("first")
            await api.until(lambda: reached(api))
        api.faults.clear()
        await api.say("second")
        async with relaying(memory, Echo(length=LONG if "word" in "".join(texts(api)) else 0), state=tmp_path, api=api):
            await api.until(lambda: any("re second" in text for text in texts(api)))
    shown = " ".join(texts(api))
    assert shown.count("re first") == shown.count("re second") == 1
    assert shown.index("re first") < shown.index("re second")
    assert shown.count("Well,") <= 1
    said = await talk(memory)
    assert [text for role, text in said if role == "User"] == ["first", "second"]
    assert len([text for role, text in said if role == "Assistant"]) == 2
    assert not list((tmp_path / "inbox").iterdir())


@pytest.mark.parametrize("drafts", [True, False], ids=["as the answer", "as a draft"])
async def test_a_kill_right_after_the_number_of_a_message_was_stored_doubles_no_answer(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, drafts: bool
) -> None:
    """The number of a sent message is stored in two files. The kill is between the two writes."""
    async with telegram() as api:
        api.api.drafts = drafts
        with monkeypatch.context() as patched:
            put, done = Inbox.put, Inbox.done
            patched.setattr(Inbox, "put", lambda *args: None if api.sent else put(*args))
            patched.setattr(Inbox, "done", lambda *args: None if api.sent else done(*args))
            gate = None if drafts else asyncio.Event()
            async with relaying(memory, Echo(gate, before="Well, "), state=tmp_path, api=api, killed=True):
                await api.say("first")
                shown = await api.replies(1)
                number = str(api.sent[0]["message_id"])
                await until(lambda: SeenStore(tmp_path / "newest.json").get("0") == number)
        assert shown == (["Well, re first"] if drafts else ["Well,"])
        async with relaying(memory, Echo(before="Well, "), state=tmp_path, api=api):
            await api.until(lambda: texts(api) == ["Well, re first"])
            await api.say("/help")
            await api.replies(2)
    assert texts(api).count("Well, re first") == 1
    assert len(texts(api)) == 2


async def test_a_message_that_telegram_sends_only_after_the_kill_is_not_sent_again(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api:
        api.faults["sendMessage"] = [Late(1.0)]
        async with relaying(memory, Echo(), state=tmp_path, api=api, killed=True):
            await api.say("first")
            await api.until(lambda: asked("sendMessage")(api))
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.say("second")
            await api.replies(2)
    assert texts(api) == ["re first", "re second"]


@pytest.mark.parametrize("marked", [False, True], ids=["plain", "with bold words"])
async def test_a_message_that_telegram_sends_after_it_was_sent_again_is_deleted_before_the_next_one(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, marked: bool
) -> None:
    monkeypatch.setattr(message_sender, "SETTLING", 0.05)
    first = Echo(before="**Well**, ") if marked else Echo()
    again = ["Well, re first"] if marked else ["re first"]
    async with telegram() as api:
        api.faults["sendMessage"] = [Stall()]
        async with relaying(memory, first, state=tmp_path, api=api, killed=True):
            await api.say("first")
            await api.until(lambda: asked("sendMessage")(api))
        async with relaying(memory, Echo(), state=tmp_path, api=api), httpx.AsyncClient(trust_env=False) as late:
            await api.until(lambda: texts(api) == again)
            number = api.sent[0]["message_id"]
            await late.post(f"{api.url}/bot{TOKEN}/sendMessage", json=api.api.of("sendMessage")[0])
            assert texts(api) == 2 * again
            await api.say("second", until=lambda: texts(api) == [*again, "re second"])
            edits = len(api.api.of("editMessageText"))
            await api.say("third", until=lambda: texts(api) == [*again, "re second", "re third"])
    assert api.sent[0]["message_id"] == number
    assert len(api.api.of("editMessageText")) == edits


async def test_a_message_of_a_script_stays_if_it_was_sent_where_a_lost_answer_is_searched(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api:
        api.faults["sendMessage"] = [Stall()]
        async with relaying(memory, Echo(), state=tmp_path, api=api, killed=True):
            await api.say("first")
            await api.until(lambda: asked("sendMessage")(api))
        api.faults.clear()
        stores = Stores(tmp_path)
        async with memory.relay() as client, make_bot(TOKEN, api.url) as bot:
            delivery = DeliveryContext(MessageSender(bot, tries=1, scripts=stores.scripts), client, stores, ZONE)
            await send_and_record(delivery, Post("All backups are fine.", 42, "backups"))
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.until(lambda: len(api.sent) == 2)
    assert texts(api) == ["All backups are fine.", "re first"]


async def test_transcripts_whose_sending_was_interrupted_by_the_next_message_are_shown_once(memory: Memory) -> None:
    async with telegram() as api, TranscriptionStub(["Buy oat milk"]) as ear:
        api.world.pace = 0
        own = {"transcribe": {"url": ear.url}, "breath_seconds": 5}
        async with relaying(memory, Echo(), api=api, own=own):
            for number in (1, 2):
                sent = len(api.api.of("sendMessage"))
                api.faults["sendMessage"] = [Late(0.5)]
                await api.voice()
                await api.until(lambda: asked("sendMessage", sent + 1)(api))  # noqa: B023
                await api.say(f"and bread {number}")
                await api.until(lambda: texts(api)[-1:] == [f"re Buy oat milk\nand bread {number}"])  # noqa: B023
    heard = phrase("senses.heard", text="Buy oat milk")
    assert texts(api) == [heard, "re Buy oat milk\nand bread 1", heard, "re Buy oat milk\nand bread 2"]


async def test_a_kill_before_the_message_is_recorded_leaves_one_message_and_one_answer(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api, memory.relay() as real:
        away = InterruptibleMemory(real, away=True)
        async with relaying(memory, Echo(), state=tmp_path, api=api, client=away.client, killed=True):
            await api.say("first")
            await away.refused(3)
        await api.say("second")
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.until(lambda: "re second" in texts(api))
    assert [text for text in texts(api) if text != phrase("turn.memory_away")] == ["re first", "re second"]
    assert [text for role, text in await talk(memory) if role == "User"] == ["first", "second"]


async def test_an_answer_that_was_shown_is_recorded_by_the_next_process(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api, memory.relay() as real:
        away = InterruptibleMemory(real)

        class Parting(Echo):
            """A responder. When the answer of this responder ends, the memory becomes unavailable."""

            async def answer(self, prompt, incoming, memory: MemoryClient):  # type: ignore[no-untyped-def]
                async for piece in super().answer(prompt, incoming, memory):
                    yield piece
                away.away = True

        async with relaying(memory, Parting(), state=tmp_path, api=api, client=away.client, killed=True):
            await api.ask("first", replies=1)
            await away.refused(1)
        assert await talk(memory) == [("User", "first")]
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.all_fetched()
    assert texts(api) == ["re first"]
    assert await talk(memory) == [("User", "first"), ("Assistant", "re first")]


async def test_a_message_whose_recording_was_not_confirmed_is_answered_all_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api, memory.relay() as real:
        away = InterruptibleMemory(real)
        away.lose_next_answer = True
        async with relaying(memory, Echo(), state=tmp_path, api=api, client=away.client):
            await api.say("first")
            await api.until(lambda: texts(api)[-1:] == ["re first"])
    assert await talk(memory) == [("User", "first"), ("Assistant", "re first")]


async def test_an_edit_made_while_an_answer_is_owed_stays(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api:
        async with relaying(memory, Echo(asyncio.Event()), state=tmp_path, api=api, killed=True):
            number = await api.say("March 15")
            await api.until(lambda: asked("sendChatAction")(api))
            await api.edit(number, "March 22")
            await api.all_fetched()
        async with relaying(memory, Echo(), state=tmp_path, api=api), memory.client() as client:
            await api.until(lambda: any(text.startswith("re ") for text in texts(api)))
            known = await client.explain(c.ExplainArgs(message_id=str(number)))
    assert known.text == "March 22"
    assert [version.text for version in known.versions] == ["March 15"]


async def test_an_update_that_comes_again_is_neither_recorded_nor_answered_again(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api:
        async with relaying(memory, Echo(), state=tmp_path, api=api, killed=True):
            await api.ask("first", replies=1)
            await api.all_fetched()
        api.world.updates.insert(0, {"update_id": 1, "message": api.world.messages[42, 1]})
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.ask("second", replies=2)
    assert texts(api) == ["re first", "re second"]
    assert len(await talk(memory)) == 4


async def test_an_answered_update_that_comes_again_while_the_memory_is_away_stays_answered(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api, memory.relay() as real:
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.ask("first", replies=1)
        api.world.updates.insert(0, {"update_id": 1, "message": api.world.messages[42, 1]})
        away = InterruptibleMemory(real, away=True)
        async with relaying(memory, Echo(), state=tmp_path, api=api, client=away.client):
            await api.say("second")
            await away.refused(1, "record_message")
            away.away = False
            await api.until(lambda: "re second" in texts(api))
    assert texts(api).count("re first") == 1


async def test_a_command_that_comes_again_is_not_carried_out_again(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api:
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            shown = await api.ask("/remember I play the cello", replies=1)
        api.world.updates.insert(0, {"update_id": 1, "message": api.world.messages[42, 1]})
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.say("second")
            await api.until(lambda: "re second" in texts(api))
    assert texts(api) == [*shown, "re second"]


@pytest.mark.parametrize("fault", [Stall(), Hang()], ids=["before its answer was sent", "after its answer was sent"])
async def test_a_command_interrupted_by_a_kill_is_carried_out_and_answered_once(
    memory: Memory, tmp_path: Path, clock: Clock, fault: Fault
) -> None:
    async with telegram() as api, memory.relay() as client:
        api.faults["sendMessage"] = [None, fault]
        async with relaying(memory, Echo(), state=tmp_path, api=api, clock=clock, killed=True):
            await api.say("/help")
            await api.say("/remind in 20 minutes to stir the soup")
            await api.until(lambda: asked("sendMessage", 2)(api))
        async with relaying(memory, Echo(), state=tmp_path, api=api, clock=clock):
            await api.say("second")
            await api.until(lambda: "re second" in texts(api))
            (confirmed,) = [message for message in api.sent if "I'll remind you" in message["text"]]
            await api.press(confirmed, "Undo")
            await api.until(lambda: confirmed["text"].startswith("✗ Cancelled"))
        assert (await client.list_reminders(ListRemindersArgs(chat_id=42))).reminders == ()
    assert len(texts(api)) == 3
    assert not list((tmp_path / "inbox").iterdir())


async def test_what_a_tag_saved_is_shown_once_after_a_kill(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    said = "Sure. [REMIND: stir the soup | AT: in 20 minutes]"
    async with telegram() as api:
        api.faults["sendMessage"] = [None, Hang()]
        async with relaying(memory, Scripted(said), state=tmp_path, api=api, clock=clock, killed=True):
            await api.say("Remind me in 20 minutes to stir the soup")
            await api.until(lambda: len(api.sent) == 2)
        async with relaying(memory, Scripted("Fine."), state=tmp_path, api=api, clock=clock):
            await api.say("Thanks, that is all")
            await api.until(lambda: "Fine." in texts(api))
    assert [text[:24] for text in texts(api)] == ["Sure.", "⏰ I'll remind you today ", "Fine."]


async def test_why_and_replies_to_later_parts_are_understood_by_the_next_process(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api:
        async with relaying(memory, Echo(length=LONG), state=tmp_path, api=api):
            await api.ask("/remember\nI drink green tea", replies=1)
            await api.ask("What do I drink?", replies=3)
        later = Echo()
        async with relaying(memory, later, state=tmp_path, api=api):
            await api.ask("/why", reply_to=api.sent[2]["message_id"], replies=4)
            await api.ask("Really?", reply_to=api.sent[2]["message_id"], replies=5)
    assert texts(api)[0] == "✓ Remembered: I drink green tea"
    assert texts(api)[3].startswith("I answered: “re What do I drink?")
    assert "green tea" in texts(api)[3]
    assert "re What do I drink?" in later.prompts[0].text.split("QUOTED MESSAGE")[1]


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux which file was brought to the disk")
async def test_an_update_is_acknowledged_when_it_is_on_the_disk_and_its_answer_does_not_wait_for_that(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, synced = threading.Event(), list[Path]()
    sync = os.fsync

    def slow(number: int) -> None:
        assert disk.wait(HANGS)
        synced.append(Path(f"/proc/self/fd/{number}").readlink())
        sync(number)

    monkeypatch.setattr("os.fsync", slow)
    gate = asyncio.Event()
    async with relaying(memory, Echo(gate), state=tmp_path) as api:
        await api.say("first")
        await api.until(lambda: bool(api.world.actions))  # the model is generating
        assert api.world.updates
        disk.set()
        await api.all_fetched()
        assert synced == [next((tmp_path / "inbox").glob("*.json")), tmp_path / "inbox"]
        gate.set()
        assert await api.replies(1) == ["re first"]


async def test_an_interrupted_update_that_breaks_the_next_process_is_passed_over(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("an entry nobody thought of")

    async with telegram() as api:
        async with relaying(memory, Echo(asyncio.Event()), state=tmp_path, api=api, killed=True):
            await api.say("first")
            await api.until(lambda: bool(api.world.actions))
        monkeypatch.setattr(chat_surface.ChatSurface, "settle", broken)
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            assert await api.ask("second", replies=1) == ["re second"]
    assert not list((tmp_path / "inbox").iterdir())
