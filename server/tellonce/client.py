"""The Python client of the memory: one typed coroutine per tool. This module knows MCP, but not where the server is."""

from typing import TypeVar

from mcp import MCPError
from mcp.client import Client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent
from pydantic import BaseModel, ValidationError

from tellonce import contract as c
from tellonce import reminders as r
from tellonce import work as w
from tellonce.server_text import ServerText, from_meta, with_codes

ResultT = TypeVar("ResultT", bound=BaseModel)

UNREACHABLE = -32000
"""The JSON-RPC error code of a request that the memory could not answer. JSON-RPC 2.0 §5.1 reserves this error code for
servers."""


LATER_META = "tellonce/later"
"""A key in the `_meta` of an error result. This key in a result's metadata says that the server cannot answer now, but
that a later call may succeed."""


class MemoryRefused(Exception):
    """The server understood the call and refused it; the text says why and what to do, and `text.code` names the reason
    for programs. The text may quote the call's arguments, so it is not logged."""

    may_quote = True

    def __init__(self, text: str) -> None:
        self.text = ServerText(text) if not isinstance(text, ServerText) else text
        super().__init__(text)


class MemoryUnreachable(Exception):
    """The server was not reachable, its answer was lost, or it rejected the access token; the exception text says which
    of these happened. Repeat the call unless a second execution would do harm."""


class MemoryClient:
    """One coroutine per tool. Several tasks may share one client.

    Every coroutine raises `MemoryRefused` for a tool error and `MemoryUnreachable` if the server gave no answer.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def mcp(self) -> Client:
        """The client of the MCP library that this client uses, for resources, prompts and subscriptions."""
        return self._client

    async def record_message(self, args: c.RecordMessageArgs) -> c.RecordedMessage:
        return await self._call(c.RECORD_MESSAGE, args, c.RecordedMessage)

    async def get_context(self, args: c.GetContextArgs) -> c.Context:
        return await self._call(c.GET_CONTEXT, args, c.Context)

    async def search_memory(self, args: c.SearchMemoryArgs) -> c.SearchResults:
        return await self._call(c.SEARCH_MEMORY, args, c.SearchResults)

    async def remember(self, args: c.RememberArgs) -> c.Remembered:
        return await self._call(c.REMEMBER, args, c.Remembered)

    async def update_memory(self, args: c.UpdateMemoryArgs) -> c.Memory:
        return await self._call(c.UPDATE_MEMORY, args, c.Memory)

    async def forget(self, args: c.ForgetArgs) -> c.Forgotten:
        return await self._call(c.FORGET, args, c.Forgotten)

    async def get_profile(self, args: c.GetProfileArgs) -> c.Profile:
        return await self._call(c.GET_PROFILE, args, c.Profile)

    async def summarize_chat(self, args: c.SummarizeChatArgs) -> c.ChatSummary:
        return await self._call(c.SUMMARIZE_CHAT, args, c.ChatSummary)

    async def explain(self, args: c.ExplainArgs) -> c.Explanation:
        return await self._call(c.EXPLAIN, args, c.Explanation)

    async def start_new_chat(self, args: c.StartNewChatArgs) -> c.NewChat:
        return await self._call(c.START_NEW_CHAT, args, c.NewChat)

    async def set_reminder(self, args: r.SetReminderArgs) -> r.Reminder:
        return await self._call(r.SET_REMINDER, args, r.Reminder)

    async def list_reminders(self, args: r.ListRemindersArgs) -> r.Reminders:
        return await self._call(r.LIST_REMINDERS, args, r.Reminders)

    async def change_reminder(self, args: r.ChangeReminderArgs) -> r.Reminder:
        return await self._call(r.CHANGE_REMINDER, args, r.Reminder)

    async def claim_reminders(self, args: r.ClaimRemindersArgs) -> r.ClaimedReminders:
        return await self._call(r.CLAIM_REMINDERS, args, r.ClaimedReminders)

    async def finish_reminder(self, args: r.FinishReminderArgs) -> r.FinishedReminder:
        return await self._call(r.FINISH_REMINDER, args, r.FinishedReminder)

    async def claim_work(self, args: w.ClaimWorkArgs) -> w.ClaimedWork:
        return await self._call(w.CLAIM_WORK, args, w.ClaimedWork)

    async def extend_work(self, args: w.ExtendWorkArgs) -> w.Extended:
        return await self._call(w.EXTEND_WORK, args, w.Extended)

    async def submit_work(self, args: w.SubmitWorkArgs) -> w.Submitted:
        return await self._call(w.SUBMIT_WORK, args, w.Submitted)

    async def fail_work(self, args: w.FailWorkArgs) -> w.Failed:
        return await self._call(w.FAIL_WORK, args, w.Failed)

    async def queue_status(self, args: w.QueueStatusArgs | None = None) -> w.QueueStatus:
        return await self._call(w.QUEUE_STATUS, args or w.QueueStatusArgs(), w.QueueStatus)

    async def _call(self, tool: str, args: BaseModel, kind: type[ResultT]) -> ResultT:
        params = CallToolRequestParams(
            name=tool, arguments=args.model_dump(mode="json", exclude_none=True, by_alias=True)
        )
        try:
            # This uses the session's own request method. `Client.call_tool` validates the answer with jsonschema
            # first, which takes three times as long as the rest of the call; pydantic validates it below.
            result = await self._client.session.send_request(CallToolRequest(params=params), CallToolResult)
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


def _text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
