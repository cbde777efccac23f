"""Every screen of the memory page and every action on it. A tool checks the effect of each action."""

import json
import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, expect

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused
from tellonce.connect import connect_http
from tests.memory_fixtures import forget, session
from tests.page.browser import Tab, signed_in
from tests.page.seed import ask
from tests.patience import HANGS, until
from tests.server.processes import HttpServer
from tests.stubs.exports import telegram

pytestmark = pytest.mark.anyio

SCHOOL, TEA, MARATHON, MANUAL, FLIGHT, ANN, TIAGO, CLIMBING, SEA = 1, 2, 3, 4, 5, 7, 8, 9, 10

SISTER = "Where does my sister live?"
FETCHED = "async url => (await fetch(url)).status"


async def state(memory: MemoryClient, number: int) -> c.Memory:
    found = (await memory.explain(c.ExplainArgs(memory_id=number))).memory
    assert found is not None
    return found


async def messages(memory: MemoryClient) -> int:
    """The number of messages in all chats."""
    found = (await memory.mcp.call_tool("page_today", {})).structured_content
    assert found is not None
    return int(found["messages"])


async def test_today_tells_who_one_is_and_takes_decisions_back(tab: Tab, memory: MemoryClient, page_dsn: str) -> None:
    """Without a language model there is no narrative, so each statement is an entry of a list. A statement is listed
    once."""
    async with session(page_dsn) as connection:
        await connection.execute(
            "update memories set created_at = now() - interval '2 days' where id in ($1, $2)", SCHOOL, TEA
        )
    page = await tab.show("today")
    for title, number in (("What you have told", SCHOOL), ("Likes and wishes", TEA)):
        section = page.locator("section", has=page.get_by_role("heading", name=title))
        await expect(section.locator(f"li[data-memory='{number}']")).to_be_visible()
    shown = await page.locator("[data-memory]").evaluate_all("entries => entries.map(x => x.dataset.memory)")
    assert sorted(shown) == sorted(set(shown))
    assert str(FLIGHT) in shown
    await tab.memory(SCHOOL).get_by_role("button", name="Unpin").click()
    await tab.noted("Unpinned")
    assert not (await state(memory, SCHOOL)).pinned
    await tab.undo()
    assert (await state(memory, SCHOOL)).pinned
    await expect(page.get_by_text("was due").first).to_be_visible()
    await expect(tab.memory(FLIGHT).locator(".tag", has_text="due")).to_contain_text(re.compile(r"\d:\d\d"))
    for sign, number, status in (("Confirm", CLIMBING, "active"), ("Not so", SEA, "rejected")):
        await tab.memory(number).get_by_role("button", name=sign).click()
        await tab.noted("ed.")
        assert (await state(memory, number)).status == status
        if status == "active":
            await expect(tab.memory(number)).to_contain_text("by you")
        await tab.undo()
        back = await state(memory, number)
        assert (back.status, back.valid_to, back.user_confirmed) == ("uncertain", None, False)
    await tab.memory(MANUAL).get_by_role("button", name="Complete").click()
    await tab.noted("Completed")
    assert (await state(memory, MANUAL)).status == "completed"
    await tab.undo()
    assert (await state(memory, MANUAL)).status == "active"


