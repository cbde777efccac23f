"""The server's behavior as an MCP server: short lists of tools, two result channels with the same contents, questions
to the person in both protocol versions, and notifications across processes."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp.client import Client, ClientRequestContext
from mcp.client.subscriptions import ResourceUpdated
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, ResourceTemplateReference, TextContent, Tool

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_server.app.server import build_server
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import Caller
from tests.memory_fixtures import USER, Clock, Memory, opened, session, value
from tests.patience import HANGS, until

pytestmark = pytest.mark.anyio

MODES = ("2026-07-28", "legacy")
MOST_TOKENS = 2_200
CHARACTERS_A_TOKEN = 4


VALID_CALLS: dict[str, dict[str, Any]] = {
    "record_message": {"role": "user", "content": "Hello there"},
    "get_context": {},
    "search_memory": {"query": "tea"},
    "remember": {"content": "I like green tea"},
    "forget": {"topic": "tea"},
    "get_profile": {},
    "summarize_chat": {},
    "start_new_chat": {},
}
"""The minimal arguments of the tools that can be called without the number of a stored row."""


@asynccontextmanager
async def client_of(
    memory: Memory, mode: str, scope: str = "assistant", user: int | None = USER, **options: Any
) -> AsyncGenerator[Client]:
    caller = Caller(user, frozenset((scope,)))
    server = build_server(memory.settings, memory.storage, auth=False, caller_of=lambda: caller)
    async with Client(server, mode=mode, **options) as client:
        yield client


async def listed(memory: Memory, mode: str, scope: str) -> list[Tool]:
    async with client_of(memory, mode, scope) as client:
        return (await client.list_tools()).tools


def cost(tool: Tool) -> int:
    """The number of characters that are sent to a model: name, description and input schema."""
    schema = json.dumps(tool.input_schema, separators=(",", ":"), ensure_ascii=False)
    return len(tool.name) + len(tool.description or "") + len(schema)


def undescribed(name: str, schema: dict[str, Any]) -> list[str]:
    """All arguments below `name` that have no description, including the fields of nested objects and of list items."""
    fields = {f"{name}.{field}": inner for field, inner in schema.get("properties", {}).items()}
    bare = [path for path, inner in fields.items() if not inner.get("description")]
    nested = [undescribed(path, one) for path, inner in fields.items() for one in (inner, inner.get("items", {}))]
    return bare + [path for paths in nested for path in paths]


@pytest.mark.parametrize("mode", MODES)
async def test_the_assistant_tools_describe_every_argument_in_2200_tokens(memory: Memory, mode: str) -> None:
    tools = await listed(memory, mode, "assistant")
    tokens = sum(cost(tool) for tool in tools) / CHARACTERS_A_TOKEN
    print(
        f"assistant tools/list ({mode}): {tokens:.0f} tokens; " + ", ".join(f"{t.name} {cost(t) // 4}" for t in tools)
    )
    assert len(tools) == 10
    assert tokens <= MOST_TOKENS
    assert [path for tool in tools for path in undescribed(tool.name, tool.input_schema)] == []


async def test_every_tool_accepts_the_names_of_a_thread_whether_it_lists_them_or_not(memory: Memory) -> None:
    thread = {"message_thread_id": "session", "reply_to_message_id": 7}
    async with client_of(memory, MODES[0]) as client:
        for tool, arguments in VALID_CALLS.items():
            result = await client.session.call_tool(tool, thread | arguments)
            assert not result.is_error, (tool, result.content)


@pytest.mark.parametrize("tool", VALID_CALLS)
async def test_an_explicit_null_is_an_absent_argument(memory: Memory, tool: str) -> None:
    """OpenAI's strict mode sends null for every optional argument."""
    schemas = {t.name: t.input_schema for t in await listed(memory, MODES[0], "assistant")}
    nulls = dict.fromkeys(schemas[tool]["properties"])
    async with client_of(memory, MODES[0]) as client:
        with_nulls = await client.session.call_tool(tool, nulls | VALID_CALLS[tool])
    assert not with_nulls.is_error, with_nulls.content


