"""The trace id stays the same across tasks, processes and restarts, and no spans are created."""

import asyncio
import re

import pytest

from tellonce import tracing

W3C = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01")


def test_outside_of_a_trace_there_is_no_id() -> None:
    assert tracing.trace_id() is None
    assert tracing.traceparent() is None


def test_a_trace_begins_where_none_is_and_goes_on_where_one_is() -> None:
    with tracing.traced("turn"):
        begun, parent = tracing.trace_id(), tracing.traceparent()
        with tracing.traced("step"):
            assert tracing.trace_id() == begun
    with tracing.traced("turn"):
        assert tracing.trace_id() != begun
        with tracing.traced("work", parent):
            assert tracing.trace_id() == begun
    assert parent is not None
    assert W3C.fullmatch(parent)
    assert tracing.trace_id() is None


@pytest.mark.parametrize("nonsense", ["", "t1", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "💥" * 50])
def test_work_with_an_unreadable_trace_gets_one_of_its_own(nonsense: str) -> None:
    with tracing.traced("work", nonsense):
        assert tracing.trace_id() is not None


def test_a_task_that_is_started_in_a_trace_belongs_to_it() -> None:
    async def both() -> tuple[str | None, str | None]:
        async def inner() -> str | None:
            return tracing.trace_id()

        with tracing.traced("turn"):
            return tracing.trace_id(), await asyncio.create_task(inner())

    outer, inner = asyncio.run(both())
    assert outer == inner is not None
