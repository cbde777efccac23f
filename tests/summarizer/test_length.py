"""The summarizer and the server count tokens alike, because each relies on the other's limits."""

import pytest

from tellonce_summarizer.length import tokens
from tellonce_text.tokens import estimate
from tests.unit.token_samples import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_both_sides_count_alike(name: str) -> None:
    theirs = estimate(SAMPLES[name])
    assert 0.8 * theirs <= tokens(SAMPLES[name]) <= 1.3 * theirs


def test_prose_a_little_over_the_cap_of_the_one_is_over_that_of_the_other() -> None:
    told = "\n".join(f"They agreed that vendor {n} brings vegetables to the northern market" for n in range(150))
    assert abs(tokens(told) / estimate(told) - 1) < 0.08


def test_nothing_costs_nothing() -> None:
    assert tokens("") == 0