async def test_numbers_as_text_and_one_value_for_a_list_are_taken(memory: Memory) -> None:
    loose = {"query": "tea", "kinds": "fact", "limit": "5", "chat_id": float(USER)}
    async with client_of(memory, MODES[0]) as client:
        result = await client.session.call_tool("search_memory", loose)
    assert not result.is_error, result.content


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scope", ["assistant", "relay", "agent"])
async def test_every_tool_has_title_description_annotations_and_output_schema(
    memory: Memory, mode: str, scope: str
) -> None:
    for tool in await listed(memory, mode, scope):
        assert tool.title
        assert tool.description
        assert "\n" not in tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        hints = tool.annotations
        assert hints is not None
        assert hints.open_world_hint is False
        assert None not in (hints.read_only_hint, hints.idempotent_hint)
        assert hints.read_only_hint or hints.destructive_hint is (tool.name == "forget")


async def test_tools_are_listed_in_the_same_order_every_time(memory: Memory) -> None:
    lists = [await listed(memory, mode, "assistant") for mode in (*MODES, *MODES)]
    assert all([t.name for t in tools] == [t.name for t in lists[0]] for tools in lists)


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("record_message", {"role": "user", "content": "My dentist is Dr Osei", "message_id": "m1", "speaker": "Priya"}),
    (
        "record_message",
        {"role": "assistant", "content": "Noted. When is it?", "expects": {"slot": "visit", "type": "date"}},
    ),
    ("record_message", {"role": "assistant", "content": "Rain today", "routine": "weather", "summary": "Rain."}),
    ("record_message", {"role": "user", "content": "My dentist is Dr Mensah", "message_id": "m1"}),
    ("remember", {"content": "I live in Singapore"}),
    ("remember", {"content": "I live in Lisbon", "scope": "global", "pinned": True}),
    ("remember", {"content": "Finish the thesis", "kind": "goal", "deadline": "2026-06-01T12:00:00+08:00"}),
    ("remember", {"content": "I prefer tea", "source_message_id": "m1", "importance": 0.75}),
    ("update_memory", {"memory_id": 2, "action": "confirm"}),
    ("get_context", {"query": "Where do I live?", "reply_to_message_id": "m1"}),
    ("get_context", {"query": "Where do I live?", "detail": "sections", "token_budget": 200}),
    ("search_memory", {"query": "dentist", "limit": 1}),
    ("search_memory", {"query": "tea", "where": "all"}),
    ("search_memory", {"query": "zeppelin"}),
    ("get_profile", {}),
    ("summarize_chat", {"now": True}),
    ("explain", {"message_id": "m1"}),
    ("explain", {"memory_id": 2}),
    ("forget", {"topic": "tea"}),
    ("forget", {"topic": "zeppelin"}),
    ("start_new_chat", {}),
)


@pytest.mark.parametrize("mode", MODES)
async def test_both_result_channels_say_the_same(memory: Memory, mode: str) -> None:
    """Hosts show a model only one of the two channels, so everything in the structured result must also be in the
    text."""
    missing = []
    async with client_of(memory, mode) as client:
        for tool, arguments in CALLS:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, f"{tool} {arguments}: {said(result)}"
            missing += [f"{tool} {arguments}: {path}={value!r}" for path, value in unsaid(result)]
        receipt = (await client.call_tool("get_context", {"query": "tea"})).structured_content
        assert receipt is not None
        replay = await client.call_tool("explain", {"receipt_id": receipt["receipt_id"]})
        missing += [f"explain receipt: {path}={value!r}" for path, value in unsaid(replay)]
    assert not missing, "\n".join(missing)


def said(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def unsaid(result: CallToolResult) -> list[tuple[str, Any]]:
    """The values that are in the structured result but not in the text."""
    text = said(result)
    assert result.structured_content is not None
    return [(path, value) for path, value in scalars(result.structured_content) if not told(value, text)]


def scalars(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in scalars(inner, f"{path}.{key}")]
    if isinstance(value, list):
        return [pair for index, inner in enumerate(value) for pair in scalars(inner, f"{path}[{index}]")]
    return [(path, value)]


def told(value: Any, text: str) -> bool:
    """Whether the text contains the value. Some differences are allowed. Null, false, true and zero can be missing. A
    time can end with +00:00 or Z. A figure can be rounded."""
    if value in (None, False, "", 0):
        return True
    if value is True:
        return True
    if isinstance(value, float):
        return any(form in text for form in (f"{value:g}", f"{value:.3f}", f"{value:.0f}", str(value)))
    return str(value) in text or str(value).removesuffix("Z") in text


def answering(action: str, erase: bool | None, **also: str) -> Any:
    asked: list[str] = []

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content={"erase": erase, **also} if erase is not None else None)

    return answer, asked