async def test_memories_are_searched_filtered_and_edited_in_place(tab: Tab, memory: MemoryClient) -> None:
    page = await tab.show("memories")
    await page.locator("#search").fill("GREEN tea")
    await expect(page.locator("#memories li")).to_have_count(1)
    await tab.memory(TEA).get_by_role("button", name="Edit").click()
    await page.locator("#memories textarea").fill("Mara prefers white tea")
    await page.keyboard.press("Enter")
    await tab.noted("Changed")
    assert (await state(memory, TEA)).content == "Mara prefers white tea"
    await tab.undo()
    assert (await state(memory, TEA)).content == "Mara prefers green tea over coffee"
    await page.locator("#search").fill("")
    await page.get_by_label("Kind").select_option("goal")
    await expect(page.locator("#memories li")).to_have_count(2)
    await page.get_by_label("Kind").select_option("")
    await page.get_by_label("Status").select_option("uncertain")
    await expect(page.locator("#memories li")).to_have_count(2)
    await page.get_by_label("Status").select_option("live")
    await page.get_by_label("Origin").select_option("model")
    await expect(page.locator("#memories li")).to_have_count(4)
    await page.get_by_label("Origin").select_option("")
    await page.get_by_label("Certainty").select_option("1")
    await expect(page.locator("#memories li")).to_have_count(6)
    await page.get_by_label("Certainty").select_option("0")
    said = "I painted the attic"
    await memory.record_message(c.RecordMessageArgs(role="user", content=said, conversation_id="attic"))
    learned = {"statements": [{"content": "The attic is painted", "kind": "fact", "quote": said}]}
    await memory.remember(c.RememberArgs.model_validate({**learned, "conversation_id": "attic"}))
    page = await tab.show("memories")
    await page.get_by_label("Chat").select_option(label="mcp: attic")
    await expect(page.locator("#memories li")).to_have_count(1)
    await expect(page.locator("#memories li")).to_contain_text("The attic is painted")
    await page.get_by_label("Chat").select_option("")


async def test_several_memories_are_confirmed_pinned_merged_and_shared_at_once(
    tab: Tab, memory: MemoryClient, server: HttpServer
) -> None:
    page = await tab.show("memories")
    bar = page.get_by_role("toolbar")
    await tab.memory(ANN).get_by_role("checkbox").check()
    await expect(bar.get_by_role("button", name="Merge")).to_be_disabled()
    await tab.memory(TIAGO).get_by_role("checkbox").check()
    await expect(bar).to_contain_text("2 selected")
    await bar.get_by_role("button", name="Pin", exact=True).click()
    await tab.noted("2 pinned")
    assert (await state(memory, ANN)).pinned
    await tab.undo()
    assert not (await state(memory, TIAGO)).pinned
    for number in (ANN, TIAGO):
        await tab.memory(number).get_by_role("checkbox").check()
    await bar.get_by_role("button", name="Merge").click()
    await page.locator("dialog textarea").fill("Ann, Mara's sister in Porto, is the mother of Tiago")
    await page.locator("dialog button.main").click()
    await tab.noted("Merged")
    merged = await state(memory, ANN)
    assert merged.status == "superseded"
    assert merged.superseded_by is not None
    await tab.undo()
    assert (await state(memory, TIAGO)).status == "active"
    assert (await state(memory, merged.superseded_by)).status == "superseded"
    await tab.memory(FLIGHT).get_by_role("checkbox").check()
    async with connect_http(server.url, server.token("relay")) as relay:
        for name in ("Climbers", "Climbing club"):
            said = c.RecordMessageArgs(role="user", content="Hi", chat_id=-300, conversation_id=name, speaker="Ben")
            await relay.record_message(said)
        await bar.get_by_role("button", name="Share").click()
        await expect(page.locator("dialog option")).to_have_text(["Climbing club", "-301"])
        await page.locator("dialog select").select_option(label="Climbing club")
        await page.locator("dialog button.main").click()
        await tab.noted("Shared")
        known = c.GetProfileArgs(chat_id=-300)
        assert [x.content for x in (await relay.get_profile(known)).dates] == ["Flight to Ponta Delgada"]
        await tab.undo()
        assert (await relay.get_profile(known)).dates == ()
    assert (await state(memory, FLIGHT)).status == "active"


