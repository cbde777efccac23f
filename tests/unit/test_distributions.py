"""The two distributions: `tellonce` has all dependencies, and `tellonce-light` has the same dependencies if all its
extras are installed."""

import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tellonce import connect
from tellonce_cli.screen import EXTRAS, told

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
    def light_only(name: str) -> str:
        if name != "tellonce-light":
            raise PackageNotFoundError(name)
        return "0.1.0"

    assert connect.installed_version() == project(ROOT)["project"]["version"]
    monkeypatch.setattr(connect, "version", light_only)
    assert connect.installed_version() == "0.1.0"


def test_nothing_we_run_with_needs_what_only_prepared_the_model_once() -> None:
    names = {Requirement(line).name for line in project(ROOT)["project"]["dependencies"]}
    assert not names & {"onnx", "safetensors", "pip", "torch"}


def test_a_part_that_is_not_installed_is_named_with_its_extra() -> None:
    assert told(ModuleNotFoundError("No module named 'asyncpg'", name="asyncpg")) == (
        "this needs a package that is not installed: pip install 'tellonce-light[server]'",
        1,
    )
    assert told(ModuleNotFoundError("x", name="tellonce_server.gone"))[1] == 70
    assert set(EXTRAS.values()) <= set(project(ROOT / "light")["project"]["optional-dependencies"])