async def left(dsn: str) -> int:
    return int(await value(dsn, "select count(*) from memories"))


@pytest.mark.parametrize("mode", MODES)
async def test_forget_erases_when_the_person_says_yes_in_the_clients_form(memory: Memory, dsn: str, mode: str) -> None:
    callback, asked = answering("accept", True)
    async with client_of(memory, mode, elicitation_callback=callback) as client:
        await client.call_tool("remember", {"content": "I prefer green tea"})
        result = await client.call_tool("forget", {"topic": "tea"})
    assert not result.is_error
    assert result.structured_content is not None
    assert result.structured_content["erased"]["memories"] == 1
    assert len(asked) == 1
    assert "I prefer green tea" in asked[0]
    assert await left(dsn) == 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("action", "erase"), [("decline", None), ("accept", False), ("cancel", None)])
async def test_a_question_declined_or_closed_gives_no_token_and_says_so_where_models_read(
    memory: Memory, dsn: str, mode: str, action: str, erase: bool | None
) -> None:
    callback, asked = answering(action, erase)
    async with client_of(memory, mode, elicitation_callback=callback) as client:
        await client.call_tool("remember", {"content": "I prefer green tea"})
        result = await client.call_tool("forget", {"topic": "tea"})
    assert result.structured_content is not None
    assert result.structured_content["confirm"] is None
    assert result.structured_content["receipt"] is None
    assert "Nothing was erased" in result.structured_content["notes"][0]
    assert "Nothing was erased" in said(result)
    assert len(asked) == 1
    assert await left(dsn) == 1


@pytest.mark.parametrize("mode", MODES)
async def test_the_person_picks_matches_in_the_clients_form(memory: Memory, dsn: str, mode: str) -> None:
    callback, asked = answering("accept", True, which="2")
    async with client_of(memory, mode, elicitation_callback=callback) as client:
        for kind in ("green", "black"):
            await client.call_tool("remember", {"content": f"I prefer {kind} tea", "kind": "fact"})
        result = await client.call_tool("forget", {"topic": "tea"})
        profile = await client.call_tool("get_profile", {})
    assert "☑ 1. I prefer green tea\n☑ 2. I prefer black tea" in asked[0]
    assert result.structured_content is not None
    assert result.structured_content["traces_left"] == 0
    assert await left(dsn) == 1
    assert "green" in said(profile)


@pytest.mark.parametrize("mode", MODES)
async def test_forget_erases_only_what_the_question_showed(memory: Memory, dsn: str, mode: str) -> None:
    """While the question is open, another client stores a memory that also matches."""

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        async with memory.client() as other:
            await other.remember(c.RememberArgs(content="I drink tea at five", kind="fact"))
        return ElicitResult(action="accept", content={"erase": True})

    async with client_of(memory, mode, elicitation_callback=answer) as client:
        await client.call_tool("remember", {"content": "I prefer green tea"})
        result = await client.call_tool("forget", {"topic": "tea"})
    assert result.structured_content is not None
    assert result.structured_content["traces_left"] == 1
    assert "New or changed since the preview, so not erased: 1 match." in result.structured_content["notes"]
    assert await left(dsn) == 1


@pytest.mark.parametrize("mode", MODES)
async def test_forget_previews_where_nobody_can_be_asked(memory: Memory, dsn: str, mode: str) -> None:
    async with client_of(memory, mode) as client:
        await client.call_tool("remember", {"content": "I prefer green tea"})
        preview = await client.call_tool("forget", {"topic": "tea"})
        assert not preview.is_error
        assert preview.structured_content is not None
        assert preview.structured_content["receipt"] is None
        assert "Nothing is erased yet" in preview.structured_content["notes"][0]
        assert await left(dsn) == 1
        confirm = preview.structured_content["confirm"]
        assert confirm in said(preview)
        done = await client.call_tool("forget", {"topic": "tea", "confirm": confirm, "except": []})
    assert done.structured_content is not None
    assert done.structured_content["erased"]["memories"] == 1
    assert await left(dsn) == 0


