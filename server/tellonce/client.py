"""The Python client of the memory: one typed coroutine per tool. This module knows MCP, but not where the server is."""

from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeAlias, TypeVar

from mcp import MCPError
from mcp.client import Client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent
from pydantic import BaseModel, ValidationError

from tellonce import contract as c
from tellonce import reminders as r
from tellonce import work as w
from tellonce.server_text import ServerText, from_meta, with_codes

ArgsT = TypeVar("ArgsT", bound=BaseModel)
ResultT = TypeVar("ResultT", bound=BaseModel)

UNREACHABLE = -32000
"""The JSON-RPC error code of a request that the memory could not answer. The code is in the range for errors of servers
(§5.1)."""


CallTool: TypeAlias = Callable[[str, dict[str, Any]], Coroutine[Any, Any, CallToolResult]]
"""A function that calls a tool, given the tool's name and the arguments. Raises MCPError if there is no result."""

LATER_META = "tellonce/later"
"""A key in an error's `_meta`: the server cannot answer now, but a later call may succeed."""


DATA_META = "tellonce/data"
"""A key in the `_meta` of a request. The server then leaves out the text of the result, because the text repeats the
result's data."""


class MemoryRefused(Exception):
    """The server refused the call. The message says what to do, and `text` also has its code. The message is not
    logged, because it may quote arguments."""

    may_quote = True

    def __init__(self, text: str) -> None:
        self.text = ServerText(text) if not isinstance(text, ServerText) else text
        super().__init__(text)


class MemoryUnreachable(Exception):
    """There is no answer, or the token was rejected. The call may be repeated if this does no harm."""


class Tool(Generic[ArgsT, ResultT]):
    """A tool of the server as a coroutine of the client, under the same name."""

    def __init__(self, args: type[ArgsT], result: type[ResultT]) -> None:
        self.args, self.result, self.name = args, result, ""

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    def __get__(self, client: "MemoryClient", _: type) -> Callable[[ArgsT], Coroutine[Any, Any, ResultT]]:
        # `_call` is private to this module, and this class is in the same module.
        return lambda args: client._call(self.name, args, self.result)  # pyright: ignore[reportPrivateUsage]


class MemoryClient:
    """A client with one coroutine per tool, which several tasks may use at the same time. A coroutine raises
    `MemoryRefused` if the tool reports an error. It raises `MemoryUnreachable` if no valid answer arrives."""

    def __init__(self, client: Client, call: CallTool | None = None) -> None:
        self._client = client
        self._call_tool = call or self._in_session

    @property
    def mcp(self) -> Client:
        """The MCP library's client, for resources, prompts and subscriptions."""
        return self._client

    record_message = Tool(c.RecordMessageArgs, c.RecordedMessage)
    get_context = Tool(c.GetContextArgs, c.Context)
    search_memory = Tool(c.SearchMemoryArgs, c.SearchResults)
    remember = Tool(c.RememberArgs, c.Remembered)
    update_memory = Tool(c.UpdateMemoryArgs, c.Memory)
    forget = Tool(c.ForgetArgs, c.Forgotten)
    get_profile = Tool(c.GetProfileArgs, c.Profile)
    summarize_chat = Tool(c.SummarizeChatArgs, c.ChatSummary)
    explain = Tool(c.ExplainArgs, c.Explanation)
    start_new_chat = Tool(c.StartNewChatArgs, c.NewChat)
    set_reminder = Tool(r.SetReminderArgs, r.Reminder)
    list_reminders = Tool(r.ListRemindersArgs, r.Reminders)
    change_reminder = Tool(r.ChangeReminderArgs, r.Reminder)
    claim_reminders = Tool(r.ClaimRemindersArgs, r.ClaimedReminders)
    finish_reminder = Tool(r.FinishReminderArgs, r.FinishedReminder)
    claim_work = Tool(w.ClaimWorkArgs, w.ClaimedWork)
    extend_work = Tool(w.ExtendWorkArgs, w.Extended)
    submit_work = Tool(w.SubmitWorkArgs, w.Submitted)
    fail_work = Tool(w.FailWorkArgs, w.Failed)

    async def queue_status(self, args: w.QueueStatusArgs | None = None) -> w.QueueStatus:
        return await self._call("queue_status", args or w.QueueStatusArgs(), w.QueueStatus)

    async def _call(self, tool: str, args: BaseModel, kind: type[ResultT]) -> ResultT:
        try:
            result = await self._call_tool(tool, args.model_dump(mode="json", exclude_none=True, by_alias=True))
        except MCPError as error:
            raise MemoryUnreachable(str(error)) from error
        if result.is_error and (result.meta or {}).get(LATER_META):
            raise MemoryUnreachable(_text(result))
        if result.is_error:
            raise MemoryRefused(from_meta([_text(result)], result.meta)[0])
        try:
            return with_codes(kind.model_validate(result.structured_content), result.meta)
        except ValidationError as error:
            raise MemoryUnreachable(f"the answer of {tool} does not match the contract: {error}") from error

    async def _in_session(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        # The session's own request method is faster. `Client.call_tool` first validates the answer with jsonschema,
        # which takes three times as long as the rest of the call. `_call` validates the answer with pydantic instead.
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        return await self._client.session.send_request(request, CallToolResult)


def _text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
