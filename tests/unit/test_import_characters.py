"""An import keeps exactly those characters of an export that the memory can store."""

import io
import json
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tellonce.contract import MAX_TEXT_BYTES, RecordMessageArgs
from tellonce_cli.importers.files import Watched
from tellonce_cli.importers.items import fitted, pieces, thread_number
from tellonce_server.services.import_messages import ImportMessage, clean

SINGAPORE = ZoneInfo("Asia/Singapore")
AT = datetime(2026, 1, 1, 23, 30, tzinfo=UTC)

any_text = st.text(st.characters(), max_size=200)
"""Texts that may contain surrogate halves and NUL."""


def message(content: str, **more: object) -> ImportMessage:
    values = {"role": "user", "message_id": "m", "sent_at": AT, "channel": "telegram", **more}
    return ImportMessage(content=content, **values)  # a test's own table


@given(any_text, st.text(st.characters(), max_size=300), any_text)
@example("\ud83d", "\x00" * 200, "\ud83d\x00")
def test_every_fitted_message_is_one_the_tools_would_take(content: str, identity: str, speaker: str) -> None:
    for m in fitted(message(content, message_id=f"x{identity}", speaker=f"x{speaker}"), SINGAPORE):
        RecordMessageArgs(role=m.role, content=m.content, message_id=m.message_id, speaker=m.speaker, sent_at=m.sent_at)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_text_that_can_be_stored_is_stored_as_it_is(text: str) -> None:
    assert clean(text) == text
    assert [m.content for m in fitted(message(text), SINGAPORE)] == ([text] if text.strip() else [])


@settings(max_examples=30)
@given(st.text(st.sampled_from("aé€😀"), min_size=1, max_size=40), st.integers(min_value=1, max_value=9000))
def test_a_long_message_comes_in_pieces_that_make_it_up_again(pattern: str, times: int) -> None:
    text = pattern * times
    parts = list(fitted(message(text), SINGAPORE))
    assert "".join(part.content for part in parts) == text
    assert all(len(part.content.encode()) <= MAX_TEXT_BYTES for part in parts)
    assert len({part.message_id for part in parts}) == len(parts)
    assert parts[0].message_id == "m"


def test_pieces_never_cut_a_character_in_two() -> None:
    text = "a" * (MAX_TEXT_BYTES - 5) + "😀" * 3
    assert "".join(pieces(text)) == text


def test_times_in_utc_are_converted_to_the_users_zone_and_others_are_left() -> None:
    """If `tomorrow` is said at 07:30 in Singapore, it is another day than in London."""
    (m,) = fitted(message("see you tomorrow"), SINGAPORE)
    assert (m.sent_at, m.sent_at.utcoffset()) == (AT, timedelta(hours=8))
    tokyo = AT.astimezone(timezone(timedelta(hours=9)))
    assert next(fitted(message("hi", sent_at=tokyo), SINGAPORE)).sent_at.utcoffset() == timedelta(hours=9)


def test_ids_too_long_to_keep_stay_the_same_at_every_import() -> None:
    first, again = (next(fitted(message("hi", message_id="z" * 500), SINGAPORE)) for _ in range(2))
    other = next(fitted(message("hi", message_id="z" * 501), SINGAPORE))
    assert first.message_id == again.message_id != other.message_id


@given(st.text(max_size=50))
def test_a_conversation_has_one_thread_that_a_topic_can_have(conversation: str) -> None:
    assert thread_number(conversation) == thread_number(conversation)
    assert 0 < thread_number(conversation) < 2**31


class Crumbs(io.BytesIO):
    """A stream that returns short reads, as pipes and zip members do."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = sizes

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self._sizes.pop() if self._sizes else size)


def mended(data: bytes, sizes: list[int]) -> bytes:
    watched = Watched(Crumbs(data, sizes), lambda _: None)
    out = b""
    while run := watched.read(4096):
        out += run
    return out


@given(st.text(st.characters(max_codepoint=0xFF)), st.lists(st.integers(min_value=1, max_value=7), max_size=200))
@example('\x0b"\\x41\\\\x0b', [1] * 60)
def test_hex_escapes_are_repaired_and_real_backslashes_kept_wherever_the_stream_is_cut(
    text: str, sizes: list[int]
) -> None:
    """Older exporters wrote control characters as \\xNN, which is not valid JSON."""
    written = json.dumps(text, ensure_ascii=False)
    for code in range(0x20):
        written = written.replace(f"\\u{code:04x}", f"\\x{code:02x}")
    assert json.loads(mended(written.encode(), sizes)) == text
