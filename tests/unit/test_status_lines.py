"""The lines of `tellonce status` about learning and the queue."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tellonce.work import CostSummary, DeadLetter, KindStatus, ProviderDown, QueueStatus, ReadBy, ReadingStatus
from tellonce_cli.status import queue_lines, reading_lines
from tellonce_relay.views import status_lines

ZONE = ZoneInfo("Asia/Singapore")
AT = datetime(2026, 2, 18, 1, tzinfo=UTC)
COST = CostSummary(calls=3, input_tokens=1200, output_tokens=34, price_usd=0.25, cap_usd=5)


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


def test_the_queue_is_shown_by_kind_below_the_cost_that_the_bot_shows_too() -> None:
    queue = QueueStatus(
        kinds=(KindStatus(kind="exchange", pending=2, claimed=1, ready=0, dead=1),),
        oldest_seconds=61.4,
        dead_letters=(DeadLetter(job_id="42:42:1", kind="exchange", attempts=5, error="refused", at=AT),),
        providers_down=(ProviderDown(model="claude", tier="claude", since=AT, reason="overloaded"),),
        without_vector=1,
        cost=COST,
    )
    cost, down = status_lines(queue, ZONE)
    assert "$0.25" in cost
    assert "9:00 AM" in down
    assert queue_lines(queue, ZONE) == [
        f"learning   {cost}",
        f"models     {down}",
        "embeddings 1 text to embed; search finds them by their words",
        "queue      exchange: 2 waiting, 1 in work, 0 ready, 1 failed",
        "queue      the oldest job is 61 s old",
        "failed     exchange 42:42:1 after 5 attempts: refused",
        "`tellonce replay` retries them.",
    ]


def test_an_empty_queue_is_said_to_be_empty() -> None:
    assert queue_lines(QueueStatus(kinds=(), oldest_seconds=None, dead_letters=(), cost=COST), ZONE)[1:] == [
        "queue      empty"
    ]
