"""Tests without a model. If a message asks for a reminder, the relay sets the reminder or says that none is set."""

from datetime import datetime

import pytest

from tellonce.reminders import ListRemindersArgs
from tellonce_relay.catalogue import phrase
from tellonce_relay.orders import order_of
from tellonce_relay.turn.reminders import NotSet, asks_in_vain, by_rule
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
        ("tomorrow at 9", True),
        ("Um 17 Uhr!", True),
        ("mañana a las 9", True),
        ("завтра в 9", True),
        ("Tomorrow at 9 we leave", False),
    ],
)
def test_a_request_that_sets_nothing_is_recognized(text: str, in_vain: bool) -> None:
    assert asks_in_vain(text, NOW, ZONE) is in_vain


@pytest.mark.parametrize(
    ("rule", "first", "due", "words"),
    [
        ("0 9 * * 1-5 (every weekday at 9)", "2026-02-17T09:00", "2026-02-17T09:00", "every weekday at 9"),
        ("0 10 * * 1#1", "2026-03-02T10:00", "2026-03-02T10:00", None),
        ("0 9 * * 2 (dienstags)", "2026-02-16T08:00", "2026-02-17T09:00", "dienstags"),
        ("R/2026-02-20T08:00/P14D (every other Friday)", "2026-02-20T08:00", "2026-02-20T08:00", "every other Friday"),
        ("0 8 * * * until 2026-02-20T23:59 (5 days)", "", "2026-02-17T08:00", "5 days"),
        ("0 8 * * 1-5 (every weekday)", "", "2026-02-17T08:00", "every weekday"),
        ("0 9 * * * (weekdays at 9)", "2026-02-17T09:00", "2026-02-17T09:00", None),
        ("0 9 * * 1 (jeden Dienstag um 9)", "", "2026-02-23T09:00", None),
    ],
)
def test_a_model_may_give_a_rule_and_its_words(rule: str, first: str, due: str, words: str | None) -> None:
    wanted = by_rule("swim", rule, first, NOW, ZONE)
    assert (wanted.at, wanted.words) == (datetime.fromisoformat(due).replace(tzinfo=ZONE), words)
    assert rule.startswith(wanted.repeats or "none")


@pytest.mark.parametrize(
    ("words", "first", "due", "rule"),
    [
        ("every Monday at 8", "", "2026-02-23T08:00", "0 8 * * 1"),
        ("every Monday at 8 am", "2026-03-02T08:00", "2026-03-02T08:00", "0 8 * * 1"),
        ("каждый день в 8", "2026-02-17T08:00", "2026-02-17T08:00", "0 8 * * *"),
    ],
)
def test_a_model_may_give_words_instead_of_a_rule(words: str, first: str, due: str, rule: str) -> None:
    wanted = by_rule("swim", words, first, NOW, ZONE)
    assert (wanted.at, wanted.repeats) == (datetime.fromisoformat(due).replace(tzinfo=ZONE), rule)
    assert wanted.words == words


@pytest.mark.parametrize(
    "rule",
    [
        "every now and then",
        "every 2 hours",
        "tomorrow at 9",
        "* * * * *",
        "*/2 9 * * *",
        "58,0 9-17 * * *",
        "0 9 31 2 *",
        "0 9 * * 9",
        "0 8 * * * until 2026-02-16T08:00",
        "",
    ],
)
def test_a_rule_that_is_none_or_rings_too_often_or_never_sets_nothing(rule: str) -> None:
    with pytest.raises(NotSet):
        by_rule("swim", rule, "", NOW, ZONE)


@pytest.mark.anyio
async def test_a_request_that_says_more_than_can_be_set_is_refused_and_says_why(memory: Memory, clock: Clock) -> None:
    asked = {
        "remind me every other Friday at 8 to put out the glass": "repetition",
        "remind me tomorrow at 9 to call mom and at 17 to pick up Tim": "several",
        "remind me every day at 8 for 5 days to take the pills": "end",
    }
    async with relaying(memory, clock=clock) as api, memory.relay() as client:
        for count, text in enumerate(asked, 1):
            shown = await api.ask(text, replies=count)
        known = (await client.list_reminders(ListRemindersArgs(chat_id=USER))).reminders
    assert shown == [phrase(f"reminder.{reason}") for reason in asked.values()]
    assert known == ()


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


@pytest.mark.anyio
async def test_a_task_with_a_request_for_a_reminder_gets_one_reply(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api:
        ended = (await api.ask("call the plumber tomorrow at 3pm, remind me", replies=1))[0]
        await api.ask("call the plumber and remind me tomorrow", replies=2)
        shown = await api.ask("/reminders", replies=3)
    assert ended == "⏰ I'll remind you tomorrow at 3:00 PM: call the plumber"
    assert shown[1] == phrase("offline.cannot")
