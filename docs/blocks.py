"""Writes the lists of clients into the documents that show them: the lines between `generated: clients` and `end`."""

import re
from pathlib import Path

from tellonce_cli.client_configs import CLIENTS

ROOT = Path(__file__).parents[1]

WAYS = {
    "claude-code": "plugin (HTTP), or {}",
    "claude-desktop": "{}, or the bundle",
    "vscode": "{}, or [one click](../../README.md#run-it)",
    "cursor": "{}, or [one click](../../README.md#run-it)",
}
"""The ways to connect a client for which `tellonce connect` is not the only one."""

_BLOCK = re.compile(r"(generated: clients.*?\n).*?(?=\n[^\n]*\bend\b)", re.DOTALL)


def documents() -> dict[Path, str]:
    """The text of each document that contains such lines."""
    return {
        ROOT / "docs/clients/README.md": _filled(ROOT / "docs/clients/README.md", _table()),
        ROOT / "mkdocs.yml": _filled(ROOT / "mkdocs.yml", _navigation()),
    }


def _filled(file: Path, lines: str) -> str:
    return _BLOCK.sub(lambda block: block[1] + lines, file.read_text())


def _table() -> str:
    head = ["| client | way | when messages are recorded |", "|---|---|---|"]
    return "\n".join(head + [_row(name.value, client.title) for name, client in CLIENTS.items()])


def _row(name: str, title: str) -> str:
    way = WAYS.get(name, "{}").format(f"`tellonce connect {name}`")
    recorded = "with the plugin" if name == "claude-code" else "when the model calls the tool"
    return f"| [{title}]({name}.md) | {way} | {recorded} |"


def _navigation() -> str:
    return "\n".join(f"      - {client.title}: clients/{name.value}.md" for name, client in CLIENTS.items())
