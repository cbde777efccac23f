"""`python -m docs.generate` writes the pages `settings.md`, `tools.md`, `command.md` and `python.md` of the reference.
It also writes two tables: the bot's commands in `telegram.md`, and the screens in `page.md`. A test fails if one of
these files is out of date."""

from pathlib import Path

from docs import blocks, client_reference, command_reference, page_reference, settings_reference, tools_reference

FOLDER = Path(__file__).with_name("reference")


def written() -> dict[Path, str]:
    """The new text of each file that is generated, completely or in part."""
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
