"""`tellonce connect CLIENT`: adds this memory to a client's user-wide configuration, or removes it again."""

import codecs
import errno
import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tellonce.extras import require_server
from tellonce.settings import ServerSettings, load
from tellonce_cli import claude_plugin
from tellonce_cli.client_configs import (
    CLIENTS,
    ENTRY,
    WSL_NAME,
    Client,
    Command,
    Machine,
    UnreadableConfig,
    has_command,
    has_entry,
    has_other_entry,
    program_of,
    with_entry,
    without_entry,
)
from tellonce_cli.hosts import ClientName, desktop_snippet, require_installation
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_cli.windows import windows_account

BACKUP = ".before-tellonce"
"""Suffix of the copy of the original file."""


def run(name: ClientName, *, only_print: bool, undo: bool) -> None:
    """Write the entry, print it, or remove it. Raises CommandFailed."""
    client = CLIENTS[name]
    if undo:
        _undo(client, client.file(this_machine()))
        answer({"client": name, "file": str(client.file(this_machine())), "connected": False})
        return
    if only_print:
        _show(client, name)
        return
    if name is ClientName.CLAUDE_CODE and claude_plugin.is_enabled(this_machine()):
        raise CommandFailed(_plugin_instead())
    require_installation()
    require_server()
    file, text = preview(name, reveal=True)
    former = _text(file)
    if has_other_entry(client, file, former or ""):
        console.print(f"This replaces another server called `{ENTRY}` in {file}; --undo restores it.")
    _write(file, text, keeps_former=former is not None and not has_command(client, file, former))
    console.print(f"{client.title} now shares this memory: {file}")
    if client.on_desktop and WSL_NAME in os.environ and this_machine().windows is None:
        console.print(f"Windows did not answer, so this is the file of {client.title} for Linux, not for Windows.")
    if text != preview(name)[1]:
        console.print("The file contains your DATABASE_URL; only you can read it.")
    after = client.after.format(plugin=claude_plugin.set_up_line(this_machine(), load(ServerSettings)))
    hint(f"{after} `tellonce connect {name} --undo` reverts this.")
    answer({"client": name, "file": str(file), "connected": True})


def _plugin_instead() -> str:
    """The reason why no entry is added while the plugin is enabled. Either the plugin already shares this memory, or
    the text names the command after which the plugin shares it."""
    settings = load(ServerSettings)
    if said := claude_plugin.trouble(this_machine(), settings):
        return (
            f"{said}. Run `{claude_plugin.install_line(this_machine(), settings)}` and start a new Claude Code session."
        )
    return (
        "the Claude Code plugin is installed and shares this memory already; a second entry would list every tool twice. "
        f"To use the entry instead, first run `claude plugin uninstall {claude_plugin.PLUGIN}`."
    )


def _show(client: Client, name: ClientName) -> None:
    """Print only our entry, because the rest of the file may contain secrets."""
    file = client.file(this_machine())
    text = with_entry(client, file, "", _command(client, reveal=False))
    console.print(f"Add this to {file}:", style="bold")
    console.out(text, end="", highlight=False)
    answer({"client": name, "file": str(file), "text": text})


def preview(name: ClientName, *, reveal: bool = False) -> tuple[Path, str]:
    """The client's file, and its text with our entry. The entry contains secrets only with `reveal`. Raises
    CommandFailed."""
    client = CLIENTS[name]
    file = client.file(this_machine())
    return file, _changed(client, file, _command(client, reveal))


def this_machine() -> Machine:
    windows = windows_account() if WSL_NAME in os.environ else None
    return Machine(sys.platform, Path.home(), os.environ, windows)


def connected(machine: Machine) -> dict[ClientName, bool | str]:
    """For each client with a file on this machine: whether it has our entry, or a text that says what is wrong."""
    found: dict[ClientName, bool | str] = {}
    for name, client in CLIENTS.items():
        file = client.file(machine)
        if name is ClientName.CLAUDE_CODE and claude_plugin.is_enabled(machine):
            found[name] = claude_plugin.trouble(machine, load(ServerSettings)) or True
        elif file.exists():
            try:
                found[name] = _state(client, file, _text(file) or "")
            except UnreadableConfig as error:
                found[name] = str(error)
    return found


