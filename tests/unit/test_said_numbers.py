"""Numbers that follow from a text: numbers written as words in several languages, and the numbers in named days and
times."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce.contract_types import When
from tellonce_server.domain.memory.check import Quoted, check
from tellonce_server.domain.memory.resolution import MOST, following
from tests.moments import during

ZONE = ZoneInfo("Europe/Berlin")
SAID = datetime(2026, 3, 4, 18, 22, tzinfo=ZONE)
QUARTER_TO_NINE, QUARTER_PAST_NINE = (
    during(ZONE, datetime(2026, 3, 5, *time, tzinfo=ZONE), None, "instant") for time in ((8, 45), (9, 15))
)


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("we have two kids and twenty-three hens", {"2", "23"}),
        ("a hundred and five of them came", {"105"}),
        ("wir haben drei Kinder", {"3"}),
        ("j'ai quarante-deux ans", {"42"}),
        ("tengo veintidós primos", {"22"}),
        ("ho sei fratelli", {"6"}),
        ("physio is at quarter to eight tomorrow morning", {"7", "45", "5", "3", "2026"}),
        ("the wedding is in three weeks", {"25", "3", "2026"}),
        ("мне сорок два года, и пять кошек", {"42", "5"}),
        ("a dozen hens", {"12"}),
        ("half of the eight of us", {"4", "50"}),
        ("an hour and a half each way", {"90", "1.5"}),
        ("we paid half a million", {"500000"}),
        ("about 1.2 million", {"1200000"}),
        ("seit anderthalb Jahren", {"1.5"}),
    ],
)
def test_numbers_follow_from_words(said: str, numbers: set[str]) -> None:
    assert numbers <= following(said, SAID, ZONE).numbers


def test_a_number_nobody_said_does_not_follow() -> None:
    assert following("we have two kids", SAID, ZONE).numbers.isdisjoint({"3", "7", "1999"})


def test_a_statement_with_digits_is_borne_out_by_number_words() -> None:
    quote = Quoted("we have three cats", "so we have three cats now", "user", SAID, ZONE)
    assert check("The user has 3 cats", [quote]).certain
    assert not check("The user has 4 cats", [quote]).certain


def test_only_the_beginning_of_an_endless_text_is_read() -> None:
    assert "7" not in following("x " * MOST + "seven", SAID, ZONE).numbers


@pytest.mark.parametrize(
    ("said", "stated", "certain"),
    [
        ("I earn 85k a year", "The user earns 85000 a year", True),
        ("I earn 85,000 a year", "The user earns 85K a year", True),
        ("I walked 2.5 k steps", "The user walked 2,500 steps", True),
        ("I earn 85k a year", "The user earns 850000 a year", False),
        ("It is 85 km away", "It is 85000 away", False),
    ],
)
def test_thousands_may_be_written_with_a_k(said: str, stated: str, certain: bool) -> None:
    assert check(stated, [Quoted(said, said, "user", SAID, ZONE)]).certain is certain


FOLLOWS: list[tuple[str, str, When | None, bool]] = [
    ("I'm 1.76 tall", "The user is 176 cm tall", None, True),
    ("I'm 1.76 tall", "The user is 167 cm tall", None, False),
    ("rent goes from 840 to 910 euros", "The rent rises by 70 to 910 euros", None, True),
    ("rent goes from 840 to 910 euros", "The rent rises by 80 to 910 euros", None, False),
    ("У меня трое детей", "У пользователя 3 ребёнка", None, True),
    ("У меня трое детей", "У пользователя 4 ребёнка", None, False),
    ("я переехала в Лейпциг", "The user moved to Leipzig", None, True),
    ("Wir treffen uns um neun", "Der Nutzer trifft sich um 9 Uhr", None, True),
    (
        "I've had it for about nine years",
        "Has had it since 2017",
        during(ZONE, date(2017, 1, 1), None, "ongoing"),
        True,
    ),
    (
        "I've had it for about nine years",
        "Has had it since 2018",
        during(ZONE, date(2018, 1, 1), None, "ongoing"),
        False,
    ),
    ("seit drei Monaten", "Since December", during(ZONE, date(2025, 12, 1), None, "ongoing"), True),
    ("on 8 May for three days", "From 8 to 10 May", during(ZONE, date(2026, 5, 8), date(2026, 5, 10)), True),
    ("on 8 May for three days", "From 8 to 12 May", during(ZONE, date(2026, 5, 8), date(2026, 5, 12)), False),
    (
        "the fair is on 9 May from two till six",
        "The fair is on 9 May 2026 from 14:00 to 18:00",
        during(ZONE, datetime(2026, 5, 9, 14, tzinfo=ZONE), datetime(2026, 5, 9, 18, tzinfo=ZONE), "instant"),
        True,
    ),
    ("we meet on the 1st tho", "They meet on 1 April 2026", during(ZONE, date(2026, 4, 1)), True),
    ("we meet on the 1st tho", "They meet on 2 April 2026", during(ZONE, date(2026, 4, 2)), False),
    ("übermorgen kommt er", "Er kommt am Freitag zum Nutzer", during(ZONE, date(2026, 3, 6)), True),
    ("I've three cats and a dog", "The user has three cats", None, True),
    ("I've three cats and a dog", "The user has four cats", None, False),
    ("Tengo dos hermanas", "La usuaria tiene cinco hermanas", None, False),
    ("the visa expires on 8 February", "It expires on 8 February 2027", during(ZONE, date(2027, 2, 8)), True),
    ("the visa expires on 8 June", "It expires on 8 June 2025", during(ZONE, date(2025, 6, 8)), False),
    ("tomorrow at quarter to nine", "Tomorrow at 8:45", QUARTER_TO_NINE, True),
    ("tomorrow at quarter to nine", "Tomorrow at 9:15", QUARTER_PAST_NINE, False),
]


@pytest.mark.parametrize(("said", "stated", "when", "certain"), FOLLOWS)
def test_a_statement_may_give_what_follows_from_the_words(
    said: str, stated: str, when: When | None, certain: bool
) -> None:
    quote = Quoted(said, said, "user", SAID, ZONE)
    verdict = check(stated, [quote], when=when)
    assert verdict.certain is certain


def test_the_deadline_before_a_day_is_the_end_of_the_day_before() -> None:
    quote = Quoted("finish it before Easter", "finish it before Easter", "user", SAID, ZONE)
    for day, certain in ((4, True), (3, False)):
        due = datetime(2026, 4, day, 23, 59, 59, tzinfo=ZONE)
        assert check("Finish it before 5 April", [quote], deadline=due).certain is certain
