"""Helps to declare commands. The module of a command is imported when the command runs; its help ends with examples."""

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
    """Run `tellonce_cli.<module>.run(...)`, which may be a coroutine; its exit code becomes ours."""
    result = imported(f"tellonce_cli.{module}").run(*args, **options)
    code = asyncio.run(result) if asyncio.iscoroutine(result) else result
    if code:
        raise typer.Exit(code)


def examples(*lines: str) -> str:
    """The examples at the end of a command's help, one per line. The mark `\\b` keeps click from joining the lines."""
    return "\b\n" + "\n".join(["Examples:", *(f"  tellonce {line}" for line in lines)])
