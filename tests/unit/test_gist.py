"""The gist: the short description of a session that is too new for a summary."""

from datetime import UTC, datetime

from tellonce.contract import Role
from tellonce_server.services.chat_summary import CURRENT_TOKENS, gist
from tellonce_server.store.messages import Line
from tellonce_text.tokens import estimate


def line(number: int, text: str, role: Role = "user") -> Line:
    at = datetime(2026, 2, 18, 9, number, tzinfo=UTC)
    return Line(number, number, role, text, None, None, None, at, 0, None)


def test_a_gist_is_what_the_user_said_in_its_order() -> None:
    said = [line(1, "AWS is dear"), line(2, "Is it?", "assistant"), line(3, "[forgotten]"), line(4, "It is")]
    assert gist(said) == "AWS is dear · It is"


def test_of_a_long_session_the_newest_words_are_shown_whole() -> None:
    told = gist([line(n, f"message {n} about the garden wall and its stones") for n in range(1, 40)])
    assert told.endswith("message 39 about the garden wall and its stones")
    assert told.startswith("message ")
    assert "message 1 " not in told
    assert estimate(told) <= CURRENT_TOKENS


def test_one_message_too_long_is_clipped() -> None:
    told = gist([line(1, "before"), line(2, "stone " * 500)])
    assert told.startswith("stone stone")
    assert estimate(told) <= CURRENT_TOKENS


def test_a_gist_contains_no_secret() -> None:
    assert "hunter2" not in gist([line(1, "my password is hunter2")])
