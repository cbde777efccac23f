"""Generates the table of screens in the reference of the memory page. The first comment of a screen's script describes
the screen."""

import re
from pathlib import Path

from docs.blocks import with_rows
from tellonce_server.api.page import app_bundle

SCRIPTS = Path(app_bundle.__file__).parent / "static"
"""The folder of the page's scripts. The server removes the comments when it serves a script."""

PAGE = Path(__file__).parent / "reference" / "page.md"
HEAD = "| screen | what it shows |\n|---|---|\n"


def text() -> str:
    """The text of `page.md` with a new table. The rest of the page is written by hand."""
    names = re.findall(r"^  (\w+): \[\w+[],]", _script("app"), re.MULTILINE)
    return with_rows(PAGE.read_text(), HEAD, map(_row, names))


def _script(name: str) -> str:
    return (SCRIPTS / f"{name}.js").read_text()


def _row(name: str) -> str:
    title, shows = re.findall(r'/\* The screen "(.+?)": (.+?)\. \*/', _script(name), re.DOTALL)[0]
    return f"| **{title}** | {' '.join(shows.split())} |"
