"""`python -m docs.generate` writes the reference pages of the settings, the MCP tools, the command `tellonce` and the
Python client, the table of commands in the page of the bot, and the table of screens of the memory page. A test
compares the files."""

from pathlib import Path

from docs import blocks, client_reference, command_reference, page_reference, settings_reference, tools_reference

FOLDER = Path(__file__).with_name("reference")


def written() -> dict[Path, str]:
    """The text of each file that is generated, or that contains generated lines."""
    pages = {
        "settings.md": settings_reference.text(),
        "tools.md": tools_reference.text(),
        "command.md": command_reference.text(),
        "python.md": client_reference.text(),
        "page.md": page_reference.text(),
    }
    return {FOLDER / name: text for name, text in pages.items()} | blocks.documents()


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text)
