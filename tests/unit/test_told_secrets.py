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


def test_the_sentences_are_eighty_of_each_kind() -> None:
    for table in (TELLING, UNTELLING):
        assert sum(len(set(lines)) for lines in table.values()) == 80


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Pin: 4821, pw: Cat99x and alarm code 7781", "Pin: [secret:pin], pw: [secret:password] and alarm code [secret:pin]"),
        ("my PIN is 4821. It has 4 digits.", "my PIN is [secret:pin]. It has 4 digits."),
        ("Mein Passwort\nHaus 4711b", "Mein Passwort\nHaus 4711b"),
        ("La clave del wifi es gato1234", "La clave del wifi es [secret:password]"),
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
