"""Generates the table of commands in the reference of the Telegram bot from the table of the relay."""

from pathlib import Path

from tellonce_relay.catalogue import described
from tellonce_relay.command_table import MENU

PAGE = Path(__file__).parent / "reference" / "telegram.md"
HEAD = "| command | what it does |\n|---|---|\n"


def text() -> str:
    """The page with a current table. Everything else on the page is written by hand."""
    before, head, rest = PAGE.read_text().partition(HEAD)
    _, blank, after = rest.partition("\n\n")
    rows = "\n".join(f"| `/{name}` | {described(name)} |" for name in MENU)
    return f"{before}{head}{rows}{blank}{after}"
