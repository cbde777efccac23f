"""`tellonce connect CLIENT`: adds this memory to a client's user-wide configuration, or removes it again."""

import codecs
import errno
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tellonce.extras import require_server
from tellonce.settings import ServerSettings, load
from tellonce_cli import claude_plugin
from tellonce_cli.client_configs import (
    CLIENTS,
    COMMENTS,
    ENTRY,
    WSL_NAME,
    Client,
    Command,
    ConfigFile,
    Machine,
    UnreadableConfig,
)
from tellonce_cli.hosts import ClientName, desktop_snippet, require_installation
from tellonce_cli.screen import CommandFailed, answer, console, hint

BACKUP = ".before-tellonce"
"""Suffix of the copy of the original file."""

WINDOWS_SECONDS = 10
"""Maximum time that Windows may take to answer."""

_CMD = "/mnt/c/Windows/System32/cmd.exe"
"""The usual path of `cmd.exe`, for distributions whose PATH lacks the folders of Windows."""


def run(name: ClientName, *, only_print: bool, undo: bool) -> None:
    """Write the entry, print it, or remove it. Raises CommandFailed."""
    client, machine = CLIENTS[name], this_machine()
    file = client.file(machine)
    if undo:
        _undo(client, file, machine)
        answer({"client": name, "file": str(file), "connected": False})
        return
    if only_print:
        _show(client, file, name)
        return
    if name is ClientName.CLAUDE_CODE and claude_plugin.is_enabled(machine):
        raise CommandFailed(_plugin_instead(machine))
    require_installation()
    require_server()
    with _legible():
        former = _text(file)
        current = ConfigFile(client, file, former or "")
    if current.has_comments:
        _show(client, file, name)
        raise CommandFailed(f"{file} {COMMENTS}. Nothing was changed; add the entry above by hand.")
    text, shown = preview(name, reveal=True)[1], preview(name)[1]
    if current.has_other_entry:
        console.print(f"This replaces another server called `{ENTRY}` in {file}; --undo restores it.")
    _write(file, text, keeps_former=former is not None and not current.has_command)
    console.print(f"{client.title} now shares this memory: {file}")
    if client.on_desktop and WSL_NAME in os.environ and machine.windows is None:
        console.print(f"Windows did not answer, so this is the file of {client.title} for Linux, not for Windows.")
    if text != shown:
        console.print("The file contains your DATABASE_URL; only you can read it.")
    after = client.after.format(plugin=claude_plugin.set_up_line(machine, load(ServerSettings)))
    hint(f"{after} `tellonce connect {name} --undo` reverts this.")
    answer({"client": name, "file": str(file), "connected": True})


def _plugin_instead(machine: Machine) -> str:
    """Why no entry is added while the plugin is enabled."""
    settings = load(ServerSettings)
    if said := claude_plugin.trouble(machine, settings):
        return f"{said}. Run `{claude_plugin.install_line(machine, settings)}` and start a new Claude Code session."
    return (
        "the Claude Code plugin is installed and shares this memory already; a second entry would list every tool twice. "
        f"To use the entry instead, first run `claude plugin uninstall {claude_plugin.PLUGIN}`."
    )


def _show(client: Client, file: Path, name: ClientName) -> None:
    """Print only our entry, because the rest of the file may contain secrets."""
    text = ConfigFile(client, file, "").with_entry(_command(client, reveal=False))
    console.print(f"Add this to {file}:", style="bold")
    console.out(text, end="", highlight=False)
    answer({"client": name, "file": str(file), "text": text})


def preview(name: ClientName, *, reveal: bool = False) -> tuple[Path, str]:
    """The client's file, and its text with our entry, which contains secrets only with `reveal`."""
    client = CLIENTS[name]
    file = client.file(this_machine())
    with _legible():
        return file, ConfigFile(client, file, _text(file) or "").with_entry(_command(client, reveal))


def this_machine() -> Machine:
    windows = windows_account() if WSL_NAME in os.environ else None
    return Machine(sys.platform, Path.home(), os.environ, windows)


@functools.cache
def windows_account() -> Machine | None:
    """The folders of the Windows account that started this WSL distribution, as Linux sees them. None if Windows does
    not answer. Call it only in WSL."""
    # With `/u` the list is UTF-16, so names in every script are kept. `cmd.exe` refuses to start in a folder of the
    # distribution, so it is started in its own folder.
    program = shutil.which("cmd.exe") or _CMD
    try:
        listed = _output([program, "/u", "/d", "/c", "set"], Path(program).parent).decode("utf-16-le")
        known = {name: value for name, _, value in (line.partition("=") for line in listed.splitlines())}
        named = (known["USERPROFILE"], known["APPDATA"])
        home, app_data = (_output(["wslpath", "-u", path]).decode().strip() for path in named)
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return None
    return Machine("win32", Path(home), {"APPDATA": app_data})


