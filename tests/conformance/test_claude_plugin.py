"""Tests of the real Claude Code with our plugin. The test installs the plugin without configuration, like a user. Each
turn is recorded and recalled."""

import shlex
import sys
from typing import Any
from urllib.parse import urlsplit

import pytest

from tellonce.connect import connect_http
from tellonce.contract import RememberArgs
from tellonce.settings import ServerSettings, load
from tellonce_cli import claude_plugin
from tellonce_cli.client_configs import Machine
from tests.conformance.claude import Claude
from tests.conformance.test_claude_code import talks
from tests.memory_fixtures import session
from tests.patience import until
from tests.plugins.hooks import PLUGIN
from tests.server.processes import HttpServer
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Say

pytestmark = [pytest.mark.anyio, pytest.mark.node]

PROMPT = "Which day do we deploy the billing service?"
ROOT = PLUGIN.parents[1]


async def test_the_plugin_and_its_marketplace_are_valid(claude: Claude) -> None:
    assert "Validation passed" in await claude("plugin", "validate", str(PLUGIN), "--profile", "directory")
    assert "Validation passed" in await claude("plugin", "validate", str(ROOT))


async def test_a_turn_with_the_plugin_is_recorded_and_sees_what_it_calls_to_mind(
    claude: Claude, http_process: HttpServer
) -> None:
    async with connect_http(http_process.url, http_process.token()) as client:
        await client.remember(RememberArgs(content="The billing service is deployed on Tuesdays"))
    await claude("plugin", "marketplace", "add", str(ROOT))
    machine = Machine(sys.platform, claude.home, claude.environment())
    memory = load(ServerSettings, port=urlsplit(http_process.url).port, data_dir=http_process.data_dir)
    await claude("plugin", "install", claude_plugin.PLUGIN)
    assert "plugin looks for the memory at" in str(claude_plugin.trouble(machine, memory))
    await claude(*shlex.split(claude_plugin.install_line(machine, memory))[1:])
    assert (claude_plugin.is_enabled(machine), claude_plugin.trouble(machine, memory)) == (True, None)
    async with AnthropicStub(Say("On Tuesdays.")) as stub:
        environment = {"ANTHROPIC_BASE_URL": stub.url, "ANTHROPIC_API_KEY": "dummy"}
        await claude("-p", PROMPT, **environment)
        asked = talks(stub.asked)[0]
        shown = await claude("-p", "/tellonce:memory", **environment)
    assert shown.strip() == "On Tuesdays."
    prompt = str(asked.body["messages"])
    assert "· The billing service is deployed on Tuesdays" in prompt
    assert "do not call record_message or get_context" in prompt
    offered = {tool["name"] for tool in asked.body["tools"]}
    assert "mcp__plugin_tellonce_memory__record_message" not in offered, "the hooks record"
    assert "mcp__plugin_tellonce_memory__search_memory" in offered
    # If a command is recorded, its prompt is recorded before its reply. Therefore it is enough to check the prompts.
    assert await said(http_process) == [("user", PROMPT), ("assistant", "On Tuesdays.")]
    assert "Memory in ~/work: full." in str([a.body["messages"] for a in talks(stub.asked)])


async def said(server: HttpServer) -> list[tuple[Any, ...]]:
    """The recorded messages, after the turn is complete. The reply is recorded by a process that outlives the turn."""
    assert server.dsn is not None
    async with session(server.dsn) as connection:

        async def turn() -> list[tuple[Any, ...]]:
            rows = await connection.fetch("select role, content from messages order by id")
            return [tuple(row) for row in rows] if len(rows) >= 2 else []

        found: list[tuple[Any, ...]] = await until(turn)
        return found
