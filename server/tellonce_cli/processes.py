"""Runs one of the three processes inside this one."""

import importlib
import sys
from typing import Literal

Process = Literal["server", "summarizer", "relay"]


def run(process: Process, *, stdio: bool = False) -> None:
    """Run the process's own entry point with its own settings."""
    # The server's entry point reads its transport from the command line.
    sys.argv = [process, *(["--stdio"] if stdio else [])]
    importlib.import_module(f"tellonce_{process}.__main__").main()
