"""Fixtures of the conformance suite. Each fixture asks the client a question before it answers. The suite defines the
questions."""

from typing import Any

from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    MissingRequiredClientCapabilityErrorData,
    SamplingCapability,
    SamplingMessage,
    TextContent,
)

from tellonce_server.app.server import MemoryServer

Asked = CallToolResult | InputRequiredResult

WHAT = "A fixture of the conformance suite that asks back."
STATE = "asked once"


def form(message: str, field: str, kind: str = "string") -> ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(question: str) -> CreateMessageRequest:
    said = SamplingMessage(role="user", content=TextContent(type="text", text=question))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[said], max_tokens=100))


NAME = form("What is your name?", "name")
OK = form("Please confirm", "ok", "boolean")
CAPITAL = sample("What is the capital of France?")
STEPS = {
    "step1": form("Step 1: What is your name?", "name"),
    "step2": form("Step 2: What is your favorite color?", "color"),
}


def done(value: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=value)])


def unless_answered(ctx: Context[None], asked: dict[str, InputRequest], state: str | None = None) -> Asked:
    """A result that asks the questions again until all are answered. The SDK seals `state` and refuses a `state` that
    was changed."""
    if asked.keys() <= (ctx.input_responses or {}).keys() and ctx.request_state == state:
        return done("state-ok" if state else "answered")
    return InputRequiredResult(input_requests=asked, request_state=state)


def add_asking(server: MemoryServer) -> None:
    _add_single_questions(server)
    _add_states(server)
    _add_capabilities(server)

    @server.prompt(description=WHAT)
    def test_input_required_result_prompt(ctx: Context[None]) -> Any:
        context = form("What context should the prompt use?", "context")
        asked = unless_answered(ctx, {"user_context": context})
        return asked if isinstance(asked, InputRequiredResult) else "A prompt with its context."


def _add_single_questions(server: MemoryServer) -> None:
    @server.tool(description=WHAT)
    async def test_input_required_result_elicitation(ctx: Context[None]) -> Asked:
        return unless_answered(ctx, {"user_name": NAME})

    @server.tool(description=WHAT)
    async def test_input_required_result_sampling(ctx: Context[None]) -> Asked:
        return unless_answered(ctx, {"capital_question": CAPITAL})

    @server.tool(description=WHAT)
    async def test_input_required_result_list_roots(ctx: Context[None]) -> Asked:
        return unless_answered(ctx, {"client_roots": ListRootsRequest()})


def _add_states(server: MemoryServer) -> None:
    @server.tool(description=WHAT)
    async def test_input_required_result_request_state(ctx: Context[None]) -> Asked:
        return unless_answered(ctx, {"confirm": OK}, STATE)

    @server.tool(description=WHAT)
    async def test_input_required_result_tampered_state(ctx: Context[None]) -> Asked:
        return unless_answered(ctx, {"confirm": OK}, STATE)

    @server.tool(description=WHAT)
    async def test_input_required_result_multiple_inputs(ctx: Context[None]) -> Asked:
        asked: dict[str, InputRequest] = {"user_name": NAME, "greeting": sample("Generate a greeting")}
        return unless_answered(ctx, {**asked, "client_roots": ListRootsRequest()}, STATE)

    @server.tool(description=WHAT)
    async def test_input_required_result_multi_round(ctx: Context[None]) -> Asked:
        """`request_state` names the step that was asked last."""
        following = {None: "step1", "step1": "step2"}.get(ctx.request_state)
        if following is None:
            return done("all steps answered")
        return InputRequiredResult(input_requests={following: STEPS[following]}, request_state=following)


def _add_capabilities(server: MemoryServer) -> None:
    @server.tool(description=WHAT)
    async def test_input_required_result_capabilities(ctx: Context[None]) -> Asked:
        able = ctx.client_capabilities or ClientCapabilities()
        asked: dict[str, InputRequest] = {}
        if able.elicitation is not None:
            asked["user_name"] = NAME
        if able.sampling is not None:
            asked["capital_question"] = CAPITAL
        return unless_answered(ctx, asked)

    @server.tool(description=WHAT)
    async def test_missing_capability(ctx: Context[None]) -> CallToolResult:
        if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
            needed = ClientCapabilities(sampling=SamplingCapability())
            data = MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
            raise MCPError(
                MISSING_REQUIRED_CLIENT_CAPABILITY,
                "this tool needs sampling",
                data.model_dump(by_alias=True, mode="json", exclude_none=True),
            )
        return done("sampling can be asked for")
