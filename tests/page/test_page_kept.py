"""The page keeps typed text if saving fails or if another program changes the memory. After a change, the page keeps
the scroll position of a list. If a long action fails, the page keeps the contents of the screen."""

import pytest
from playwright.async_api import Browser, Page, expect

from tellonce import contract as c
from tellonce.client import MemoryClient
from tests.page.browser import Tab, code, signed_in
from tests.page.test_page import ANN, MARATHON, SCHOOL, TIAGO, state
from tests.server.processes import HttpServer

pytestmark = pytest.mark.anyio

CALLS = "**/mcp"
AWAY = "The memory does not answer"
FOCUSED = "document.activeElement.closest('[data-memory]')?.dataset.memory"


async def away(page: Page) -> None:
    """Let no call reach the server."""
    await page.route(CALLS, lambda route: route.abort())


async def back(page: Page, tab: Tab) -> None:
    await page.unroute(CALLS)
    tab.wrong.clear()  # the browser reports each call that failed


async def test_a_typed_text_is_kept_when_saving_fails(tab: Tab, memory: MemoryClient) -> None:
    page = await tab.show("today")
    await away(page)
    await page.locator("#tell").fill("Has a key to the observatory")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text(AWAY)
    await back(page, tab)
    await page.locator("#tell").press("Enter")
    await tab.noted("Remembered.")
    await expect(page.locator("#tell")).to_have_value("")
    await expect(page.locator("#tell")).to_be_focused()
    assert "Has a key to the observatory" in str(await memory.get_profile(c.GetProfileArgs()))

    page = await tab.show("memories")
    await tab.memory(SCHOOL).get_by_role("button", name="Edit").click()
    text = page.get_by_role("textbox", name="Edit")
    await away(page)
    await text.fill("Mara teaches physics and music")
    await text.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text(AWAY)
    await expect(text).to_have_value("Mara teaches physics and music")
    await back(page, tab)
    await tab.show("today")
    await tab.show("memories")
    await tab.memory(SCHOOL).get_by_role("button", name="Edit").click()
    await expect(text).to_have_value("Mara teaches physics and music")
    await text.press("Enter")
    await tab.noted("Changed")
    await tab.undo()
    assert (await state(memory, SCHOOL)).content == "Mara teaches physics at a school in Lisbon"

    for number in (ANN, TIAGO):
        await tab.memory(number).get_by_role("checkbox").check()
    await page.get_by_role("toolbar").get_by_role("button", name="Merge").click()
    dialog = page.get_by_role("dialog")
    await away(page)
    await dialog.locator("textarea").fill("Ann is Tiago's mother")
    await dialog.get_by_role("button", name="Merge").click()
    await expect(dialog.get_by_role("alert")).to_contain_text(AWAY)
    await expect(dialog.locator("textarea")).to_have_value("Ann is Tiago's mother")
    await back(page, tab)
    await dialog.get_by_role("button", name="Merge").click()
    await tab.noted("Merged")
    await expect(page.get_by_text("Ann is Tiago's mother")).to_be_visible()
    await expect(tab.memory(ANN)).to_contain_text("replaced")
    await tab.undo()
    await expect(page.get_by_text("Ann is Tiago's mother")).to_have_count(0)
    await expect(tab.memory(ANN)).not_to_contain_text("replaced")


async def test_an_edit_does_not_silently_replace_a_change_made_elsewhere(tab: Tab, memory: MemoryClient) -> None:
    made = (await memory.remember(c.RememberArgs(content="Owns a green tent", kind="fact"))).memory
    assert made is not None
    page = await tab.show("memories")
    await tab.memory(made.id).get_by_role("button", name="Edit").click()
    text = page.get_by_role("textbox", name="Edit")
    await text.fill("Owns a green tent and a stove")
    other = "Owns a green tent and a lamp"
    await memory.update_memory(c.UpdateMemoryArgs(memory_id=made.id, action="edit", content=other))
    await text.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text(other)
    await expect(text).to_have_value("Owns a green tent and a stove")
    assert (await state(memory, made.id)).content == other
    await text.press("Enter")
    await tab.noted("Changed")
    await expect(tab.memory(made.id)).to_contain_text("and a stove")
    await tab.undo()
    await expect(tab.memory(made.id)).to_contain_text(other)
    assert (await state(memory, made.id)).content == other


async def test_a_text_typed_before_the_session_ended_is_saved_after_the_next_sign_in(
    chrome: Browser, server: HttpServer, memory: MemoryClient
) -> None:
    async with signed_in(chrome, server) as tab:
        page = await tab.show(f"memory/{MARATHON}")
        await page.keyboard.press("e")
        text = page.get_by_role("textbox", name="Edit")
        await text.fill("Run the Lisbon half marathon slowly")
        await page.context.clear_cookies()
        await text.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("tellonce open")
        again = await page.context.new_page()
        await again.goto(f"{server.base}/#code={await code(server)}")
        await again.wait_for_selector("main[data-shown]")
        await text.press("Enter")
        await tab.noted("Changed")
        assert (await state(memory, MARATHON)).content == "Run the Lisbon half marathon slowly"
        await tab.undo()


