"""Reads the product's SQL statements and migrations from files, by name. The package never connects to a database.

A file `queries/<table>.sql` contains blocks: a line `-- name: some_name`, comment lines that explain `$1`, `$2` …, then
one statement. `query("<table>.some_name")` is that statement. The parameters of a long statement have names instead of
numbers (`$owner_id`); `arguments` puts their values in order. A statement that serves all owners at once is marked in
the line after its name: `-- across owners: why`.

Lines that several statements share are written once, between `-- part: some_part` and `-- end`. In a statement, these
texts are replaced:

- `-- use: some_part`: the lines of that part. A part of another file is named `<table>.some_part`.
- `-- values: some_part`: for a part with the lines `a, b`, the parameters `$a, $b`.
- `{statuses.sure}`: the statuses with the trait `sure` in `tellonce.contract_types.STATUSES`.
- `{kinds.reads_chat}`: the kinds of jobs with the trait `reads_chat` in `tellonce.work.JOBS`.

The files `migrations/NNNN_name.sql` are applied in order, once.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal

from tellonce.contract_types import STATUSES
from tellonce.work import JOBS

__all__ = ["Migration", "Reach", "SqlFileError", "UnknownQuery", "arguments", "migrations", "queries", "query", "reach"]

Reach = Literal["owner", "all owners", "no owner"]
"""The rows that a statement uses: the rows of the owner in $1, the rows of all owners, or no owner's rows."""

