"""The time at which a requested alarm is due, read from the words of the request."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from tellonce_relay.cron import last_due, next_due
from tellonce_text.dates import repetitions
from tellonce_text.dates.alarms import alarm, rings
from tellonce_text.dates.intervals import Interval
from tellonce_text.dates.items import Item, items
from tellonce_text.dates.readings import Said
from tellonce_text.dates.repetitions import repetition, says_end
from tellonce_text.dates.several_alarms import alarms
from tellonce_text.dates.tokens import Line, line_of

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
    assert alarms(text, SAID) == ()


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
        (None, "every evening at 8 to journal", "0 20 * * *"),
        (None, "at 8:30 every evening to journal", "30 20 * * *"),
        (None, "every night at 2 to wake up", "0 2 * * *"),
        (None, "every evening at 8 and 10 to stretch", "0 20,22 * * *"),
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
        ("es", "los lunes y jueves a las 10 yoga", "0 10 * * 1,4"),
        ("ru", "по будням в 9 зарядка", "0 9 * * 1-5"),
        (None, "on the first Monday of every month at 10 to pay rent", "0 10 * * 1#1"),
        (None, "every 2nd Monday of the month at 9", "0 9 * * 1#2"),
        (None, "at 16 on the last Friday of each month to send the invoice", "0 16 * * 5L"),
        (None, "on the first and third Monday of the month at 9", "0 9 * * 1#1,1#3"),
        (None, "every month on the third Thursday at 7pm", "0 19 * * 4#3"),
        ("de", "am ersten Montag im Monat Miete zahlen", "0 9 * * 1#1"),
        ("de", "jeden 1. Montag im Monat um 10", "0 10 * * 1#1"),
        ("de", "am letzten Freitag jedes Monats um 16 Uhr", "0 16 * * 5L"),
        ("es", "el primer lunes de cada mes pagar el alquiler", "0 9 * * 1#1"),
        ("es", "el último viernes del mes a las 16", "0 16 * * 5L"),
        ("ru", "в первый понедельник месяца платить за квартиру", "0 9 * * 1#1"),
        ("ru", "в последнюю пятницу каждого месяца в 16", "0 16 * * 5L"),
        (None, "every 1st and 15th of the month at 9", "0 9 1,15 * *"),
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
        (None, "every day except Sunday at 7", "0 7 * * 1,2,3,4,5,6"),
        (None, "every two hours between 9 and 17 to drink water", "0 9-17/2 * * *"),
        (None, "every two hours from 9am to 5pm to drink water", "0 9-17/2 * * *"),
        (None, "between 9 and 5 every hour on weekdays", "0 9-17 * * 1-5"),
        (None, "every 30 minutes between 9:00 and 17:00 on weekdays", "0,30 9-16 * * 1-5"),
        (None, "on Mondays every 15 minutes from 2 to 4 pm", "0-45/15 14,15 * * 1"),
        (None, "every 2 hours from 6:00 to 20:00", "0 6-20/2 * * *"),
        (None, "every hour from 1 to 5", "0 13-17 * * *"),
        (None, "every 3 hours on Sundays", "0 0-21/3 * * 0"),
        ("de", "werktags alle 30 Minuten zwischen 9 und 17 Uhr aufstehen", "0,30 9-16 * * 1-5"),
        ("de", "alle 2 Stunden von 9 bis 17 Uhr trinken", "0 9-17/2 * * *"),
        ("es", "cada dos horas entre las 9 y las 17 beber agua", "0 9-17/2 * * *"),
        ("es", "de lunes a viernes cada hora de 9 a 15", "0 9-15 * * 1-5"),
        ("ru", "каждые два часа с 9 до 17 пить воду", "0 9-17/2 * * *"),
    ],
)
def test_an_alarm_repeats_as_its_words_say(language: str | None, text: str, cron: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert (found.at, found.repeats) == (None, cron)
    first = next_due(cron, NOW, BERLIN)
    assert first is not None
    assert language is not None or rings(text, SAID, first)


@pytest.mark.parametrize(
    "text",
    [
        "every minute",
        "every 45 minutes between 9 and 17",
        "every hour between 10pm and 2am",
        "in the first week of every month",
        "every 3 days at 9 and 21",
    ],
)
def test_what_cannot_be_repeated_differs_from_what_names_no_time(text: str) -> None:
    found = alarm(text, SAID)
    assert found is not None
    assert (found.at, found.repeats) == (None, None)
    assert alarm("to buy milk", SAID) is None
    assert not rings("to buy milk", SAID, NOW)


@pytest.mark.parametrize(
    ("language", "text", "interval"),
    [
        ("en", "every other day at 8 to water", "R/2026-11-23T08:00/P2D"),
        ("en", "every other Monday at 10", "R/2026-11-23T10:00/P14D"),
        ("en", "every 2 weeks on Monday at 10 to put out the glass", "R/2026-11-23T10:00/P14D"),
        ("en", "every 2nd Sunday at 9", "R/2026-12-06T09:00/P14D"),
        ("en", "every 3 months to change the filter", "R/2027-02-22T09:00/P3M"),
        ("en", "every 4 hours to drink", "R/2026-11-22T19:00/PT4H"),
        ("en", "every 30 minutes to stand up", "R/2026-11-22T15:30/PT30M"),
        ("en", "every quarter of an hour to look", "R/2026-11-22T15:15/PT15M"),
        ("en", "every hour and a half to stretch", "R/2026-11-22T16:30/PT90M"),
        ("en", "hourly to drink", "R/2026-11-22T16:00/PT1H"),
        ("en", "every 2 hours starting at 9 to drink", "R/2026-11-23T09:00/PT2H"),
        ("en", "on alternate Mondays at 8", "R/2026-11-23T08:00/P14D"),
        ("en", "every quarter to file taxes", "R/2027-02-22T09:00/P3M"),
        ("de", "jede halbe Stunde trinken", "R/2026-11-22T15:30/PT30M"),
        ("de", "stündlich trinken", "R/2026-11-22T16:00/PT1H"),
        ("es", "cada media hora beber agua", "R/2026-11-22T15:30/PT30M"),
        ("es", "un lunes sí y otro no a las 8 sacar el vidrio", "R/2026-11-23T08:00/P14D"),
        ("es", "un día sí, otro no tomar la pastilla", "R/2026-11-23T09:00/P2D"),
        ("es", "una semana sí y otra no los martes a las 9", "R/2026-11-24T09:00/P14D"),
        ("es", "en días alternos a las 8", "R/2026-11-23T08:00/P2D"),
        ("ru", "каждые полчаса пить воду", "R/2026-11-22T15:30/PT30M"),
        ("ru", "раз в 40 минут вставать", "R/2026-11-22T15:40/PT40M"),
        ("ru", "через понедельник в 8 выносить стекло", "R/2026-11-23T08:00/P14D"),
        ("ru", "через неделю по понедельникам в 8", "R/2026-11-23T08:00/P14D"),
        ("de", "alle zwei Tage um 8 ans Blumengießen", "R/2026-11-23T08:00/P2D"),
        ("de", "alle zwei Wochen montags um 10 an den Müll", "R/2026-11-23T10:00/P14D"),
        ("de", "jeden zweiten Montag um 10", "R/2026-11-23T10:00/P14D"),
        ("de", "alle 14 Tage", "R/2026-12-06T09:00/P14D"),
        ("es", "cada dos semanas los lunes a las 10", "R/2026-11-23T10:00/P14D"),
        ("es", "cada dos días a las 8 regar", "R/2026-11-23T08:00/P2D"),
        ("ru", "через день в 8 пить таблетки", "R/2026-11-23T08:00/P2D"),
        ("ru", "каждые две недели по понедельникам в 10", "R/2026-11-23T10:00/P14D"),
        ("ru", "раз в две недели в 10 убирать", "R/2026-12-06T10:00/P14D"),
    ],
)
def test_an_alarm_repeats_after_several_days_weeks_or_months(language: str, text: str, interval: str) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert found.repeats == interval
    first = next_due(interval, NOW, BERLIN)
    assert first is not None
    assert first.isoformat() == datetime.fromisoformat(interval[2:18]).replace(tzinfo=BERLIN).isoformat()
    assert language != "en" or rings(text, SAID, first)


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "every month 31 09:00", ["11-30", "12-31", "01-31", "02-28"]),
        ("en", "every month on the 31st at 9 to pay rent", ["11-30", "12-31", "01-31", "02-28"]),
        ("en", "on the 30th of every month to pay", ["11-30", "12-30", "01-30", "02-28"]),
        ("de", "jeden 31. um 9 Miete zahlen", ["11-30", "12-31", "01-31", "02-28"]),
        ("en", "every year on February 29 at 9", ["02-28", "02-29"]),
        ("en", "every 1st and 31st of the month", ["12-01", "12-31", "01-01", "01-31", "02-01", "03-01"]),
    ],
)
def test_a_day_that_some_months_lack_comes_on_their_last_day(language: str, text: str, days: list[str]) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert found.repeats is not None
    due = NOW
    for day in days:
        following = next_due(found.repeats, due, BERLIN)
        assert following is not None
        assert f"{following:%m-%d %H:%M}" == f"{day} 09:00"
        due = following


@pytest.mark.parametrize(
    ("language", "text", "words", "last"),
    [
        ("en", "every 8 hours for 5 days to take antibiotics", "every 8 hours for 5 days", "11-27 15:00"),
        ("en", "for 5 days every day at 8 take the pills", "for 5 days every day at 8", "11-27 08:00"),
        ("en", "for the next 5 days, every day at 8 pills", "for the next 5 days, every day at 8", "11-27 08:00"),
        ("en", "every day for two weeks at 8 to run", "every day for two weeks at 8", "12-06 08:00"),
        ("en", "every day at 8 and 20 for 5 days to take pills", "every day at 8 and 20 for 5 days", "11-27 08:00"),
        ("en", "every day at 8 for a week to water", "every day at 8 for a week", "11-29 08:00"),
        ("en", "every 10 minutes for an hour to look", "every 10 minutes for an hour", "11-22 16:00"),
        ("en", "for a month every Friday at 8 to call", "for a month every Friday at 8", "12-25 08:00"),
        ("en", "until Friday every morning to stretch", "until Friday every morning", "11-27 09:00"),
        ("en", "till Sunday every day at 8 drops", "till Sunday every day at 8", "11-29 08:00"),
        ("en", "every hour until 6pm", "every hour until 6pm", "11-22 18:00"),
        ("en", "until 6 pm every hour to drink", "until 6 pm every hour", "11-22 18:00"),
        ("en", "every Monday until Christmas at 9", "every Monday until Christmas at 9", "12-21 09:00"),
        ("en", "every Monday at 9 until Christmas", "every Monday at 9 until Christmas", "12-21 09:00"),
        ("de", "5 Tage lang jeden Tag um 8 die Tabletten", "5 Tage lang jeden Tag um 8", "11-27 08:00"),
        ("de", "bis Freitag jeden Morgen um 7 laufen", "bis Freitag jeden Morgen um 7", "11-27 07:00"),
        (
            "es",
            "durante 5 días todos los días a las 8 pastillas",
            "durante 5 días todos los días a las 8",
            "11-27 08:00",
        ),
        ("es", "hasta el viernes cada mañana a las 7 correr", "hasta el viernes cada mañana a las 7", "11-27 07:00"),
        ("ru", "в течение 5 дней каждый день в 8 таблетки", "в течение 5 дней каждый день в 8", "11-27 08:00"),
        ("ru", "до пятницы каждый день в 7 бегать", "до пятницы каждый день в 7", "11-27 07:00"),
    ],
)
def test_a_repetition_ends_where_its_words_say_before_or_after_it(
    language: str, text: str, words: str, last: str
) -> None:
    found = alarm(text, SAID, language)
    assert found is not None
    assert found.repeats is not None
    assert text[found.start : found.end] == words
    first = next_due(found.repeats, NOW, BERLIN)
    assert first is not None
    end = found.last_possible(first)
    assert end is not None
    limited = f"{found.repeats} until {end:%Y-%m-%dT%H:%M}"
    due = last_due(limited, first, BERLIN)
    assert due is not None
    assert f"{due:%m-%d %H:%M}" == last
    assert next_due(limited, due, BERLIN) is None
    assert next_due(limited, due - timedelta(minutes=1), BERLIN) == due


def test_many_words_that_may_be_an_end_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def counted(line: Line) -> Iterator[tuple[int, Item]]:
        parsed.append(len(line))
        return items(line)

    monkeypatch.setattr(repetitions, "items", counted)
    line = line_of("until 5 " * 200 + "every hour", "en")
    assert line is not None
    assert repetition(line, NOW, tuple(items(line))) is not None
    assert says_end("until 5 " * 200, "en") is False
    assert len(parsed) <= 3


@pytest.mark.parametrize("length", ["5 minutes", "9000 years"])
def test_the_length_of_an_activity_and_a_length_beyond_all_plans_are_not_the_end_of_a_repetition(length: str) -> None:
    found = alarm(f"every day at 8 for {length} to stretch", SAID)
    assert found is not None
    assert (found.repeats, found.until, found.lasts) == ("0 8 * * *", None, None)


@pytest.mark.parametrize("hour", [0, 9, 15, 23])
def test_the_last_time_is_the_same_as_counting_to_it(hour: int) -> None:
    for rule in ("0 8 * * *", "*/30 9-17 * * 1-5", "0 9 1 * *", "R/2026-11-23T08:00/P9D", "R/2026-11-23T08:00/PT7H"):
        for days in (0, 1, 2, 40, 90):
            limited = f"{rule} until {NOW + timedelta(days=days):%Y-%m-%d}T{hour:02}:30"
            first = last = next_due(rule, NOW, BERLIN)
            assert first is not None
            assert last is not None
            while (due := next_due(limited, last, BERLIN)) is not None:
                last = due
            assert last_due(limited, first, BERLIN) == last


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
    assert str(Interval.read(interval)) == interval
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
    ("text", "other"),
    [
        ("on the first Monday of the month at 9", "2026-12-14T09:00+01:00"),
        ("on the last Friday of the month at 9", "2026-12-18T09:00+01:00"),
        ("every two hours between 9 and 17", "2026-12-18T10:00+01:00"),
    ],
)
def test_a_time_at_which_a_repetition_is_not_due_does_not_ring(text: str, other: str) -> None:
    assert not rings(text, SAID, datetime.fromisoformat(other))


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


@pytest.mark.parametrize(
    ("language", "text", "times"),
    [
        ("en", "at 9 and at 15:00 to take the pills", ["11-23 09:00", "11-22 15:00"]),
        ("en", "at 16 and at 17:30", ["11-22 16:00", "11-22 17:30"]),
        ("en", "at 9 pm and 8 am", ["11-22 21:00", "11-23 08:00"]),
        ("en", "tomorrow at 8 and again on Friday to pay", ["11-23 08:00", "11-27 09:00"]),
        ("en", "tomorrow at 8, 12 and 20 to take drops", ["11-23 08:00", "11-23 12:00", "11-23 20:00"]),
        ("en", "tomorrow at 8 am and 8 pm", ["11-23 08:00", "11-23 20:00"]),
        ("en", "on Monday, Wednesday and Friday at 10 yoga", ["11-23 10:00", "11-25 10:00", "11-27 10:00"]),
        ("en", "in 20 minutes to eat and tomorrow at 9 to call mom", ["11-22 15:20", "11-23 09:00"]),
        ("en", "every day at 8:00 and 20:30", ["0 8 * * *", "30 20 * * *"]),
        ("en", "every other day at 8:00 and 20:30", ["R/2026-11-23T08:00/P2D", "R/2026-11-23T20:30/P2D"]),
        ("en", "every day at 8 and 20 to take pills", ["0 8,20 * * *"]),
        ("en", "tomorrow at 9 to call mom and dad", ["11-23 09:00"]),
        ("en", "to meet Ann and Bob tomorrow at 9", ["11-23 09:00"]),
        ("en", "between 8 am and 9 am tomorrow", ["11-23 08:00"]),
        ("en", "on Friday, March 5, at 9 to call", ["03-05 09:00"]),
        ("en", "on March 3 and 4 to buy flowers", ["03-03 09:00"]),
        ("en", "on Thursday to talk about the party on Friday", ["11-26 09:00"]),
        ("de", "am Montag um 8 an Oma und am Freitag um 9 an Opa", ["11-23 08:00", "11-27 09:00"]),
        ("de", "um 8, 12 und 20 Uhr", ["11-23 08:00", "11-23 12:00", "11-22 20:00"]),
        ("es", "mañana a las 8 y otra vez el viernes", ["11-23 08:00", "11-27 09:00"]),
        ("es", "a las 8 y media llamar", ["11-22 20:30"]),
        ("ru", "завтра в 8 и ещё раз в пятницу заплатить", ["11-23 08:00", "11-27 09:00"]),
        ("en", "to buy milk and bread", []),
    ],
)
def test_each_time_of_an_order_is_an_alarm(language: str, text: str, times: list[str]) -> None:
    found = alarms(text, SAID, language)
    assert [one.repeats or f"{one.at:%m-%d %H:%M}" for one in found] == times
    assert all(one.end <= after.start for one, after in pairwise(found))


def test_an_hour_that_the_clocks_leave_out_is_the_one_after_and_an_hour_stays_the_hour() -> None:
    before = Said(datetime(2027, 3, 27, 12, 0, tzinfo=BERLIN), BERLIN, "DE")
    skipped, after = alarm("tomorrow at 2:30 am", before), alarm("tomorrow at 9", before)
    assert skipped is not None
    assert after is not None
    assert f"{skipped.at:%H:%M %z}" == "03:30 +0200"
    assert f"{after.at:%H:%M %z}" == "09:00 +0200"


@pytest.mark.parametrize(
    ("language", "text", "ends"),
    [
        ("en", "take pills for 5 days", True),
        ("en", "take pills for two weeks.", True),
        ("en", "call Ann until Christmas", True),
        ("de", "Tabletten nehmen, 5 Tage lang", True),
        ("de", "Tabletten nehmen bis Freitag", True),
        ("es", "tomar pastillas durante 5 días", True),
        ("ru", "пить таблетки в течение 5 дней", True),
        ("ru", "пить таблетки 5 дней", True),
        ("en", "read for 20 minutes", False),
        ("en", "plan for the week", False),
        ("en", "water the plants", False),
        ("en", "save for 3 months' rent", False),
        ("en", "", False),
    ],
)
def test_the_end_of_a_repetition_is_found_after_its_subject(language: str, text: str, ends: bool) -> None:
    assert says_end(text, language) is ends


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
