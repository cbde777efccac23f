"""How a process that works for the memory page speaks: one JSON object a line, and one sentence where it fails."""

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
    """Run the task that the arguments name. What it prints for people goes to standard error."""
    console.file = sys.stderr
    task, *arguments = sys.argv[1:]
    try:
        tasks[task](*arguments)
    except Exception as error:
        # The edge of a process: whatever it was, the page is told a sentence.
        sys.exit(told(error)[0])