@pytest.mark.parametrize("mode", MODES)
async def test_forget_asks_nothing_when_nothing_matches(memory: Memory, mode: str) -> None:
    callback, asked = answering("accept", True)
    async with client_of(memory, mode, elicitation_callback=callback) as client:
        result = await client.call_tool("forget", {"topic": "zeppelin"})
    assert not result.is_error
    assert asked == []


async def test_a_subscriber_hears_what_another_server_changed(
    memory: Memory, settings: ServerSettings, clock: Clock
) -> None:
    uri = "memory://profile"
    async with (
        opened(Storage(settings, clock)) as other,
        client_of(memory, MODES[0]) as listener,
        client_of(other, MODES[0]) as writer,
        listener.listen(resource_subscriptions=[uri]) as events,
    ):
        await heard_on(memory)
        await writer.call_tool("remember", {"content": "I live in Lisbon"})
        with anyio.fail_after(HANGS):
            event = await anext(aiter(events))
        profile = await listener.read_resource(uri)
    assert event == ResourceUpdated(uri=uri)
    assert "I live in Lisbon" in profile.contents[0].text


async def test_a_subscriber_hears_of_one_memory_and_of_the_list_of_chats(
    memory: Memory, settings: ServerSettings, clock: Clock
) -> None:
    async with (
        opened(Storage(settings, clock)) as other,
        client_of(memory, MODES[0]) as listener,
        client_of(other, MODES[0]) as writer,
    ):
        await writer.call_tool("remember", {"content": "I live in Lisbon"})
        async with listener.listen(resource_subscriptions=["memory://memory/1", "memory://chats"]) as events:
            await heard_on(memory)
            heard = aiter(events)
            with anyio.fail_after(HANGS):
                await writer.call_tool("update_memory", {"memory_id": 1, "action": "pin"})
                assert await anext(heard) == ResourceUpdated(uri="memory://memory/1")
                await writer.call_tool("record_message", {"role": "user", "content": "Hello there"})
                while (event := await anext(heard)) == ResourceUpdated(uri="memory://memory/1"):
                    pass  # the profile may be announced twice
                assert event == ResourceUpdated(uri="memory://chats")


async def test_a_subscriber_hears_of_each_resource_that_a_call_changes(
    memory: Memory, settings: ServerSettings, clock: Clock
) -> None:
    chat, tea = f"memory://chat/{USER}", {"chat_id": USER, "role": "user", "message_id": "1"}
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = (
        (f"{chat}/messages", "record_message", {**tea, "content": "I like tea"}),
        (f"{chat}/summary", "record_message", {**tea, "content": "I like mint tea", "message_id": "2"}),
        ("memory://profile", "record_message", {**tea, "content": "I like green tea"}),
        (f"{chat}/context", "record_message", {**tea, "content": "Hello", "chat_id": None, "conversation_id": "x"}),
        (f"{chat}/context", "remember", {"content": "I live in Lisbon", "conversation_id": "x"}),
        (f"{chat}/context", "start_new_chat", {"chat_id": USER}),
        (f"{chat}/messages", "forget", {"literal": "green", "conversation_id": "x"}),
    )
    async with (
        opened(Storage(settings, clock)) as other,
        client_of(memory, MODES[0]) as listener,
        client_of(other, MODES[0]) as writer,
    ):
        for uri, tool, arguments in calls:
            async with listener.listen(resource_subscriptions=[uri]) as events:
                await heard_on(memory)
                result = await writer.call_tool(tool, arguments)
                if tool == "forget":
                    assert result.structured_content is not None
                    await writer.call_tool(tool, {**arguments, "confirm": result.structured_content["confirm"]})
                with anyio.fail_after(HANGS):
                    assert await anext(aiter(events)) == ResourceUpdated(uri=uri), tool


LISTENING = """
select count(*) >= 2 from pg_stat_activity
where datname = current_database() and query ilike 'listen%tellonce_changes%' and state = 'idle'
"""


async def heard_on(memory: Memory) -> None:
    """Wait until this server's LISTEN is active; before that, a notification would be lost."""
    assert memory.settings.database_url is not None
    async with session(memory.settings.database_url.get_secret_value()) as connection:
        await until(lambda: connection.fetchval(LISTENING))