async def test_of_several_memories_those_that_can_be_are_changed_and_the_page_says_why_not_the_others(
    tab: Tab, memory: MemoryClient
) -> None:
    gone = (await memory.remember(c.RememberArgs(content="Collects old maps of the Tagus", kind="fact"))).memory
    assert gone is not None
    page = await tab.show("memories")
    for number in (gone.id, TIAGO):
        await tab.memory(number).get_by_role("checkbox").check()
    await forget(memory, memory_ids=(gone.id,))
    await page.get_by_role("toolbar").get_by_role("button", name="Pin", exact=True).click()
    await tab.noted(f"Pinned. Memory #{gone.id} no longer exists.")
    assert (await state(memory, TIAGO)).pinned
    await tab.undo()
    assert not (await state(memory, TIAGO)).pinned


async def test_one_memory_shows_where_it_was_said_and_which_answers_used_it(tab: Tab, memory: MemoryClient) -> None:
    await ask(memory, "one-memory-")
    page = await tab.show(f"memory/{ANN}")
    await expect(page.locator(".quote.source")).to_contain_text("My sister Ann lives in Porto")
    await expect(page.get_by_text("Nice to meet you, Mara.")).to_be_visible()
    await page.get_by_role("link", name="When do I fly to the Azores?").first.click()
    await page.wait_for_selector("[data-section]")
    await page.locator("[data-section='memories'] summary").click()
    await expect(page.locator("[data-section='memories'] pre")).to_contain_text("Ponta Delgada")


async def test_the_timeline_opens_the_words_and_shows_what_was_known_then(tab: Tab) -> None:
    page = await tab.show("timeline")
    # Without a summary, a conversation is recognized by its beginning.
    await expect(page.locator(".card p.soft").first).to_have_text(re.compile(r"\w+ \w+"))
    await page.get_by_label("Month").select_option(index=1)
    await page.get_by_role("button", name="Show the messages").first.click()
    await expect(page.locator(".said").first).to_be_visible()
    await tab.show("timeline/known")
    today = datetime.now(ZoneInfo("Asia/Singapore"))
    await expect(page.locator("output")).to_contain_text(f"{today:%b} {today.day}, {today.year}")
    await expect(page.get_by_text("Mara's nephew Tiago broke his arm")).to_be_visible()
    await page.locator("#as-of").evaluate("x => { x.value = x.max - 20; x.dispatchEvent(new Event('input')); }")
    await expect(page.get_by_text("Mara's nephew Tiago broke his arm")).to_have_count(0)
    await expect(page.get_by_text("Ann is Mara's sister and lives in Porto")).to_be_visible()
    await tab.show("timeline/people")


async def test_why_lists_the_answers_and_their_sections_against_the_budget(tab: Tab, memory: MemoryClient) -> None:
    await ask(memory, "why-")
    page = await tab.show("why")
    await page.get_by_role("link", name="What do I drink in the evening?").first.click()
    await page.wait_for_selector("[data-section]")
    await expect(page.locator("[data-section='history'] summary")).to_contain_text(re.compile(r"of 2,600 tokens"))
    await expect(page.get_by_text("What was left out")).to_be_visible()
    await memory.get_context(c.GetContextArgs(query="Which lamp?", message_thread_id=77))
    await tab.show("why")
    await expect(page.locator("main li").first).to_contain_text("A question that was not recorded")
    await memory.record_message(c.RecordMessageArgs(role="user", content="Which lamp?", message_thread_id=77))
    await tab.show("why")
    await expect(page.locator("main li").first).to_contain_text("Before: Which lamp?")


