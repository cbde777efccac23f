"""Inline buttons and the data they carry back (64 bytes at most); pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

Action = Literal["forget", "keep", "wipe", "confirm", "reject", "edit", "topic", "undo", "reopen"]
_CODES: dict[Action, str] = {
    "forget": "f",
    "keep": "k",
    "wipe": "w",
    "confirm": "c",
    "reject": "r",
    "edit": "e",
    "topic": "t",
    "undo": "u",
    "reopen": "o",
}
_ACTIONS: dict[str, Action] = {code: action for action, code in _CODES.items()}


@dataclass(frozen=True)
class Pressed:
    action: Action
    memory_id: int


def data(pressed: Pressed) -> str:
    return f"{_CODES[pressed.action]}:{pressed.memory_id}"


def read(text: str) -> Pressed | None:
    """None for data that is none of ours."""
    head, _, number = text.partition(":")
    action = _ACTIONS.get(head)
    plain = number.isascii() and number.isdigit() and len(number) < 20
    return Pressed(action, int(number)) if action is not None and plain else None


def forget_buttons(memory_id: int) -> InlineKeyboardMarkup:
    return _row(("Forget this", "forget"), ("Keep", "keep"), memory_id=memory_id)


def wipe_buttons() -> InlineKeyboardMarkup:
    return _row(("Forget everything", "wipe"), ("Keep", "keep"), memory_id=0)


def topic_buttons() -> InlineKeyboardMarkup:
    return _row(("Forget all of it", "topic"), ("Keep", "keep"), memory_id=0)


def uncertain_buttons(memory_id: int) -> InlineKeyboardMarkup:
    return _row(("✓", "confirm"), ("✗", "reject"), ("✎ Edit", "edit"), memory_id=memory_id)


def undo_buttons(memory_id: int, *, reopens: bool) -> InlineKeyboardMarkup:
    """Under what an answer saved; `reopens`: a goal that it closed."""
    return _row(("Undo", "reopen" if reopens else "undo"), memory_id=memory_id)


def _row(*buttons: tuple[str, Action], memory_id: int) -> InlineKeyboardMarkup:
    row: Sequence[InlineKeyboardButton] = [
        InlineKeyboardButton(text, callback_data=data(Pressed(action, memory_id))) for text, action in buttons
    ]
    return InlineKeyboardMarkup([row])
