"""The two distributions: `tellonce` has all dependencies, and `tellonce-light` has the same dependencies if all its
extras are installed."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tellonce import connect
from tellonce.extras import EXTRAS
from tellonce_cli.screen import failure_message
from tests.patience import promised

ROOT = Path(__file__).parents[2]


def project(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())
    return found


def extras() -> dict[str, list[str]]:
    """The names of the dependencies that each extra of `tellonce-light` installs."""
    found: dict[str, list[str]] = project(ROOT / "light")["tool"]["hatch"]["metadata"]["hooks"]["custom"]
    return found


def test_each_dependency_belongs_to_at_most_one_extra() -> None:
    chosen = [name for names in extras().values() for name in names]
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= {Requirement(line).name for line in project(ROOT)["project"]["dependencies"]}


def test_the_version_is_that_of_the_distribution_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def light_only(name: str) -> Distribution:
        if name != "tellonce-light":
            raise PackageNotFoundError(name)
        return light

    assert connect.installed_version() == project(ROOT)["project"]["version"]
    light = distribution("tellonce")
    monkeypatch.setattr(connect, "distribution", light_only)
    assert connect.installed_version() == "0.1.0"


def test_nothing_we_run_with_needs_what_only_prepared_the_model_once() -> None:
    names = {Requirement(line).name for line in project(ROOT)["project"]["dependencies"]}
    assert not names & {"onnx", "safetensors", "pip", "torch"}


def test_a_part_that_is_not_installed_is_named_with_its_extra() -> None:
    sentence, code = failure_message(ModuleNotFoundError("No module named 'asyncpg'", name="asyncpg"))
    assert ("./light[server]" in sentence, code) == (True, 1)
    assert failure_message(ModuleNotFoundError("x", name="tellonce_server.gone"))[1] == 70
    assert set(EXTRAS.values()) <= set(extras())


ELSEWHERE = ("status", "memories", "search x", "remember x", "why 1", "open", "forget x")
"""Commands that need a server on this or another machine, but no extra."""
NEEDED = {
    **dict.fromkeys(("serve", "serve --stdio", "connect codex", "export", "import x.json"), "server"),
    **dict.fromkeys(("backup x.zip", "token list", "doctor"), "server"),
    **dict.fromkeys(("relay", "chat"), "telegram"),
}
"""The extra that a command needs."""
LIGHT = f"""
import json, os, sys, anyio._backends._asyncio, httpcore2
sys.modules.update(dict.fromkeys({[*EXTRAS]}))
from tellonce import connect
from tellonce_cli import entry, main, memory_server
for number, command in enumerate(json.loads(sys.argv[1])):
    if os.fork() == 0:
        for stream, ending in (1, "out"), (2, "errors"):
            os.dup2(os.open(f"{{number}}.{{ending}}", os.O_WRONLY | os.O_CREAT), stream)
        sys.argv = ["tellonce", *command.split()]
        sys.exit(entry.main())
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""
"""Runs each command in a process that is forked after the imports of `tellonce`. Prints the exit codes."""


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The exit codes and errors of the commands in an installation of `tellonce-light` without extras: their packages are
    missing."""
    home = tmp_path_factory.mktemp("home")
    commands = [*ELSEWHERE, *NEEDED]
    codes = subprocess.run(
        [sys.executable, "-c", LIGHT, json.dumps(commands)],
        env={"HOME": str(home), "PATH": os.defpath, "TELLONCE_PORT": "1"},
        cwd=home,
        input="",
        capture_output=True,
        text=True,
        timeout=promised(60),
        check=True,
    ).stdout.split()
    return {
        command: (int(code), (home / f"{number}.errors").read_text())
        for number, (command, code) in enumerate(zip(commands, codes, strict=True))
    }


@pytest.mark.parametrize("command", ELSEWHERE)
def test_a_small_installation_looks_for_a_server_elsewhere(command: str, light: dict[str, tuple[int, str]]) -> None:
    code, errors = light[command]
    assert (code, "no server answers at" in errors) == (1, True), errors


@pytest.mark.parametrize(("command", "extra"), NEEDED.items())
def test_a_command_of_a_small_installation_names_the_extra_that_it_needs(
    command: str, extra: str, light: dict[str, tuple[int, str]]
) -> None:
    code, errors = light[command]
    assert (code, f"./light[{extra}]" in errors) == (1, True), errors
    assert "Traceback" not in errors