def _state(client: Client, file: Path, text: str) -> bool | str:
    if not has_entry(client, file, text):
        return False
    program = program_of(client, file, text)
    if program is not None and shutil.which(program) is None:
        return f"{client.title} starts {program}, which does not exist"
    return True


def _command(client: Client, reveal: bool) -> Command:
    entry: dict[str, Any] = desktop_snippet(load(ServerSettings), reveal=reveal)["mcpServers"]["memory"]
    return client.command(this_machine(), entry)


def _changed(client: Client, file: Path, command: Command) -> str:
    with _legible():
        return with_entry(client, file, _text(file) or "", command)


def _text(file: Path) -> str | None:
    """The text of the file, without a byte order mark and with `\n` at the end of each line; None if there is no file.
    Raises UnreadableConfig."""
    try:
        return file.read_text("utf-8-sig") if file.exists() else None
    except UnicodeDecodeError as error:
        raise UnreadableConfig(f"{file} is not UTF-8 text") from error
    except OSError as error:
        raise UnreadableConfig(f"{file} cannot be read ({error.strerror})") from error


@contextmanager
def _legible() -> Generator[None]:
    """Convert the error for a file that cannot be read or parsed to CommandFailed. The file stays unchanged."""
    try:
        yield
    except UnreadableConfig as error:
        raise CommandFailed(
            f"{error}. Nothing was changed; correct the file and run this again, or add by hand what --print shows."
        ) from error


def _write(file: Path, text: str, *, keeps_former: bool) -> None:
    """Replace the file atomically. If the path is a symbolic link, its target is replaced. With `keeps_former`, the
    original is copied first."""
    with _writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        if keeps_former:
            _keep_former(file)
        _replace(file, text)


@contextmanager
def _writing(file: Path) -> Generator[None]:
    """Convert the error for a file that cannot be written to CommandFailed. A read-only file also causes this error,
    although it could be replaced."""
    try:
        if file.exists() and not os.access(file, os.W_OK):
            raise PermissionError(errno.EACCES, "the file is read-only")
        yield
    except OSError as error:
        raise CommandFailed(
            f"{file} cannot be written ({error.strerror}). Nothing was changed; make it writable for you and run this "
            "again, or add by hand what --print shows."
        ) from error


def _keep_former(file: Path) -> None:
    """Copy the original file, unless a copy exists."""
    backup = _backup(file)
    if not backup.exists():
        backup.touch(mode=0o600)
        backup.write_bytes(file.read_bytes())


def _backup(file: Path) -> Path:
    return file.with_name(file.name + BACKUP)


def _replace(link: Path, text: str) -> None:
    """Write the text with the byte order mark and the line ends of the file that it replaces."""
    file = link.resolve()
    former = file.read_bytes() if file.exists() else b""
    part = file.with_name(f"{file.name}.part")
    part.touch(mode=0o600)
    encoding = "utf-8-sig" if former.startswith(codecs.BOM_UTF8) else "utf-8"
    part.write_text(text, encoding, newline="\r\n" if b"\r\n" in former else "\n")
    part.replace(file)


def _undo(client: Client, file: Path) -> None:
    """Remove only our entry and keep all later changes to the file."""
    with _legible():
        text = _text(file)
        if text is None or not has_entry(client, file, text):
            raise CommandFailed(_nothing_to_undo(client, file))
        left = without_entry(client, file, text, _text(_backup(file)))
    with _writing(file):
        if left is None:
            file.unlink()
        else:
            _replace(file, left)
        _backup(file).unlink(missing_ok=True)
    console.print(f"{client.title} no longer uses this memory: {file}")


def _nothing_to_undo(client: Client, file: Path) -> str:
    if client is CLIENTS[ClientName.CLAUDE_CODE] and claude_plugin.is_enabled(this_machine()):
        return (
            "Claude Code shares this memory through the plugin, which this command did not install. To remove the plugin "
            f"and its source, run: {claude_plugin.REMOVAL}"
        )
    return f"Nothing to undo: {file} has no entry of this memory."
