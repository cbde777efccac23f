"""Tests of the check of claims, with tables of right and false claims. Here, the check uses only words.
`benchmarks.claims` also uses cosines."""

import pytest

from benchmarks.claims.scores import Case, cases, quoted, unquoted

# Claims of these kinds can be distinguished only by meaning or cosine.
BEYOND_WORDS = ("meaning", "invented")


def test_nearly_every_right_claim_with_its_quote_is_certain() -> None:
    right = [case for case in cases() if case.right]
    assert len(right) >= 60
    assert sum(quoted(case).certain for case in right) >= 0.97 * len(right)


@pytest.mark.parametrize(
    ("table", "least_right", "most_false"),
    [
        ("claims2.jsonl", 0.99, 60),
        ("claims3.jsonl", 0.97, 62),
        ("claims4.jsonl", 0.97, 43),
        ("claims5.jsonl", 0.96, 41),
        ("claims6.jsonl", 0.94, 75),
        ("claims7.jsonl", 0.95, 93),
        ("claims8.jsonl", 0.97, 59),
        ("claims9.jsonl", 0.89, 97),
        ("claims10.jsonl", 0.97, 61),
        ("claims11.jsonl", 0.97, 119),
        ("claims12.jsonl", 0.95, 65),
        ("claims13.jsonl", 0.89, 315),
        ("claims14.jsonl", 0.97, 210),
    ],
)
def test_claims_of_other_authors_are_judged_alike(table: str, least_right: float, most_false: int) -> None:
    verdicts = [(case.right, quoted(case).certain) for case in cases(table)]
    right, false = ([certain for of, certain in verdicts if of is kind] for kind in (True, False))
    assert sum(right) >= least_right * len(right)
    assert sum(false) <= most_false  # the second reading must find these


def test_no_claim_with_a_wrong_name_number_day_or_quote_is_certain() -> None:
    false = [case for case in cases() if not case.right]
    assert len(false) >= 60
    assert [case for case in false if case.kind not in BEYOND_WORDS and quoted(case).certain] == []


def test_what_is_made_up_is_not_certain_without_a_quote() -> None:
    made_up = [case for case in cases() if not case.right and case.kind != "meaning"]
    assert [case for case in made_up if unquoted(case).certain] == []


def test_a_claim_in_the_users_own_words_needs_no_quote() -> None:
    plain: list[Case] = [case for case in cases() if case.right and case.kind in ("plain", "long")]
    assert sum(unquoted(case).certain for case in plain) >= 0.8 * len(plain)