async def test_why_shows_the_answer_and_that_forgetting_erased_earlier_records(tab: Tab, memory: MemoryClient) -> None:
    asked, place = "Who broke his arm?", {"conversation_id": "arm"}
    await memory.record_message(c.RecordMessageArgs(role="user", content=asked, message_id="arm", **place))
    shown = await memory.get_context(c.GetContextArgs(query=asked, exclude_message_id="arm", **place))
    answer = "You told me: “Ann's son Tiago broke his arm, he cannot come to the Azores.”"
    reply = {"role": "assistant", "content": answer, "message_id": "arm-reply", "exchange_of": "arm"}
    await memory.record_message(c.RecordMessageArgs.model_validate(reply | place))
    page = await tab.show(f"why/{shown.receipt_id}/{shown.session_id.rpartition(':')[2]}")
    section = page.locator("section", has=page.get_by_role("heading", name="The answer"))
    await expect(section).to_contain_text(answer)
    await memory.record_message(c.RecordMessageArgs(role="user", content="The zorvath is broken", **place))
    await forget(memory, topic="zorvath")
    await expect((await tab.show("why")).get_by_text("records of all earlier answers")).to_be_visible()


async def test_why_says_in_sentences_what_was_recalled_also_for_an_answer_of_long_ago(
    tab: Tab, memory: MemoryClient
) -> None:
    place = {"conversation_id": "why"}
    await memory.record_message(c.RecordMessageArgs(role="user", content=SISTER, message_id="sister", **place))
    wanted = {"query": SISTER, "exclude_message_id": "sister", "token_budget": 400}
    shown = await memory.get_context(c.GetContextArgs.model_validate({**wanted, **place}))
    for _ in range(31):
        await memory.get_context(c.GetContextArgs(include=("history",), **place))
    page = await tab.show(f"why/{shown.receipt_id}/{shown.session_id.rpartition(':')[2]}")
    await expect(page.get_by_role("heading", level=1)).to_have_text(SISTER)
    main = page.locator("main")
    await expect(main).to_contain_text(f"In all, this took {shown.tokens} of 400 tokens.")
    await expect(main).to_contain_text(re.compile("The assistant was shown: .*memor"))
    await expect(main).to_contain_text("There was no room for: ")
    await expect(page.get_by_role("link", name="Ann is Mara's sister")).to_have_attribute("href", f"#memory/{ANN}")
    answers = (await memory.mcp.call_tool("page_memory", {"memory_id": ANN})).structured_content
    assert answers is not None
    assert SISTER in [answer["question"] for answer in answers["answers"]]


async def test_forgetting_asks_for_the_topic_keeps_what_is_unticked_and_leaves_no_trace(
    tab: Tab, memory: MemoryClient
) -> None:
    part = "The spare code is 4711-blue too."
    await memory.record_message(c.RecordMessageArgs(role="user", content=f"I water the ferns. {part}"))
    page = await tab.show("forget")
    await page.get_by_label("Exact words").check()
    await page.locator("#forget-words").fill("4711-blue")
    await page.get_by_role("button", name="Find it").click()
    await page.wait_for_selector("#matches > li")
    await expect(page.locator("#matches del")).to_have_text([part])
    await page.locator("#forget-go").click()
    assert await page.locator("dialog button.main").is_disabled()
    await page.locator("#forget-typed").fill("4711-blue")
    await page.locator("dialog button.main").click()
    await expect(page.locator("#traces")).to_have_text("0 traces left")
    found = await memory.search_memory(c.SearchMemoryArgs(query="4711-blue", where="all"))
    assert "4711" not in str(found)
    await tab.show("forget/topic/climbing")
    await page.get_by_role("button", name="Find it").click()
    await page.wait_for_selector("#matches > li")
    for box in await page.locator("#matches input").all():
        await box.uncheck()
    await page.locator("#forget-go").click()
    await page.locator("#forget-typed").fill("climbing")
    await page.locator("dialog button.main").click()
    await expect(page.locator("#traces")).to_contain_text("0 left of what you ticked; ")
    assert (await state(memory, CLIMBING)).status == "uncertain"
    await tab.show(f"forget/ids/{SEA}")
    await page.locator("#forget-go").click()
    await page.locator("#forget-typed").fill("forget")
    await page.locator("dialog button.main").click()
    await page.wait_for_selector("#traces")
    with pytest.raises(MemoryRefused):
        await state(memory, SEA)


