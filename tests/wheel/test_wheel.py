"""The built wheel is installed in an environment without the sources, and its programs are run from an empty folder."""

import os
import shutil
import signal
import site
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tests.chain.home import Home

ROOT = Path(__file__).parents[2]
WHERE = "import tellonce, tellonce_cli, tellonce_sql; print(tellonce.__file__, tellonce_cli.__file__, tellonce_sql.__file__)"


def built(folder: Path, source: Path = ROOT) -> Path:
    uv = shutil.which("uv") or os.environ.get("UV")
    build = [uv, "build", "--wheel", "--out-dir"] if uv else [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w"]
    done = subprocess.run([*build, str(folder), str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """A separate environment with the wheel. It uses this environment's other packages, so they are not downloaded
    again.

    A `.pth` file names the folder of these packages. Python ignores `.pth` files within that folder, so the editable
    installation is not used.
    """
    venv.create(folder, with_pip=False)
    paths = {"base": str(folder), "platbase": str(folder)}
    target = Path(sysconfig.get_path("purelib", vars=paths))
    shutil.unpack_archive(wheel, target, "zip")
    (target / "others.pth").write_text("\n".join(site.getsitepackages()))
    return folder / "bin" / "python"


def said(python: Path, home: Home, *words: str) -> str:
    done = subprocess.run(
        [python, *words], cwd=home.folder, env=home.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def up_and_down(python: Path, folder: Path, environment: Mapping[str, str]) -> str:
    """Run `up`, stop it when it is ready, and return its output."""
    process = subprocess.Popen(
        [python, "-m", "tellonce_cli.entry", "up"],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines: list[str] = []
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C stops everything" in line:
                process.send_signal(signal.SIGTERM)
    assert process.returncode == 0, "".join(lines)
    return "".join(lines)


@pytest.mark.skipif(not site.getsitepackages(), reason="needs an environment of its own")
def test_the_wheel_runs_everything_from_an_empty_folder_with_the_sources_gone(tmp_path: Path, home: Home) -> None:
    python = installed(built(tmp_path / "dist"), tmp_path / "env")
    home.environment.pop("PYTHONPATH", None)
    places = said(python, home, "-c", WHERE).split()
    assert all(Path(place).is_relative_to(tmp_path / "env") for place in places), places
    assert said(python, home, "-m", "tellonce_cli.entry", "--version").startswith("tellonce ")
    examples = Path(places[1]).parent / "examples"
    assert sorted(path.name for path in examples.iterdir()) == sorted(
        [".env.example", "claude_desktop_config.example.json", "config"]
    )
    told = up_and_down(python, home.folder, home.environment)
    assert "tellonce is up" in told
    assert str(tmp_path / "env") in told
    assert "tellonce has stopped." in told


def contents(wheel: Path) -> tuple[list[str], str | None, list[str]]:
    """The files of a wheel without its metadata, its version, and its dependencies with those of its extras."""
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        declared = message_from_bytes(archive.read(metadata))
        files = sorted(name for name in archive.namelist() if ".dist-info/" not in name)
    lines = (Requirement(line) for line in declared.get_all("Requires-Dist", ()))
    unwanted = {"otel", "docs", "dev"}
    used = (line for line in lines if not any(f'extra == "{extra}"' in str(line.marker) for extra in unwanted))
    return files, declared["Version"], sorted(f"{line.name}{line.specifier}{sorted(line.extras)}" for line in used)


def test_both_distributions_hold_the_same_files_and_dependencies(tmp_path: Path) -> None:
    full, light = built(tmp_path / "full"), built(tmp_path / "light", ROOT / "light")
    assert contents(light) == contents(full)
