"""Inserts generated lines into hand-written documents. The lists of clients are inserted between `generated: clients`
and `end`. The table of the bot's commands is inserted after its head."""

import re
from collections.abc import Iterable
from pathlib import Path

from tellonce_cli.client_configs import CLIENTS, Client
from tellonce_relay.catalogue import command_description
from tellonce_relay.command_table import MENU

ROOT = Path(__file__).parents[1]

WAYS = {
    "claude-code": "plugin (HTTP), or {}",
    "claude-desktop": "{}, or the bundle",
    "vscode": "{}, or [one click](../../README.md#run-it)",
    "cursor": "{}, or [one click](../../README.md#run-it)",
}
"""Some clients can be connected in several ways. `{}` stands for `tellonce connect CLIENT`."""

HEAD = ["| client | way | when messages are recorded |", "|---|---|---|"]
COMMANDS = "| command | what it does |\n|---|---|\n"
_BLOCK = re.compile(r"(generated: clients.*?\n).*?(?=\n[^\n]*\bend\b)", re.DOTALL)


def documents() -> dict[Path, str]:
    """The text of each document that contains such lines."""
    bot = ROOT / "docs/reference/telegram.md"
    return {
        ROOT / "docs/clients/README.md": _filled(
            ROOT / "docs/clients/README.md", [*HEAD, *map(_row, CLIENTS, CLIENTS.values())]
        ),
        ROOT / "mkdocs.yml": _filled(
            ROOT / "mkdocs.yml", [f"      - {client.title}: clients/{name}.md" for name, client in CLIENTS.items()]
        ),
        bot: with_rows(bot.read_text(), COMMANDS, (f"| `/{name}` | {command_description(name)} |" for name in MENU)),
    }


def _filled(file: Path, lines: Iterable[str]) -> str:
    return _BLOCK.sub(lambda block: block[1] + "\n".join(lines), file.read_text())


def _row(name: str, client: Client) -> str:
    way = WAYS.get(name, "{}").format(f"`tellonce connect {name}`")
    recorded = "with the plugin" if name == "claude-code" else "when the model calls the tool"
    return f"| [{client.title}]({name}.md) | {way} | {recorded} |"


def with_rows(page: str, head: str, rows: Iterable[str]) -> str:
    """The page with new rows in one table. The table begins with `head`."""
    before, head, rest = page.partition(head)
    _, blank, after = rest.partition("\n\n")
    return before + head + "\n".join(rows) + blank + after
