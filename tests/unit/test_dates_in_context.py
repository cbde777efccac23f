"""Tests of the resolver of dates with quotations, names, titles, ranges and counted days. In these cases, the result
depends on the words around a time word."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_text.dates.readings import Expression, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of
from tellonce_text.own_words import forwarded


def read(text: str, zone: str = "Europe/London") -> list[Expression]:
    """The expressions of a text that was said on Wednesday, 18 November 2026."""
    there = ZoneInfo(zone)
    return expressions(text, Said(datetime(2026, 11, 18, 10, tzinfo=there), there, region_of(there)))


NOVEMBER = datetime(2026, 11, 18, 10, tzinfo=ZoneInfo("Europe/London"))


def certain(text: str, zone: str) -> list[tuple[str, str]]:
    """The first and the last day of each certain expression."""
    return [(str(e.best.days[0]), str(e.best.days[1])) for e in read(text, zone) if e.certain and e.best]


RELATIVE = st.sampled_from(["tomorrow", "today", "on Friday", "next week", "in two hours", "last night"])
QUOTES = st.sampled_from(['"{}"', "'{}'", "“{}”", "„{}“", "«{}»", "»{}«", "「{}」"])


@given(RELATIVE, QUOTES)
def test_a_relative_day_in_a_quotation_is_not_certain(day: str, quotes: str) -> None:
    assert not any(found.certain for found in read(f"He wrote {quotes.format(f'we meet {day}')}, so there"))
    assert all(found.certain for found in read(f"We meet tomorrow, he wrote {quotes.format('yes')}"))


@pytest.mark.parametrize(
    "text",
    [
        "Fwd: dinner tomorrow at the pier",
        "WG: wir treffen uns morgen",
        "> we meet tomorrow",
        "He wrote:\n> we meet tomorrow\nWell.",
    ],
)
def test_a_relative_day_in_a_forwarded_text_is_not_certain(text: str) -> None:
    assert [found.certain for found in read(text)] == [False]


@given(RELATIVE)
def test_a_relative_day_in_a_forwarded_message_counts_from_the_time_at_which_it_was_written(day: str) -> None:
    written = datetime(2026, 10, 27, 18, 40, tzinfo=ZoneInfo("Europe/London"))
    said = f"Dinner: we meet {day}.\nBring wine on Sunday"
    (then, sunday), (here, _) = (
        expressions(text, Said(at, ZoneInfo("Europe/London"), "GB"))
        for text, at in ((forwarded("April", said, written), NOVEMBER), (said, written))
    )
    assert (then.readings, then.certain, then.text) == (here.readings, here.certain, here.text)
    assert sunday.best is not None
    assert str(sunday.best.days[0]) == "2026-11-01"


@given(st.sampled_from(["tomorrow", "on Friday", "two weeks ago", "from 1 February", "at 8pm"]), st.sampled_from("\n "))
def test_a_day_in_a_forwarded_message_is_not_certain_if_the_time_of_writing_is_unknown(day: str, between: str) -> None:
    marked = forwarded("Marta", f"Dinner {day}").replace("\n", between)
    assert not any(found.certain or found.approximate for found in read(marked))
    assert certain(forwarded("Marta", "Dinner on 3 March 2027"), "Europe/London") == [("2027-03-03", "2027-03-03")]


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("On 3 November she wrote: “We moved yesterday”", "Europe/London", "2026-11-02"),
        ("My brother texted me on Sunday: 'I'll call tomorrow'", "Europe/London", "2026-11-16"),
        ("Er schrieb am Montag: „Ich zahle morgen“", "Europe/Berlin", "2026-11-17"),
        ("Ayer dijo: «mañana te pago»", "Europe/Madrid", "2026-11-18"),
    ],
)
def test_a_quoted_day_counts_from_the_day_that_is_named_before_it(text: str, zone: str, day: str) -> None:
    assert certain(text, zone)[-1] == (day, day)


def test_a_quoted_day_after_a_day_to_come_is_not_certain() -> None:
    assert not read("A note from Tuesday: “coming home tomorrow”")[-1].certain


def test_marks_that_quote_nothing_leave_a_day_certain() -> None:
    for text in ('I buy a 55" screen tomorrow, not a 65" one', "the dogs' walk is tomorrow in my parents' park"):
        assert certain(text, "Europe/London") == [("2026-11-19", "2026-11-19")]


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("la zia Domenica ha cucinato", "Europe/Rome"),
        ("на канале Пятница опять кино", "Europe/Moscow"),
        ("y a plus de Mars dans le distributeur", "Europe/Paris"),
        ("опять эта чёрная пятница", "Europe/Moscow"),
        ("a quinta vez que perco o ônibus", "America/Sao_Paulo"),
        ("eine alte Freitag Tasche aus Plane", "Europe/Berlin"),
        ("Frau Sommer hat angerufen", "Europe/Berlin"),
        ("I met Mr. Friday at noon", "Europe/London"),
        ("Domingo Pérez vino a casa", "Europe/Madrid"),
        ("rewatching Friday Night Lights again", "Europe/London"),
        ("Is Independence Day the one with the aliens?", "America/New_York"),
        ("Die Demo zieht über die Straße des 17. Juni", "Europe/Berlin"),
        ("Hay tráfico sobre la 9 de Julio", "America/Argentina/Buenos_Aires"),
        ("выходи на углу 8 Марта и Малышева", "Europe/Moscow"),
        ("it's only in the 90s out there", "America/New_York"),
        ("order 20261120 has shipped", "Europe/London"),
        ("в рабочей среде всё спокойно", "Europe/Moscow"),
        ("na segunda reunião ninguém falou", "America/Sao_Paulo"),
        ("na sexta série tem prova de matemática", "America/Sao_Paulo"),
        ("Put on Friday I'm in Love", "America/New_York"),
        ("USA Today ran the story", "America/New_York"),
        ("a Christmas Carol for the kids", "Europe/London"),
        ("Independence Day 2 is awful", "America/New_York"),
        ("Kapitel 3.4. ist lang", "Europe/Berlin"),
        ("Client visit is next to next week", "Asia/Kolkata"),
        ("Пришлите скан договора № 12/05", "Europe/Moscow"),
        ("We adopted a cat called Wednesday", "Europe/London"),
        ("My cousin nicknamed Friday is here", "Europe/London"),
        ("Die Katze namens Freitag ist krank", "Europe/Berlin"),
        ("She shops like there's no tomorrow", "America/New_York"),
        ("Vivono come se non ci fosse un domani", "Europe/Rome"),
        ("Зарплату обещали 14-го, посмотрим", "Europe/Moscow"),
        ("Nous avons promis le 14", "Europe/Paris"),
    ],
)
def test_a_time_word_that_may_be_a_name_is_not_certain(text: str, zone: str) -> None:
    assert certain(text, zone) == []


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("hast du die heute-show gesehen", "Europe/Berlin"),
        ("the Sunday-school picnic", "Europe/London"),
        ("Guten Morgen zusammen", "Europe/Berlin"),
        ("Am Morgen war es kalt", "Europe/Berlin"),
        ("por la mañana no soy persona", "Europe/Madrid"),
        ("una mañana cualquiera", "Europe/Madrid"),
        ("o casamento é numa quinta perto de Sintra", "Europe/Lisbon"),
        ("quero uma segunda opinião", "America/Sao_Paulo"),
        ("H1 visas and H2 headings", "America/New_York"),
        ("she is the twentieth to apply", "Europe/London"),
        ("I wasn't born yesterday, you know", "Europe/London"),
        ("è stato un viaggio da tre giorni", "Europe/Rome"),
        ("15日間の休み", "Asia/Tokyo"),
        ("10日前に買った", "Asia/Tokyo"),
        ("13月15日", "Asia/Tokyo"),
    ],
)
def test_a_time_word_that_names_no_day_is_none(text: str, zone: str) -> None:
    assert read(text, zone) == []


@pytest.mark.parametrize(
    ("text", "zone", "first", "last"),
    [
        ("I'm out Mon-Wed", "Europe/London", "2026-11-23", "2026-11-25"),
        ("the lot is closed Saturday and Sunday for paint", "Europe/London", "2026-11-21", "2026-11-22"),
        ("They want me in Leeds May to July", "Europe/London", "2027-05-01", "2027-07-31"),
        ("я с понедельника по среду в Питере", "Europe/Moscow", "2026-11-23", "2026-11-25"),
        ("dark mode lands H1 2027", "America/New_York", "2027-01-01", "2027-06-30"),
        ("in den 80ern trug er lang", "Europe/Berlin", "1980-01-01", "1989-12-31"),
        ("mi padre tocaba en los ochenta, creo", "America/Montevideo", "1980-01-01", "1989-12-31"),
        ("отец в девяностых торговал", "Europe/Moscow", "1990-01-01", "1999-12-31"),
        ("dans les années 80", "Europe/Paris", "1980-01-01", "1989-12-31"),
        ("letztes Jahr im Mai übergab ich den Betrieb", "Europe/Berlin", "2025-05-01", "2025-05-31"),
        ("built in the nineteen seventies", "America/New_York", "1970-01-01", "1979-12-31"),
        ("who signed first in 1776?", "America/New_York", "1776-01-01", "1776-12-31"),
        ("Der Wagen ist Baujahr 2017", "Europe/Berlin", "2017-01-01", "2017-12-31"),
        ("Last December it hit ten below", "America/New_York", "2025-12-01", "2025-12-31"),
        ("I've been on iron for the past two weeks", "America/New_York", "2026-11-04", "2026-11-18"),
        ("Ich trinke seit drei Tagen keinen Kaffee", "Europe/Berlin", "2026-11-15", "2026-11-15"),
        ("away from the 28th until the 5th of December", "Europe/London", "2026-11-28", "2026-12-05"),
        ("Ich bin vom 28. bis zum 5. Januar weg", "Europe/Berlin", "2026-12-28", "2027-01-05"),
        ("We rented it June 3-5, 2024", "America/New_York", "2024-06-03", "2024-06-05"),
        ("They moved it from the 28th to the 5th of December", "Europe/London", "2026-12-05", "2026-12-05"),
        ("Der Termin wurde vom 28. auf den 5. Dezember verschoben", "Europe/Berlin", "2026-12-05", "2026-12-05"),
        ("choir on the 28th and the 5th of December", "Europe/London", "2026-12-05", "2026-12-05"),
        ("Je tousse depuis quatre jours", "Europe/Paris", "2026-11-14", "2026-11-14"),
        ("Lavoro qui da tre giorni", "Europe/Rome", "2026-11-15", "2026-11-15"),
    ],
)
def test_a_span_is_read_from_its_first_to_its_last_day(text: str, zone: str, first: str, last: str) -> None:
    assert certain(text, zone) == [(first, last)]


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("set something for three weeks from today", "America/New_York", "2026-12-09"),
        ("my flight lands two days before the wedding on June 6", "America/New_York", "2027-06-04"),
        ("zwei Tage vor der Hochzeit am 6. Juni", "Europe/Berlin", "2027-06-04"),
        ("dos días antes de la boda del 6 de junio", "Europe/Madrid", "2027-06-04"),
        ("за два дня до свадьбы 6 июня", "Europe/Moscow", "2027-06-04"),
        ("movers confirmed 2026/12/3", "Asia/Tokyo", "2026-12-03"),
        ("the permit runs out 3/4", "Europe/London", "2027-04-03"),
        ("the meeting moved to 3/4", "America/New_York", "2027-03-04"),
        ("a table for 2 booked 14/02", "Europe/London", "2027-02-14"),
        ("exame remarcado pra 05/12", "America/Sao_Paulo", "2026-12-05"),
        ("school goes back 29/1 and I have no uniforms", "Australia/Sydney", "2027-01-29"),
        ("the shower is on the twenty second", "America/New_York", "2026-11-22"),
        ("the swap is the nineteenth at Linda's", "America/New_York", "2026-11-19"),
        ("bins go out Sat, it's recycling", "Europe/London", "2026-11-21"),
        ("this day next week I fly", "Europe/Dublin", "2026-11-25"),
        ("Am 1. Advent backen wir", "Europe/Berlin", "2026-11-29"),
        ("Sie ist am 28. Oktober gestürzt", "Europe/Berlin", "2026-10-28"),
        ("快递昨天就签收了", "Asia/Shanghai", "2026-11-17"),
        ("下周三要体检", "Asia/Shanghai", "2026-11-25"),
        ("来週の金曜日、飲み会", "Asia/Tokyo", "2026-11-27"),
        ("2026年3月15日、面接でした", "Asia/Tokyo", "2026-03-15"),
        ("我12月5号回家", "Asia/Shanghai", "2026-12-05"),
    ],
)
def test_a_day_is_certain_by_the_form_of_its_words(text: str, zone: str, day: str) -> None:
    assert certain(text, zone) == [(day, day)]


def test_the_rest_of_a_span_begins_today() -> None:
    (found,) = read("I'm offline for the rest of November")
    assert found.best is not None
    assert [str(day) for day in found.best.days] == ["2026-11-18", "2026-11-30"]
    assert not found.certain


@pytest.mark.parametrize("quoted", ["I will be back on 2 May.", "See you at Christmas."])
def test_a_day_without_a_year_in_words_quoted_from_another_year_is_not_certain(quoted: str) -> None:
    assert not read(f"On Oct 2, 2025 you told me: “{quoted}”")[-1].certain
    assert read(f"You told me: “{quoted}”")[-1].certain


def test_next_monday_is_not_certain_on_a_sunday() -> None:
    sunday = Said(datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("UTC")), ZoneInfo("Europe/Dublin"), "IE")
    assert not expressions("The bank holiday is next Monday", sunday)[0].certain


@pytest.mark.parametrize("text", ["I left an hour and a half ago", "vor anderthalb Stunden", "1.5 hours ago"])
def test_a_time_that_has_passed_may_have_a_fraction(text: str) -> None:
    (found,) = read(text)
    assert found.best is not None
    assert (found.best.start.hour, found.best.start.minute) == (8, 30)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("3月15日に会いました", "2027-03-15", "2027-03-15"),
        ("15日に返事します", "2026-11-15", "2026-11-15"),
        ("他8月去北京", "2026-08-01", "2026-08-31"),
    ],
)
def test_a_chinese_or_japanese_date_without_its_year_is_found_and_uncertain(text: str, first: str, last: str) -> None:
    (found,) = read(text, "Asia/Tokyo")
    assert found.best is not None
    assert not found.certain
    assert [str(day) for day in found.best.days] == [first, last]


@given(
    st.sampled_from(["Monday", "Friday", "Sunday"]), st.sampled_from(["mornings", "afternoons", "evenings", "nights"])
)
def test_a_weekday_before_the_plural_of_a_part_of_the_day_is_a_habit(day: str, part: str) -> None:
    (found,) = read(f"I started swimming on {day} {part}")
    assert (found.precision, found.best, found.certain) == ("recurring", None, False)
    (once,) = read(f"I swam on {day} {part[:-1]}")
    assert once.certain


IN_A_WEEK = [
    ("de", "Am Donnerstag in einer Woche ist die Prüfung", 3),
    ("es", "El examen es el jueves en una semana", 3),
    ("es", "El examen es el jueves dentro de una semana", 3),
    ("fr", "L'examen est jeudi dans une semaine", 3),
    ("it", "L'esame è giovedì fra una settimana", 3),
    ("pt", "A prova é na quinta daqui a uma semana", 3),
    ("ru", "Экзамен в пятницу через неделю", 4),
    ("en", "The exam is on Thursday in a week", 3),
    ("en", "The exam is on Thursday week", 3),
]


@pytest.mark.parametrize(("language", "text", "number"), IN_A_WEEK)
@given(st.integers(0, 27))
def test_a_weekday_in_a_week_is_never_the_next_such_day(language: str, text: str, number: int, shift: int) -> None:
    zone = ZoneInfo("Europe/London")
    now = datetime(2026, 11, 16, 10, tzinfo=zone) + timedelta(days=shift)
    (found,) = expressions(text, Said(now, zone, "GB"))
    assert found.best is not None
    days = (found.best.days[0] - now.date()).days
    assert (found.best.days[0].weekday(), 8 <= days <= 14) == (number, True)
    if language == "de":
        assert found.certain == (now.weekday() != number)


@pytest.mark.parametrize(
    ("said", "day", "certain"),
    [("2026-11-18", "2026-12-04", True), ("2026-11-21", "2026-12-04", False)],
)
def test_a_weekday_in_two_weeks_is_certain_before_that_weekday_of_the_week(said: str, day: str, certain: bool) -> None:
    zone = ZoneInfo("Europe/London")
    (found,) = expressions(
        "The exam is Friday in two weeks", Said(datetime.fromisoformat(said).replace(tzinfo=zone), zone)
    )
    assert found.best is not None
    assert (str(found.best.days[0]), found.certain) == (day, certain)


@pytest.mark.parametrize(
    "text",
    [
        "I finish at the end of next week",
        "Ich muss bis Ende nächster Woche den Bericht abgeben",
        "Je finis d'ici la fin de la semaine prochaine",
        "Закончу к концу следующей недели",
    ],
)
def test_the_end_of_a_week_is_about_its_last_three_days(text: str) -> None:
    (found,) = read(text)
    assert found.best is not None
    assert ([str(day) for day in found.best.days], found.certain, found.approximate) == (
        ["2026-11-27", "2026-11-29"],
        False,
        True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "Le mardi je travaille de chez moi",
        "J'ai commencé à nager le dimanche matin",
        "La domenica nuoto",
        "Ho iniziato a nuotare la domenica mattina",
        "Empecé a nadar por las mañanas de domingo",
        "Comecei a nadar nas manhãs de domingo",
        "I have yoga on Monday and Wednesday evenings",
        "I have yoga on Monday, Wednesday and Friday evenings",
    ],
)
def test_a_weekday_that_may_be_a_habit_is_not_certain(text: str) -> None:
    assert {found.certain for found in read(text)} == {False}
