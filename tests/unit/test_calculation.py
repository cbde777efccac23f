"""Numbers and days that can be calculated from what a person said."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.memory.calculation import is_calculated, is_counted_day, values

NUMBERS = st.integers(2, 5_000).map(float)


@given(NUMBERS, NUMBERS)
def test_a_result_is_calculated_if_the_claim_states_one_of_the_numbers(one: float, other: float) -> None:
    for result in (one + other, abs(one - other), one * other, one * other / 100):
        if result not in (one, other):
            assert is_calculated(result, {one, other}, {one, result})
            assert not is_calculated(result, {one, other}, {result})


@given(st.frozensets(st.integers(2, 40), max_size=4), st.integers(50_000, 90_000))
def test_a_number_that_no_calculation_gives_is_refused(said: frozenset[int], value: int) -> None:
    assert not is_calculated(value, {float(one) for one in said}, {float(one) for one in said})


def test_identifiers_take_part_in_no_calculation() -> None:
    assert values(["1234567890123", "12"]) == {12.0}


@pytest.mark.parametrize("day", [date(1953, 6, 11), date(2101, 6, 11)])
def test_a_day_may_be_counted_from_a_named_day_and_an_age(day: date) -> None:
    named = [date(2027, 6, 11)]
    assert is_counted_day(day, 3, named, [74.0])
    assert is_counted_day(day.replace(day=1), 2, named, [74.0])
    assert not is_counted_day(day.replace(year=day.year - 1), 3, named, [74.0])
    assert not is_counted_day(day, 3, [], [74.0])
