"""Runs third-party programs: pinned npm packages, installed once into a cache folder."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import anyio
import pytest
from filelock import FileLock

from tests.patience import promised

PACKAGES = (
    "node@22.23.3",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@anthropic-ai/claude-code@2.1.329",
)
"""The npm packages. Node is one of these packages, because Inspector needs Node 22.19 or later. With an older Node, npm
would install an old Inspector."""

INSTALL_SECONDS = 600


def cache_folder() -> Path:
    chosen = os.environ.get("TELLONCE_TEST_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "tellonce-tests" / "npm"


def binaries() -> Path:
    """The folder with the pinned versions of the programs. Skips the test only if npm is missing."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    # Several test processes run at once. The lock lets only one npm at a time fill the folder.
    with FileLock(folder.with_suffix(".lock")):
        _complete(folder)
    return folder / "node_modules" / ".bin"


async def run(program: Path, *arguments: str, env: dict[str, str], cwd: Path, seconds: float) -> tuple[int, str, str]:
    """Run a program without input. It is killed after `seconds`. Returns the exit code, output and error output."""
    process = await asyncio.create_subprocess_exec(
        str(program),
        *arguments,
        env=env,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        with anyio.fail_after(promised(seconds)):
            out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


def _complete(folder: Path) -> None:
    if not all(_installed(folder, package) for package in PACKAGES):
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed; it gets MCP Inspector and Claude Code")
        _install(folder)


def _installed(folder: Path, package: str) -> bool:
    name, _, version = package.rpartition("@")
    manifest = folder / "node_modules" / name / "package.json"
    return manifest.exists() and f'"version": "{version}"' in manifest.read_text()


def _install(folder: Path) -> None:
    """Install the packages. Node comes first, because npm selects package versions for the Node that is on the path."""
    path = f"{folder / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    for packages in (PACKAGES[:1], PACKAGES):
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--no-save", *packages]
        done = subprocess.run(command, timeout=INSTALL_SECONDS, env={**os.environ, "PATH": path}, check=False)
        if done.returncode and "CI" not in os.environ:
            pytest.skip("npm cannot fetch MCP Inspector and Claude Code here")
        done.check_returncode()