async def test_a_subscriber_hears_of_its_own_memory_only(
    memory: Memory, settings: ServerSettings, clock: Clock
) -> None:
    mine = f"memory://chat/{USER}/messages"
    async with (
        opened(Storage(settings, clock)) as other,
        client_of(memory, MODES[0]) as listener,
        client_of(other, MODES[0], user=43) as stranger,
        client_of(other, MODES[0]) as writer,
        listener.listen(resource_subscriptions=[mine, "memory://profile"]) as events,
    ):
        await heard_on(memory)
        await stranger.call_tool("remember", {"content": "I live in Porto"})
        await writer.call_tool("record_message", {"role": "user", "content": "Hello there", "chat_id": USER})
        with anyio.fail_after(HANGS):
            event = await anext(aiter(events))
    assert event == ResourceUpdated(uri=mine)


@pytest.mark.parametrize("mode", MODES)
async def test_resources_prompts_and_completions_are_there(memory: Memory, mode: str) -> None:
    async with client_of(memory, mode) as client:
        await client.call_tool("remember", {"content": "I live in Lisbon"})
        resources = {str(r.uri) for r in (await client.list_resources()).resources}
        templates = {t.uri_template for t in (await client.list_resource_templates()).resource_templates}
        prompts = {p.name for p in (await client.list_prompts()).prompts}
        prompt = await client.get_prompt("chat_with_memory", {"message": "Where do I live?"})
        memory_1 = await client.read_resource("memory://memory/1")
    assert resources == {"memory://profile", "memory://chats", "ui://tellonce/memory.html"}
    assert templates == {
        "memory://chat/{chat_id}/summary",
        "memory://chat/{chat_id}/messages{?limit,before}",
        "memory://chat/{chat_id}/context",
        "memory://memory/{memory_id}",
    }
    assert prompts == {"chat_with_memory", "what_do_you_know_about_me", "catch_me_up", "learn"}
    assert "Where do I live?" in prompt.messages[0].content.text
    contract = (Path(__file__).parents[2] / "docs" / "CONTRACT.md").read_text().split("**Instructions**")[0]
    _, promised, prompted = re.split(r"\*\*(?:Resources|Prompts)\*\*: ", contract)
    assert set(re.findall("`(memory://.+?)`", promised)) == templates | {uri for uri in resources if uri[:2] == "me"}
    assert set(re.findall("`(.+?)`", prompted)) == prompts
    assert "I live in Lisbon" in memory_1.contents[0].text


@pytest.mark.parametrize("mode", MODES)
async def test_a_completion_offers_the_first_hundred_of_many_chats(memory: Memory, mode: str) -> None:
    async with memory.tables() as tables:
        await tables.execute(
            "insert into chats (owner_id, chat_id, created_at) select $1, 2 ^ 52 + n, now() from generate_series(1, 120) n",
            USER,
        )
    ref = ResourceTemplateReference(uri="memory://chat/{chat_id}/summary")
    async with client_of(memory, mode) as client:
        offered = (await client.complete(ref, {"name": "chat_id", "value": ""})).completion
    assert (len(offered.values), offered.has_more) == (100, True)
    assert offered.values[0] == str(USER)


BAD_URIS = (
    "memory://chat/43/summary",
    "memory://chat/-100/context",
    "memory://chat/abc/summary",
    "memory://chat//summary",
    "memory://chat/1e3/messages",
    "memory://chat/99999999999999999999999/messages",
    "memory://chat/42/messages?limit=many",
    "memory://chat/42/messages?before=99999999999999999999999",
    "memory://memory/0",
    "memory://memory/999999999999999999999",
    "memory://memory/x",
    "memory://nonsense",
    "memory://chat/../profile",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("uri", BAD_URIS)
async def test_an_unknown_or_foreign_resource_is_an_error_without_insides(memory: Memory, mode: str, uri: str) -> None:
    refused: MCPError | None = None
    async with client_of(memory, mode) as client:
        try:
            await client.read_resource(uri)
        except MCPError as error:
            refused = error
    assert refused is not None
    text = str(refused).lower()
    assert text
    assert not any(word in text for word in ("pydantic", "traceback", "asyncpg", "valueerror", "invalid literal"))
