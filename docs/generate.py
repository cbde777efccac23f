"""`python -m docs.generate` writes the reference pages of the settings, the MCP tools, the command `tellonce` and the
Python client, and the table of commands in the page of the bot. A test compares the files."""

from collections.abc import Mapping
from pathlib import Path

from docs import bot_reference, client_reference, command_reference, settings_reference, tools_reference

FOLDER = Path(__file__).with_name("reference")


def pages() -> Mapping[str, str]:
    """The text of each generated page, by file name."""
    return {
        "settings.md": settings_reference.text(),
        "tools.md": tools_reference.text(),
        "command.md": command_reference.text(),
        "python.md": client_reference.text(),
        "telegram.md": bot_reference.text(),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