_NAME_LINE = re.compile(r"^-- name:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ACROSS = re.compile(r"^-- across owners:[ \t]*\S", re.MULTILINE)
_PART = re.compile(r"^-- part:[ \t]*(\w+)[ \t]*\n(.*?)^-- end[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_USE = re.compile(r"^[ \t]*-- (use|values):[ \t]*([\w.]+)[ \t]*$", re.MULTILINE)
_PARAMETER = re.compile(r"\$([a-z]\w*)\b(?!\$)")
_NUMBERED = re.compile(r"\$\d")
_TRAITS: Mapping[str, Mapping[Any, Any]] = {"statuses": STATUSES, "kinds": JOBS}
_LIST = re.compile(r"\{(statuses|kinds)\.(\w+)\}")
_MIGRATION_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


class UnknownQuery(LookupError):
    """No query has this name; the message suggests similar names."""


class SqlFileError(Exception):
    """A file of queries or migrations is malformed; the message names the file and the place."""


@dataclass(frozen=True)
class _Named:
    statement: str
    reach: Reach
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Migration:
    """One schema migration. `sha256` is the hash of the file's text, so that a later change of an applied file is
    detected."""

    version: int
    name: str
    sql: str
    sha256: str

    @property
    def file_name(self) -> str:
        return f"{self.version:04}_{self.name}.sql"


def query(name: str) -> str:
    """The statement `<table>.<name>` without its comments. Raises UnknownQuery."""
    return _query_named(name).statement


def reach(name: str) -> Reach:
    """The reach of the statement `<table>.<name>`: the rows that it may use. Raises UnknownQuery."""
    return _query_named(name).reach


def arguments(name: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values of the named parameters of the statement `<table>.<name>`, in the order of their numbers. Other values
    are ignored. Raises UnknownQuery, or KeyError if a value is missing."""
    return tuple(values[parameter] for parameter in _query_named(name).parameters)


def _query_named(name: str) -> _Named:
    try:
        return _packaged_queries()[name]
    except KeyError:
        near = get_close_matches(name, _packaged_queries(), n=3)
        raise UnknownQuery(f"no query {name!r}" + (f"; is it {' or '.join(near)}?" if near else "")) from None


def queries(folder: Traversable | None = None) -> dict[str, str]:
    """All statements by name, `<file>.<name>`; with `folder`, the statements of the `.sql` files in that folder."""
    found = _packaged_queries() if folder is None else _read(folder)
    return {name: named.statement for name, named in found.items()}


def migrations() -> list[Migration]:
    """All migrations by version. Gaps between versions are not checked here."""
    return read_migrations(files(__name__) / "migrations")


@cache
def _packaged_queries() -> dict[str, _Named]:
    return _read(files(__name__) / "queries")


def _read(folder: Traversable) -> dict[str, _Named]:
    found: dict[str, _Named] = {}
    texts = {file.name.removesuffix(".sql"): file.read_text(encoding="utf-8") for file in _sql_files(folder)}
    parts = {f"{table}.{name}": body for table, text in texts.items() for name, body in _PART.findall(text)}
    for table, text in texts.items():
        for name, named in _blocks(table, _listed(table, _filled(table, _PART.sub("", text), parts))):
            if found.setdefault(f"{table}.{name}", named) is not named:
                raise SqlFileError(f"{table}.sql: two queries are named {name}")
    return found


def _listed(table: str, text: str) -> str:
    """Replace each `{table.trait}` or `{table.trait_value}` in the text with the names that have the trait, as SQL."""

    def names(found: re.Match[str]) -> str:
        trait, _, value = found[2].partition("_")
        rows = _TRAITS[found[1]].items()
        having = [f"'{name}'" for name, traits in rows if getattr(traits, trait, None) == (value or True)]
        if not having:
            raise SqlFileError(f"{table}.sql: there is no list {found[0]}")
        return f"({', '.join(having)})"

    return _LIST.sub(names, text)


def _filled(table: str, text: str, parts: Mapping[str, str]) -> str:
    """Replace each line that refers to a part, such as `-- use: some_part`. A part can use other parts."""

    def part(use: re.Match[str]) -> str:
        name = use[2] if "." in use[2] else f"{table}.{use[2]}"
        if name not in parts:
            raise SqlFileError(f"{table}.sql: there is no part {use[2]}")
        body = _filled(name.partition(".")[0], _without_leading_comments(parts[name]), parts)
        return re.sub(r"\w+", r"$\g<0>", body) if use[1] == "values" else body

    return _USE.sub(part, text)


def read_migrations(folder: Traversable) -> list[Migration]:
    """The migrations in `folder`, in the order of their file names."""
    return [_migration(file) for file in _sql_files(folder)]


def _sql_files(folder: Traversable) -> list[Traversable]:
    return sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)


def _migration(file: Traversable) -> Migration:
    named = _MIGRATION_FILE.fullmatch(file.name)
    if named is None:
        raise SqlFileError(f"{file.name}: a migration is named like 0001_first_tables.sql")
    sql = file.read_text(encoding="utf-8")
    return Migration(int(named[1]), named[2], sql, hashlib.sha256(sql.encode()).hexdigest())


def _blocks(table: str, text: str) -> Iterator[tuple[str, _Named]]:
    head, *parts = _NAME_LINE.split(text)
    if _without_leading_comments(head):
        raise SqlFileError(f"{table}.sql: the first statement comes before any `-- name:` line")
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if _NAME.fullmatch(name) is None:
            raise SqlFileError(f"{table}.sql: {name!r} is not a query name; use lower case letters, digits and _")
        statement = _without_leading_comments(body).removesuffix(";").rstrip()
        if not statement:
            raise SqlFileError(f"{table}.sql: query {name} has no statement")
        numbered, parameters = _numbered(table, name, statement)
        yield name, _Named(numbered, _reach(body, statement), parameters)


def _numbered(table: str, name: str, statement: str) -> tuple[str, tuple[str, ...]]:
    """Replace the names of the parameters with numbers. Returns the statement, and the names in the order of their
    numbers. The owner is number 1. The other names follow in the order in which they first occur."""
    found = _PARAMETER.findall(statement)
    if not found:
        return statement, ()
    if _NUMBERED.search(statement):
        raise SqlFileError(f"{table}.sql: query {name} has named and numbered parameters")
    names = tuple(dict.fromkeys([*(n for n in found if n == "owner_id"), *found]))
    return _PARAMETER.sub(lambda one: f"${names.index(one[1]) + 1}", statement), names


def _reach(body: str, statement: str) -> Reach:
    if _ACROSS.match(body.lstrip()):
        return "all owners"
    return "owner" if "owner_id" in statement else "no owner"


def _without_leading_comments(text: str) -> str:
    lines = text.strip().splitlines()
    while lines and (lines[0].startswith("--") or not lines[0].strip()):
        lines.pop(0)
    return "\n".join(lines)
