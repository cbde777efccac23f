"""Tests of the page over HTTP without a browser: signing in, and refused requests."""

import os
from pathlib import Path

import httpx2
import pytest

from tellonce.connect import connect_http
from tellonce_server.api.page import app_bundle
from tellonce_server.api.page.app_bundle import static_files
from tellonce_server.services.page.sessions import CODE_SECONDS, PREFIX, Codes, Seal
from tellonce_server.store.uploads import KEPT_SECONDS, Uploads
from tests.memory_fixtures import Clock, forget
from tests.page.browser import code
from tests.patience import HANGS
from tests.server.processes import HttpServer
from tests.server.wire import request, wire_headers

pytestmark = pytest.mark.anyio
STATIC = Path(app_bundle.__file__).with_name("static")
MOST_BYTES, MOST_SENTENCES = 80_000, 16 * 1024
"""Maximum sizes in bytes: of the page without its sentences, and of the English sentences."""


async def test_a_code_is_good_once_and_the_cookie_is_given_to_the_page_alone(server: HttpServer) -> None:
    own = {"Origin": server.base}
    async with httpx2.AsyncClient(base_url=server.base) as http:
        fresh = await code(server)
        assert (
            await http.post("/page/session", content=fresh, headers={"Origin": "http://evil.test"})
        ).status_code == 403
        assert (await http.post("/page/session", content=fresh)).status_code == 403
        answer = await http.post("/page/session", content=fresh, headers=own)
        assert answer.status_code == 200
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert server.token() not in cookie
        assert (await http.post("/page/session", content=fresh, headers=own)).status_code == 403
        assert "older than a minute" in (await http.post("/page/session", content="x", headers=own)).json()["error"]