def _output(command: list[str], folder: Path | None = None) -> bytes:
    return subprocess.run(
        command, check=True, capture_output=True, timeout=WINDOWS_SECONDS, stdin=subprocess.DEVNULL, cwd=folder
    ).stdout


def connected(machine: Machine) -> dict[ClientName, bool | str]:
    """Maps each client with a file to whether the file has our entry. If something is wrong, the value is a text about
    it."""
    found: dict[ClientName, bool | str] = {}
    for name, client in CLIENTS.items():
        file = client.file(machine)
        if name is ClientName.CLAUDE_CODE and claude_plugin.is_enabled(machine):
            found[name] = claude_plugin.trouble(machine, load(ServerSettings)) or True
        elif file.exists():
            try:
                found[name] = _state(client, ConfigFile(client, file, _text(file) or ""))
            except UnreadableConfig as error:
                found[name] = str(error)
    return found


def _state(client: Client, config: ConfigFile) -> bool | str:
    program = config.program
    if config.has_entry and program is not None and shutil.which(program) is None:
        return f"{client.title} starts {program}, which does not exist"
    return config.has_entry


def _command(client: Client, reveal: bool) -> Command:
    entry: Command = desktop_snippet(load(ServerSettings), reveal=reveal)["mcpServers"]["memory"]
    return client.command(this_machine(), entry)


def _text(file: Path) -> str | None:
    """Each line ends with `\\n`, and a byte order mark is left out. None if there is no file."""
    try:
        return file.read_text("utf-8-sig") if file.exists() else None
    except UnicodeDecodeError as error:
        raise UnreadableConfig(f"{file} is not UTF-8 text") from error
    except OSError as error:
        raise UnreadableConfig(f"{file} cannot be read ({error.strerror})") from error


@contextmanager
def _legible() -> Generator[None]:
    try:
        yield
    except UnreadableConfig as error:
        raise CommandFailed(
            f"{error}. Nothing was changed; correct the file and run this again, or add by hand what --print shows."
        ) from error


def _write(file: Path, text: str, *, keeps_former: bool) -> None:
    """Replace the file atomically. With `keeps_former`, the original is copied first, unless a copy exists."""
    with _writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        backup = _backup(file)
        if keeps_former and not backup.exists():
            backup.touch(mode=0o600)
            backup.write_bytes(file.read_bytes())
        _replace(file, _encoded(file, text))


@contextmanager
def _writing(file: Path) -> Generator[None]:
    try:
        if file.exists() and not os.access(file, os.W_OK):
            raise PermissionError(errno.EACCES, "the file is read-only")
        yield
    except OSError as error:
        raise CommandFailed(
            f"{file} cannot be written ({error.strerror}). Nothing was changed; make it writable for you and run this "
            "again, or add by hand what --print shows."
        ) from error


def _backup(file: Path) -> Path:
    return file.with_name(file.name + BACKUP)


def _encoded(file: Path, text: str) -> bytes:
    """The text with the byte order mark and the line ends of the file."""
    former = file.read_bytes() if file.exists() else b""
    encoding = "utf-8-sig" if former.startswith(codecs.BOM_UTF8) else "utf-8"
    return (text.replace("\n", "\r\n") if b"\r\n" in former else text).encode(encoding)


def _replace(link: Path, content: bytes) -> None:
    file = link.resolve()
    part = file.with_name(f"{file.name}.part")
    part.touch(mode=0o600)
    part.write_bytes(content)
    part.replace(file)


def _undo(client: Client, file: Path, machine: Machine) -> None:
    """Restore the original file, or only remove our entry if the file was changed since."""
    with _legible():
        config = ConfigFile(client, file, _text(file) or "")
        if not config.has_entry:
            raise CommandFailed(_nothing_to_undo(client, file, machine))
        former = _text(_backup(file))
        left = config.without_entry(former)
        if config.has_comments and (left is None or left != former):
            raise CommandFailed(
                f"{file} {COMMENTS}. Nothing was changed; remove the entry `{ENTRY}` from `{client.key}` by hand."
            )
    with _writing(file):
        if left is None:
            file.unlink()
        else:
            _replace(file, _backup(file).read_bytes() if left == former else _encoded(file, left))
        _backup(file).unlink(missing_ok=True)
    console.print(f"{client.title} no longer uses this memory: {file}")


def _nothing_to_undo(client: Client, file: Path, machine: Machine) -> str:
    if client is CLIENTS[ClientName.CLAUDE_CODE] and claude_plugin.is_enabled(machine):
        return (
            "Claude Code shares this memory through the plugin, which this command did not install. To remove the plugin "
            f"and its source, run: {claude_plugin.REMOVAL}"
        )
    return f"Nothing to undo: {file} has no entry of this memory."
