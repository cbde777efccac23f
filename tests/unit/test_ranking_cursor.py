"""A cursor is unchanged after encoding and decoding, and is valid only for its own search."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.retrieval.search import Cursor, CursorRefused, read_cursor, search_mark


@given(st.integers(0, 10_000), st.integers(0, 2**62), st.text(max_size=20))
def test_a_cursor_comes_back_as_it_went(start: int, below: int, query: str) -> None:
    search = search_mark(1, None, query)
    assert read_cursor(str(Cursor(start, below, search)), search) == Cursor(start, below, search)


def test_a_cursor_of_another_search_is_refused() -> None:
    with pytest.raises(CursorRefused, match="same query"):
        read_cursor(str(Cursor(8, 100, search_mark("tea"))), search_mark("coffee"))


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
