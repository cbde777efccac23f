"""The tools and resources that the conformance suite requires. They are added to our own server, so that the suite tests
our code."""

import base64
import json
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

from tellonce_server.app.server import MemoryServer
from tests.conformance.input_requests import add_asking

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = base64.b64encode(b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00").decode()

WHAT = "A fixture of the conformance suite."

IMAGE = ImageContent(type="image", data=PIXEL, mime_type="image/png")
AUDIO = AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")


def text(value: str) -> TextContent:
    return TextContent(type="text", text=value)


def resource(uri: str, value: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=value))


def add_fixtures(server: MemoryServer) -> MemoryServer:
    """Register the fixtures. They have no scopes, so every caller may use them."""
    plain: Any = super(MemoryServer, server)
    server.list_tools = plain.list_tools  # type: ignore[method-assign]
    server.call_tool = plain.call_tool  # type: ignore[method-assign]
    _add_tools(server)
    add_asking(server)
    _add_resources(server)
    _add_prompts(server)
    return server


def _add_tools(server: MemoryServer) -> None:
    @server.tool(description=WHAT)
    async def test_simple_text() -> CallToolResult:
        return CallToolResult(content=[text("This is a simple text response for testing.")])

    @server.tool(description=WHAT)
    async def test_image_content() -> CallToolResult:
        return CallToolResult(content=[IMAGE])

    @server.tool(description=WHAT)
    async def test_audio_content() -> CallToolResult:
        return CallToolResult(content=[AUDIO])

    @server.tool(description=WHAT)
    async def test_embedded_resource() -> CallToolResult:
        return CallToolResult(content=[resource("test://embedded-resource", "This is an embedded resource content.")])

    @server.tool(description=WHAT)
    async def test_multiple_content_types() -> CallToolResult:
        mixed = resource("test://mixed-content-resource", json.dumps({"test": "data"}), "application/json")
        return CallToolResult(content=[text("Multiple content types test:"), IMAGE, mixed])

    @server.tool(description=WHAT)
    async def test_tool_with_progress(ctx: Context[None]) -> CallToolResult:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100, f"{done} of 100")
        return CallToolResult(content=[text("done")])

    @server.tool(description=WHAT)
    async def test_error_handling() -> CallToolResult:
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool(description=WHAT)
    async def test_trigger_tool_change(ctx: Context[None]) -> CallToolResult:
        await ctx.notify_tools_changed()
        return CallToolResult(content=[text("announced")])

    @server.tool(description=WHAT)
    async def test_trigger_prompt_change(ctx: Context[None]) -> CallToolResult:
        await ctx.notify_prompts_changed()
        return CallToolResult(content=[text("announced")])


def _add_resources(server: MemoryServer) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    async def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    async def static_binary() -> bytes:
        return base64.b64decode(PIXEL)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    async def template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _add_prompts(server: MemoryServer) -> None:
    @server.prompt(description=WHAT)
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt(description=WHAT)
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt(description=WHAT)
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803  # the suite's name
        return [
            UserMessage(resource(resourceUri, "Embedded resource content for testing.")),
            UserMessage("Please process the embedded resource above."),
        ]

    @server.prompt(description=WHAT)
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(IMAGE), UserMessage("Please analyze the image above.")]
