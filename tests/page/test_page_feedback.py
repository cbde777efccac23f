"""The page marks uncertain memories, shows work that takes time, and can undo a new statement."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import anyio
import asyncpg
import pytest
from playwright.async_api import Browser, Route, expect

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_server.app.access_tokens import create_token
from tellonce_server.store.database import as_login
from tests.memory_fixtures import forget
from tests.page.browser import Tab, code, signed_in
from tests.page.test_page import CLIMBING, state
from tests.patience import HANGS
from tests.server.processes import HttpServer

pytestmark = pytest.mark.anyio

STORED_BEFORE = "The number 3 is not in the quote. 2026-03-15 does not follow from the quote. she only considers it"
"""A reason in the form of older releases, which stored no codes. The reason ends with a model's own words."""


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ("en-US", STORED_BEFORE),
        (
            "de-DE",
            "Die Zahl 3 steht nicht im Zitat. Der 15.03.2026 ergibt sich nicht aus dem Zitat. she only considers it",
        ),
        (
            "es-ES",
            "El número 3 no está en la cita. La fecha 15 mar 2026 no se deduce de la cita. she only considers it",
        ),
        ("ru-RU", "Числа 3 нет в цитате. Дата 15 мар. 2026\u202fг. не следует из цитаты. she only considers it"),
    ],
)
async def test_a_stored_reason_is_shown_in_the_readers_language(
    chrome: Browser, server: HttpServer, page_dsn: str, locale: str, expected: str
) -> None:
    connection = await asyncpg.connect(page_dsn)
    stored = "update memories set reason = $2 where owner_id = 42 and id = $1"
    before = await connection.fetchval("select reason from memories where owner_id = 42 and id = $1", CLIMBING)
    try:
        await connection.execute(stored, CLIMBING, STORED_BEFORE)
        async with signed_in(chrome, server, locale=locale) as tab:
            for address in ("today", "memories", f"memory/{CLIMBING}"):
                page = await tab.show(address)
                await expect(page.locator("main")).to_contain_text(
                    re.compile(r"\s".join(map(re.escape, expected.split())))
                )
    finally:
        await connection.execute(stored, CLIMBING, before)
        await connection.close()


async def test_a_new_statement_is_taken_back_and_can_be_told_again(tab: Tab, memory: MemoryClient) -> None:
    page = await tab.show("today")
    tell = page.locator("#tell")
    await tell.fill("Keeps bees on the roof")
    await tell.press("Enter")
    await tab.noted("Remembered.")
    entry = page.locator("[data-memory]", has_text="Keeps bees on the roof")
    number = int(str(await entry.get_attribute("data-memory")))
    await tab.undo()
    await expect(entry).to_have_count(0)
    await expect(tell).to_be_focused()
    gone = await state(memory, number)
    assert (gone.status, gone.reason) == ("superseded", "taken back")
    assert "Keeps bees" not in (await memory.get_context(c.GetContextArgs(query="What is on the roof?"))).context
    # After the undo, the statement can be entered again. If it is entered a third time, it is already known, so there
    # is nothing to undo.
    for said in ("Remembered.", "known already"):
        await tell.fill("Keeps bees on the roof")
        await tell.press("Enter")
        await tab.noted(said)
    await expect(page.locator(".note button")).to_have_count(1)


