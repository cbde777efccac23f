"""Named queries and migrations are read from files. The error for a malformed file names the file."""

import hashlib
import string
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellonce_sql
from tellonce.contract_types import HOLDING
from tellonce_sql import SqlFileError, UnknownQuery, arguments, migrations, queries, query, read_migrations

NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=12)


def folder(path: Path, **files: str) -> Path:
    for name, text in files.items():
        (path / f"{name}.sql").write_text(text)
    return path


def test_a_query_is_the_statement_without_its_comments_and_semicolon(tmp_path: Path) -> None:
    text = "-- name: one\n-- $1 owner\n\n-- more\nselect $1 -- inside\n  + 1;\n\n-- name: two\nselect 2\n"
    assert queries(folder(tmp_path, numbers=text)) == {
        "numbers.one": "select $1 -- inside\n  + 1",
        "numbers.two": "select 2",
    }


def test_a_file_may_begin_with_comments_and_the_same_name_may_stand_in_two_files(tmp_path: Path) -> None:
    text = "-- Numbers we like.\n\n-- name: one\nselect 1\n"
    assert set(queries(folder(tmp_path, a=text, b=text))) == {"a.one", "b.one"}


def test_a_part_stands_wherever_it_is_used(tmp_path: Path) -> None:
    text = "-- part: mine\n-- $1 owner\nowner_id = $1\n-- end\n\n-- name: one\nselect 1 where\n-- use: mine\n"
    other = "-- name: two\nselect 2 where\n  -- use: a.mine\n"
    one, two = "select 1 where\nowner_id = $1", "select 2 where\nowner_id = $1"
    assert queries(folder(tmp_path, a=text, b=other)) == {"a.one": one, "b.two": two}


def test_named_parameters_get_numbers_and_the_owner_the_first(tmp_path: Path) -> None:
    text = "-- name: one\nselect $chat_id::int, $owner_id, $chat_id, $f$x$f$\n"
    assert queries(folder(tmp_path, a=text)) == {"a.one": "select $2::int, $1, $2, $f$x$f$"}


def test_the_values_of_a_part_are_the_parameters_that_it_names(tmp_path: Path) -> None:
    text = "-- part: both\nrole, sent_at\n-- end\n-- name: one\ninsert into a (\n-- use: both\n) select\n  -- values: both\n"
    assert queries(folder(tmp_path, a=text)) == {"a.one": "insert into a (\nrole, sent_at\n) select\n$1, $2"}


def test_the_names_that_have_a_trait_are_listed(tmp_path: Path) -> None:
    text = "-- name: one\nselect '{}', s in {statuses.holds}, k in {kinds.replaces_owner}\n"
    listed = f"select '{{}}', s in {HOLDING}, k in ('profile')"
    assert queries(folder(tmp_path, a=text)) == {"a.one": listed}


def test_values_are_put_in_the_order_of_the_named_parameters() -> None:
    values = defaultdict(int, scanned=1, of_each_kind=2, chat_id=3, owner_id=4, unused=5)
    found = arguments("retrieval.messages_within", values)
    assert found[0] == 4
    assert sorted(value for value in found if value) == [1, 2, 3, 4]
    with pytest.raises(KeyError, match="vector"):
        arguments("retrieval.messages_within", {"owner_id": 4})


def test_other_files_are_not_queries(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    assert queries(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("-- name: one\nselect 1\n-- name: one\nselect 1\n", "two queries are named one"),
        ("-- name: one\n-- only a comment\n", "query one has no statement"),
        ("-- name: one\n;\n", "query one has no statement"),
        ("select 1\n-- name: one\nselect 1\n", "before any"),
        ("-- name: One Two\nselect 1\n", "'One Two' is not a query name"),
        ("-- name:\nselect 1\n", "'' is not a query name"),
        ("-- name: one\nselect 1\n-- use: two\n", "there is no part two"),
        ("-- name: one\nselect 1 in {statuses.dead}\n", "there is no list {statuses.dead}"),
        ("-- name: one\nselect $1, $chat_id\n", "query one has named and numbered parameters"),
    ],
)
def test_a_file_that_breaks_the_form_is_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SqlFileError, match=complaint) as caught:
        queries(folder(tmp_path, broken=text))
    assert str(caught.value).startswith("broken.sql: ")


@given(st.dictionaries(NAMES, NAMES, min_size=1, max_size=5))
def test_every_statement_written_is_read_under_its_name(
    tmp_path_factory: pytest.TempPathFactory, written: dict[str, str]
) -> None:
    text = "\n".join(f"-- name: {name}\n-- why\nselect '{value}';\n" for name, value in written.items())
    found = queries(folder(tmp_path_factory.mktemp("sql"), t=text))
    assert found == {f"t.{name}": f"select '{value}'" for name, value in written.items()}


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    known = next(iter(queries()))
    with pytest.raises(UnknownQuery, match=f"is it .*{known}"):
        query(known + "x")
    with pytest.raises(UnknownQuery, match=r"no query 'qqqqqqqqqqqq'$"):
        query("qqqqqqqqqqqq")


def test_what_a_caller_does_to_its_copy_changes_nobody_elses() -> None:
    name = next(iter(queries()))
    queries().clear()
    assert query(name) == queries()[name]


def test_migrations_come_in_order_with_the_hash_of_their_text(tmp_path: Path) -> None:
    folder(tmp_path, **{"0002_second": "select 2;", "0001_first_one": "select 1;"})
    first, second = read_migrations(tmp_path)
    assert (first.version, first.name, first.sql, first.file_name) == (
        1,
        "first_one",
        "select 1;",
        "0001_first_one.sql",
    )
    assert first.sha256 == hashlib.sha256(b"select 1;").hexdigest()
    assert second.version == 2


def test_line_ends_of_another_system_do_not_change_a_migration(tmp_path: Path) -> None:
    (tmp_path / "0001_first.sql").write_bytes(b"select 1;\r\nselect 2;\r\n")
    assert read_migrations(tmp_path)[0].sha256 == hashlib.sha256(b"select 1;\nselect 2;\n").hexdigest()


@pytest.mark.parametrize("name", ["1_first", "0001-first", "0001_First", "first"])
def test_a_misnamed_migration_is_refused_not_skipped(tmp_path: Path, name: str) -> None:
    with pytest.raises(SqlFileError, match=r"0001_first_tables\.sql"):
        read_migrations(folder(tmp_path, **{name: "select 1"}))


def test_the_packaged_files_are_there_and_typed() -> None:
    versions = [m.version for m in migrations()]
    assert versions == sorted(set(versions))
    assert queries()
    assert (Path(tellonce_sql.__file__).parent / "py.typed").exists()
