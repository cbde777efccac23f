"""Tests of routines that run the person's own commands. They check which texts the person sees, and which texts stay
hidden."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest

from tellonce_relay.routines.texts import command_output
from tests.patience import HANGS
from tests.relay.test_routines import routine

pytestmark = pytest.mark.anyio


async def test_a_failed_command_shows_no_secret() -> None:
    program = "import sys; sys.exit('AWS_SECRET_ACCESS_KEY=abc123 is invalid')"
    assert await command_output(routine("scan", command=[sys.executable, "-c", program])) == (
        "⚠ scan failed with code 1.\nAWS_SECRET_ACCESS_KEY=[secret:token] is invalid"
    )


async def test_what_a_terminal_would_not_show_is_left_out_of_an_output() -> None:
    program = r"import sys; sys.stdout.buffer.write(b'\x1b[31mred\x1b[0m a\x00b \xff\xfe \xc3\xa9 \x1b]0;t\x07end')"
    assert await command_output(routine("scan", command=[sys.executable, "-c", program])) == "red ab  é end"


async def test_the_children_of_a_command_that_hangs_end_with_it(tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    reading = asyncio.create_task(asyncio.to_thread(held.read_bytes))  # the read ends when the last writer closes
    hanging = ["sh", "-c", f"(exec 3>{shlex.quote(str(held))}; sleep 600) & wait"]
    assert await command_output(routine("scan", command=hanging, seconds=0.5)) == (
        "⚠ scan: the command did not end within 0.5 s."
    )
    assert await asyncio.wait_for(reading, HANGS) == b""
