"""The commands of the bot, in the order of its menu. This module has no answers. `commands/menu.py` contains the
answers that only the bot gives. `commands/answers.py` contains the answers that the terminal gives, too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Command:
    """A command, and the kinds of orders (requests in words, `orders.py`) that run this command. The text `menu.NAME`
    of the catalogue describes a command of the menu."""

    name: str
    orders: tuple[str, ...] = ()
    in_menu: bool = True


COMMANDS: Final = (
    Command("memory", ("know",)),
    Command("remember", ("remember", "remember_this")),
    Command("reminders", ("reminders", "unremind")),
    Command("forget", ("forget", "wipe", "unsaid")),
    Command("summary", ("summary",)),
    Command("new"),
    Command("why", ("why",)),
    Command("stop", ("stop",)),
    Command("routines"),
    Command("status"),
    Command("help", ("help", "off_record")),
    Command("remind", ("remind",), in_menu=False),
    Command("start", in_menu=False),
)
MENU: Final = tuple(command.name for command in COMMANDS if command.in_menu)
BY_ORDER: Final[Mapping[str, str]] = {kind: command.name for command in COMMANDS for kind in command.orders}
"""The command that carries out each kind of order. An order of another kind has no command; the relay answers it
directly."""
