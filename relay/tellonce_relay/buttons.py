"""Inline buttons and the data they carry back (64 bytes at most); pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

Action = Literal[
    "keep", "wipe", "confirm", "reject", "edit", "undo", "reopen", "tick", "page", "all", "none", "erase", "cancel"
]  # fmt: skip
_CODES: dict[Action, str] = {
    "keep": "k",
    "wipe": "w",
    "confirm": "c",
    "reject": "r",
    "edit": "e",
    "undo": "u",
    "reopen": "o",
    "tick": "t",
    "page": "p",
    "all": "a",
    "none": "n",
    "erase": "x",
    "cancel": "q",
}
_ACTIONS: dict[str, Action] = {code: action for action, code in _CODES.items()}
LISTED: frozenset[Action] = frozenset(("tick", "page", "all", "none", "erase", "cancel"))
"""Actions on a list of what is to be forgotten."""


@dataclass(frozen=True)
class Pressed:
    """`number` is that of a memory, or of a list, whose match or page is `item`."""

    action: Action
    number: int
    item: int = 0


def data(pressed: Pressed) -> str:
    item = f":{pressed.item}" if pressed.item else ""
    return f"{_CODES[pressed.action]}:{pressed.number}{item}"


def read(text: str) -> Pressed | None:
    """None for data that is none of ours."""
    head, *numbers = text.split(":")
    action = _ACTIONS.get(head)
    plain = len(numbers) in (1, 2) and all(n.isascii() and n.isdigit() and len(n) < 20 for n in numbers)
    return Pressed(action, *map(int, numbers)) if action is not None and plain else None


def wipe_buttons() -> InlineKeyboardMarkup:
    return _row(("Forget everything", "wipe"), ("Keep", "keep"), number=0)


def uncertain_buttons(memory_id: int) -> InlineKeyboardMarkup:
    return _row(("✓", "confirm"), ("✗", "reject"), ("✎ Edit", "edit"), number=memory_id)


def undo_buttons(memory_id: int, *, reopens: bool) -> InlineKeyboardMarkup:
    """Under what an answer saved; `reopens`: a goal that it closed."""
    return _row(("Undo", "reopen" if reopens else "undo"), number=memory_id)


def _row(*buttons: tuple[str, Action], number: int) -> InlineKeyboardMarkup:
    row: Sequence[InlineKeyboardButton] = [
        InlineKeyboardButton(text, callback_data=data(Pressed(action, number))) for text, action in buttons
    ]
    return InlineKeyboardMarkup([row])
