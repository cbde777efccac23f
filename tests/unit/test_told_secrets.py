"""How many passwords and PINs are masked in ordinary sentences of four languages, and how many other sentences stay."""

import pytest

from tellonce_text.secrets import mask
from tests.unit.told_secret_sentences import TELLING, UNTELLING

LEAST_MASKED, MOST_FALSELY_MASKED = 0.9, 0.03


@pytest.mark.parametrize("language", TELLING)
def test_a_told_secret_is_masked_in_each_language(language: str) -> None:
    lines = [line.split(" | ") for line in TELLING[language]]
    missed = [told for told, value in lines if value in mask(told) or "[secret:" not in mask(told)]
    assert len(lines) - len(missed) >= LEAST_MASKED * len(lines), missed


@pytest.mark.parametrize("language", TELLING)
def test_of_a_told_secret_only_the_value_is_masked(language: str) -> None:
    lines = [line.split(" | ") for line in TELLING[language]]
    kept = [told for told, value in lines if mask(told).split("[secret:")[0] == told.split(value)[0]]
    assert len(kept) >= LEAST_MASKED * len(lines), sorted({told for told, _ in lines} - set(kept))


def test_a_sentence_that_tells_no_secret_stays() -> None:
    lines = [line for of_language in UNTELLING.values() for line in of_language]
    masked = [mask(line) for line in lines if mask(line) != line]
    assert len(masked) <= MOST_FALSELY_MASKED * len(lines), masked


def test_each_table_has_eighty_or_more_different_sentences() -> None:
    for table in (TELLING, UNTELLING):
        lines = [line for of_language in table.values() for line in of_language]
        assert len(set(lines)) == len(lines) >= 80


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Pin: 4821, pw: Cat99x and alarm code 7781", "Pin: [secret:pin], pw: [secret:password] and alarm code [secret:pin]"),
        ("my PIN is 4821. It has 4 digits.", "my PIN is [secret:pin]. It has 4 digits."),
        ("Mein Passwort\nHaus 4711b", "Mein Passwort\nHaus 4711b"),
        ("La clave del wifi es gato1234", "La clave del wifi es [secret:password]"),
        ("My password's hunter2", "My password's [secret:password]"),
        ("The PIN’s 4711", "The PIN’s [secret:pin]"),
        ("password for https://x.com: Cat99x", "password for https://x.com: [secret:password]"),
        ("the code of the safe is 445566, the error code is 1603", "the code of the safe is [secret:pin], the error code is 1603"),
    ],
)  # fmt: skip
def test_each_value_belongs_to_the_nearest_word(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        '{"say": "what is the wifi password", "label": "ask"}',
        'Item("pin", 4711), pin, 4711',
        "I use 1Password at work and LastPass2024 at home",
        "facts/goals/pins 4200, summaries 600",
    ],
)
def test_a_list_or_a_quotation_that_ends_with_the_word_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "My ski pass is 77X21k and my boarding pass: AB12345c",  # another word before "pass"
        "La clave de la charla es Plan2025b",  # a talk has no password
        "The zip code for my safe contract is 10115",  # a word that names another code
        "The security code is AB12x",  # a code has no letters
        "Her PIN was changed in 2021, the PIN list 2024",  # years that nothing announces
        "the bowling pin: 1500, ESP32 pin 4711",  # other pins
        "My login is slow on Win11Pro with user anna1990",  # no name before a value
        "password: 12 characters, PIN: 100 days, PIN: 1500 g",  # numbers that count something
        "password: see note Plan2025b",  # the place of the password
    ],
)
def test_the_other_meanings_of_these_words_stay(text: str) -> None:
    assert mask(text) == text


def test_a_password_that_begins_like_a_number_with_a_unit_is_masked() -> None:
    assert mask("password: 123456g, PIN is 4711 for now") == "password: [secret:password], PIN is [secret:pin] for now"
