"""The tools that only the page calls. The tools are not shown to models."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mcp.types import ToolAnnotations

from tellonce import page_contract as p
from tellonce_server.api import text
from tellonce_server.api.assistant import CHANGE, READ, Tools
from tellonce_server.api.spec import Call, MethodT, tool
from tellonce_server.core.scope import own_chat

APP_ONLY = {"ui": {"visibility": ["app"]}}
"""Metadata for hosts with MCP Apps: the page may call these tools; the model does not see them."""


def page_tool(
    title: str, annotations: ToolAnnotations, meta: Mapping[str, Any] = MappingProxyType({})
) -> Callable[[MethodT], MethodT]:
    """Declare a tool of the page."""
    return tool(f"{title}: for the memory page.", annotations, text.structured, meta, title=title)


class PageTools(Tools):
    """The tools that read data for the page's screens, and the tool that undoes an action."""

    @tool("Undoes the last change made on the memory page.", CHANGE, text.structured, APP_ONLY, title="Undo")
    async def page_undo(self, call: Call[p.PageUndoArgs]) -> p.PageUndone:
        return await (await self._ready()).undoer.undo(_owner(call), call.args)

    @page_tool("Today", READ, APP_ONLY)
    async def page_today(self, call: Call[p.NoArgs]) -> p.PageToday:
        services = await self._ready()
        operator = call.caller.user_id == services.deps.settings.default_user
        return await services.page.today(_owner(call), operator=operator)

    @page_tool("Memories", READ, APP_ONLY)
    async def page_memories(self, call: Call[p.PageMemoriesArgs]) -> p.PageMemories:
        return await (await self._ready()).page.memories(_owner(call), call.args)

    @page_tool("One memory", READ, APP_ONLY)
    async def page_memory(self, call: Call[p.PageMemoryArgs]) -> p.PageMemory:
        return await (await self._ready()).page.memory(_owner(call), call.args)

    @page_tool("Timeline", READ, APP_ONLY)
    async def page_timeline(self, call: Call[p.PageTimelineArgs]) -> p.PageTimeline:
        return await (await self._ready()).page.timeline(_owner(call), call.args)

    @page_tool("Words", READ, APP_ONLY)
    async def page_words(self, call: Call[p.PageWordsArgs]) -> p.PageWords:
        return await (await self._ready()).page.words(_owner(call), call.args)

    @page_tool("Answers", READ, APP_ONLY)
    async def page_answers(self, call: Call[p.PageAnswersArgs]) -> p.PageAnswers:
        return await (await self._ready()).page.answers(_owner(call), call.args)

    @page_tool("Names", READ, APP_ONLY)
    async def page_names(self, call: Call[p.PageNamesArgs]) -> p.PageNames:
        return await (await self._ready()).page.names(_owner(call), call.args)


def _owner(call: Call[Any]) -> int:
    return own_chat(call.caller).owner_id
