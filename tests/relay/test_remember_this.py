"""The order "remember this" keeps the message to which the person replies, and never the word "this"."""

import pytest

from tests.memory_fixtures import Memory
from tests.relay.running_relay import GROUP, USER, relaying
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio

SAID = "Ann's clinic moved to Main Street 9"
ORDERS = {
    "en": ["remember this", "Please remember that!", "save this message", "/remember", "/remember this"],
    "de": ["Merk dir das", "merk dir diese Nachricht bitte", "vergiss das nicht"],
    "es": ["recuerda esto", "guarda este mensaje", "no lo olvides"],
    "ru": ["запомни это", "запомни, пожалуйста", "сохрани это сообщение"],
}
ALONE = {"en": "Remember this", "de": "merk dir das", "es": "recuerda esto", "ru": "запомни это"}


async def contents(memory: Memory) -> list[str]:
    async with memory.tables() as tables:
        rows = await tables.fetch("select content from memories where kind <> 'note' order by id")
    return [row["content"] for row in rows]


@pytest.mark.parametrize(("language", "order"), [(one, order) for one, orders in ORDERS.items() for order in orders])
async def test_a_reply_that_asks_to_remember_keeps_the_message_it_replies_to(
    memory: Memory, language: str, order: str
) -> None:
    async with telegram() as started:
        started.world.languages[USER] = language
        async with relaying(memory, api=started) as api:
            number = await api.say(SAID)
            await api.replies(1)
            shown = await api.ask(order, reply_to=number, replies=2)
    assert SAID in shown[1]
    assert await contents(memory) == [SAID]


@pytest.mark.parametrize("language", ALONE)
async def test_the_order_alone_asks_what_to_remember(memory: Memory, language: str) -> None:
    async with telegram() as started:
        started.world.languages[USER] = language
        async with relaying(memory, api=started) as api:
            (shown,) = await api.ask(ALONE[language], replies=1)
    assert "/remember" in shown
    assert await contents(memory) == []


async def test_selected_words_of_the_message_are_kept_alone(memory: Memory) -> None:
    async with relaying(memory) as api:
        number = await api.say("The plumber is Kowalski. He was late.")
        await api.replies(1)
        quote = {"text": "The plumber is Kowalski.", "position": 0, "is_manual": True}
        await api.ask("remember this", reply_to=number, quote=quote, replies=2)
    assert await contents(memory) == ["The plumber is Kowalski."]


async def test_selected_words_of_a_forwarded_message_keep_the_day_on_which_they_were_written(memory: Memory) -> None:
    origin = {"type": "hidden_user", "date": 1789560000, "sender_user_name": "Marta"}
    async with relaying(memory) as api:
        number = await api.say("Bring wine. The dinner is tomorrow.", forward_origin=origin)
        await api.replies(1)
        quote = {"text": "The dinner is tomorrow.", "position": 12, "is_manual": True}
        await api.ask("remember this", reply_to=number, quote=quote, replies=2)
    (kept,) = await contents(memory)
    assert kept.startswith("[forwarded from Marta, 2026-09-16 ")
    assert kept.endswith("\n> The dinner is tomorrow (2026-09-17).")


async def test_in_a_group_the_words_of_another_person_keep_the_name(memory: Memory) -> None:
    async with relaying(memory) as api:
        number = await api.say("My sister lives in Braga", user=43, chat=GROUP)
        shown = await api.ask("@memory_bot remember this", reply_to=number, chat=GROUP, replies=1)
        own = await api.say("The rehearsal is in room 4", chat=GROUP)
        await api.ask("@memory_bot remember this", reply_to=own, chat=GROUP, replies=2)
    kept = await contents(memory)
    assert len(shown) == 1
    assert [content.endswith(": My sister lives in Braga") for content in kept].count(True) == 1
    assert "The rehearsal is in room 4" in kept