async def test_exactly_the_ticked_matches_are_erased(tab: Tab, memory: MemoryClient) -> None:
    for content in ("I am allergic to walnuts", "I sell walnut furniture"):
        await memory.remember(c.RememberArgs(content=content))
    page = await tab.show("forget/topic/walnut")
    await page.get_by_role("button", name="Find it").click()
    await page.wait_for_selector("#matches > li")
    for box in await page.locator("#matches input").all():
        await box.set_checked(not await box.is_checked())
    await page.locator("#forget-go").click()
    await page.locator("#forget-typed").fill("walnut")
    await page.locator("dialog button.main").click()
    await page.wait_for_selector("#traces")
    found = str(await memory.search_memory(c.SearchMemoryArgs(query="walnut", where="all")))
    assert ("allergic" in found, "furniture" in found) == (False, True)


async def test_clients_are_connected_and_tokens_made_and_ended(tab: Tab, server: HttpServer) -> None:
    page = await tab.show("data")
    cursor = page.locator("[data-client='cursor']")
    await cursor.locator("summary").click()
    await cursor.get_by_role("button", name="Connect", exact=True).click()
    await expect(cursor).to_contain_text("connected")
    file = Path(server.settings["HOME"]) / ".cursor" / "mcp.json"
    assert "memory" in json.loads(file.read_text())["mcpServers"]
    await cursor.locator("summary").click()
    await cursor.get_by_role("button", name="Disconnect").click()
    await expect(cursor).not_to_contain_text("connected")
    assert not file.exists()
    await page.locator("#token-new").click()
    await page.locator("dialog input").fill("kitchen")
    await page.locator("dialog button.main").click()
    assert len(str(await page.locator("#token").text_content())) == 43
    await page.locator("dialog button.main").click()
    await page.locator("[data-token='kitchen'] button").click()
    await page.locator("dialog button.main").click()
    await expect(page.locator("[data-token='kitchen']")).to_have_count(0)


async def test_an_import_is_counted_first_and_export_and_backup_are_taken(
    tab: Tab, chrome: Browser, memory: MemoryClient, server: HttpServer, tmp_path: Path
) -> None:
    page = await tab.show("data")
    (tmp_path / "other.json").write_text('{"hello": 1}')
    await page.locator("#import-file").set_input_files(tmp_path / "other.json")
    await expect(page.locator("main")).to_contain_text("This file is not an export", timeout=HANGS * 1000)
    await expect(page.locator("main progress")).to_have_count(0)
    telegram(tmp_path / "result.json", messages=120)
    before = await messages(memory)
    await page.locator("#import-file").set_input_files(tmp_path / "result.json")
    await expect(page.locator("#import-plan")).to_contain_text("telegram", timeout=HANGS * 1000)
    assert await messages(memory) == before
    assert len(list((server.data_dir / "uploads").iterdir())) == 1
    await tab.show("today")
    await until(lambda: not list((server.data_dir / "uploads").iterdir()))
    await tab.show("data")
    await page.locator("#import-file").set_input_files(tmp_path / "result.json")
    await expect(page.locator("#import-plan")).to_contain_text("telegram", timeout=HANGS * 1000)
    await page.locator("#import-go").click()
    await expect(page.locator("#import-done")).to_contain_text("added", timeout=HANGS * 1000)
    assert await messages(memory) > before
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Export everything").click()
    lines = (await (await download.value).path()).read_text().splitlines()
    assert {"message", "memory"} <= {json.loads(line)["type"] for line in lines}
    await page.locator("#backup-now").click()
    await tab.noted("The backup is")
    (made,) = (server.data_dir / "backups").glob("*.tellonce")
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download").click()
    got = await download.value
    assert (await got.path()).read_bytes() == made.read_bytes()
    assert got.suggested_filename == "tellonce-backup.tellonce"
    async with signed_in(chrome, server) as another:
        assert await another.page.evaluate(FETCHED, got.url) == 403
