"""The output and exit codes of small commands, and texts that the commands must never print."""

import json
import re

import pytest

from tellonce import contract as c
from tellonce.connect import connect_http
from tellonce_cli.screen import DEFECT, CommandFailed, failure_message
from tests.chain.home import Home
from tests.server.processes import free_port
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio


async def test_a_token_is_shown_once_works_for_its_scope_and_ends_when_revoked(
    at_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = (await at_home.run("token", "create", "[laptop]")).strip()
    listed = await at_home.run("token", "list")
    assert "[laptop]" in listed
    assert token not in listed
    as_json = await at_home.run("token", "list", "--json")
    assert ("[laptop]", ["assistant"]) in [(entry["name"], entry["scopes"]) for entry in json.loads(as_json)]
    assert token not in as_json
    async with connect_http(at_home.url, token) as memory:
        assert (await memory.remember(c.RememberArgs(content="I own a laptop"))).outcome == "stored"
    with monkeypatch.context() as elsewhere:
        elsewhere.setitem(at_home.environment, "TELLONCE_TOKEN", token)
        seen = await at_home.run("status")
    assert re.search(r"\d facts?, ", seen)
    assert "this token may not see the queue and the cost" in seen
    status = json.loads(await at_home.run("status", "--json"))
    assert (status["server"], status["memory"]["facts"] > 0, status["queue"]["cost"]["calls"]) == (at_home.url, True, 0)
    checks = json.loads((await at_home.report("doctor", "--json"))[1])
    assert {"ok": True, "fix": ""}.items() <= checks[0].items()
    assert "[laptop] is revoked" in await at_home.run("token", "revoke", "[laptop]")
    code, said = await at_home.failing("token", "revoke", "[laptop]")
    assert (code, said.count("\n")) == (1, 1)
    created = await at_home._run(("token", "create", "x", "--user", "44"), "")
    assert "user 44 is not in TELEGRAM_USER_ID" in created[2]
    monkeypatch.setitem(at_home.environment, "TELLONCE_TOKEN", token)
    code, said = await at_home.failing("status")
    assert (code, "rejects our access token" in said) == (1, True)


async def test_a_message_is_found_explained_and_forgotten_by_one_name(at_home: Home) -> None:
    async with at_home.memory() as memory:
        said = c.RecordMessageArgs(role="user", content="The ferry leaves at six", conversation_id="island")
        await memory.record_message(said)
    found = await at_home.run("search", "ferry")
    name = re.search(r"^ {8}message .* island: The ferry leaves at six  \[(\d+:1)\]$", found, re.MULTILINE)
    assert name is not None
    assert "The ferry leaves at six" in await at_home.run("why", "--message", name[1])
    assert "Forgotten (1 sentence)" in await at_home.run("forget", "--message", name[1], "--yes")
    assert "Nothing found" in await at_home.run("search", "ferry")
    assert "or --where all." in await at_home.run("search", "ferry", "--where", "chat")


async def test_a_turn_can_be_traced_by_the_id_its_events_carry(light_home: Home) -> None:
    light_home.environment["OBSERVABILITY_ENABLED"] = "1"
    await light_home.run("chat", told="I work as a baker\n")
    events = [
        json.loads(line)
        for file in (light_home.folder / "logs").glob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    trace = next(e["traceId"] for e in events if e["event"] == "message_received")
    shown = await light_home.run("trace", trace)
    assert trace in shown
    assert "server" in shown
    assert shown.count("message_received") == 2
    assert "context_built" in shown
    assert "baker" not in shown
    code, said = await light_home.failing("trace", "no-such-trace")
    assert code == 1
    assert "There is no event of trace no-such-trace" in said


async def test_a_routine_is_sent_to_telegram_and_kept_as_what_the_assistant_said(
    at_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with telegram() as api, at_home.memory() as memory:
        monkeypatch.setitem(at_home.environment, "TELEGRAM_BOT_TOKEN", "999:emulated")
        monkeypatch.setitem(at_home.environment, "TELEGRAM_API_URL", api.url)
        await at_home.run("send", "--chat", "42", "--routine", "aws-daily-cost", told="Yesterday cost $12.40 in all.")
        found = await memory.get_context(c.GetContextArgs(chat_id=42))
        code, said = await at_home.failing("send", "--chat", "4711", "--routine", "aws-daily-cost", told="It cost $1.")
    assert (code, said.startswith("not sent: Chat 4711 is not served here")) == (1, True), said
    assert [message["text"] for message in api.sent] == ["Yesterday cost $12.40 in all."]
    assert "aws-daily-cost" in (found.context or "")


async def test_sending_nothing_or_without_a_bot_says_what_to_do(home: Home) -> None:
    assert "pipe the text in" in (await home.failing("send", "--chat", "1", "--routine", "r"))[1]
    assert "TELEGRAM_BOT_TOKEN" in (await home.failing("send", "--chat", "1", "--routine", "r", told="hi"))[1]


@pytest.mark.parametrize(
    ("routine", "text", "reason"),
    [("daily", "x" * 70_000, "its content is longer than 64 KiB; split it"), ("d" * 65, "hi", "its routine")],
    ids=["a text that is too long", "a name that is too long"],
)
async def test_what_cannot_be_recorded_is_not_sent_either(home: Home, routine: str, text: str, reason: str) -> None:
    home.environment |= {"TELEGRAM_BOT_TOKEN": "999:emulated", "TELLONCE_TOKEN": "any"}
    async with telegram() as api:
        home.environment["TELEGRAM_API_URL"] = api.url
        code, said = await home.failing("send", "--chat", "42", "--routine", routine, told=text)
    assert (code, said.startswith(f"not sent: {reason}"), api.sent) == (1, True, []), said


async def test_an_unreachable_bot_api_is_reported_with_what_to_do(home: Home) -> None:
    home.environment |= {"TELEGRAM_BOT_TOKEN": "999:emulated", "TELLONCE_TOKEN": "any"}
    home.environment["TELEGRAM_API_URL"] = f"http://127.0.0.1:{free_port()}"
    code, said = await home.failing("send", "--chat", "42", "--routine", "daily", told="hi")
    assert (code, said.count("\n"), said.startswith("not sent: NetworkError. `tellonce doctor")) == (1, 1, True), said


async def test_maintenance_says_what_it_did(at_home: Home) -> None:
    assert "No failed jobs to retry." in await at_home.run("replay")
    code, said = await at_home.failing("reembed")
    assert (code, "TELLONCE_EMBEDDINGS is none" in said) == (1, True)
    assert "rewritten" in await at_home.run("scrub")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("import", "telegram", "nowhere.json"), "there is no file nowhere.json"),
        (("import", "jsonl", "no.jsonl"), "line 1: it has no role"),
        (("import", "chatgpt", "bad.jsonl"), "ChatGPT"),
        (("import", "jsonl", "bad.jsonl", "--chat", "-77"), "TELEGRAM_GROUPS"),
        (("export", "nowhere/x.jsonl"), "there is no memory in"),
    ],
)
async def test_a_mistake_is_one_sentence_with_the_way_out(home: Home, arguments: tuple[str, ...], part: str) -> None:
    good = {"role": "user", "content": "hi", "sent_at": "2026-01-01T00:00:00Z"}
    (home.folder / "bad.jsonl").write_text(json.dumps(good) + "\n{}\n")
    (home.folder / "no.jsonl").write_text("{}\n")
    code, said = await home.failing(*arguments)
    assert code == 1
    assert part in said
    assert "Traceback" not in said
    assert len([line for line in said.splitlines() if line.startswith("tellonce:")]) == 1


async def test_wrong_settings_and_wrong_usage_have_exit_codes_of_their_own(home: Home) -> None:
    assert (await home.failing("dance"))[0] == 2
    assert (await home.failing("serve", "--stdio", "--http"))[0] == 2
    code, said = await home.failing("token", "create", "x", "--scope", "root")
    assert (code, "'assistant', 'relay', 'agent'" in said) == (2, True)
    home.environment["TELLONCE_PORT"] = "many"
    code, said = await home.failing("status")
    home.environment["TELLONCE_PORT"] = "1"
    assert code == 1, said
    assert "Traceback" in (await home.failing("--debug", "import", "telegram", "nowhere.json"))[1]


def test_a_defect_is_reported_by_the_cause_inside_the_task_groups_and_with_its_own_code() -> None:
    sentence, code = failure_message(ExceptionGroup("g", [ExceptionGroup("g", [ValueError("odd\nlines")])]))
    assert sentence.startswith("ValueError: odd. ")
    assert code == DEFECT
    assert failure_message(ExceptionGroup("g", [CommandFailed("do this.")])) == ("do this.", 1)
