"""The bot's other messages: the greeting, the view of the memory and pairing."""

import asyncio
from pathlib import Path

import pytest
from telegram import User

from tellonce import contract as c
from tellonce_cli.memories import listing
from tellonce_cli.up import keep_user
from tellonce_relay.catalogue import LANGUAGES, phrase, use_language
from tellonce_relay.commands.answers import CommandContext, answer
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.updates.pairing import create_pairing, wait_for_user
from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import TOKEN, ZONE, Scripted, relaying, texts
from tests.stubs.telegram_emulator import Telegram

pytestmark = pytest.mark.anyio


def labels(message: dict[str, object]) -> list[str]:
    markup = message["reply_markup"]
    assert isinstance(markup, dict)
    return [button["text"] for row in markup["inline_keyboard"] for button in row]


async def test_the_memory_is_one_message_with_tabs_pages_and_what_can_be_done_to_each(memory: Memory) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client:
        for n in range(8):
            await client.remember(c.RememberArgs(content=f"The user owns boat number {n}", kind="fact"))
        await client.remember(c.RememberArgs(content="The user likes tea", kind="preference"))
        await api.ask("/memory", replies=1)
        shown = api.sent[0]
        assert labels(shown) == ["👤 Facts", "⚙️ Likes"]
        await api.press(shown, "👤 Facts", until=lambda: "Page 1 of 2" in shown["text"])
        await api.press(shown, "▶", until=lambda: "Page 2 of 2" in shown["text"])
        second = shown["text"]
        await api.press(shown, "7", until=lambda: "Known since" in shown["text"])
        boat = shown["text"].split("\n")[0]
        await api.press(shown, "✗", until=lambda: shown["text"] == f"✗ Removed: {boat}")
        left = (await client.get_profile(c.GetProfileArgs())).facts
        await api.press(shown, "Undo", until=lambda: "Page 2 of 2" in shown["text"])
        await api.press(shown, "7", until=lambda: "Known since" in shown["text"])
        await api.press(shown, "📌", until=lambda: "📌 ✗" in labels(shown))
        profile = await client.get_profile(c.GetProfileArgs())
    assert len(api.sent) == 1
    assert boat in second
    assert boat not in {m.content for m in left}
    assert len(left) == 7
    assert [m.content for m in profile.facts if m.pinned] + [m.content for m in profile.pins] != []


async def test_notes_that_are_only_searched_have_a_line_and_a_tab_and_the_shell_lists_them(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, Scripted("Fine")) as api, memory.client() as client, memory.tables() as tables:
        for n in range(8):
            await client.remember(c.RememberArgs(content=f"I own boat number {n}", kind="fact"))
        await tables.execute("update memories set note = true, shown = id > 7")
        await api.ask("/memory", replies=1)
        shown = api.sent[0]
        first = shown["text"]
        await api.press(shown, "🔎 Searched", until=lambda: "Page 1 of 2" in shown["text"])
        listed = shown["text"]
        await api.press(shown, "1", until=lambda: "Known since" in shown["text"])
        await api.press(shown, "📌", until=lambda: "📌 ✗" in labels(shown))
        await api.press(shown, "◀ Back", until=lambda: "6 more notes, only searched" in shown["text"])
        lines, hint = listing(await client.get_profile(c.GetProfileArgs()), ZONE, 1)
        notes, _ = listing(await client.get_profile(c.GetProfileArgs(kinds=("note",))), ZONE, 1)
        place = Incoming(text="/memory", chat_id=None, message_id="1", sent_at=clock(), channel="terminal")
        terminal = await answer(CommandContext(client, Scripted("Fine"), ZONE), place)
        await tables.execute("update memories set shown = false, pinned = false")
        (kept, *_), _ = listing(await client.get_profile(c.GetProfileArgs()), ZONE, 1)
    assert "boat number 7" in first
    assert "boat number 6" not in first
    assert "🔎 7 more notes, only searched" in first
    assert "1. “I own boat number 6”" in listed
    assert "boat number 7" not in listed
    assert lines[-1].strip() == "… 6 more notes, only searched: tellonce memories --kind note"
    assert hint.startswith("2 memories.")
    assert kept.strip() == "… 8 more notes, only searched: tellonce memories --kind note"
    assert len(notes) == 8
    assert sum("[note, only searched]" in line for line in notes) == 6
    assert "boat number 5" in str(terminal).partition("🔎 6 more notes, only searched\n")[2]


async def test_a_person_is_greeted_and_served_in_their_language(memory: Memory) -> None:
    async with relaying(memory) as api:
        api.world.languages[42] = "de-AT"
        await api.say("/start")
        await api.ask("Merk dir, dass ich Tee mag", replies=2)
        await api.say("danke", until=lambda: bool(api.world.reactions))
        await api.say("/remember ???")
        await api.ask("/forget Tee Fallschirm", replies=4)
    with use_language("de"):
        assert texts(api)[0] == phrase("start.greeting", name="Priya")
        assert texts(api)[2] == phrase("server.nothing_stated")
        alone = phrase("server.forget_words", words="tee (1)")
        assert texts(api)[3] == f"{phrase('forget.nothing')}\n{alone}"
    assert texts(api)[1] == "✓ Gemerkt: ich Tee mag"
    assert set(api.world.menus) == {"", *LANGUAGES} - {"en"}
    assert api.world.menus["ru"][0]["description"] == "Что я о тебе знаю"


async def test_a_link_for_one_use_says_whose_the_bot_is(api: Telegram, tmp_path: Path) -> None:
    asked: list[int] = []

    async def has_another_memory(user: int) -> bool:
        asked.append(user)
        return True

    async with make_bot(TOKEN, api.url) as bot:
        pairing = await create_pairing(bot)
        waiting = asyncio.create_task(wait_for_user(pairing, asyncio.Event(), has_another_memory))
        await api.say("/start", user=666)
        await api.say(f"/start {pairing.code}x", user=667)
        await api.say(f"/start {pairing.code}", user=77)
        user = await waiting
    assert pairing.link == f"https://t.me/memory_bot?start={pairing.code}"
    assert user is not None
    assert user.id == 77
    assert [message["chat"]["id"] for message in api.sent] == [77]
    assert texts(api)[0].startswith(phrase("start.paired"))
    assert texts(api)[0].endswith(phrase("start.left_behind"))
    assert asked == [77]
    assert api.world.updates == []


def test_the_user_is_written_behind_what_stands_in_the_settings(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("TELEGRAM_BOT_TOKEN=1:x")
    said = keep_user(User(77, "Ann", is_bot=False), file)
    assert file.read_text() == "TELEGRAM_BOT_TOKEN=1:x\nTELEGRAM_USER_ID=77\n"
    assert said.startswith("Connected with Ann (77)")
