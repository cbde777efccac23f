"""Helps to declare commands. The module of a command is imported only when the command runs. The help of a command ends
with examples."""

import asyncio
from typing import Annotated, Any

import typer

from tellonce.preload import imported
from tellonce_cli.screen import console


def _only_json(wanted: bool) -> None:
    console.quiet = wanted


Json = Annotated[
    bool,
    typer.Option("--json", help="Print the result as JSON.", callback=_only_json, expose_value=False),
]
"""The option `--json` of every command that ends by itself. With this option, only `screen.answer` prints a result."""


def run_module(module: str, *args: Any, **options: Any) -> None:
    """Run `tellonce_cli.<module>.run(...)` and exit with its code. `run` can be a coroutine function."""
    result = imported(f"tellonce_cli.{module}").run(*args, **options)
    code = asyncio.run(result) if asyncio.iscoroutine(result) else result
    if code:
        raise typer.Exit(code)


def examples(*lines: str) -> str:
    """The examples at the end of a command's help, one per line. The mark `\\b` makes click keep the line breaks."""
    return "\b\n" + "\n".join(["Examples:", *(f"  tellonce {line}" for line in lines)])
