"""`make up` on a machine that lacks its requirements."""

import shutil
import subprocess
from pathlib import Path

MAKEFILE = Path(__file__).parents[2] / "Makefile"
OLD = """#!/bin/sh
exec python3 -c "import sys; sys.version_info = (3, 9, 6); exec(sys.argv[1])" "$2"
"""


def test_an_older_python_is_named_with_the_way_out_before_anything_is_made(tmp_path: Path) -> None:
    shutil.copy(MAKEFILE, tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "old").write_text(OLD)
    (tmp_path / "old").chmod(0o755)
    done = subprocess.run(["make", "up", "PYTHON=./old"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert (
        "this is Python 3.9, and tellonce needs 3.11 or newer; name one, as in: make up PYTHON=python3.12"
        in done.stderr
    )
    assert not (tmp_path / ".venv").exists()
