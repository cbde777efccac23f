"""The tools that only the page calls. The tools are not shown to models."""

from typing import Any

from tellonce import page_contract as p
from tellonce_server.api import text
from tellonce_server.api.assistant import CHANGE, READ, GetServices, Tools
from tellonce_server.api.spec import Call, ToolSpec, specs_of, tool
from tellonce_server.core.scope import own_chat

APP_ONLY = {"ui": {"visibility": ["app"]}}
"""Metadata for hosts with MCP Apps: the page may call these tools; the model does not see them."""


def page_tools(ready: GetServices) -> list[ToolSpec]:
    """The tools that read data for the page's screens, and the tool that undoes an action."""
    t = _Tools(ready)
    return specs_of(t.undo, t.today, t.memories, t.memory, t.timeline, t.words, t.answers, t.names)


class _Tools(Tools):
    @tool(
        p.PAGE_UNDO,
        "Undoes the last change made on the memory page.",
        CHANGE,
        text.structured,
        APP_ONLY,
        title="Undo",
    )
    async def undo(self, call: Call[p.PageUndoArgs]) -> p.PageUndone:
        return await (await self._ready()).undoer.undo(_owner(call), call.args)

    @tool(p.PAGE_TODAY, "Today: for the memory page.", READ, text.structured, APP_ONLY, title="Today")
    async def today(self, call: Call[p.NoArgs]) -> p.PageToday:
        services = await self._ready()
        operator = call.caller.user_id == services.deps.settings.default_user
        return await services.page.today(_owner(call), operator=operator)

    @tool(p.PAGE_MEMORIES, "Memories: for the memory page.", READ, text.structured, APP_ONLY, title="Memories")
    async def memories(self, call: Call[p.PageMemoriesArgs]) -> p.PageMemories:
        return await (await self._ready()).page.memories(_owner(call), call.args)

    @tool(p.PAGE_MEMORY, "One memory: for the memory page.", READ, text.structured, APP_ONLY, title="One memory")
    async def memory(self, call: Call[p.PageMemoryArgs]) -> p.PageMemory:
        return await (await self._ready()).page.memory(_owner(call), call.args)

    @tool(p.PAGE_TIMELINE, "Timeline: for the memory page.", READ, text.structured, APP_ONLY, title="Timeline")
    async def timeline(self, call: Call[p.PageTimelineArgs]) -> p.PageTimeline:
        return await (await self._ready()).page.timeline(_owner(call), call.args)

    @tool(p.PAGE_WORDS, "Words: for the memory page.", READ, text.structured, APP_ONLY, title="Words")
    async def words(self, call: Call[p.PageWordsArgs]) -> p.PageWords:
        return await (await self._ready()).page.words(_owner(call), call.args)

    @tool(p.PAGE_ANSWERS, "Answers: for the memory page.", READ, text.structured, APP_ONLY, title="Answers")
    async def answers(self, call: Call[p.PageAnswersArgs]) -> p.PageAnswers:
        return await (await self._ready()).page.answers(_owner(call), call.args)

    @tool(p.PAGE_NAMES, "Names: for the memory page.", READ, text.structured, APP_ONLY, title="Names")
    async def names(self, call: Call[p.PageNamesArgs]) -> p.PageNames:
        return await (await self._ready()).page.names(_owner(call), call.args)


def _owner(call: Call[Any]) -> int:
    return own_chat(call.caller).owner_id
