"""A new external PostgreSQL works at once, or an error message gives the SQL statements that prepare it."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce import contract as c
from tests.chain.home import Home
from tests.server.own_postgres import OwnPostgres, installations, name_of, own_postgres

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", params=installations(), ids=name_of)
async def installed(request: pytest.FixtureRequest) -> AsyncIterator[OwnPostgres]:
    """One server of each version."""
    program: Path = request.param
    async with own_postgres(program) as server:
        yield server


@pytest.fixture
async def server(installed: OwnPostgres) -> AsyncIterator[OwnPostgres]:
    """The server, after the databases and roles of other tests were removed."""
    yield installed
    await installed.clear()


async def test_up_makes_a_fresh_database_ready_where_the_login_may(home: Home, server: OwnPostgres) -> None:
    home.environment["DATABASE_URL"] = await server.database("fresh")
    async with home.up(), home.memory() as memory:
        await memory.remember(c.RememberArgs(content="I live in Porto"))
        found = await memory.search_memory(c.SearchMemoryArgs(query="Where do I live?"))
    assert "Porto" in str(found.model_dump())


async def test_an_ordinary_login_gets_the_statements_and_works_after_them(home: Home, server: OwnPostgres) -> None:
    home.environment["DATABASE_URL"] = await server.plain("plain")
    for command in (("database", "setup"), ("status",), ("backup", "all")):
        code, said = await home.failing(*command)
        assert (code, "Traceback" in said) == (1, False)
    code, said = await home.failing("database", "setup")
    told = re.findall(r"^  (.+;)$", said, re.MULTILINE)
    assert "create role chatmem_server nologin;" in told
    assert "grant chatmem_worker to plain;" in told
    diagnosed = await home._run(("doctor",), "")
    assert "is not set up" in diagnosed[1]
    await server.admin(*told, database="plain")
    assert "is ready" in await home.run("database", "setup")
    assert "is not set up" not in (await home._run(("doctor",), ""))[1]
    async with home.up(), home.memory() as memory:
        await memory.remember(c.RememberArgs(content="I live in Porto"))


async def test_a_login_without_a_schema_for_tables_gets_an_error_that_says_so(home: Home, server: OwnPostgres) -> None:
    await server.admin("create role guest login", "create database others")
    await server.admin("revoke create on schema public from public", database="others")
    home.environment["DATABASE_URL"] = server.dsn("guest", "others")
    _, said = await home.failing("database", "setup")
    assert "grant usage, create on schema public to guest;" in said


async def test_up_says_in_a_sentence_what_an_administrator_must_run(home: Home, server: OwnPostgres) -> None:
    await server.admin("create role lonely login", "create database lonely")
    home.environment["DATABASE_URL"] = server.dsn("lonely", "lonely")
    code, out, said = await home._run(("up",), "")
    assert code == 1
    assert "An administrator of PostgreSQL" in " ".join((out + said).split())
    assert "Traceback" not in out + said


async def test_a_database_that_is_down_is_named_and_not_taken_for_another_memory(
    home: Home, server: OwnPostgres
) -> None:
    home.environment["DATABASE_URL"] = await server.database("stopped")
    async with home.up():
        server.control("stop")
        try:
            _, said = await home.failing("memories")
            _, diagnosed = await home.report("doctor")
        finally:
            server.control("start")
    assert "database cannot be reached" in said
    (answering,) = [line for line in diagnosed.splitlines() if "answers on port" in line]
    assert (answering[0], "database cannot be reached" in answering) == ("✗", True)
    assert "another memory" not in said + diagnosed
