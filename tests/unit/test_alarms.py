"""The time at which an ordered alarm is due, read from the words of the order."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce_relay.cron import next_due
from tellonce_text.dates.alarms import alarm, names_more, rings
from tellonce_text.dates.readings import Said

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 15, 0, tzinfo=BERLIN)  # a Sunday
SAID = Said(NOW, BERLIN, "DE")


@pytest.mark.parametrize(
    ("language", "text", "at"),
    [
        (None, "tomorrow at 9 to call mom", "2026-11-23 09:00"),
        (None, "at 9 tomorrow to go", "2026-11-23 09:00"),
        (None, "in 20 minutes to take the pizza out", "2026-11-22 15:20"),
        (None, "on Friday at 6pm about the dentist?", "2026-11-27 18:00"),
        (None, "at 5 to leave", "2026-11-22 17:00"),
        (None, "at 9 to leave", "2026-11-22 21:00"),
        (None, "tonight to lock up", "2026-11-22 21:00"),
        (None, "tomorrow to call mom", "2026-11-23 09:00"),
        (None, "next week to pay the rent", "2026-11-23 09:00"),
        (None, "on 3 March at 7:40 about the flight", "2027-03-03 07:40"),
        (None, "yesterday at 5 to laugh", "2026-11-21 17:00"),
        (None, "2026-11-23 09:00", "2026-11-23 09:00"),
        (None, "in 3 months to renew", "2027-02-22 09:00"),
        (None, "in a year to renew", "2027-11-22 09:00"),
        ("de", "in drei Monaten an die Steuer", "2027-02-22 09:00"),
        ("de", "morgen um 9 an den Zahnarzt", "2026-11-23 09:00"),
        ("de", "heute Abend um 8 Oma anrufen", "2026-11-22 20:00"),
        ("es", "mañana a las 9 llamar a mamá", "2026-11-23 09:00"),
        ("ru", "завтра в 9 позвонить маме", "2026-11-23 09:00"),
        ("ru", "в 9 вечера выключить", "2026-11-22 21:00"),
    ],
)
def test_an_alarm_goes_off_once_when_its_words_say(language: str | None, text: str, at: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert found.at is not None
    assert f"{found.at:%Y-%m-%d %H:%M}" == at
    assert rings(text, SAID, found.at) or language is not None


@pytest.mark.parametrize(
    ("language", "text", "cron"),
    [
        (None, "to water the plants every Monday at 8am", "0 8 * * 1"),
        (None, "at 8 every Sunday to call dad", "0 8 * * 0"),
        (None, "every Monday and Thursday at 18:30 gym", "30 18 * * 1,4"),
        (None, "every day at 7:30 to take my pills", "30 7 * * *"),
        (None, "daily at 9", "0 9 * * *"),
        (None, "on weekdays at 9 am", "0 9 * * 1-5"),
        (None, "every month on the 1st at 10:00 to pay rent", "0 10 1 * *"),
        (None, "every evening to journal", "0 19 * * *"),
        (None, "every month 31 09:00", "0 9 31 * *"),
        (None, "every 31st at 9 to pay rent", "0 9 31 * *"),
        (None, "every first of the month at 10 to pay rent", "0 10 1 * *"),
        (None, "on the 1st of every month at 10 to pay rent", "0 10 1 * *"),
        (None, "on the last day of each month to send the invoice", "0 9 last * *"),
        (None, "daily at 8 and 20 to take pills", "0 8,20 * * *"),
        (None, "every Monday at 8am and 8pm to stretch", "0 8,20 * * 1"),
        ("ru", "по понедельникам и средам в 9 зарядка", "0 9 * * 1,3"),
        ("de", "am 1. jeden Monats um 9 Miete zahlen", "0 9 1 * *"),
        ("de", "am letzten Tag jedes Monats um 10 Rechnung schicken", "0 10 last * *"),
        ("ru", "1 числа каждого месяца платить за квартиру", "0 9 1 * *"),
        ("ru", "в последний день каждого месяца в 10 отчёт", "0 10 last * *"),
        ("de", "jeden 1. um 9 Miete zahlen", "0 9 1 * *"),
        ("es", "el 1 de cada mes a las 9 pagar", "0 9 1 * *"),
        ("de", "jeden Montag um 8 Uhr an den Müll", "0 8 * * 1"),
        ("es", "todos los días a las 8 pastillas", "0 8 * * *"),
        ("ru", "по будням в 9 зарядка", "0 9 * * 1-5"),
    ],
)
def test_an_alarm_repeats_as_its_words_say(language: str | None, text: str, cron: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert (found.at, found.cron) == (None, cron)
    first = next_due(cron, NOW, BERLIN)
    assert first is not None
    assert language is not None or rings(text, SAID, first)


@pytest.mark.parametrize("text", ["every other day at 9", "every 2nd Monday at 9", "daily at 8 and 20:30"])
def test_what_cannot_be_repeated_is_told_from_what_names_no_time(text: str) -> None:
    found = alarm(text, SAID)
    assert found is not None
    assert (found.at, found.cron) == (None, None)
    assert alarm("to buy milk", SAID) is None
    assert not rings("to buy milk", SAID, NOW)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("tomorrow at 9 and at 17 to take my pills", True),
        ("in 20 minutes to eat and tomorrow at 9 to call mom", True),
        ("on Monday or Tuesday to swim", True),
        ("am Montag um 8 an Oma und am Freitag um 9 an Opa", True),
        ("every day at 8 and 20 to take pills", False),
        ("tomorrow at 9 to call mom and dad", False),
        ("on Thursday to talk about the party on Friday", False),
    ],
)
def test_another_time_in_an_order_is_noticed(text: str, more: bool) -> None:
    found = alarm(text, SAID)
    assert found is not None
    assert names_more(text, found, SAID) == more


def test_an_hour_that_the_clocks_leave_out_is_the_one_after_and_an_hour_stays_the_hour() -> None:
    before = Said(datetime(2027, 3, 27, 12, 0, tzinfo=BERLIN), BERLIN, "DE")
    skipped, after = alarm("tomorrow at 2:30 am", before), alarm("tomorrow at 9", before)
    assert skipped is not None
    assert after is not None
    assert f"{skipped.at:%H:%M %z}" == "03:30 +0200"
    assert f"{after.at:%H:%M %z}" == "09:00 +0200"
