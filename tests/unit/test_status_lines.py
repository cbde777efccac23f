"""The lines of `tellonce status` about exchanges that were read and exchanges that will be read."""

from tellonce.work import ReadBy, ReadingStatus
from tellonce_cli.status import reading_lines


def test_nothing_read_is_nothing_said() -> None:
    assert reading_lines(ReadingStatus()) == []


def test_it_says_who_read_what_is_unread_and_what_reading_again_will_cost() -> None:
    reading = ReadingStatus(
        read_by=(
            ReadBy(tier="claude", exchanges=1200),
            ReadBy(tier="ollama", exchanges=0),
            ReadBy(tier="keep", exchanges=1),
        ),
        waiting=14,
        to_read_again=1,
        estimate_usd=0.034,
        estimate_seconds=7200,
        dropped={"no true quote": 3},
    )
    assert reading_lines(reading) == [
        "learned    from 1201 exchanges: 1200 by Claude, 1 by no model (sentences kept)",
        "waiting    14 exchanges to learn from",
        "later      1 exchange read by a weaker model or none, to be read again once a better model is set up: "
        "about $0.03, about 2 h; a connected assistant can do it, too, with its prompt `learn`",
        "dropped    3 (no true quote) this month",
    ]


def test_without_an_estimate_none_is_given() -> None:
    assert reading_lines(ReadingStatus(to_read_again=2)) == [
        "later      2 exchanges read without a model, to be read again once a model is set up; a connected assistant "
        "can do it, too, with its prompt `learn`"
    ]
