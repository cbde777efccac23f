"""The output of processes that work for the memory page: one JSON object per line, and one sentence for a failure."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tellonce_cli.main import told
from tellonce_cli.screen import console


def tell(**entry: Any) -> None:
    """Write one line."""
    print(json.dumps(entry, ensure_ascii=False, default=str), flush=True)


def run(tasks: Mapping[str, Callable[..., None]]) -> None:
    """Run the task that the arguments name. Messages for people go to standard error."""
    console.file = sys.stderr
    task, *arguments = sys.argv[1:]
    try:
        tasks[task](*arguments)
    except Exception as error:
        # This is the edge of the process: the page gets a sentence for every error.
        sys.exit(told(error)[0])
