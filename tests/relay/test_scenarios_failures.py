"""A demanding person asks questions while the model, Telegram or the memory fails. The person also blocks the bot."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from tellonce import contract as c
from tellonce.reminders import ListRemindersArgs
from tellonce_cli import doctor
from tellonce_llm.errors import Cause
from tellonce_relay.catalogue import Language, phrase, use_language
from tellonce_relay.responders.responder import CannotAnswer
from tellonce_relay.telegram import chat_surface
from tellonce_relay.turn.model_call import Persistence, trouble
from tests.memory_fixtures import Clock, Memory
from tests.patience import until
from tests.relay.outages import InterruptibleMemory
from tests.relay.running_relay import USER, Echo, Failing, Scripted, down, relaying, settings, texts, until_recorded
from tests.server.processes import free_port
from tests.stubs.telegram_emulator import DropAfter, Refuse, slow_down, telegram

pytestmark = pytest.mark.anyio

GONE = Refuse(502, "Bad Gateway")


@pytest.fixture(autouse=True)
def _drafts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)


class Sleeps:
    """Pauses that end at once. Records the requested durations. Only a pause of at least `holds` seconds does not end
    before `go_on` is set."""

    def __init__(self, holds: float = float("inf")) -> None:
        self.seconds: list[float] = []
        self.holds = holds
        self.held = asyncio.Event()
        self.go_on = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if seconds >= self.holds:
            self.held.set()
            await self.go_on.wait()
        await asyncio.sleep(0)


async def history(memory: Memory, chat: int = USER) -> str:
    async with memory.relay() as client:
        args = c.GetContextArgs(chat_id=chat, include=("history",), token_budget=20_000)
        return (await client.get_context(args)).context or ""


async def test_a_short_limit_of_the_model_is_waited_out_in_silence(memory: Memory) -> None:
    sleeps, model = Sleeps(), Failing(CannotAnswer("429", "busy", 8), CannotAnswer("429", "busy", 8))
    async with relaying(memory, model, sleep=sleeps, persistence=Persistence()) as api:
        api.world.languages[USER] = "de"
        assert await api.ask("Was koche ich heute mit Linsen?", replies=1) == ["re Was koche ich heute mit Linsen?"]
    assert [seconds for seconds in sleeps.seconds if seconds >= 8] == [8, 8]
    assert len(model.prompts) == 3


async def test_a_long_limit_of_the_model_is_named_in_the_persons_language_and_kept(memory: Memory) -> None:
    sleeps, model = Sleeps(holds=3600), Failing(CannotAnswer("429", "busy", 3600))
    async with relaying(memory, model, sleep=sleeps, persistence=Persistence()) as api:
        api.world.languages[USER] = "de"
        number = await api.say("Was koche ich heute mit Linsen?")
        with use_language("de"):
            sentence = trouble("busy", owed=True)
        assert await api.replies(1) == [sentence]
        assert len(model.prompts) == 1
        sleeps.go_on.set()
        await api.replies(2)
        await until_recorded(memory, api.sent[1])
    assert api.sent[1]["text"] == "re Was koche ich heute mit Linsen?"
    assert api.sent[1]["reply_to_message"]["message_id"] == number
    assert sentence not in await history(memory), "a report is not what the assistant said"


async def test_three_questions_of_an_outage_are_answered_once_and_in_order_over_a_restart(
    memory: Memory, tmp_path: Path
) -> None:
    model = Failing(always="busy")
    asked = ("What was the name of Ann's dog?", "How old is he?", "Never mind about his age, I know it")
    async with telegram() as api:
        async with relaying(memory, model, api=api, state=tmp_path, owed_pauses=(60, 60)):
            for one in asked:
                await api.say(one)
            await api.replies(1)
            await api.all_fetched()
        async with relaying(memory, model, api=api, state=tmp_path):
            await api.ask("/memory", replies=2)
            model.always = None
            await api.replies(5)
        async with relaying(memory, model, api=api, state=tmp_path):
            await api.ask("/help", replies=6)
    assert texts(api)[0] == trouble("busy", owed=True)
    assert texts(api)[2:5] == [f"re {one}" for one in asked]
    assert api.sent[2]["reply_to_message"]["text"] == asked[0]


async def test_a_stream_cut_inside_a_tag_is_one_answer_with_one_memory(memory: Memory) -> None:
    cut = ["Try a mushroom risotto with", " [REMEMBER_GLOBAL: Mara is a veg", down("away")]
    async with relaying(memory, Scripted(cut, "a lentil curry. [REMEMBER_GLOBAL: Mara is a vegetarian]")) as api:
        await api.ask("I am now a vegetarian. Suggest a dinner.", replies=2)
        async with memory.client() as client:
            stored = await client.explain(c.ExplainArgs(message_id=str(api.sent[0]["message_id"])))
        async with memory.tables() as tables:
            known = [row["content"] for row in await tables.fetch("select content from memories")]
    assert texts(api)[0] == stored.text
    assert "risotto with a lentil" in stored.text
    assert known == ["Mara is a vegetarian"]
    drafts = [str(call.arguments.get("text", "")) for call in api.calls]
    assert not [text for text in drafts if "[REM" in text]


async def test_of_an_answer_that_is_always_cut_the_beginning_stays_and_half_a_tag_is_nothing(memory: Memory) -> None:
    cut: list[str | Exception] = ["Try a mushroom risotto. ", "[REMEMBER_GLOBAL: Mara is a veg", down("away")]
    async with relaying(memory, Scripted(cut), owed_pauses=(60, 60)) as api:
        await api.ask("I am now a vegetarian. Suggest a dinner.", replies=2)
        await api.ask("/stop", replies=3)
        async with memory.tables() as tables:
            known = [row["content"] for row in await tables.fetch("select content from memories")]
    assert texts(api)[0].startswith("Try a mushroom risotto.")
    assert texts(api)[1] == trouble("away", owed=True)
    assert known == []


@pytest.mark.parametrize("cause", ["key", "billing"])
async def test_a_wrong_key_is_named_to_each_in_their_language_and_a_reminder_comes_all_the_same(
    memory: Memory, cause: Cause, clock: Clock
) -> None:
    model = Failing(always=cause)
    async with relaying(memory, model, clock=clock, owed_pauses=(60, 60)) as api, memory.relay() as client:
        api.world.languages[43] = "ru"
        await api.say("My locker is number 77 at the gym")
        await api.ask("Что мне подарить сестре?", user=43, replies=2)
        await api.say("What is my locker number?")
        await api.say("Remind me in 30 minutes to stretch", until=lambda: any("stretch" in text for text in texts(api)))
        clock.forward(minutes=40)
        await api.say("/help", user=43, until=lambda: any(text.startswith("⏰ stretch") for text in texts(api)))
        told = [message["text"] for message in api.sent if message["chat"]["id"] == USER]
        model.always = None
        await api.say("/help")
        await api.say("Ещё тут?", user=43)
        await api.say("Still there?", until=lambda: "re Still there?" in texts(api) and "re Ещё тут?" in texts(api))
        left = (await client.list_reminders(ListRemindersArgs(chat_id=USER))).reminders
    with use_language("ru"):
        assert trouble(cause, owed=True) in [m["text"] for m in api.sent if m["chat"]["id"] == 43]
    assert told.count(trouble(cause, owed=True)) == 1
    answers = [text for text in texts(api) if text.startswith("re ")]
    assert sorted(answers) == sorted(set(answers)), "each owed answer comes once"
    assert "re What is my locker number?" in answers
    assert not left, "the model's late answer sets no second reminder"
    assert "My locker is number 77" in await history(memory)


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_a_reminder_that_only_a_model_can_set_waits_for_the_model_during_an_outage(
    memory: Memory, language: Language
) -> None:
    asked = {"en": "Remind me every 2 hours to drink", "ru": "Напоминай мне каждые 2 часа пить воду"}[language]
    model = Failing(always="billing")
    async with relaying(memory, model, owed_pauses=(60, 60)) as api:
        api.world.languages[USER] = language
        await api.ask("What is the capital of Peru?", replies=1)
        await api.say(asked, until=lambda: len(api.world.reactions) == 1)
        model.always = None
        await api.say("?")
        with use_language(language):
            not_set = phrase("reminder.misread")
        await api.until(lambda: any(not_set in text for text in texts(api)))
    assert f"re {asked}" in texts(api)
    with use_language(language):
        assert not [text for text in texts(api) if phrase("reminder.repetition") in text]


async def test_a_reminder_ordered_when_the_outage_begins_is_set_once_and_owes_no_answer(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    model = Failing(always="billing")
    async with telegram() as api:
        async with relaying(memory, model, api=api, clock=clock, state=tmp_path, owed_pauses=(60, 60)):
            await api.ask("Remind me in 30 minutes to stretch", replies=1)
            await api.ask("What is the capital of Peru?", replies=2)
        model.always = None
        async with relaying(memory, model, api=api, clock=clock, state=tmp_path), memory.relay() as client:
            await api.replies(3)
            await api.ask("/help", replies=4)
            due = (await client.list_reminders(ListRemindersArgs(chat_id=USER))).reminders
    assert texts(api)[0].startswith("⏰ I'll remind you today at")
    assert texts(api)[1:3] == [trouble("billing", owed=True), "re What is the capital of Peru?"]
    assert len(due) == 1


async def test_a_limit_of_telegram_delays_the_parts_of_an_answer_and_loses_none(memory: Memory) -> None:
    long = "\n\n".join(f"Paragraph {n}." + " word" * 100 for n in range(28))
    sleeps = Sleeps(holds=30)
    model = Scripted(long, "re hi")
    async with relaying(memory, model, sleep=sleeps) as api:
        api.faults["sendMessage"] = [None, slow_down(30)]
        await api.say("Long guide please")
        await sleeps.held.wait()
        await api.say("/status")
        await api.say("hi", user=43, until=lambda: "re hi" in texts(api))
        waited = [m["text"] for m in api.sent if m["chat"]["id"] == USER]
        sleeps.go_on.set()
        await api.until(lambda: any(text.endswith(long[-200:]) for text in texts(api)))
        await api.until(lambda: any(text.startswith("Answers:") for text in texts(api)))
    own = [m["text"] for m in api.sent if m["chat"]["id"] == USER and not m["text"].startswith("Answers:")]
    assert len(waited) == 1, "nothing is sent to the chat before Telegram allows it"
    assert " ".join(" ".join(own).split()) == " ".join(long.split())
    assert len(model.prompts) == 2


async def test_telegrams_failures_double_no_answer_and_keep_their_order(memory: Memory) -> None:
    async with relaying(memory, Scripted("391", "414")) as api:
        api.faults["sendMessage"] = [GONE, GONE, GONE, None, DropAfter()]
        await api.ask("What's 17 times 23?", replies=1)
        await api.ask("And 18 times 23?", replies=2)
        await until_recorded(memory, api.sent[1])
        await api.ask("/why", reply_to=api.sent[1]["message_id"], replies=3)
    assert texts(api)[:2] == ["391", "414"]
    assert (await history(memory)).count("Assistant: ") == 2
    assert "414" in texts(api)[2]


async def test_a_memory_that_is_away_during_a_burst_loses_no_message_and_a_tap_says_so(memory: Memory) -> None:
    async with memory.relay() as real:
        away = InterruptibleMemory(real)
        async with relaying(memory, Echo(), client=away.client) as api:
            kept = (await api.ask("/remember The key is with Mrs Novak", replies=1), api.sent[0])[1]
            for n in range(1, 7):
                await api.say(f"Entry {n}")
            await api.replies(7)
            away.away = True
            for n in range(7, 21):
                await api.say(f"Entry {n}")
            await away.refused(2)
            await api.press(kept, "Undo")
            away.away = False
            await api.until(lambda: texts(api)[-1] == "re Entry 20")
            taken_back = phrase("memory.taken_back", content="The key is with Mrs Novak")
            await api.until(lambda: kept["text"] == taken_back)
            assert api.world.toasts == [taken_back]
    window = await history(memory)
    said = [line.split("User: ")[1] for line in window.split("\n") if "User: " in line]
    assert said == [f"Entry {n}" for n in range(1, 21)]
    assert texts(api).count(phrase("turn.memory_away")) <= 1
    answers = [text for text in texts(api) if text.startswith("re ")]
    assert answers == [f"re Entry {n}" for n in range(1, 21)]


async def test_two_programs_with_one_bot_take_turns_without_a_tight_loop_and_doctor_names_them(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tellonce_relay.updates.polling.FIRST_PAUSE", 0.2)
    conflict = Refuse(409, "Conflict: terminated by other getUpdates request")
    own = settings(bot_token="9:x", data_dir=tmp_path, config_dir=tmp_path)
    before = await doctor.telegram(memory.settings, own)
    async with telegram() as api:
        api.faults["getUpdates"] = [conflict] * 2
        async with relaying(memory, Echo(), api=api, state=tmp_path / "relay"):
            assert await api.ask("Q1?", replies=1) == ["re Q1?"]
    after = await doctor.telegram(memory.settings, own)
    assert (before.ok, after.ok) == (True, False)
    assert "another program fetches this bot's messages" in after.text
    assert after.fix.startswith("stop the other program")
    monkeypatch.setattr(doctor, "RECENT", timedelta(0))
    assert (await doctor.telegram(memory.settings, own)).ok is True
    polls = [call.at for call in api.calls if call.method == "getUpdates"][:3]
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(polls))
    assert "another program fetches this bot's messages" in caplog.text


async def delivered(http: httpx.AsyncClient, url: str, update: object, header: dict[str, str]) -> httpx.Response:
    """Wait until the webhook listens, send it an update, and return its answer."""

    async def answer() -> httpx.Response | None:
        with suppress(httpx.ConnectError):
            return await http.post(url, json=update, headers=header)
        return None

    found: httpx.Response = await until(answer)
    return found


async def test_by_webhook_replays_are_stored_once_and_the_change_to_polling_loses_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    port = free_port()
    url, secret = f"http://127.0.0.1:{port}/hook", "a-long-secret"
    own = {"webhook": {"url": url, "port": port, "secret": secret}}
    gate = asyncio.Event()
    async with telegram() as api:
        async with (
            relaying(memory, Echo(gate), state=tmp_path, api=api, own=own),
            httpx.AsyncClient(trust_env=False) as http,
        ):
            first = api.world.message(42, {"id": 42, "is_bot": False, "first_name": "Mara"}, text="The code is blue")
            second = api.world.message(42, {"id": 42, "is_bot": False, "first_name": "Mara"}, text="Correction: green")
            third = api.world.message(42, {"id": 42, "is_bot": False, "first_name": "Mara"}, text="What's the code?")
            header = {"X-Telegram-Bot-Api-Secret-Token": secret}
            for number, message in ((501, first), (501, first), (503, third), (502, second)):
                posted = await delivered(http, url, {"update_id": number, "message": message}, header)
                assert posted.status_code == 200, "the model does not hold it up"
            gate.set()
            await api.replies(3)
            await api.until(lambda: len(api.sent) == 3)
        api.api.webhook = {}
        await api.say("Are you there?")
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.replies(4)
    window = await history(memory)
    assert [window.count(f"User: {m['text']}") for m in (first, second, third)] == [1, 1, 1]
    dropped = [str(call.get("drop_pending_updates", "")).lower() for call in api.api.of("deleteWebhook")]
    assert dropped
    assert "true" not in dropped
    assert texts(api)[-1] == "re Are you there?"


async def test_who_blocks_the_bot_for_days_hears_a_missed_reminder_once_after_coming_back(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, Echo(), clock=clock) as api, memory.relay() as client:
        await api.ask("Remind me in 2 hours to water the plants", replies=2)
        api.world.blocked.add(USER)
        clock.forward(hours=3)
        before = len(api.api.of("sendMessage"))
        for count in range(20):
            clock.forward(hours=3.5)
            await api.say("/help", user=43)  # wakes the relay
            await api.until(lambda seen=count: texts(api).count(phrase("help.text")) > seen)
        attempts = [call for call in api.api.of("sendMessage")[before:] if int(call["chat_id"]) == USER]
        api.world.blocked.clear()
        await api.say("/start", until=lambda: any(text.startswith("⏰ water the plants") for text in texts(api)))
        await api.say("What did I miss?", until=lambda: "re What did I miss?" in texts(api))

        async def none_left() -> bool:
            return not (await client.list_reminders(ListRemindersArgs(chat_id=USER))).reminders

        await until(none_left)
    shown = [text for text in texts(api) if text.startswith("⏰ water the plants")]
    assert len(shown) == 1
    assert "This was due" in shown[0]
    assert len(attempts) == 1, "a blocked chat is not asked again and again"
