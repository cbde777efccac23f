"""Tests without a model. If a message asks for a reminder, the relay sets the reminder or says that none is set."""

import pytest

from tellonce.reminders import ListRemindersArgs
from tellonce_relay.catalogue import phrase
from tellonce_relay.orders import order_of
from tellonce_relay.turn.reminders import asks_in_vain, wanted_by
from tests.memory_fixtures import START, Clock, Memory
from tests.relay.running_relay import USER, ZONE, relaying
from tests.stubs.telegram_emulator import telegram

NOW = START.astimezone(ZONE)  # Monday, 9:15


@pytest.mark.parametrize(
    ("text", "in_vain"),
    [
        ("Dentist next week, remind me an hour before", True),
        ("Zahnarzt nächste Woche, erinnere mich eine Stunde vorher", True),
        ("Dentista la semana que viene, recuérdame una hora antes", True),
        ("Зубной на следующей неделе, напомни за час", True),
        ("No puedo recordar su nombre", False),
        ("I set a reminder yesterday", False),
    ],
)
def test_a_request_that_sets_nothing_is_recognized(text: str, in_vain: bool) -> None:
    assert asks_in_vain(text, NOW, ZONE) is in_vain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("every weekday at 8:30 and 17:00 swim", ["every weekday at 8:30", "every weekday at 17:00"]),
        ("jeden Werktag um 8:30 und 17:00 üben", ["jeden Werktag um 8:30", "jeden Werktag um 17:00"]),
        ("cada lunes a las 8:30 y a las 17:00 nadar", ["cada lunes a las 8:30", "cada lunes a las 17:00"]),
        ("по будням в 8:30 и в 17:00 гулять", ["по будням в 8:30", "по будням в 17:00"]),
        ("every Monday at 8:30 swim and at 17:00 run", ["every Monday at 8:30", "every Monday at 17:00"]),
    ],
)
def test_a_second_time_is_shown_with_the_days_of_the_first(text: str, words: list[str]) -> None:
    assert [one.words for one in wanted_by(text, NOW, ZONE)] == words


@pytest.mark.anyio
async def test_a_statement_that_asks_for_a_reminder_in_vain_is_told_so_and_no_other_is_asked_about(
    memory: Memory, clock: Clock
) -> None:
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        await api.ask("remind me on Friday at 8 to call the dentist", replies=1)
        await api.ask("The dentist is on Friday at 3 pm", replies=2)
        await api.ask("/remember the dentist is on Friday at 3 pm", replies=3)
        shown = await api.ask("Dentist next week, remind me an hour before", replies=5)
        known = (await client.list_reminders(ListRemindersArgs(chat_id=USER))).reminders
    assert shown[1] == phrase("offline.kept")
    assert shown[2].startswith("✓ Remembered")
    assert shown[4].startswith("⏰ I have not set a reminder")
    assert len(known) == 1


@pytest.mark.parametrize(
    "text",
    ["daily at 8 remind me to take pills", "каждый день в 8 напомни мне о таблетках", "todo: remind me tomorrow"],
)
def test_a_request_after_other_words_is_no_order_and_asks_in_vain(text: str) -> None:
    assert order_of(text) is None
    assert asks_in_vain(text, NOW, ZONE)


ORDERS = {
    "en": ("remind me about the meeting on {} at 3pm", "can also mean"),
    "de": ("Erinnere mich am {} um 15 Uhr an das Treffen", "kann auch"),
    "es": ("Recuérdame el {} a las 15:00 la reunión", "también puede ser"),
    "ru": ("Напомни мне {} в 15:00 о встрече", "может означать и"),
}


@pytest.mark.anyio
@pytest.mark.parametrize("language", ORDERS)
async def test_a_date_whose_order_is_in_doubt_is_the_nearer_day_and_the_other_is_named(
    memory: Memory, clock: Clock, language: str
) -> None:
    request, note = ORDERS[language]
    async with telegram() as started:
        started.world.languages[USER] = language
        async with relaying(memory, api=started, clock=clock) as api:
            doubtful = await api.ask(request.format("5/1"), replies=1)
            clear = await api.ask(request.format("13/1"), replies=2)
    first, *_, last = doubtful[0].split("\n")
    assert "2027" not in first
    assert "5/1" in last
    assert note in last
    assert "2027" in last
    assert note not in clear[1]
