"""Numbers typed to select from a list are parsed, or rejected as a whole."""

import pytest

from tellonce.forget_contract import picked


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("all", {1, 2, 3, 4, 5}),
        ("ALL.", {1, 2, 3, 4, 5}),
        ("none", set()),
        ("1", {1}),
        ("1,3", {1, 3}),
        ("1, 3 5", {1, 3, 5}),
        ("2-4", {2, 3, 4}),
        ("1, 3 – 5", {1, 3, 4, 5}),
    ],
)
def test_numbers_ranges_all_and_none_are_understood(said: str, numbers: set[int]) -> None:
    assert picked(said, 5) == frozenset(numbers)


@pytest.mark.parametrize("said", ["", "0", "6", "1-9", "4-2", "one", "-1", "1,x", "1--2", "١"])
def test_anything_else_picks_nothing(said: str) -> None:
    assert picked(said, 5) is None
