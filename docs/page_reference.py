"""Generates the table of screens in the reference of the memory page. The first comment of a screen's script describes
the screen."""

import re
from pathlib import Path

from tellonce_server.api.page import app_bundle

SCRIPTS = Path(app_bundle.__file__).parent / "static"
"""The folder of the scripts. The server serves them without their comments."""

PAGE = Path(__file__).parent / "reference" / "page.md"
HEAD = "| screen | what it shows |\n|---|---|\n"


def text() -> str:
    """The page with a current table. Everything else on the page is written by hand."""
    before, head, rest = PAGE.read_text().partition(HEAD)
    _, blank, after = rest.partition("\n\n")
    rows = "\n".join(map(_row, re.findall(r"^  (\w+): \[\w+[],]", _script("app"), re.MULTILINE)))
    return f"{before}{head}{rows}{blank}{after}"


def _script(name: str) -> str:
    return (SCRIPTS / f"{name}.js").read_text()


def _row(name: str) -> str:
    title, shows = re.findall(r'/\* The screen "(.+?)": (.+?)\. \*/', _script(name), re.DOTALL)[0]
    return f"| **{title}** | {' '.join(shows.split())} |"
