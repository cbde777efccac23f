"""Inline buttons and their data. A tapped button returns its data, which has at most 64 bytes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Message

from tellonce_relay.catalogue import phrase

Action = Literal[
    # questions and answers
    "keep", "wipe", "confirm", "reject", "edit", "undo", "reopen", "close",
    # the list of matches to forget
    "tick", "page", "all", "none", "erase", "cancel",
    # the view of the memory
    "tab", "open", "remove", "restore", "pin", "unpin",
    # reminders
    "unremind", "remind again", "later", "done",
]  # fmt: skip
_CODES: dict[Action, str] = {
    # questions and answers
    "keep": "k", "wipe": "w", "confirm": "c", "reject": "r", "edit": "e", "undo": "u", "reopen": "o", "close": "cl",
    # the list of matches to forget
    "tick": "t", "page": "p", "all": "a", "none": "n", "erase": "x", "cancel": "q",
    # the view of the memory
    "tab": "v", "open": "m", "remove": "d", "restore": "s", "pin": "i", "unpin": "j",
    # reminders
    "unremind": "ru", "remind again": "ra", "later": "rl", "done": "rd",
}  # fmt: skip
_ACTIONS: dict[str, Action] = {code: action for action, code in _CODES.items()}


@dataclass(frozen=True)
class Reply:
    """A text with buttons."""

    text: str
    markup: InlineKeyboardMarkup | None = None


@dataclass(frozen=True)
class CallbackData:
    """A button's data. `number` names a memory, list, tab or message; `item` depends on the action."""

    action: Action
    number: int
    item: int = 0


def encoded(callback: CallbackData) -> str:
    item = f":{callback.item}" if callback.item else ""
    return f"{_CODES[callback.action]}:{callback.number}{item}"


def read(text: str) -> CallbackData | None:
    """Parse a button's data; None if the data is not from one of our buttons."""
    head, *numbers = text.split(":")
    action = _ACTIONS.get(head)
    plain = len(numbers) in (1, 2) and all(n.isascii() and n.isdigit() and len(n) < 20 for n in numbers)
    return CallbackData(action, *map(int, numbers)) if action is not None and plain else None


def shown_under(message: Message) -> tuple[CallbackData, ...]:
    """Our buttons under a message."""
    rows = message.reply_markup.inline_keyboard if message.reply_markup is not None else ()
    found = (read(str(cell.callback_data or "")) for row in rows for cell in row)
    return tuple(callback for callback in found if callback is not None)


def undo_under(message: Message) -> CallbackData | None:
    """The button that undoes the action reported by the message above it."""
    return next((one for one in shown_under(message) if one.action in _TAKE_BACK and not one.item), None)


_TAKE_BACK: Final = frozenset(("undo", "reopen", "unremind", "remind again"))


def memory_under(message: Message) -> int | None:
    """The number of the memory to which a message's buttons belong."""
    return next((one.number for one in shown_under(message) if one.action in _OF_MEMORY and not one.item), None)


_OF_MEMORY: Final = _TAKE_BACK | {"confirm", "reject", "close", "later", "done"}


def wipe_buttons() -> InlineKeyboardMarkup:
    return _row((phrase("button.forget_all"), "wipe"), (phrase("button.keep"), "keep"), number=0)


def uncertain_buttons(memory_id: int) -> InlineKeyboardMarkup:
    return _row(("✓", "confirm"), ("✗", "reject"), (phrase("button.edit"), "edit"), number=memory_id)


def close_buttons(memory_id: int) -> InlineKeyboardMarkup:
    """The buttons of the question whether a goal or a reminder is done."""
    return _row(("✓", "close"), ("✗", "keep"), number=memory_id)


def undo_buttons(memory_id: int, *, reopens: bool) -> InlineKeyboardMarkup:
    """The buttons that undo what an answer did: reject a saved memory or, with `reopens`, reopen a closed goal."""
    return _row((phrase("button.undo"), "reopen" if reopens else "undo"), number=memory_id)


def reminder_undo(memory_id: int) -> InlineKeyboardMarkup:
    """The buttons of a reminder that was set."""
    return _row((phrase("button.undo"), "unremind"), number=memory_id)


def reminder_restore(memory_id: int) -> InlineKeyboardMarkup:
    """The buttons of a reminder that was cancelled."""
    return _row((phrase("button.undo"), "remind again"), number=memory_id)


def reminder_due(memory_id: int, *, repeats: bool) -> InlineKeyboardMarkup:
    """The buttons of a delivered reminder."""
    more: list[tuple[str, Action]] = [(phrase("button.stop_reminder"), "unremind")] if repeats else []
    return _row((phrase("button.done"), "done"), (phrase("button.later"), "later"), *more, number=memory_id)


def reminder_list(memory_ids: Sequence[int]) -> InlineKeyboardMarkup:
    """Buttons that cancel reminders, five in a row. Each button shows the number of its reminder in the list."""
    cells = [button(f"✗ {n}", CallbackData("unremind", number, 1)) for n, number in enumerate(memory_ids, 1)]
    return InlineKeyboardMarkup([cells[at : at + 5] for at in range(0, len(cells), 5)])


def button(text: str, callback: CallbackData) -> InlineKeyboardButton:
    return InlineKeyboardButton(text, callback_data=encoded(callback))


def _row(*buttons: tuple[str, Action], number: int) -> InlineKeyboardMarkup:
    row: Sequence[InlineKeyboardButton] = [button(text, CallbackData(action, number)) for text, action in buttons]
    return InlineKeyboardMarkup([row])
