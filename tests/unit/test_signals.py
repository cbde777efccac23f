"""Tests the computed order and sessions of candidates. The expected values come from a direct implementation of the
definitions."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.retrieval.asked_times import AskedTimes
from tellonce_server.domain.retrieval.question import ScopeFacts, question
from tellonce_server.domain.retrieval.signals import NONE, SESSION_PAUSE, Candidate, measure

AT = datetime(2026, 2, 18, 4, 0, tzinfo=UTC)
QUESTION = question("tea", ScopeFacts(("tea",), (), 100, 100, AT, True), {}, AskedTimes())

places = st.lists(
    st.tuples(st.integers(1, 2), st.sampled_from(["root", "topic"]), st.integers(1, 12), st.integers(0, 9)),
    max_size=20,
    unique_by=lambda place: place[:3],
)


def candidates(found: list[tuple[int, str, int, int]]) -> list[Candidate]:
    """Candidates with growing times. A candidate's time is two hours times its number in the thread, plus a random
    part. Some pauses between candidates are long enough to end a session, and others are not."""
    return [
        Candidate(
            chat, n, thread, no, "user", None, AT + timedelta(hours=2 * no + more), 9, None, "x", False, None, None
        )
        for n, (chat, thread, no, more) in enumerate(found)
    ]


def of_thread(every: list[Candidate], c: Candidate) -> list[Candidate]:
    thread = [x for x in every if (x.chat_id, x.thread_key) == (c.chat_id, c.thread_key)]
    return sorted(thread, key=lambda x: x.thread_no)


@given(places)
def test_a_message_is_followed_by_the_next_of_its_thread_if_that_was_found_too(
    found: list[tuple[int, str, int, int]],
) -> None:
    every = candidates(found)
    following = measure(QUESTION, every, ZoneInfo("UTC")).following
    for index, c in enumerate(every):
        after = [x.id for x in of_thread(every, c) if x.thread_no == c.thread_no + 1]
        assert following[index] == (after[0] if after else NONE)


@given(places)
def test_a_session_is_a_part_of_a_thread_without_a_long_pause(found: list[tuple[int, str, int, int]]) -> None:
    every = candidates(found)
    session = measure(QUESTION, every, ZoneInfo("UTC")).session
    threads = {(c.chat_id, c.thread_key): of_thread(every, c) for c in every}.values()
    seen: set[int] = set()
    for thread in threads:
        for before, after in pairwise(thread):
            together = abs(after.sent_at - before.sent_at) < SESSION_PAUSE
            assert (session[before.id] == session[after.id]) == together
        numbers = {int(session[c.id]) for c in thread}
        assert not numbers & seen, "no session spans two threads"
        seen |= numbers