async def test_the_cookie_opens_the_memory_only_for_requests_of_the_page(server: HttpServer) -> None:
    async with httpx2.AsyncClient(base_url=server.base) as http:
        await http.post("/page/session", content=await code(server), headers={"Origin": server.base})
        body, headers = request("tools/list"), wire_headers("tools/list")
        for origin, expected in ((server.base, 200), (f"http://127.0.0.1:{server.port + 1}", 401), (None, 401)):
            sent = {**headers, **({"Origin": origin} if origin else {})}
            assert (await http.post("/mcp", json=body, headers=sent)).status_code == expected, origin
        assert (await http.get("/page/export")).status_code == 403
        assert (await http.get("/page/export", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 403
        rebound = {"Sec-Fetch-Site": "same-origin", "Host": f"evil.test:{server.port}"}
        assert (await http.get("/page/export", headers=rebound)).status_code == 421
        assert (await http.post("/page/end", headers={"Origin": server.base})).status_code == 200
        assert (await http.post("/mcp", json=body, headers={**headers, "Origin": server.base})).status_code == 401


async def test_no_model_is_listed_the_pages_tools_and_no_other_user_is_an_operator(
    server: HttpServer, token_of_many: str
) -> None:
    async with httpx2.AsyncClient(base_url=server.base) as http:
        listed = await http.post(
            "/mcp", json=request("tools/list"), headers={**wire_headers("tools/list"), **server.headers()}
        )
        assert not [tool["name"] for tool in listed.json()["result"]["tools"] if tool["name"].startswith("page_")]
        await http.post("/page/session", content=await code(server, token_of_many), headers={"Origin": server.base})
        call = request("tools/call", name="page_setup", arguments={})
        headers = {**wire_headers("tools/call", "page_setup"), "Origin": server.base}
        answer = (await http.post("/mcp", json=call, headers=headers)).json()
        assert "There is no tool page_setup" in str(answer)
        assert (await http.get("/page/export", headers={"Sec-Fetch-Site": "same-origin"})).status_code == 403


async def test_an_upload_is_deleted_when_it_is_imported_abandoned_or_something_is_forgotten(server: HttpServer) -> None:
    """Each upload contains a word. After the deletion, no file of the data folder contains this word."""
    chat = b'{"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Zorvath sings"]}\n'
    async with httpx2.AsyncClient(base_url=server.base, timeout=HANGS, headers={"Origin": server.base}) as http:
        await http.post("/page/session", content=await code(server))

        async def uploaded(content: bytes = b"Zorvath") -> str:
            name: str = (await http.post("/page/upload", content=content)).json()["upload"]
            assert said_in(server) == [name]
            return name

        async def imported(**arguments: object) -> str:
            headers = wire_headers("tools/call", "page_import")
            call = request("tools/call", name="page_import", arguments=arguments)
            return (await http.post("/mcp", json=call, headers=headers)).text

        await uploaded()
        elsewhere = {"Origin": "http://evil.test"}
        assert (await http.post("/page/discard", headers=elsewhere)).status_code == 403
        assert (await http.post("/page/discard")).status_code == 200
        assert said_in(server) == []
        assert '"isError":true' in await imported(upload=await uploaded(), dry_run=True)
        assert said_in(server) == []
        name = await uploaded(chat)
        assert "mcp-memory" in await imported(upload=name, dry_run=True)
        assert said_in(server) == [name]
        assert "Zorvath" not in await imported(upload=name, dry_run=False)
        assert said_in(server) == []
        await uploaded()
        async with connect_http(server.url, server.token()) as memory:
            assert (await forget(memory, topic="Zorvath")).traces_left == 0
        assert said_in(server) == []


def said_in(server: HttpServer) -> list[str]:
    """The files of the data folder that contain the word. The database of these tests is outside of the folder."""
    files = (file for file in server.data_dir.rglob("*") if file.is_file())
    return [file.name for file in files if b"Zorvath" in file.read_bytes()]


def test_an_upload_that_is_not_used_for_an_hour_is_deleted(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    with uploads.cleared():
        old, used = uploads.create(), uploads.create()
        for file in (old, used):
            os.utime(file, (1, 1))
        uploads.path(used.name)
        uploads.clear(KEPT_SECONDS)
        assert [file.exists() for file in (old, used)] == [False, True]
    assert not used.exists()


async def test_the_pages_files_say_that_nothing_else_may_load_and_are_small(server: HttpServer) -> None:
    async with httpx2.AsyncClient(base_url=server.base) as http:
        page = await http.get("/")
        assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]
        assert (await http.get("/page/../auth.py")).status_code == 404
        assert (await http.get("/", headers={"Host": "evil.test"})).status_code == 421
    files = static_files()
    assert sum(len(text) for name, text in files.items() if not name.startswith("strings/")) < MOST_BYTES
    assert len(files["strings/en.json"]) < MOST_SENTENCES
    assert not [name for name, text in files.items() if b"innerHTML" in text or b"insertAdjacentHTML" in text]


def test_the_files_are_served_without_their_comments_and_with_every_other_line() -> None:
    for file in STATIC.iterdir():
        served = static_files()[file.name].decode()
        assert served.splitlines() == lines_of_code(file.read_text()), file.name
        assert "/*" not in served, file.name


def lines_of_code(text: str) -> list[str]:
    """The lines of a file outside of comments. A comment is never on the same line as code."""
    found, inside = list[str](), False
    for line in text.splitlines():
        inside = inside or line.lstrip().startswith("/*")
        if not inside and not line.lstrip().startswith("//"):
            found.append(line)
        inside = inside and not line.endswith("*/")
    return found


def test_codes_end_after_a_minute_and_sessions_after_a_month() -> None:
    now = [0.0]
    codes = Codes(lambda: now[0])
    first, second = codes.new(b"a" * 32), codes.new(b"b" * 32)
    assert codes.take(first) == b"a" * 32
    assert codes.take(first) is None
    now[0] = CODE_SECONDS + 1
    assert codes.take(second) is None
    clock, seal = Clock(), Seal(b"key")
    session = seal.session(b"c" * 32, clock())
    assert seal.token_hash(session, clock()) == b"c" * 32
    assert Seal(b"other").token_hash(session, clock()) is None
    assert seal.token_hash(f"{PREFIX}nonsense", clock()) is None
    clock.forward(days=31)
    assert seal.token_hash(session, clock()) is None
