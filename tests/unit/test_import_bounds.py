"""Reading any file takes limited memory and time, and malformed entries are reported by their number."""

import io
import json
import os
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import HANGS

MOST_MEMORY = 700 * 1024 * 1024
"""Maximum bytes of the process that reads a file, including its libraries."""

READ = """
import json, os, resource, sys
from pathlib import Path
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.items import ImportFailed, KnownAs
from tellonce_cli.importers.recognition import READERS
sys.stdout.flush()
for kind, file in json.loads(sys.argv[1]):
    if os.fork():
        os.wait()
        continue
    for stream, ending in (1, "out"), (2, "errors"):
        os.dup2(os.open(f"{file}.{ending}", os.O_WRONLY | os.O_CREAT), stream)
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
    try:
        for item in READERS[kind](Source(Path(file)), lambda _: None):
            if not isinstance(item, KnownAs):
                print(getattr(item, "content", "")[:40] or item.why)
    except ImportFailed as error:
        print(error)
    break
"""
"""Reads each file in a separate process that may use only the maximum memory. The processes are forked after the
imports."""
HEAD = '{"name": "B", "type": "personal_chat", "id": 5, "messages": ['


def _said(number: int, text: str) -> str:
    return (
        f'{{"id": {number}, "type": "message", "date_unixtime": "1704103200", "from": "Ann", "from_id": "user1", '
        f'"text": {text}}}'
    )


def _telegram(file: Path, text: str) -> None:
    file.write_text(f"{HEAD}{_said(1, text)},{_said(2, json.dumps('still here'))}]}}")


def _nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def _conversation(text: str) -> str:
    return json.dumps(
        {
            "uuid": "c",
            "chat_messages": [{"uuid": "m", "sender": "human", "text": text, "created_at": "2024-01-01T10:00:00Z"}],
        }
    )


def _zip(file: Path, *, flag: int = 0, method: int = zipfile.ZIP_STORED, date: int | None = None) -> None:
    """A zip with a Telegram export and a note. Both members of the zip have the given flag, compression method and date
    of the last change."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("result.json", f"{HEAD}{_said(1, json.dumps('still here'))}]}}")
        archive.writestr("note.md", "still here, in a note")
    data = bytearray(whole.getvalue())
    for member in re.finditer(rb"PK\x01\x02", whole.getvalue()):
        struct.pack_into("<HH", data, member.start() + 8, flag, method)
        if date is not None:
            struct.pack_into("<H", data, member.start() + 14, date)
    file.write_bytes(data)


def _note(file: Path, line: str) -> None:
    file.write_text(f"---\npermalink: x\n---\n- [fact] {line}\n- [fact] it is still here\n")


def _session(cwd: str) -> str:
    said = {"promptId": "p", "timestamp": "2024-01-01T10:00:00Z", "message": {"content": "still here"}}
    return f'{{"cwd": "{cwd}"}}\n{json.dumps({"type": "user", **said})}\n'


HOSTILE: dict[str, tuple[str, Callable[[Path], None], list[str]]] = {
    "100 KB of nested lists": (
        "telegram",
        lambda file: _telegram(file, _nested(50_000)),
        ["record 1: it is nested deeper than 64 levels", "still here"],
    ),
    "a message of 600,000 empty lists": (
        "telegram",
        lambda file: _telegram(file, f"[{'[],' * 600_000}[]]"),
        ["record 1: it is larger than 16 MiB", "still here"],
    ),
    "a text of 20 MB": (
        "telegram",
        lambda file: _telegram(file, json.dumps("x" * 20_000_000)),
        ["One value before byte 8,5"],
    ),
    "ten million open lists": (
        "telegram",
        lambda file: file.write_text("[" * 10_000_000) and None,
        ["is not a Telegram export"],
    ),
    "a number of a million digits": (
        "telegram",
        lambda file: _telegram(file, "9" * 1_000_000),
        ["is not a Telegram export"],
    ),
    "a text of a million digits": (
        "telegram",
        lambda file: _telegram(file, '"' + "8" * 1_000_000 + '"'),
        ["8" * 40, "still here"],
    ),
    "a conversation of nested lists": (
        "claude",
        lambda file: file.write_text(f'[{{"uuid": {_nested(50_000)}}}, {_conversation("still here")}]') and None,
        ["record 1: it is nested deeper than 64 levels", "still here"],
    ),
    "a ChatGPT mapping of nested lists": (
        "chatgpt",
        lambda file: file.write_text(f'[{{"mapping": {_nested(50_000)}}}]') and None,
        ["record 1: it is nested deeper than 64 levels"],
    ),
    "a line of 30 MB": (
        "jsonl",
        lambda file: file.write_text("[" * 30_000_000 + '\n{"role": "user", "content": "still here", "sent_at": "2024-01-01"}\n') and None,
        ["line 1: it is longer than 8 MiB", "still here"],
    ),
    "a zip with a password": (
        "telegram",
        lambda file: _zip(file, flag=1),
        ["is protected by a password"],
    ),
    "a zip that is compressed in an unknown way": (
        "markdown",
        lambda file: _zip(file, method=99),
        ["cannot be unpacked here"],
    ),
    "a zip with an impossible day": (
        "markdown",
        lambda file: _zip(file, date=0xFFFF),
        ["still here, in a note"],
    ),
    "a note of unclosed links": (
        "markdown",
        lambda file: _note(file, "[[a|" * 500_000),
        ["[[a|", "still here"],
    ),
    "a note of tags": (
        "markdown",
        lambda file: _note(file, "x" + " #a" * 300_000 + "!"),
        ["x #a #a", "still here"],
    ),
    "a note of blanks": (
        "markdown",
        lambda file: _note(file, "x" + " " * 300_000 + "y"),
        ["x   ", "still here"],
    ),
    "a session in a folder with half a surrogate": (
        "claude-code",
        lambda file: file.write_text(_session("\\ud800" + "x" * 200)) and None,
        ["still here"],
    ),
    "a session in a folder with an invalid escape": (
        "claude-code",
        lambda file: file.write_text(_session("\\q")) and None,
        ["still here"],
    ),
    "surrogate halves": (
        "telegram",
        lambda file: _telegram(file, '"\\ud83d"'),
        ["still here"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the hostile files and the results of reading them."""
    folder = tmp_path_factory.mktemp("hostile")
    files: list[tuple[str, str]] = []
    for number, (kind, write, _) in enumerate(HOSTILE.values()):
        write(file := folder / str(number))
        files.append((kind, str(file)))
    subprocess.run(
        [sys.executable, "-c", READ, json.dumps(files), str(MOST_MEMORY)],
        timeout=HANGS,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:backslashreplace", "OPENBLAS_NUM_THREADS": "1"},
        check=True,
    )
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to RLIMIT_AS")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_read_in_bounded_memory_and_the_rest_of_it_goes_on(folder: Path, name: str) -> None:
    _, _, told = HOSTILE[name]
    number = list(HOSTILE).index(name)
    errors = (folder / f"{number}.errors").read_text()
    assert "Traceback" not in errors, errors[-1000:]
    lines = (folder / f"{number}.out").read_text().splitlines()
    assert len(lines) >= len(told)
    for line, part in zip(lines[-len(told) :], told, strict=True):
        assert part in line
