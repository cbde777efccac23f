"""Generates the reference of the command from its own help."""

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, TypeGuard, get_args, get_origin

import typer.main
from typer.core import TyperArgument, TyperGroup, TyperOption

from tellonce_cli.main import app

INTRO = """\
# The command `tellonce`

In the terminal, `--help` shows the same text for each command. `tellonce --debug` before a command shows where in the
code a failure happened. The command speaks English, whatever the language of your system; the bot and the memory page
speak more languages."""


def text() -> str:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return "\n\n".join([INTRO, *_commands(group, "tellonce")]) + "\n"


def _commands(group: TyperGroup, path: str) -> Iterator[str]:
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{path} {name}")
            continue
        yield f"## `{path} {name}`\n\n{inspect.cleandoc(command.help or '')}"
        rows = [_row(parameter) for parameter in command.params if _shown(parameter)]
        if rows:
            yield "\n".join(["| argument or option | meaning |", "|---|---|", *rows])


def _shown(parameter: object) -> TypeGuard[TyperArgument | TyperOption]:
    return isinstance(parameter, TyperArgument | TyperOption) and not parameter.hidden and parameter.name != "help"


def _row(parameter: TyperArgument | TyperOption) -> str:
    if isinstance(parameter, TyperArgument):
        named = f"`{parameter.name}`" + ("" if parameter.required else " (optional)")
    else:
        named = ", ".join(f"`{name}`" for name in parameter.opts)
        named += "" if parameter.is_flag else " VALUE"
    default = parameter.default if type(parameter.default) in (int, float, str) else None
    said = f" Default: `{default}`." if default not in (None, "") else ""
    return f"| {named} | {(parameter.help or '').replace('|', chr(92) + '|')}{_choices(parameter)}{said} |"


def _choices(parameter: TyperArgument | TyperOption) -> str:
    kind: Any = parameter.type_descriptor.annotation
    is_enum = isinstance(kind, type) and issubclass(kind, Enum)
    values = [choice.value for choice in kind] if is_enum else get_args(kind) if get_origin(kind) is Literal else ()
    return " One of " + ", ".join(f"`{value}`" for value in values) + "." if values else ""
