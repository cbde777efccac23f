"""The tools that only the page calls. The tools are not shown to models."""

from typing import Any

from tellonce import page_contract as p
from tellonce.contract_types import Contract
from tellonce_server.api import text
from tellonce_server.api.assistant import CHANGE, READ, GetServices
from tellonce_server.api.spec import Call, Handler, ToolSpec
from tellonce_server.core.scope import own_chat

APP_ONLY = {"ui": {"visibility": ["app"]}}
"""Metadata for hosts with MCP Apps: the page may call these tools; the model does not see them."""


def page_tools(ready: GetServices) -> list[ToolSpec]:
    """The tools that read data for the page's screens, and the tool that undoes an action."""
    tools = _Tools(ready)
    undo = ToolSpec(
        *(p.PAGE_UNDO, "Undo", "Undoes the last change made on the memory page.", p.PageUndoArgs, p.PageUndone),
        *(tools.undo, text.structured, CHANGE, APP_ONLY),
    )
    return [
        undo,
        *(
            ToolSpec(
                name, title, f"{title}: for the memory page.", args, result, handler, text.structured, READ, APP_ONLY
            )
            for name, title, args, result, handler in tools.table()
        ),
    ]


class _Tools:
    """One coroutine per tool."""

    def __init__(self, ready: GetServices) -> None:
        self._ready = ready

    def table(self) -> tuple[tuple[str, str, type[Contract], type[Contract], Handler], ...]:
        return (
            (p.PAGE_TODAY, "Today", p.NoArgs, p.PageToday, self.today),
            (p.PAGE_MEMORIES, "Memories", p.PageMemoriesArgs, p.PageMemories, self.memories),
            (p.PAGE_MEMORY, "One memory", p.PageMemoryArgs, p.PageMemory, self.memory),
            (p.PAGE_TIMELINE, "Timeline", p.PageTimelineArgs, p.PageTimeline, self.timeline),
            (p.PAGE_WORDS, "Words", p.PageWordsArgs, p.PageWords, self.words),
            (p.PAGE_ANSWERS, "Answers", p.PageAnswersArgs, p.PageAnswers, self.answers),
            (p.PAGE_NAMES, "Names", p.PageNamesArgs, p.PageNames, self.names),
        )

    async def today(self, call: Call[p.NoArgs]) -> p.PageToday:
        services = await self._ready()
        operator = call.caller.user_id == services.deps.settings.default_user
        return await services.page.today(await self._owner(call), operator=operator)

    async def memories(self, call: Call[p.PageMemoriesArgs]) -> p.PageMemories:
        return await (await self._ready()).page.memories(await self._owner(call), call.args)

    async def memory(self, call: Call[p.PageMemoryArgs]) -> p.PageMemory:
        return await (await self._ready()).page.memory(await self._owner(call), call.args)

    async def timeline(self, call: Call[p.PageTimelineArgs]) -> p.PageTimeline:
        return await (await self._ready()).page.timeline(await self._owner(call), call.args)

    async def words(self, call: Call[p.PageWordsArgs]) -> p.PageWords:
        return await (await self._ready()).page.words(await self._owner(call), call.args)

    async def answers(self, call: Call[p.PageAnswersArgs]) -> p.PageAnswers:
        return await (await self._ready()).page.answers(await self._owner(call), call.args)

    async def names(self, call: Call[p.PageNamesArgs]) -> p.PageNames:
        return await (await self._ready()).page.names(await self._owner(call), call.args)

    async def undo(self, call: Call[p.PageUndoArgs]) -> p.PageUndone:
        return await (await self._ready()).undoer.undo(await self._owner(call), call.args)

    async def _owner(self, call: Call[Any]) -> int:
        return own_chat(call.caller).owner_id
