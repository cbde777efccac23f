"""The time at which a requested alarm is due, read from the words of the request."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce_relay.cron import next_due
from tellonce_text.dates.alarms import Unfit, alarm, rings
from tellonce_text.dates.intervals import Interval
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
        (None, "tomorrow at 2:30 to see the doctor", "2026-11-23 14:30"),
        (None, "tomorrow at 02:30 to see the stars", "2026-11-23 02:30"),
        (None, "yesterday at 5 to laugh", "2026-11-21 17:00"),
        (None, "2026-11-23 09:00", "2026-11-23 09:00"),
        (None, "in 3 months to renew", "2027-02-22 09:00"),
        (None, "in a year to renew", "2027-11-22 09:00"),
        (None, "in 2 hours and 30 minutes to go", "2026-11-22 17:30"),
        (None, "in an hour and a half to call", "2026-11-22 16:30"),
        (None, "in one and a half hours", "2026-11-22 16:30"),
        (None, "in 1.5 hours", "2026-11-22 16:30"),
        (None, "in a half hour", "2026-11-22 15:30"),
        (None, "in three quarters of an hour", "2026-11-22 15:45"),
        (None, "in 90min", "2026-11-22 16:30"),
        (None, "in 90 sec to breathe", "2026-11-22 15:01"),
        ("de", "in anderthalb Stunden an den Ofen", "2026-11-22 16:30"),
        ("de", "in zweieinhalb Stunden", "2026-11-22 17:30"),
        ("de", "in einer halben Stunde", "2026-11-22 15:30"),
        ("de", "in einer Dreiviertelstunde", "2026-11-22 15:45"),
        ("de", "in 1,5 Stunden", "2026-11-22 16:30"),
        ("es", "en una hora y media sacar el pan", "2026-11-22 16:30"),
        ("es", "en media hora", "2026-11-22 15:30"),
        ("es", "dentro de 90 segundos", "2026-11-22 15:01"),
        ("fr", "dans une heure et demie", "2026-11-22 16:30"),
        ("it", "tra un'ora e mezza", "2026-11-22 16:30"),
        ("pt", "daqui a uma hora e meia", "2026-11-22 16:30"),
        ("ru", "через полтора часа выключить духовку", "2026-11-22 16:30"),
        ("ru", "через час и 30 минут", "2026-11-22 16:30"),
        ("ru", "через час с половиной", "2026-11-22 16:30"),
        ("de", "in drei Monaten an die Steuer", "2027-02-22 09:00"),
        ("de", "in einer Stunde und 20 Minuten", "2026-11-22 16:20"),
        ("ru", "через час выключить духовку", "2026-11-22 16:00"),
        ("ru", "через полчаса", "2026-11-22 15:30"),
        ("de", "morgen um 9 an den Zahnarzt", "2026-11-23 09:00"),
        ("de", "heute Abend um 8 Oma anrufen", "2026-11-22 20:00"),
        ("es", "mañana a las 9 llamar a mamá", "2026-11-23 09:00"),
        ("ru", "завтра в 9 позвонить маме", "2026-11-23 09:00"),
        ("ru", "в 9 вечера выключить", "2026-11-22 21:00"),
        ("de", "heute Abend um 8 Uhr Oma anrufen", "2026-11-22 20:00"),
        ("de", "morgen Abend um 8:30 essen", "2026-11-23 20:30"),
        ("de", "am Montagabend um 8 Uhr Chor", "2026-11-23 20:00"),
        ("de", "morgen Mittag um 11:30 Uhr essen", "2026-11-23 11:30"),
        ("de", "morgen früh um 6 Uhr", "2026-11-23 06:00"),
        ("es", "esta noche a las 8:30 cenar", "2026-11-22 20:30"),
        ("ru", "сегодня вечером в 8:30 ужин", "2026-11-22 20:30"),
        ("ru", "завтра в 8:30 вечера ужин", "2026-11-23 20:30"),
    ],
)
def test_an_alarm_goes_off_once_when_its_words_say(language: str | None, text: str, at: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert found.at is not None
    assert f"{found.at:%Y-%m-%d %H:%M}" == at
    assert rings(text, SAID, found.at) or language is not None


@pytest.mark.parametrize(
    "text", ["on 30 February at 9 to cook", "on February 30 at 9", "on 31.06. at 9", "on 31 June", "on 2/30 at 9"]
)
def test_a_day_that_no_year_has_is_no_time(text: str) -> None:
    assert alarm(text, SAID) is None


@pytest.mark.parametrize(
    ("language", "text", "cron"),
    [
        (None, "to water the plants every Monday at 8am", "0 8 * * 1"),
        (None, "at 8 every Sunday to call dad", "0 8 * * 0"),
        (None, "every Monday and Thursday at 18:30 gym", "30 18 * * 1,4"),
        (None, "every day at 7:30 to take my pills", "30 7 * * *"),
        (None, "daily at 9", "0 9 * * *"),
        (None, "on weekdays at 9 am", "0 9 * * 1-5"),
        (None, "every working day at 9", "0 9 * * 1-5"),
        ("de", "jeden Werktag um 8:30", "30 8 * * 1-5"),
        (None, "every month on the 1st at 10:00 to pay rent", "0 10 1 * *"),
        (None, "every evening to journal", "0 19 * * *"),
        (None, "every evening at 8 to journal", "0 20 * * *"),
        (None, "at 8:30 every evening to journal", "30 20 * * *"),
        (None, "every night at 2 to wake up", "0 2 * * *"),
        (None, "every Monday evening at 8 choir", "0 20 * * 1"),
        (None, "every morning at 11:30 to stretch", "30 11 * * *"),
        ("de", "jeden Abend um 8 Uhr Tagebuch", "0 20 * * *"),
        ("de", "jeden Montagabend um 8 Uhr Chor", "0 20 * * 1"),
        ("es", "cada tarde a las 5:30 pasear", "30 17 * * *"),
        ("es", "todas las mañanas estirar", "0 9 * * *"),
        ("es", "todas las noches a las 9 leer", "0 21 * * *"),
        ("ru", "каждое утро зарядка", "0 9 * * *"),
        ("ru", "каждый вечер в 9 дневник", "0 21 * * *"),
        ("ru", "каждую ночь в 2 лекарство", "0 2 * * *"),
        ("ru", "в 7 по утрам зарядка", "0 7 * * *"),
        (None, "every first of the month at 10 to pay rent", "0 10 1 * *"),
        (None, "on the 1st of every month at 10 to pay rent", "0 10 1 * *"),
        (None, "on the last day of each month to send the invoice", "0 9 last * *"),
        ("ru", "по понедельникам и средам в 9 зарядка", "0 9 * * 1,3"),
        ("de", "am 1. jeden Monats um 9 Miete zahlen", "0 9 1 * *"),
        ("de", "am letzten Tag jedes Monats um 10 Rechnung schicken", "0 10 last * *"),
        ("ru", "1 числа каждого месяца платить за квартиру", "0 9 1 * *"),
        ("ru", "в последний день каждого месяца в 10 отчёт", "0 10 last * *"),
        ("de", "jeden 1. um 9 Miete zahlen", "0 9 1 * *"),
        ("es", "el 1 de cada mes a las 9 pagar", "0 9 1 * *"),
        ("de", "jeden Montag um 8 Uhr an den Müll", "0 8 * * 1"),
        ("es", "todos los días a las 8 pastillas", "0 8 * * *"),
        ("es", "los lunes y jueves a las 10 yoga", "0 10 * * 1,4"),
        ("ru", "по будням в 9 зарядка", "0 9 * * 1-5"),
        (None, "every last day of the month at 9", "0 9 last * *"),
        (None, "every week on Monday at 8", "0 8 * * 1"),
        (None, "weekly on Monday at 8", "0 8 * * 1"),
        (None, "every year on March 3 at 9 to call Ann", "0 9 3 3 *"),
        ("de", "jedes Jahr am 3. März um 9 Ann anrufen", "0 9 3 3 *"),
        ("es", "cada año el 3 de marzo llamar a Ana", "0 9 3 3 *"),
        ("ru", "каждый год 3 марта в 9 позвонить Ане", "0 9 3 3 *"),
        (None, "Monday to Friday at 8 vitamins", "0 8 * * 1-5"),
        ("de", "von Montag bis Freitag um 8 Vitamine", "0 8 * * 1-5"),
        ("es", "de lunes a viernes a las 8 vitaminas", "0 8 * * 1-5"),
        ("ru", "с понедельника по пятницу в 8 витамины", "0 8 * * 1-5"),
    ],
)
def test_an_alarm_repeats_as_its_words_say(language: str | None, text: str, cron: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert (found.at, found.repeats) == (None, cron)
    first = next_due(cron, NOW, BERLIN)
    assert first is not None
    assert language is not None or rings(text, SAID, first)


UNFIT: dict[Unfit, list[str]] = {
    "repetition": [
        "every minute",
        "every 30 minutes to stand up",
        "every 45 minutes between 9 and 17",
        "between 9 and 5 every hour on weekdays",
        "on Mondays every 15 minutes from 2 to 4 pm",
        "every quarter of an hour to look",
        "every hour and a half to stretch",
        "hourly to drink",
        "every 3 days at 9 and 21",
        "every other day at 8 to water",
        "every 2 weeks on Monday at 10 to put out the glass",
        "every 2nd Sunday at 9",
        "every second evening at 8 to stretch",
        "every third morning",
        "every quarter to file taxes",
        "on alternate Mondays at 8",
        "on the first Monday of every month at 10 to pay rent",
        "every month on the third Thursday at 7pm",
        "every 2nd Monday of the month at 9",
        "in the first week of every month",
        "every day except Sunday at 7",
        "every month on the 31st at 9 to pay rent",
        "every 1st and 15th of the month at 9",
        "on the 1st and 15th of each month at 9",
        "every year on February 29 at 9",
        "werktags alle 30 Minuten aufstehen",
        "jede halbe Stunde trinken",
        "stündlich trinken",
        "alle zwei Tage um 8 ans Blumengießen",
        "jeden zweiten Montag um 10",
        "jeden zweiten Abend um 8 dehnen",
        "am ersten Montag im Monat Miete zahlen",
        "am letzten Freitag jedes Monats um 16 Uhr",
        "jeden 31. um 9 Miete zahlen",
        "cada media hora beber agua",
        "de lunes a viernes cada hora beber agua",
        "cada dos semanas los lunes a las 10",
        "un lunes sí y otro no a las 8 sacar el vidrio",
        "en días alternos a las 8",
        "el primer lunes de cada mes pagar el alquiler",
        "каждые полчаса пить воду",
        "раз в две недели в 10 убирать",
        "через день в 8 пить таблетки",
        "через неделю по понедельникам в 8",
        "в последнюю пятницу каждого месяца в 16",
    ],
    "several": [
        "at 9 and at 15:00 to take the pills",
        "at 9 pm and 8 am",
        "tomorrow at 9 or 10 to call",
        "tomorrow at 8 and again on Friday to pay",
        "tomorrow at 8, 12 and 20 to take drops",
        "tomorrow at 8 am and 8 pm",
        "on Monday, Wednesday and Friday at 10 yoga",
        "on Monday, Wednesday and Friday to swim",
        "on March 3 and 4 to buy flowers",
        "in 20 minutes to eat and tomorrow at 9 to call mom",
        "tomorrow at 9 to call mom and at 17 to pick up Tim",
        "every day at 8 and 20 to take pills",
        "every day at 8:00 and 20:30",
        "every Monday at 8am and 8pm to stretch",
        "every morning and every evening to take my pill",
        "am Montag um 8 an Oma und am Freitag um 9 an Opa",
        "um 8, 12 und 20 Uhr",
        "mañana a las 8 y otra vez el viernes",
        "завтра в 8 и ещё раз в пятницу заплатить",
    ],
    "end": [
        "every day at 8 for 5 days to take the pills",
        "for the next 5 days, every day at 8 pills",
        "every day at 8 to take pills for two weeks.",
        "until Friday every morning to stretch",
        "till Sunday every day at 8 drops",
        "every Monday at 9 until Christmas",
        "every Friday to call Ann until Christmas",
        "5 Tage lang jeden Tag um 8 die Tabletten",
        "bis Freitag jeden Morgen um 7 laufen",
        "durante 5 días todos los días a las 8 pastillas",
        "hasta el viernes cada mañana a las 7 correr",
        "каждый день в 8 пить таблетки 5 дней",
        "до пятницы каждый день в 7 бегать",
    ],
}


@pytest.mark.parametrize(("unfit", "text"), [(unfit, text) for unfit, texts in UNFIT.items() for text in texts])
def test_a_request_that_says_more_than_can_be_set_is_unfit(unfit: Unfit, text: str) -> None:
    found = alarm(text, SAID)
    assert found is not None
    assert found.unfit == unfit


@pytest.mark.parametrize(
    ("language", "text", "due"),
    [
        ("en", "tomorrow at 9 to call mom and dad", "11-23 09:00"),
        ("en", "to meet Ann and Bob tomorrow at 9", "11-23 09:00"),
        ("en", "between 8 am and 9 am tomorrow", "11-23 08:00"),
        ("en", "on Friday, March 5, at 9 to call", "03-05 09:00"),
        ("en", "on Thursday to talk about the party on Friday", "11-26 09:00"),
        ("en", "tomorrow at 9 to greet every colleague", "11-23 09:00"),
        ("en", "to pay tomorrow, Friday is too late", "11-23 09:00"),
        ("es", "a las 8 y media llamar", "11-22 20:30"),
        ("en", "every day at 8 to read for 20 minutes", "0 8 * * *"),
        ("en", "every Monday to plan for the week", "0 9 * * 1"),
        ("en", "every week on Monday and Thursday at 7", "0 7 * * 1,4"),
        ("ru", "раз в неделю по средам в 9", "0 9 * * 3"),
    ],
)
def test_words_that_only_look_like_more_times_or_an_end_do_no_harm(language: str, text: str, due: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert found.unfit is None
    assert (found.repeats or f"{found.at:%m-%d %H:%M}") == due


def test_text_without_a_time_has_no_alarm() -> None:
    assert alarm("to buy milk", SAID) is None
    assert not rings("to buy milk", SAID, NOW)


@pytest.mark.parametrize(
    ("interval", "after", "due"),
    [
        ("R/2027-03-27T08:00/P2D", "2027-03-27T08:00+01:00", "2027-03-29T08:00+02:00"),  # the clocks change in between
        ("R/2027-03-26T02:30/P2D", "2027-03-27T00:00+01:00", "2027-03-28T03:30+02:00"),  # no 2:30 that day
        ("R/2027-03-27T23:00/PT4H", "2027-03-27T23:00+01:00", "2027-03-28T04:00+02:00"),
        ("R/2027-03-28T01:00/PT30M", "2027-03-28T03:10+02:00", "2027-03-28T03:30+02:00"),
        ("R/2026-10-25T01:00/PT30M", "2026-10-25T02:40+02:00", "2026-10-25T02:00+01:00"),
        ("R/2026-01-31T09:00/P1M", "2026-01-31T09:00+01:00", "2026-02-28T09:00+01:00"),
        ("R/2026-01-31T09:00/P1M", "2026-02-28T09:00+01:00", "2026-03-31T09:00+02:00"),
        ("R/2026-01-01T09:00/P14D", "2036-01-01T00:00+01:00", "2036-01-03T09:00+01:00"),
        ("R/2026-01-01T09:00/P14D", "2025-01-01T00:00+01:00", "2026-01-01T09:00+01:00"),
    ],
)
def test_an_interval_keeps_the_time_of_day_and_counts_from_its_start(interval: str, after: str, due: str) -> None:
    found = next_due(interval, datetime.fromisoformat(after), BERLIN)
    assert found is not None
    assert found.astimezone(UTC) == datetime.fromisoformat(due)


@pytest.mark.parametrize(
    ("weekdays", "days"),
    [
        ("1#1", ["12-07", "01-04", "02-01"]),
        ("5L", ["11-27", "12-25", "01-29"]),
        ("1#2,4#4", ["11-26", "12-14", "12-24"]),
        ("0#5", ["11-29", "01-31", "05-30"]),
    ],
)
def test_a_weekday_of_the_month_comes_again_in_the_months_that_have_it(weekdays: str, days: list[str]) -> None:
    found, due = [], NOW
    for _ in days:
        following = next_due(f"0 9 * * {weekdays}", due, BERLIN)
        assert following is not None
        found.append(f"{following:%m-%d}")
        due = following
    assert found == days


@pytest.mark.parametrize(
    ("text", "first", "wrong"),
    [
        ("on the first Monday of the month at 9", "2026-12-07T09:00+01:00", "2026-12-08T09:00+01:00"),
        ("every other Friday at 8", "2026-11-27T08:00+01:00", "2026-11-27T13:00+01:00"),
        ("every two hours between 9 and 17", "2026-11-23T11:00+01:00", "2026-11-23T19:00+01:00"),
        ("every day at 8 and 20 to take pills", "2026-11-22T20:00+01:00", "2026-11-22T21:00+01:00"),
        ("every day at 8 for 5 days to take pills", "2026-11-23T08:00+01:00", "2026-11-23T20:00+01:00"),
        ("every 30 minutes to stretch", "2026-11-22T15:30+01:00", ""),
        ("every day at 8 to stretch", "2026-11-23T08:00+01:00", "2026-11-22T15:30+01:00"),
    ],
)
def test_a_repetition_that_cannot_be_set_from_words_still_says_when_it_may_begin(
    text: str, first: str, wrong: str
) -> None:
    assert rings(text, SAID, datetime.fromisoformat(first))
    assert not wrong or not rings(text, SAID, datetime.fromisoformat(wrong))


def test_a_weekday_of_the_month_beside_another_limit_of_days_is_refused() -> None:
    for wrong in ("0 9 1 * 1#1", "0 9 * * 1#1,2", "0 9 * * 1#6"):
        with pytest.raises(ValueError, match=r"month|number|1#6|expression"):
            next_due(wrong, NOW, BERLIN)


def test_an_interval_that_is_none_is_refused() -> None:
    assert Interval.read("0 9 * * 1") is None
    for text in (
        "R/2026-02-30T09:00/P2D",
        "R/2026-02-20T09:00/P0D",
        "R/9999-02-20T09:00/P2D",
        "R/2026-02-20T09:00/P2H",
    ):
        with pytest.raises(ValueError, match=r"day|nobody"):
            Interval.read(text)


def test_an_hour_that_the_clocks_leave_out_is_the_one_after_and_an_hour_stays_the_hour() -> None:
    before = Said(datetime(2027, 3, 27, 12, 0, tzinfo=BERLIN), BERLIN, "DE")
    skipped, after = alarm("tomorrow at 2:30 am", before), alarm("tomorrow at 9", before)
    assert skipped is not None
    assert after is not None
    assert f"{skipped.at:%H:%M %z}" == "03:30 +0200"
    assert f"{after.at:%H:%M %z}" == "09:00 +0200"


@pytest.mark.parametrize(
    ("text", "region", "at", "otherwise"),
    [
        ("on 12/10 at 3pm to meet Bob", "SG", "2026-12-10", "2027-10-12"),
        ("am 12/10 um 15 Uhr Bob treffen", "DE", "2026-12-10", "2027-10-12"),
        ("el 12/10 a las 15:00 ver a Bob", "ES", "2026-12-10", "2027-10-12"),
        ("12/10 в 15:00 встреча с Бобом", "RU", "2026-12-10", "2027-10-12"),
        ("on 11/10 at 3pm to meet Bob", "SG", "2027-10-11", "2027-11-10"),
        ("on 3/4 at 3pm to meet Bob", None, "2027-03-04", "2027-04-03"),
        ("on 3/4/2027 at 3pm to meet Bob", None, "2027-03-04", "2027-04-03"),
        ("on 3/4 at 3pm to meet Bob", "SG", "2027-04-03", None),
        ("on 12/10 at 3pm to meet Bob", "US", "2026-12-10", None),
        ("am 12.10. um 15 Uhr Bob treffen", "DE", "2027-10-12", None),
        ("on 13/10 at 3pm to meet Bob", "SG", "2027-10-13", None),
    ],
)
def test_of_numbers_whose_order_is_in_doubt_the_other_day_is_known(
    text: str, region: str | None, at: str, otherwise: str | None
) -> None:
    said = Said(NOW, BERLIN, region)
    found = alarm(text, said)
    assert found is not None
    assert found.at is not None
    assert f"{found.at:%Y-%m-%d %H}" == f"{at} 15"
    assert (found.otherwise and f"{found.otherwise:%Y-%m-%d}") == otherwise
    for day in filter(None, (at, otherwise)):
        assert rings(text, said, datetime.fromisoformat(f"{day} 15:00").replace(tzinfo=BERLIN))
