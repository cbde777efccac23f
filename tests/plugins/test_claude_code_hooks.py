"""The hooks with a real server. Everything except private parts is recorded once, and nothing is lost while the server
is down."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from tellonce.connect import connect_http
from tellonce.contract import RememberArgs
from tellonce_hooks import json_codec
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests import memory_fixtures
from tests.memory_disk import fill, small_disk
from tests.memory_fixtures import database
from tests.patience import until
from tests.plugins.hooks import PLUGIN, Session, added_context
from tests.server.processes import HttpServer, free_port, http_server

pytestmark = pytest.mark.anyio

SECRET = "sk-ant-api03-" + "x7Kq" * 12


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> AsyncIterator[HttpServer]:
    async with database(postgres) as dsn, http_server(tmp_path_factory.mktemp("http"), dsn) as running:
        yield running


@pytest.fixture
async def session(server: HttpServer, tmp_path: Path) -> Session:
    return Session(tmp_path, server.url, server.data_dir, session_id=tmp_path.name)


async def recorded(server: HttpServer, session: Session, at_least: int) -> list[tuple[str, str]]:
    """Wait until the session has at least this many messages, and return their roles and texts in order."""
    assert server.dsn is not None
    async with memory_fixtures.session(server.dsn) as connection:

        async def enough() -> list[asyncpg.Record]:
            rows = await connection.fetch(
                "select role, content from messages where thread_key like '%' || $1 order by id", session.session_id
            )
            return rows if len(rows) >= at_least else []

        return [(row["role"], row["content"]) for row in await until(enough)]


async def test_a_prompt_is_recorded_although_the_plugins_disk_is_full(server: HttpServer) -> None:
    with small_disk("512k") as disk:
        session = Session(disk, server.url, server.data_dir, session_id="full-disk")
        await session.hook("SessionStart", source="startup")
        fill(disk / "ballast")
        await session.hook("UserPromptSubmit", prompt_id="p1", prompt="For the yard we chose gravel")
        assert await recorded(server, session, 1) == [("user", "For the yard we chose gravel")]
        (disk / "ballast").unlink()
        await session.turn("p2", "And for the paths we chose bricks", "Good choice.")
        assert [text for _, text in await recorded(server, session, 3)] == [
            "For the yard we chose gravel",
            "And for the paths we chose bricks",
            "Good choice.",
        ]
        await until(lambda: not list(session.spool.iterdir()))


async def test_every_prompt_and_reply_is_recorded_once_and_recalled_in_another_session(
    server: HttpServer, session: Session, tmp_path: Path
) -> None:
    start = added_context(await session.hook("SessionStart", source="startup"))
    assert "do not call record_message or get_context" in start
    await session.turn("p1", "For the shop we chose PostgreSQL 17 because of its MERGE", "Good choice.")
    await recorded(server, session, 2)  # a reply is recorded in the background, so the next prompt might overtake it
    await session.turn("p2", f"My key is {SECRET}", "I will not repeat it.", written=False)
    said = await recorded(server, session, 4)
    assert said[:2] == [
        ("user", "For the shop we chose PostgreSQL 17 because of its MERGE"),
        ("assistant", "Good choice."),
    ]
    assert (said[2][0], said[3]) == ("user", ("assistant", "I will not repeat it."))
    assert SECRET not in said[2][1], "keys are masked"
    await session.hook("Stop", prompt_id="p2", last_assistant_message="I will not repeat it.")
    await session.hook("SessionEnd", reason="other", prompt_id="p2")
    later = Session(tmp_path, server.url, server.data_dir, session_id=f"{session.session_id}-later")
    answer = added_context(await later.turn("p3", "Which PostgreSQL did we choose for the shop?", "17."))
    assert answer.startswith("⟦memory⟧")
    assert "message_id=" in answer
    assert "For the shop we chose PostgreSQL 17" in answer
    assert await recorded(server, later, 2) == [
        ("user", "Which PostgreSQL did we choose for the shop?"),
        ("assistant", "17."),
    ]
    assert await recorded(server, session, 4) == said, "hooks and catch-up together record nothing twice"


def test_the_quick_json_is_json() -> None:
    value = {"a": [1, -2.5, None, True, 'é"\n\\'], "b": {}, "c": ""}
    for loads, dumps in (json_codec._quick(), json_codec._usual()):
        assert loads(f" {dumps(value)}\n") == value == json.loads(dumps(value))
        for wrong in ("", "{", "1 2", "nul", '{"a":}', "\x00"):
            with pytest.raises(ValueError, match=r"."):
                loads(wrong)


async def test_the_index_is_short_and_names_what_explain_takes(server: HttpServer, session: Session) -> None:
    long = "The deployment of the billing service goes through the staging cluster first. " * 30
    async with connect_http(server.url, server.token()) as client:
        kept = (await client.remember(RememberArgs(content="The billing service is deployed on Tuesdays"))).memory
    assert kept is not None
    earlier = Session(session.folder, server.url, server.data_dir, session_id=f"{session.session_id}-e")
    await earlier.turn("p1", long, "Understood.")
    await recorded(server, earlier, 2)
    index = added_context(
        await session.hook("UserPromptSubmit", prompt_id="p2", prompt="How is the billing service deployed?")
    )
    assert f"memory_id={kept.id} · fact" in index
    assert "… (" in index, "a long text is cut, and says what it costs"
    assert len(index) < 1_500


async def test_private_parts_commands_excluded_folders_and_projects_switched_off_are_never_recorded(
    server: HttpServer, session: Session
) -> None:
    await session.hook("SessionStart", source="startup")
    await session.turn("p1", "Deploy with <private>pin 4711</private> tonight", "I used pin 4711.")
    await session.turn("p2", "<private>all of this</private>", "Fine.")
    session.options["excluded_folders"] = f"/nowhere, {session.project.parent}"
    assert await session.turn("p3", "In an excluded folder", "No.") is None
    session.options.clear()
    assert "full" in await session.script("mode", str(session.folder / "plugin-data"))
    assert "recall." in await session.script("mode", str(session.folder / "plugin-data"), "recall")
    await session.turn("p4", "Only recall here", "Yes.")
    assert "full." in await session.script("mode", str(session.folder / "plugin-data"), "full")
    own = session.project / ".claude" / "tellonce.json"
    own.parent.mkdir()
    own.write_text(json.dumps({"memory": "off"}))
    assert await session.turn("p5", "The project says off", "Yes.") is None
    own.unlink()
    assert await session.turn("c1", "/tellonce:memory off", "Memory in ~/shop: off.", typed_as_command=True) is None
    await session.turn("p6", "/etc/hosts is recorded again", "Yes.")
    assert await recorded(server, session, 3) == [
        ("user", "Deploy with  tonight"),
        ("user", "/etc/hosts is recorded again"),
        ("assistant", "Yes."),
    ]


async def test_a_failure_of_the_api_is_no_reply(server: HttpServer, session: Session) -> None:
    error = "API Error: Unable to connect to API (ConnectionRefused)"
    await session.hook("SessionStart", source="startup")
    await session.turn("p1", "Nobody answers this", error, failed=True)
    await session.turn("p2", "Somebody answers this", "Yes.")
    assert ("assistant", "Yes.") in (said := await recorded(server, session, 4))
    assert not [text for _, text in said if "API Error" in text], said


async def test_what_is_said_while_the_server_is_missing_is_recorded_later_in_order_and_once(
    server: HttpServer, session: Session
) -> None:
    session.url = f"http://127.0.0.1:{free_port()}/mcp"
    start = await session.hook("SessionStart", source="startup")
    assert start is not None
    assert "Memory is not available (Connection refused)" in start["systemMessage"]
    await session.turn("p1", "First while away", "One.")
    await session.turn("p2", "Second while away", "Two.", written=False)
    await until(lambda: len(list(session.spool.glob("*.json"))) == 4)
    lost = min(session.spool.glob("*p1.json"))
    lost.unlink()  # a killed hook leaves no file, but the transcript still contains the message
    session.url = server.url
    await session.turn("p3", "Third, with the server back", "Three.")
    said = await recorded(server, session, 6)
    assert sorted(said) == sorted(
        [
            *(("user", "First while away"), ("assistant", "One.")),
            *(("user", "Second while away"), ("assistant", "Two.")),
            *(("user", "Third, with the server back"), ("assistant", "Three.")),
        ]
    )
    await until(lambda: not list(session.spool.glob("*.json")))
    assert len(await recorded(server, session, 6)) == 6


async def test_a_reply_is_stored_before_claude_code_may_end(session: Session) -> None:
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    assert not [hook for groups in hooks.values() for group in groups for hook in group["hooks"] if hook.get("async")]
    session.url = f"http://127.0.0.1:{free_port()}/mcp"
    for number in range(5):
        await session.turn(f"p{number}", f"Question {number}", f"Answer {number}.", written=False)
        kept = [json.loads(file.read_text())["message"]["content"] for file in session.spool.glob("*reply.json")]
        assert f"Answer {number}." in kept


async def test_a_server_that_breaks_off_is_named_in_a_sentence(session: Session) -> None:
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port := free_port()):
        session.url = f"http://127.0.0.1:{port}/mcp"
        start = await session.hook("SessionStart", source="startup")
    assert start is not None
    assert "(the memory server broke off" in start["systemMessage"] or "reset" in start["systemMessage"]


async def test_a_compaction_keeps_its_summary_and_what_was_before_the_plugin_stays_unrecorded(
    server: HttpServer, session: Session
) -> None:
    session.write("p0", "Said before the plugin was there", "Yes.")
    await session.hook("SessionStart", source="resume")
    await session.turn("p1", "Said with the plugin", "Yes.")
    await session.hook("PostCompact", prompt_id="p2", trigger="manual", compact_summary="We talked about plugins.")
    said = await recorded(server, session, 3)
    assert sorted(said) == sorted(
        [("user", "Said with the plugin"), ("assistant", "Yes."), ("assistant", "We talked about plugins.")]
    )
