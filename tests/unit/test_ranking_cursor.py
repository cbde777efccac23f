"""A cursor is unchanged after encoding and decoding, and is valid only for its own search."""

import base64
from dataclasses import fields, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.retrieval.search import Cursor, CursorRefused, read_cursor
from tellonce_server.domain.retrieval.search_results import PER_PAGE, SearchRequest

TEA = SearchRequest(1, 1, None, "tea", datetime(2026, 3, 1, tzinfo=UTC), ZoneInfo("UTC"))


@given(st.integers(0, 10_000), st.integers(0, 2**62), st.text(max_size=20))
def test_a_cursor_comes_back_as_it_went(start: int, below: int, query: str) -> None:
    search = replace(TEA, query=query).mark
    assert read_cursor(str(Cursor(start, below, search)), search) == Cursor(start, below, search)


@pytest.mark.parametrize("name", [field.name for field in fields(SearchRequest)])
def test_a_cursor_of_another_search_is_refused(name: str) -> None:
    changed = {name: "another value"}
    cursor, mark = str(Cursor(8, 100, TEA.mark)), replace(TEA, **changed).mark  # any value
    if name in PER_PAGE:
        assert read_cursor(cursor, mark).start == 8
    else:
        with pytest.raises(CursorRefused, match="same query"):
            read_cursor(cursor, mark)


@pytest.mark.parametrize("text", ["", "AAAA", "not base64!", "é", base64.urlsafe_b64encode(b"[1,2]").decode(),
                                  base64.urlsafe_b64encode(b'[-1,2,0]').decode(), base64.urlsafe_b64encode(b'{"a":1}').decode(),
                                  base64.urlsafe_b64encode(b'["1",2,0]').decode()])  # fmt: skip
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(CursorRefused):
        read_cursor(text, 0)


@given(st.text(max_size=60))
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    with pytest.raises(CursorRefused):
        read_cursor(text, -1)
