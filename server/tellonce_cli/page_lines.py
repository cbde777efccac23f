"""Defines the output of processes that work for the memory page: JSON Lines, or one sentence for a failure."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tellonce_cli.main import told
from tellonce_cli.screen import console


def tell(**entry: Any) -> None:
    """Write `entry` as one line of JSON."""
    print(json.dumps(entry, ensure_ascii=False, default=str), flush=True)


def run(tasks: Mapping[str, Callable[..., None]]) -> None:
    """Run the task that the command-line arguments name. Messages for people are written to standard error."""
    console.file = sys.stderr
    task, *arguments = sys.argv[1:]
    try:
        tasks[task](*arguments)
    except Exception as error:
        # Any error is caught here, because the page must get a sentence for it.
        sys.exit(told(error)[0])
