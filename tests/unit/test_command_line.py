"""The help and usage errors of the command `tellonce`."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from tellonce import contract as c
from tellonce.settings import ServerSettings, SettingsError, load
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.items import ImportFailed, Item
from tellonce_cli.importers.recognition import READERS
from tellonce_cli.keyboard import Keyboard
from tellonce_cli.main import app
from tellonce_cli.memories import made
from tellonce_cli.screen import CommandFailed, flush_output, make_printable, said_yes
from tellonce_cli.subcommand import run_module
from tests import fork_server


def test_it_prints_its_version() -> None:
    said = CliRunner().invoke(app, ["--version"])
    assert (said.exit_code, said.output.strip()) == (0, f"tellonce {version('tellonce')}")


def test_the_list_of_commands_says_each_in_a_whole_sentence() -> None:
    said = CliRunner().invoke(app, ["--help"], terminal_width=80).output
    commands = said.partition("Commands:\n")[2].splitlines()
    assert len(commands) == 27
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


def test_the_end_of_what_is_typed_ends_the_prompts_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert Keyboard().line("you › ") is None
    assert capsys.readouterr().out == "\n"


@pytest.mark.parametrize(("typed", "meant"), [("y", True), ("", False), (None, False)])
def test_a_question_shows_its_possible_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str | None, meant: bool
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("" if typed is None else f"{typed}\n"))
    assert said_yes("Import it? [y/N] ", "Nothing was imported.") is meant
    assert capsys.readouterr().out.startswith("Import it? [y/N] ")


class CtrlC:
    """Sends SIGINT like Ctrl-C. Counts the signals after which the program continued."""

    def __init__(self) -> None:
        self.ignored = 0

    def readline(self) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        self.ignored += 1
        return "y\n"

    def read(self, *_: object) -> Iterator[Item]:
        """The reader of a long export. A person presses Ctrl-C while it reads."""
        self.readline()
        yield from ()


@pytest.fixture
def ctrl_c() -> Iterator[CtrlC]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield CtrlC()
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_means_no_also_while_asyncio_runs(monkeypatch: pytest.MonkeyPatch, ctrl_c: CtrlC) -> None:
    answers: list[bool] = []

    async def ask() -> None:
        answers.append(said_yes("Move it? [y/N] ", "Nothing was moved."))

    monkeypatch.setattr("sys.stdin", ctrl_c)
    with suppress(KeyboardInterrupt):
        asyncio.run(ask())
    assert answers == [False]


def test_ctrl_c_ends_the_count_of_an_import_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ctrl_c: CtrlC
) -> None:
    monkeypatch.setitem(READERS, "jsonl", ctrl_c.read)
    monkeypatch.setenv("TELLONCE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    Path("talk.jsonl").touch()
    with pytest.raises(KeyboardInterrupt):
        run_module("import_", "jsonl", Path("talk.jsonl"), None, None, None)
    assert ctrl_c.ignored == 0


INTERRUPTED = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupt())
from tellonce_cli.entry import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "tellonce_cli.tokens"])
def test_an_interruption_while_the_command_is_imported_shows_no_traceback(tmp_path: Path, module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "token", "list"]
    environment = {**os.environ, "INTERRUPTED_AT": module}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("scope", ["relay", "agent"])
def test_a_token_that_acts_for_nobody_in_particular_takes_no_user(scope: str) -> None:
    said = CliRunner().invoke(app, ["token", "create", "phone", "--scope", scope, "--user", "5"])
    assert isinstance(said.exception, CommandFailed)
    assert "leave --user out" in str(said.exception)


def test_a_wrong_setting_is_named_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_TIMEZONE", "Mars/Olympus")
    with pytest.raises(SettingsError, match=r"USER_TIMEZONE: 'Mars/Olympus' is not an IANA time zone"):
        load(ServerSettings)


@pytest.mark.parametrize(
    ("line", "lack"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a JSON object"),
        ('{"role": "user", "content": "hi"}', "it has no sent_at"),
        (
            '{"role": "bot", "content": "hi", "sent_at": "2026-02-16T09:15:00Z"}',
            "its role is invalid: Input should be 'user' or 'assistant'",
        ),
        (
            '{"role": "user", "content": null, "sent_at": "2026-02-16T09:15:00Z"}',
            "its content is invalid: Input should be a valid string",
        ),
        (
            '{"role": "user", "content": "hi", "sent_at": "2026-02-16T09:15:00Z", "message_thread_id": [1]}',
            "its message_thread_id is neither a number nor a name of at most 128 characters",
        ),
    ],
)
def test_the_error_for_a_line_that_is_no_message_names_what_it_lacks(tmp_path: Path, line: str, lack: str) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(ImportFailed, match="holds no messages; a message needs role") as failed:
        list(READERS["jsonl"](Source(file), lambda _: None))
    assert f"(line 1: {lack})" in str(failed.value)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_every_text_can_be_printed_in_a_locale_that_lacks_its_characters(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding=encoding))
    make_printable()
    print("☑ “Zürich” \udce9")
    flush_output()
    assert written.getvalue() == "☑ “Zürich” \\udce9\n".encode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_reported_in_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        command = [fork_server.python(), "-m", "tellonce_cli.entry", "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("tellonce: the disk is full")


def test_a_token_needs_a_name() -> None:
    said = CliRunner().invoke(app, ["token", "create", " "])
    assert isinstance(said.exception, CommandFailed)
    assert "a token needs a name" in str(said.exception)


def test_a_time_that_is_none_is_refused_with_an_example() -> None:
    said = CliRunner().invoke(app, ["search", "dentist", "--since", "yesterday"])
    assert isinstance(said.exception, CommandFailed)
    assert "since is not a time; write a day or a time, as in 2026-03-15" in str(said.exception)


def test_a_day_without_an_offset_is_a_day_of_the_persons_zone() -> None:
    args = made(
        c.SearchMemoryArgs, {"query": "x", "since": "2026-01-01", "until": "2026-01-02"}, ZoneInfo("Asia/Tokyo")
    )
    assert args.since == datetime(2025, 12, 31, 15, tzinfo=UTC)
    assert args.until == datetime(2026, 1, 2, 14, 59, 59, 999999, tzinfo=UTC)


def test_an_unknown_kind_of_import_is_wrong_usage() -> None:
    said = CliRunner().invoke(app, ["import", "whatsapp", "chat.txt"])
    assert said.exit_code == 2
    assert "'whatsapp' is not one of telegram, chatgpt" in said.output
