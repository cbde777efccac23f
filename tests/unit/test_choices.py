"""A person types numbers to select from a list. The numbers are parsed, or the whole input is rejected."""

from datetime import UTC, datetime

import pytest

from tellonce.contract import ForgetMatch, Forgotten
from tellonce.forget_contract import picked
from tellonce_cli import forget

NOW = datetime(2026, 11, 24, tzinfo=UTC)


class Typed:
    """A keyboard on which the person has typed one line."""

    interactive = True

    def __init__(self, line: str) -> None:
        self._line = line

    def answer(self, question: str) -> str:
        return self._line


@pytest.mark.parametrize(
    ("said", "selected"),
    [
        ("y", {"except_": (), "also": ()}),
        ("all", {"except_": (), "also": (2,)}),
        ("2", {"except_": (1, 3, 4), "also": (2,)}),
        ("n", None),
    ],
)
def test_numbers_erase_only_these_and_nothing_beyond_the_list(said: str, selected: object) -> None:
    def match(number: int, *, ticked: bool) -> ForgetMatch:
        label = "exact" if ticked else "form"
        return ForgetMatch(
            id=number, kind="fact", chat_id=None, ref=number, text="Tea", at=NOW, match=label, ticked=ticked
        )

    preview = Forgotten(matches=(match(1, ticked=True), match(2, ticked=False)), unlisted=2, confirm="t")
    assert forget._chosen(preview, Typed(said), whole=False) == selected


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
