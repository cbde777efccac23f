"""Environments for third-party clients. Pinned versions are installed once from their registries into a cache
folder."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from tests.conformance.npm import binaries, cache_folder

PYTHON_CLIENTS = {
    "fastmcp": ("fastmcp==4.1.2",),
    "openai_agents": ("openai-agents==0.24.0",),
    "langchain": ("langchain-mcp-adapters==0.3.2", "langchain-core==1.7.2"),
    "pydantic_ai": ("pydantic-ai-slim[mcp]==2.68.0",),
}
NPM_CLIENTS = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@google/gemini-cli@0.61.0",
    "@openai/codex@0.169.0",
    "@anthropic-ai/mcpb@2.1.2",
)
INSTALL_SECONDS = 600


def python_of(client: str) -> Path:
    """The interpreter of the client's environment. Skips the test if the registry cannot be reached."""
    packages = PYTHON_CLIENTS[client]
    folder = cache_folder().parent / "clients" / f"{client}-{packages[0].rpartition('=')[2]}"
    python = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "ready").exists():
            _fill(folder, python, packages)
            (folder / "ready").touch()
    return python


def npm_folder() -> Path:
    """A folder whose node_modules contain the npm clients. Node itself is in the folder of the conformance tests."""
    binaries()
    folder = cache_folder().parent / "clients" / "npm"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "ready").exists() or (folder / "ready").read_text() != str(NPM_CLIENTS):
            _run("npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--no-save", *NPM_CLIENTS)
            (folder / "ready").write_text(str(NPM_CLIENTS))
    return folder


def _fill(folder: Path, python: Path, packages: tuple[str, ...]) -> None:
    """Install the packages. uv takes seconds and is used if it is available. pip takes a minute."""
    if shutil.which("uv") is not None:
        _run("uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        _run("uv", "pip", "install", "--quiet", "--python", str(python), *packages)
        return
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)


def _run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, timeout=INSTALL_SECONDS, check=False)
    if done.returncode:
        reason = f"{' '.join(command[:4])} … failed: {done.stderr.decode()[-300:]}"
        print(reason)
        pytest.skip(reason)