async def test_a_slow_screen_says_that_it_is_loading(chrome: Browser, server: HttpServer) -> None:
    """The first answer may take long. Until then, the page must not show an empty box in the place of the screen."""
    answered = anyio.Event()

    async def hold(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    context = await chrome.new_context(locale="de-DE")
    page = await context.new_page()
    await page.route("**/mcp", hold)
    await page.goto(f"{server.base}/#code={await code(server)}")
    main = page.locator("main")
    await expect(main).to_have_attribute("aria-busy", "true")
    assert await main.evaluate("x => getComputedStyle(x, '::before').content") == '"Wird geladen …"'
    answered.set()
    await expect(main).to_have_attribute("aria-busy", "false")
    assert await main.evaluate("x => getComputedStyle(x, '::before').content") == "none"
    await context.close()


async def test_an_upload_shows_how_much_of_it_has_arrived(chrome: Browser, server: HttpServer, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(b'{"a": "' + b"x" * 4_000_000 + b'"}')
    async with signed_in(chrome, server) as tab:
        page = await tab.show("data")
        network = await page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1_000_000}
        await network.send("Network.emulateNetworkConditions", slow)
        await page.locator("#import-file").set_input_files(file)
        status = page.locator("section", has=page.locator("#import-file"))
        await expect(status).to_contain_text(re.compile(r"Reading result\.json … [1-9]\d?%"))
        assert 0 < float(str(await status.locator("progress").get_attribute("value"))) < file.stat().st_size + 1000
        await expect(status.get_by_role("alert")).to_be_visible()


async def test_a_plan_names_the_person_and_the_groups_that_are_left_out(tab: Tab, tmp_path: Path) -> None:
    said = {"id": 1, "type": "message", "date_unixtime": "1704103200", "text": "hi", "from": "Ann", "from_id": "user1"}
    chats = [
        {"name": "Bob", "type": "personal_chat", "id": 5, "messages": [said]},
        {"name": "Choir", "type": "private_supergroup", "id": 88, "messages": [said, {**said, "id": 2}]},
    ]
    file = tmp_path / "result.json"
    file.write_text(json.dumps({"personal_information": {"user_id": 1}, "chats": {"list": chats}}))
    page = await tab.show("data")
    await page.locator("#import-file").set_input_files(file)
    plan = page.locator("#import-plan")
    await expect(plan).to_contain_text("Choir (-10088): 2", timeout=HANGS * 1000)
    await expect(plan).to_contain_text("1 · Ann")
    await expect(plan).to_contain_text("--chat")
    await expect(plan).not_to_contain_text("Unreadable")


async def test_the_token_of_another_computer_is_not_called_this_machines_own(tab: Tab, page_dsn: str) -> None:
    """A restored backup contains the tokens of the computer that made it."""
    name = "local-assistant-deadbeef"
    async with as_login(page_dsn) as login:
        await create_token(login, name, 42, ("assistant",), datetime.now(UTC))
    page = await tab.show("data")
    other = page.locator(f"[data-token='{name}']")
    await expect(other).to_contain_text("of another computer")
    await expect(page.get_by_text("this machine's own")).to_have_count(1)
    await other.get_by_role("button").click()
    await page.locator("dialog button.main, dialog button.bad").last.click()
    await expect(other).to_have_count(0)


async def test_the_buttons_of_a_card_are_labeled(tab: Tab) -> None:
    page = await tab.show(f"memory/{CLIMBING}")
    label = "x => getComputedStyle(x, '::after').content"
    shown = await page.locator(".card .icon").evaluate_all(f"xs => xs.map({label})")
    assert shown[0].endswith('" Confirm"')
    assert len(shown) == 4


async def test_only_the_operator_has_the_data_screen_and_the_page_says_so(
    chrome: Browser, server: HttpServer, token_of_many: str
) -> None:
    async with signed_in(chrome, server, token=token_of_many, locale="de-DE") as tab:
        await tab.show("data")
        await expect(tab.page.get_by_role("alert")).to_contain_text("Das darf nur, wer das Gedächtnis betreibt.")


async def test_long_names_and_texts_stay_within_the_screen(
    chrome: Browser, server: HttpServer, memory: MemoryClient
) -> None:
    said = c.RecordMessageArgs(role="user", content="A message of a long conversation", conversation_id="n" * 128)
    await memory.record_message(said)
    long = (await memory.remember(c.RememberArgs(content=f"Wrote {'a word ' * 4000}", kind="fact"))).memory
    assert long is not None
    async with signed_in(chrome, server, width=360) as tab:
        page = await tab.show("memories")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        entry = await tab.memory(long.id).bounding_box()
        assert entry is not None
        assert entry["height"] < 400
        page = await tab.show(f"memory/{long.id}")
        await expect(page.locator("main")).to_contain_text("a word " * 3999 + "a word")
    await forget(memory, memory_ids=(long.id,))


async def test_an_empty_memory_leads_to_connecting_an_assistant(
    chrome: Browser, server: HttpServer, page_dsn: str
) -> None:
    async with as_login(page_dsn) as login:
        token = await create_token(login, "newcomer", 44, ("assistant",), datetime.now(UTC))
    async with signed_in(chrome, server, token=token) as tab:
        page = await tab.show("today")
        await page.get_by_role("link", name="Connect an assistant").click()
        await expect(page.locator("main")).to_have_attribute("data-shown", "data")


async def test_on_a_phone_a_message_covers_neither_the_heading_nor_the_end_of_a_screen(
    chrome: Browser, server: HttpServer
) -> None:
    async with signed_in(chrome, server, width=360) as tab:
        page = await tab.show("memories")
        await tab.memory(CLIMBING).get_by_role("button", name="Confirm").click()
        await tab.noted("Confirmed")
        note = await page.locator(".note").bounding_box()
        heading = await page.get_by_role("heading", name="Memories").bounding_box()
        assert note is not None
        assert heading is not None
        assert heading["y"] + heading["height"] <= note["y"]
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        last = await page.locator("#memories li").last.bounding_box()
        assert last is not None
        assert last["y"] + last["height"] <= note["y"]
        await tab.undo()
