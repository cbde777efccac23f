"""The two distributions: `tellonce` has all dependencies, and `tellonce-light` has the same dependencies if all its
extras are installed."""

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


def test_both_hold_the_same_version_packages_and_requirements() -> None:
    full, light = project(ROOT), project(ROOT / "light")
    extras = light["project"]["optional-dependencies"]
    parts = [*light["project"]["dependencies"], *(name for extra in extras.values() for name in extra)]
    assert sorted(parts) == sorted(full["project"]["dependencies"])
    assert light["project"]["version"] == full["project"]["version"]
    included = light["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    packages = full["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    examples = full["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wanted = {**{path: Path(path).name for path in packages}, **examples}
    assert {path.removeprefix("../"): name for path, name in included.items()} == wanted


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
    assert set(EXTRAS.values()) <= set(project(ROOT / "light")["project"]["optional-dependencies"])


def light(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run `tellonce` as in an installation of `tellonce-light` without extras: their packages are missing."""
    program = f"import sys; sys.modules.update(dict.fromkeys({[*EXTRAS]})); sys.argv = ['tellonce', *{arguments}]\n"
    return subprocess.run(
        [sys.executable, "-c", f"{program}from tellonce_cli.entry import main; main()"],
        env={"HOME": str(home), "PATH": os.defpath, "TELLONCE_PORT": "1"},
        cwd=home,
        input="",
        capture_output=True,
        text=True,
        timeout=promised(60),
        check=False,
    )


@pytest.mark.parametrize("command", ["status", "memories", "search x", "remember x", "why 1", "open", "forget x"])
def test_a_small_installation_looks_for_a_server_elsewhere(command: str, tmp_path: Path) -> None:
    done = light(*command.split(), home=tmp_path)
    assert (done.returncode, "no server answers at" in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        *(("serve", "server"), ("serve --stdio", "server"), ("connect codex", "server"), ("export", "server")),
        *(("import x.json", "server"), ("backup x.zip", "server"), ("token list", "server"), ("doctor", "server")),
        *(("relay", "telegram"), ("chat", "telegram")),
    ],
)
def test_a_command_of_a_small_installation_names_the_extra_that_it_needs(
    command: str, extra: str, tmp_path: Path
) -> None:
    done = light(*command.split(), home=tmp_path)
    assert (done.returncode, f"./light[{extra}]" in done.stderr) == (1, True), done.stderr
    assert "Traceback" not in done.stderr