async def test_a_change_keeps_the_place_in_the_list_and_the_keyboard_in_its_row(
    chrome: Browser, server: HttpServer, token_of_many: str
) -> None:
    async with signed_in(chrome, server, token=token_of_many) as tab:
        page = await tab.show("memories")
        rows = page.locator("#memories li")
        await expect(rows).to_have_count(100)
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        await expect(rows).not_to_have_count(100)
        many = await rows.count()
        number = await rows.nth(150).get_attribute("data-memory")
        await rows.nth(150).locator("a").first.focus()
        for key, said in (("p", "Pinned"), ("u", "Undone")):
            await page.keyboard.press(key)
            await tab.noted(said)
            assert await page.evaluate(FOCUSED) == number
        await page.keyboard.press("e")
        await page.keyboard.press("Escape")
        assert await page.evaluate(FOCUSED) == number
        await page.keyboard.press("j")
        assert await page.evaluate(FOCUSED) == await rows.nth(151).get_attribute("data-memory")
        assert await rows.count() >= many
        await page.keyboard.press("/")
        await expect(page.locator("#search")).to_be_focused()


async def test_confirming_a_statement_shows_on_the_same_screen_what_it_replaced(tab: Tab, memory: MemoryClient) -> None:
    old = (await memory.remember(c.RememberArgs(content="Keeps bees on the roof", kind="fact"))).memory
    assert old is not None
    claim = {"content": "Gave the bees away to Helmut", "kind": "fact", "replaces": [old.id]}
    made = await memory.remember(c.RememberArgs.model_validate({"statements": [claim]}))
    new = made.results[0].memory
    assert new.status == "uncertain"
    await tab.show("%E0%A4%A")
    await tab.show("today")
    await tab.memory(new.id).locator("a").first.focus()
    await tab.page.keyboard.press("c")
    await tab.noted("Confirmed")
    await expect(tab.memory(old.id)).to_contain_text("replaced")
    await tab.undo()
    await expect(tab.memory(old.id)).not_to_contain_text("replaced")
    assert (await state(memory, old.id)).status == "active"


async def test_long_work_that_fails_says_why_and_gives_the_screen_back(tab: Tab, memory: MemoryClient) -> None:
    await memory.remember(c.RememberArgs(content="Keeps a spare bicycle in the cellar", kind="fact"))
    page = await tab.show("forget")
    await page.locator("#forget-words").fill("bicycle")
    await page.get_by_role("button", name="Find it").click()
    await page.locator("#forget-go").click()
    await page.locator("#forget-typed").fill("bicycle")
    dialog = page.get_by_role("dialog")
    await away(page)
    await dialog.get_by_role("button", name="Forget").click()
    await expect(dialog.get_by_role("alert")).to_contain_text(AWAY)
    await expect(page.locator("#forget-typed")).to_have_value("bicycle")
    await back(page, tab)
    await dialog.get_by_role("button", name="Forget").click()
    await expect(page.locator("#traces")).to_have_text("0 traces left")
    page = await tab.show("data")
    await away(page)
    await page.locator("#backup-now").click()
    await expect(page.locator("main").get_by_role("alert")).to_contain_text(AWAY)
    await page.route("**/page/upload", lambda route: route.abort())
    await page.locator("#import-file").set_input_files({"name": "a.json", "mimeType": "text/plain", "buffer": b"{}"})
    await expect(page.locator("main").get_by_role("alert")).to_have_count(2)
    await expect(page.locator("#import-file")).to_be_visible()
    await page.unroute("**/page/upload")
    await back(page, tab)


async def told(memory: MemoryClient, content: str) -> int:
    made = (await memory.remember(c.RememberArgs(content=content, kind="fact"))).memory
    assert made is not None
    return made.id


async def test_an_open_page_shows_what_changed_elsewhere_and_keeps_the_focus(tab: Tab, memory: MemoryClient) -> None:
    page = await tab.show("memories")
    await tab.memory(SCHOOL).locator("a").first.focus()
    new = await told(memory, "Plays the cello in a quartet")
    await expect(tab.memory(new)).to_be_visible()
    assert await page.evaluate(FOCUSED) == str(SCHOOL)
    await tab.show(f"memory/{new}")
    await memory.update_memory(c.UpdateMemoryArgs(memory_id=new, action="edit", content="Plays the viola"))
    await expect(page.locator(".narrative")).to_have_text("Plays the viola")
    await tab.show("today")
    await memory.update_memory(c.UpdateMemoryArgs(memory_id=new, action="edit", content="Plays the flute"))
    await expect(tab.memory(new)).to_contain_text("Plays the flute")


async def test_a_change_elsewhere_takes_nothing_from_the_person_who_types_ticks_or_may_undo(
    tab: Tab, memory: MemoryClient
) -> None:
    page = await tab.show("today")
    idle = await page.context.new_page()
    await idle.goto(f"{tab.base}/#memories")
    await page.locator("#tell").fill("Half a sentence")
    new = await told(memory, "Repairs old radios")
    await expect(idle.locator(f"[data-memory='{new}']")).to_be_visible()
    await expect(page.locator("#tell")).to_have_value("Half a sentence")
    await expect(tab.memory(new)).to_have_count(0)
    await page.locator("#tell").fill("")
    await expect(tab.memory(new)).to_be_visible()
    await expect(page.locator("#tell")).to_be_focused()
    await tab.show("memories")
    await tab.memory(new).get_by_role("button", name="Pin").click()
    await tab.noted("Pinned")
    newer = await told(memory, "Restores old clocks")
    await expect(idle.locator(f"[data-memory='{newer}']")).to_be_visible()
    await expect(tab.memory(newer)).to_have_count(0)
    await tab.undo()
    await expect(tab.memory(newer)).to_be_visible()
    await idle.close()


async def test_a_page_that_lost_the_server_shows_the_memory_when_the_server_is_back(tab: Tab) -> None:
    await away(tab.page)
    await tab.page.reload()
    await expect(tab.page.get_by_role("alert")).to_contain_text(AWAY)
    await back(tab.page, tab)
    await expect(tab.page.locator(".screen")).to_be_visible()
    tab.wrong.clear()
