"""Tests without a model. If a message asks for a reminder, the relay sets the reminder, offers it, or says that no
reminder is set."""

import pytest

from tellonce_relay.orders import Kind
from tellonce_relay.turn.reminder_requests import asks_in_vain, offered, order_in, question
from tellonce_relay.turn.reminders import wanted_by
from tests.memory_fixtures import START, Clock, Memory
from tests.offline_worker import work_off
from tests.relay.running_relay import USER, ZONE, relaying, texts
from tests.stubs.telegram_emulator import telegram

NOW = START.astimezone(ZONE)  # Monday, 9:15


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("daily at 8 and 20 remind me to take pills", "daily at 8 and 20 to take pills"),
        ("I need to be reminded about the dentist on Friday at 3pm", "about the dentist on Friday at 3pm"),
        ("täglich um 8 und 20 Uhr erinnere mich an Pillen", "täglich um 8 und 20 Uhr an Pillen"),
        ("Ich muss am Freitag um 15 Uhr an Ben erinnert werden", "am Freitag um 15 Uhr an Ben"),
        ("cada día a las 8 recuérdame tomar la pastilla", "cada día a las 8 tomar la pastilla"),
        ("Necesito que me recuerdes el dentista mañana", "el dentista mañana"),
        ("каждый день в 8 и в 20 напомни мне о таблетках", "каждый день в 8 и в 20 о таблетках"),
    ],
)
def test_an_order_for_a_reminder_may_follow_its_times(text: str, rest: str) -> None:
    order = order_in(text, NOW, ZONE)
    remind: Kind = "remind"
    assert order is not None
    assert (order.kind, order.rest) == (remind, rest)


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("every Friday at 5 pm water the plants", "every Friday at 5 pm"),
        ("Blumen gießen jeden Freitag um 17 Uhr.", "jeden Freitag um 17 Uhr"),
        ("regar las plantas cada viernes a las 17", "cada viernes a las 17"),
        ("каждую пятницу в 17:00 полить цветы", "каждую пятницу в 17:00"),
        ("Dentist on Friday at 3 pm, remind me an hour before", "Fri, Feb 20 at 2:00 PM"),
        ("todo: buy stamps tomorrow", "tomorrow at 9:00 AM"),
    ],
)
def test_a_time_that_a_statement_names_is_offered(text: str, when: str) -> None:
    assert order_in(text, NOW, ZONE) is None
    assert question(offered(text, NOW, ZONE), NOW, ZONE) == f"⏰ Shall I remind you {when}?"


PARTS = {
    "tomorrow morning": ("see you {}", "Remind me {} to run", 9),
    "tmrw morning": ("the plumber comes {}", "Remind me {} to run", 9),
    "tomorrow afternoon": ("the exam is {}", "Remind me {} to run", 14),
    "tomorrow evening": ("dinner with Ann {}", "Remind me {} to run", 19),
    "tomorrow night": ("we fly {}", "Remind me {} to run", 21),
    "morgen früh": ("{} kommt der Klempner", "Erinnere mich {} an den Lauf", 9),
    "morgen Nachmittag": ("{} ist die Prüfung", "Erinnere mich {} an den Lauf", 14),
    "morgen Abend": ("{} kommt Tom", "Erinnere mich {} an den Lauf", 19),
    "mañana por la mañana": ("{} viene el fontanero", "Recuérdame {} correr", 9),
    "mañana por la tarde": ("{} viene Ana", "Recuérdame {} correr", 14),
    "завтра утром": ("{} придёт сантехник", "Напомни {} о пробежке", 9),
    "завтра вечером": ("{} придёт Аня", "Напомни {} о пробежке", 19),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_day_is_offered_at_the_hour_at_which_a_request_for_it_is_due(part: str) -> None:
    statement, request, hour = PARTS[part]
    (offer,) = offered(statement.format(part), NOW, ZONE)
    order = order_in(request.format(part), NOW, ZONE)
    assert order is not None
    (wanted,) = wanted_by(order.rest, NOW, ZONE)
    assert offer.at == wanted.at == NOW.replace(day=NOW.day + 1, hour=hour, minute=0)


def test_a_time_of_day_is_offered_an_hour_earlier_also_at_midnight() -> None:
    (offer,) = offered("The concert begins tomorrow at midnight", NOW, ZONE)
    assert offer.at == NOW.replace(hour=23, minute=0)


def test_tomorrow_is_offered_after_midnight_although_it_is_in_doubt() -> None:
    (tomorrow,) = offered("todo: buy stamps tomorrow", NOW.replace(hour=2), ZONE)
    assert tomorrow.at == NOW.replace(day=17, hour=9, minute=0)


@pytest.mark.parametrize(
    "text", ["I saw Ann every other Friday", "We met on Friday at 5", "Every Friday we sing, I hope"]
)
def test_what_names_no_time_to_come_is_not_offered(text: str) -> None:
    assert not offered(text, NOW, ZONE)


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
async def test_requests_in_other_words_are_set_offered_or_said_not_to_be_set(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api:
        await api.ask("remind me every weekday at 8:30 and 17:00 to log hours", replies=1)
        await api.ask("Dentist on Friday at 3 pm, remind me an hour before", replies=4)
        await api.ask("every Friday at 5 pm water the plants", replies=6)
        await api.press(api.sent[5], "⏰ Yes, remind me", until=lambda: "I'll remind you" in texts(api)[5])
        shown = await api.ask("Dentist next week, remind me an hour before", replies=9)
    assert shown[0].splitlines()[1:] == [
        "1. tomorrow at 8:30 AM: log hours (every weekday at 8:30)",
        "2. today at 5:00 PM: log hours (every weekday at 17:00)",
    ]
    assert shown[2].startswith("⏰ Your reminders:"), "the hour may be that of the reminder"
    assert shown[3] == "⏰ Shall I remind you Fri, Feb 20 at 2:00 PM?"
    assert shown[5] == "⏰ I'll remind you Fri, Feb 20 at 5:00 PM: water the plants (every Friday at 5 pm)"
    assert shown[8].startswith("⏰ I have not set a reminder")


@pytest.mark.anyio
@pytest.mark.parametrize("learned_first", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        "My appointment with Dr. Klein is on February 20 at 15:00",
        "Remember that my appointment with Dr. Klein is on February 20 at 15:00",
    ],
)
async def test_a_date_and_its_accepted_reminder_are_listed_once(
    memory: Memory, clock: Clock, said: str, *, learned_first: bool
) -> None:
    async with relaying(memory, clock=clock) as api, memory.agent() as agent:
        await api.say(said, until=lambda: any("⏰ Shall" in text for text in texts(api)))
        (offer,) = [sent for sent in api.sent if "⏰ Shall" in sent["text"]]
        if learned_first:
            await work_off(agent)
        await api.press(offer, "⏰ Yes, remind me", until=lambda: any("I'll remind you" in text for text in texts(api)))
        await work_off(agent)
        await api.say("/memory", until=lambda: "YOUR PROFILE" in texts(api)[-1])
        (shown,) = [text for text in texts(api) if "YOUR PROFILE" in text]
    assert shown.count("Dr. Klein") == 1


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
