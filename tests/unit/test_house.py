"""Limits on the code: small files, small functions, declared dependencies, and a broad `except` only at the edge of a
process."""

import ast
import re
import statistics
import sys
import tomllib
from collections.abc import Generator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tellonce_sql import queries

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    file for folder in ("server", "relay", "summarizer_agent", "sql") for file in (ROOT / folder).rglob("*.py")
)
LONGEST_FILE = 450
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 8

EDGES = {
    "bot.py": "one Telegram update, one turn",
    "conversations.py": "the turns of one conversation",
    "polling.py": "one update that is read",
    "schedule.py": "one run of a routine",
    "main.py": "one command",
    "screen.py": "one command that the page started",
    "local_embedder.py": "the thread that embeds: its callers get the error",
    "work.py": "one job handed out",
    "job_kinds.py": "one result applied",
    "receipts.py": "one receipt stored after its answer",
    "storage.py": "one attempt to open the database: callers get the reason",
    "strict_tool.py": "one tool call",
    "agent.py": "one claimed job",
    "side_tasks.py": "one run of a side task",
    "threads.py": "one piece of a thread's work",
}
"""The files that are allowed to contain a broad `except`. The value is the unit of work that this `except` guards, such
as one tool call."""

TERMS = {
    "folding.py": "case folding, as in Unicode",
    "pairing.py": "the pairing of a device with an account",
    "polling.py": "long polling, as in Telegram's Bot API",
    "ranking.py": "the ranking of search results",
    "second_reading.py": "a second reading is a kind of job",
    "stemming.py": "the reduction of words to their stems",
    "tracing.py": "distributed tracing, as in OpenTelemetry",
}
"""The modules that are named by a word in -ing, with the established term that the word stands for."""


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(file)))


@pytest.fixture(scope="module", autouse=True)
def emptied() -> Generator[None]:
    """The trees take much memory, so they are not kept for the tests of other files."""
    yield
    tree_of.cache_clear()
    nodes.cache_clear()


def imported(file: Path) -> set[str]:
    """The names of the top-level packages that a file imports."""
    found = {alias.name for node in nodes(file) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module for node in nodes(file) if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in found}


def functions(file: Path) -> list[tuple[str, int]]:
    return [
        (node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in nodes(file)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_every_file_and_function_is_small_enough_to_read_at_once() -> None:
    texts = {file: file.read_text() for file in SOURCES}
    assert [str(file) for file, text in texts.items() if len(text.splitlines()) > LONGEST_FILE] == []
    long = [(file.name, name) for file in SOURCES for name, n in functions(file) if n > LONGEST_FUNCTION]
    assert long == []


def test_a_module_is_named_by_a_noun() -> None:
    assert {file.name for file in SOURCES if file.stem.endswith("ing")} == set(TERMS)


def test_the_median_function_fits_in_a_glance() -> None:
    lengths = [lines for file in SOURCES for _, lines in functions(file)]
    assert statistics.median(lengths) <= MEDIAN_FUNCTION


def test_every_module_says_in_its_first_line_what_it_is() -> None:
    silent = [file for file in SOURCES if file.read_text().strip() and ast.get_docstring(tree_of(file)) is None]
    assert silent == []


def test_everything_is_caught_only_at_an_edge_of_a_process() -> None:
    catching = {
        file.name
        for file in SOURCES
        for node in nodes(file)
        if isinstance(node, ast.ExceptHandler)
        and isinstance(node.type, ast.Name)
        and node.type.id in ("Exception", "BaseException")
    }
    assert catching == set(EDGES)


def test_every_package_that_is_imported_is_a_dependency() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*declared["dependencies"], *declared["optional-dependencies"]["otel"]]
    allowed = {canonicalize_name(Requirement(line).name) for line in lines}
    holders = packages_distributions()
    brought = {"apscheduler", "h11", "pydantic_core"}  # by python-telegram-bot[job-queue], uvicorn and pydantic
    missing = {
        (file.name, name)
        for file in SOURCES
        for name in imported(file) - sys.stdlib_module_names - brought
        if not name.startswith("tellonce")
        and not allowed & {canonicalize_name(holder) for holder in holders.get(name, ())}
    }
    assert missing == set()


def test_named_queries_are_named_in_the_rooms_of_the_database_alone() -> None:
    rooms, names = (
        {ROOT / "server" / "tellonce_server" / room for room in ("store", "backup", "postgres")},
        queries().keys(),
    )
    naming = {
        (file.name, node.value)
        for file in SOURCES
        if not rooms.intersection(file.parents)
        for node in nodes(file)
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert naming == set()


def test_every_file_that_the_architecture_names_exists() -> None:
    named = set(re.findall(r"`([\w./]+\.py)`", (ROOT / "ARCHITECTURE.md").read_text()))
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and not folder.name.startswith(".")]
    files = [f"/{file.relative_to(ROOT)}" for folder in folders for file in folder.rglob("*.py")]
    assert {name for name in named if not any(file.endswith(f"/{name}") for file in files)} == set()
