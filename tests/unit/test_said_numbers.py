"""Numbers that follow from a text: number words in several languages, and the numbers in named days and times."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce_server.domain.memory.check import Quoted, check
from tellonce_server.domain.memory.resolution import MOST, numbers_following

ZONE = ZoneInfo("Europe/Berlin")
SAID = datetime(2026, 3, 4, 18, 22, tzinfo=ZONE)


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
    assert numbers <= numbers_following(said, SAID, ZONE)


def test_a_number_nobody_said_does_not_follow() -> None:
    assert numbers_following("we have two kids", SAID, ZONE).isdisjoint({"3", "7", "1999"})


def test_a_statement_with_digits_is_borne_out_by_number_words() -> None:
    quote = Quoted("we have three cats", "so we have three cats now", "user", SAID, ZONE)
    assert check("The user has 3 cats", [quote], follows=numbers_following).certain
    assert not check("The user has 4 cats", [quote], follows=numbers_following).certain
    assert not check("The user has 3 cats", [quote]).certain


def test_only_the_beginning_of_an_endless_text_is_read() -> None:
    assert "7" not in numbers_following("x " * MOST + "seven", SAID, ZONE)


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
