"""`python -m docs.settings`: writes docs/SETTINGS.md from the settings themselves."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from chatmem.settings import RelaySettings, ServerSettings, SummarizerSettings

FILE = Path(__file__).with_name("SETTINGS.md")
PROCESSES: tuple[tuple[str, type[BaseModel]], ...] = (
    ("Server", ServerSettings),
    ("Summarizer", SummarizerSettings),
    ("Relay and terminal chat", RelaySettings),
)


def text() -> str:
    parts = ["# Settings", "From the environment or `.env`. Lists are separated by commas or blanks."]
    for title, kind in PROCESSES:
        rows = [row for name, field in kind.model_fields.items() for row in _rows(name, field)]
        parts.append("\n".join([f"## {title}", "", "| variable | default | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _rows(name: str, field: FieldInfo) -> list[str]:
    variable = str(field.validation_alias or name)
    if isinstance(field.default, BaseModel):
        group = type(field.default)
        return [_row(f"{variable}__{key.upper()}", sub) for key, sub in group.model_fields.items()]
    return [_row(variable, field)]


def _row(variable: str, field: FieldInfo) -> str:
    return f"| `{variable}` | {_default(field)} | {field.description} |"


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "the user's data folder"
    value: Any = field.default
    return "–" if value in (None, "", ()) else f"`{value}`"


if __name__ == "__main__":
    FILE.write_text(text())
