"""A thread that reads many texts lets other threads run."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, cast

import pytest

from tellonce_server.core.limits import paced
from tellonce_server.domain.erasure.forget_query import Stated, StatementQuery
from tellonce_server.domain.erasure.scan import matching_rows
from tellonce_server.store.texts import TextRow
from tests.memory_fixtures import START

SECONDS = 5
ROW = TextRow("message", 42, 1, 1, "", "", START, ["I moved to Lisbon."], None)


@pytest.fixture
def undivided() -> Iterator[None]:
    """Python does not interrupt a running thread for another thread."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(10 * SECONDS)
    yield
    sys.setswitchinterval(before)


def search(rows: Iterable[TextRow]) -> object:
    return matching_rows(cast(Sequence[TextRow], rows), StatementQuery([Stated("Likes tea")]))


def test_pacing_changes_no_item() -> None:
    assert list(paced(range(1000))) == list(range(1000))


@pytest.mark.parametrize(("item", "read"), [(0, lambda items: list(paced(items))), (ROW, search)])
@pytest.mark.usefixtures("undivided")
def test_another_thread_runs_while_a_thread_reads(item: object, read: Callable[[Iterable[Any]], object]) -> None:
    reading, ran = Event(), Event()

    def items() -> Iterator[object]:
        reading.set()
        until = time.monotonic() + SECONDS
        while not ran.is_set() and time.monotonic() < until:
            yield item

    def ran_meanwhile() -> bool:
        read(items())
        return ran.is_set()

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(ran_meanwhile)
        reading.wait()
        ran.set()
        assert result.result()
