"""A process's log of an error shows the place and type of the error, never the input."""

import io
import json
import logging
import re
import subprocess
import sys

import asyncpg
import pytest
from pydantic import BaseModel, ValidationError

from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.logs import FORMAT, Discreet, DiscreetJson
from tests.patience import HANGS

CANARY = "zq5d41402abc"


class Small(BaseModel):
    number: int


def invalid() -> ValidationError:
    try:
        Small.model_validate({"number": CANARY})
    except ValidationError as error:
        return error
    raise AssertionError


def violation() -> asyncpg.PostgresError:
    error = asyncpg.UniqueViolationError(f"duplicate key value: {CANARY}")
    error.detail = f"Key (content)=({CANARY}) already exists."
    return error


@pytest.fixture
def log() -> tuple[logging.Logger, io.StringIO]:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(Discreet(FORMAT))
    logger = logging.Logger("a.place")
    logger.addHandler(handler)
    return logger, written


Log = tuple[logging.Logger, io.StringIO]


def test_a_foreign_error_is_shown_by_its_type_and_its_stack(log: Log) -> None:
    try:
        try:
            raise violation()
        except asyncpg.PostgresError as error:
            raise KeyError(CANARY) from error
    except KeyError:
        log[0].exception("job %s failed", 7)
    written = log[1].getvalue()
    assert CANARY not in written
    assert "ERROR a.place: job 7 failed" in written
    assert "UniqueViolationError 23505\nwhich led to:" in written
    assert written.rstrip().endswith("KeyError")
    assert "test_logs.py" in written


def test_a_line_begins_with_its_moment_and_as_json_it_is_one_object(log: Log) -> None:
    logger, written = log
    logger.warning("job %s is late", 7)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z WARNING a\.place: job 7 is late\n", written.getvalue())
    logger.handlers[0].setFormatter(DiscreetJson())
    written.truncate(written.seek(0))
    logger.warning("it broke: %s", violation(), exc_info=invalid())
    (line,) = written.getvalue().splitlines()
    said = json.loads(line)
    assert (said["level"], said["logger"]) == ("warning", "a.place")
    assert said["message"] == "it broke: UniqueViolationError 23505"
    assert said["error"].endswith("ValidationError")
    assert CANARY not in line


def test_each_error_of_a_group_is_shown(log: Log) -> None:
    log[0].error("both", exc_info=ExceptionGroup(CANARY, [invalid(), ExceptionGroup("inner", [violation()])]))
    written = log[1].getvalue()
    assert CANARY not in written
    assert "  | ValidationError" in written
    assert "  |   | UniqueViolationError 23505" in written


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (MemoryUnreachable("The memory server is away."), "The memory server is away."),
        (MemoryRefused(f"Leave this out: {CANARY}"), "MemoryRefused"),
        (FileNotFoundError(2, "No such file or directory", CANARY), "FileNotFoundError: No such file or directory"),
        (violation(), "UniqueViolationError 23505"),
        (ValueError(CANARY), "ValueError"),
    ],
    ids=["our own", "our own that may quote", "the system's", "the database's", "any other"],
)
def test_an_error_within_a_sentence_says_what_it_may(log: Log, error: Exception, shown: str) -> None:
    log[0].warning("put off: %s", error)
    assert log[1].getvalue().partition(" ")[2] == f"WARNING a.place: put off: {shown}\n"


def test_an_input_that_somebody_elses_sentence_quotes_is_left_out(log: Log) -> None:
    log[0].warning(f"Failed to validate request: {invalid()}")  # as the MCP SDK writes it
    assert CANARY not in log[1].getvalue()
    assert "input_value=…" in log[1].getvalue()


PROGRAM = f"""
import asyncio, threading
from tellonce import logs

def broken():
    raise ValueError("{CANARY}")

async def work():
    broken()

async def main():
    task = asyncio.create_task(work())
    await asyncio.wait([task])
    del task

logs.begin()
thread = threading.Thread(target=broken)
thread.start()
thread.join()
asyncio.run(main())
broken()
"""


def test_the_error_that_ends_a_task_a_thread_or_the_process_is_logged_without_its_words() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\nValueError\n") == 3, done.stderr
    assert "Task exception was never retrieved" in done.stderr
    # The program is not in a file, so the traceback prints no line of its source.
    assert CANARY not in done.stderr
