"""Builds the MCP server: its tools, resources, prompts and middleware, for any transport."""

from collections.abc import Iterable, Sequence
from typing import Any

from mcp import MCPError
from mcp.server import CacheHint, MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from mcp.types import Tool as ListedTool
from pydantic import AnyUrl

from tellonce.server_text import ServerText
from tellonce.settings import ServerSettings
from tellonce_server.api.assistant import AssistantTools
from tellonce_server.api.middleware import AppOnly, OfferedTo, wanted_resources
from tellonce_server.api.page.app_bundle import memory_app
from tellonce_server.api.page.tools import page_tools
from tellonce_server.api.programs import ReminderTools, WorkTools
from tellonce_server.api.prompts import INSTRUCTIONS, add_prompts
from tellonce_server.api.resources import add_resources, later
from tellonce_server.api.spec import specs_of
from tellonce_server.api.strict_tool import CallerOf, StrictTool, failed, strict_tool
from tellonce_server.app.access_tokens import http_caller
from tellonce_server.app.page.operator_tools import OperatorTools
from tellonce_server.app.storage import Storage
from tellonce_server.app.token_verifier import is_still_valid
from tellonce_server.core import errors
from tellonce_server.core.limits import ConcurrencyLimit
from tellonce_server.core.scope import OPERATOR, Caller
from tellonce_server.core.subscriptions import OwnChanges

VERSION = "0.1.0"
ASSISTANT = frozenset(("assistant", "relay"))
AGENT = frozenset(("agent",))
PERSON = frozenset(("assistant",))
LISTS = ("tools", "resources", "prompts")


class MemoryServer(MCPServer[None]):
    """An MCP server that lists and runs only the tools for the scopes of the caller."""

    def __init__(self, tools: list[StrictTool], caller_of: CallerOf, **options: Any) -> None:
        super().__init__(tools=list(tools), **options)
        self._strict = {tool.name: tool for tool in tools}
        self._caller_of = caller_of
        self._concurrency = ConcurrencyLimit()

    async def list_tools(self) -> list[ListedTool]:
        caller = self._caller_of()
        admitted = {tool.name for tool in self._strict.values() if tool.spec.listed and tool.scopes & caller.scopes}
        return [tool for tool in await super().list_tools() if tool.name in admitted]

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[None, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """During a database outage, the error names the outage. The SDK would report an internal error."""
        try:
            async with self._concurrency.permit(self._caller_of().user_id):
                return await super().read_resource(uri, context)
        except ResourceError as error:
            failure = errors.cause_in(error)
            if failure is None:
                raise
            raise later(failure) from error

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[None, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """The error names its cause. The SDK would report an internal error."""
        await _require_standing()
        try:
            async with self._concurrency.permit(self._caller_of().user_id):
                return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            failure = errors.cause_in(error)
            if failure is not None:
                raise later(failure) from error
            raise MCPError(INVALID_PARAMS, f"{error}; prompts/list names prompts and arguments.") from error

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        caller = self._caller_of()
        tool = self._strict.get(name)
        if tool is None or not tool.scopes & caller.scopes:
            text = f"There is no tool {name[: errors.MOST_NAMED]} for this credential; tools/list names the available tools."
            if tool is not None and OPERATOR in tool.scopes:
                return failed(ServerText(text, "operator_only"))
            raise ToolError(text)
        if not tool.only_reads:
            await _require_standing()
        async with self._concurrency.permit(caller.user_id):
            return await super().call_tool(name, arguments, context)


async def _require_standing() -> None:
    """`authorization.confirmed` replaces this error with status 401."""
    if not await is_still_valid(get_access_token()):
        raise MCPError(INVALID_PARAMS, "This credential was revoked.")


async def constant_lists(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware that tells clients that the lists of tools, resources and prompts never change. The SDK says that they
    can change, because resources have subscribers."""
    result = await call_next(ctx)
    if ctx.method != "server/discover" or not isinstance(result, dict):
        return result
    declared = result["capabilities"]
    constant = {kind: {**declared[kind], "listChanged": False} for kind in LISTS if kind in declared}
    return {**result, "capabilities": {**declared, **constant}}


def build_server(
    settings: ServerSettings,
    storage: Storage,
    *,
    auth: bool,
    caller_of: CallerOf | None = None,
    middleware: Sequence[ServerMiddleware[Any]] = (),
) -> MemoryServer:
    """Build the server. Its tools wait until `storage` is open. With `auth` (HTTP), callers need a token."""
    own_caller = None if auth or caller_of else Caller(settings.default_user, PERSON)
    who = caller_of or (http_caller if own_caller is None else lambda: own_caller)
    own = page_tools(storage.services)
    zone = storage.zone
    # Times for the relay and the agent carry an offset, so they are left unchanged.
    offered = (
        (own, PERSON, zone),
        (specs_of(OperatorTools(storage)), frozenset((OPERATOR,)), zone),
        (specs_of(AssistantTools(storage.services)), ASSISTANT, zone),
        (specs_of(ReminderTools(storage.services)), ASSISTANT, None),
        (specs_of(WorkTools(storage.services)), AGENT, None),
    )
    # If all calls come from the same caller, only the tools for this caller are created. The schemas of the other tools
    # are not created, because this takes time.
    tools = [
        strict_tool(spec, scopes=scopes, zone=local, caller_of=who, observe=storage.observe)
        for specs, scopes, local in offered
        if own_caller is None or scopes & own_caller.scopes
        for spec in specs
    ]
    options: dict[str, Any] = {}
    if auth:
        options = {"auth": auth_settings(settings), "token_verifier": storage.verifier}
    server = MemoryServer(
        tools,
        who,
        name="tellonce",
        title="tellonce: one memory for every assistant",
        instructions=INSTRUCTIONS,
        version=VERSION,
        subscriptions=OwnChanges(storage.changes, who),
        extensions=(memory_app(),),
        middleware=(
            *(OfferedTo(ASSISTANT, who), AppOnly([spec.name for spec in own])),
            *(constant_lists, wanted_resources, *middleware),
        ),
        log_level="WARNING",
        cache_hints={"tools/list": CacheHint(ttl_ms=60_000, scope="private")},
        **options,
    )
    add_resources(server, storage.services, who)
    add_prompts(server, storage.services, who)
    return server


def auth_settings(settings: ServerSettings) -> AuthSettings:
    """The SDK's settings. With an issuer, clients learn from metadata (RFC 9728) where to get a token."""
    remote = settings.remote
    return AuthSettings.model_validate(
        {
            # Without a resource URL, the SDK does not use the issuer URL.
            "issuer_url": remote.issuer or f"http://{settings.host}:{settings.port}",
            "resource_server_url": remote.url if remote.issuer else None,
            "validate_token_resource": False,  # the verifier checks the audience
        }
    )
