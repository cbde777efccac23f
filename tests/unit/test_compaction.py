"""Tests which messages become part of a chunk summary, and when they are summarized."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tellonce.settings import Compaction
from tellonce_server.domain.queue.compaction import keep, runs, spoke_before
from tellonce_server.store.threads import OpenMessage

RULES = Compaction()
NOW = datetime(2026, 2, 16, tzinfo=UTC)


def waiting(*epochs: int) -> list[OpenMessage]:
    return [OpenMessage(n, n, 5, NOW, epoch) for n, epoch in enumerate(epochs, 1)]


@given(st.integers(0, 130), st.integers(0, 30))
def test_chunks_have_ten_to_twenty_messages_lie_side_by_side_and_leave_the_newest(count: int, kept: int) -> None:
    cut = runs(waiting(*[0] * count), kept, RULES)
    assert all(10 <= run.to_no - run.from_no + 1 <= 20 for run in cut)
    assert [run.from_no for run in cut] == [1, *(run.to_no + 1 for run in cut)][: len(cut)]
    done = cut[-1].to_no if cut else 0
    assert kept <= count - done < kept + 10 or count < kept + 10


@given(st.lists(st.integers(1, 45), min_size=1, max_size=4))
def test_no_chunk_spans_two_talks_but_for_a_single_message_and_none_has_one(sizes: list[int]) -> None:
    epochs = [epoch for epoch, size in enumerate(sizes) for _ in range(size)]
    for run in runs(waiting(*epochs), 20, RULES):
        told = epochs[run.from_no - 1 : run.to_no]
        assert len(told) > 1
        assert all(sizes[epoch] == 1 for epoch in set(told) - {told[-1]})


def test_age_compacts_only_a_thread_that_was_silent_for_a_day() -> None:
    talk = {"messages": 35, "tokens": 100, "now": NOW}
    assert keep(RULES, **talk, spoke=NOW - timedelta(hours=23)) is None
    assert keep(RULES, **talk, spoke=NOW - timedelta(hours=25)) == 20
    assert keep(RULES, messages=29, tokens=100, spoke=NOW - timedelta(hours=25), now=NOW) is None
    assert keep(RULES, messages=41, tokens=100, spoke=NOW, now=NOW) == 20
    assert keep(RULES, messages=20, tokens=2501, spoke=NOW, now=NOW) == 10


def test_a_thread_was_silent_until_its_newest_message_or_is_silent_now() -> None:
    long_ago, now = NOW - timedelta(days=3), NOW
    old, new = OpenMessage(1, 1, 5, long_ago), OpenMessage(2, 2, 5, now)
    assert spoke_before([old, new], now, 24) == long_ago
    assert spoke_before([old, OpenMessage(2, 2, 5, long_ago)], now, 24) == long_ago
    assert spoke_before([], now, 24) is None
