"""The tools that only the page calls. The tools are not shown to models."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, get_type_hints

from mcp.types import ToolAnnotations
from pydantic import BaseModel

from tellonce_server.api import text
from tellonce_server.api.assistant import CHANGE, READ, GetServices, Tools
from tellonce_server.api.spec import Call, MethodT, ToolSpec, specs_of, tool
from tellonce_server.core.scope import OPERATOR, own_chat
from tellonce_server.domain.location import shared_into
from tellonce_server.services.page.reads import NoArgs, PageGroups, PageReads
from tellonce_server.services.page.undo import PageUndoArgs, PageUndone

APP_ONLY = {"ui": {"visibility": ["app"]}}
"""Metadata for hosts with MCP Apps: the page may call these tools; the model does not see them."""


def page_tools(ready: GetServices) -> list[ToolSpec]:
    """The tools that read data for the page's screens, and the tool that undoes an action."""
    reads = [name for name, read in vars(PageReads).items() if "args" in getattr(read, "__annotations__", {})]
    return [*specs_of(PageTools(ready)), *(_read(name, ready) for name in reads if not name.startswith("_"))]


def page_tool(
    title: str, annotations: ToolAnnotations, meta: Mapping[str, Any] = MappingProxyType({})
) -> Callable[[MethodT], MethodT]:
    """Declare a tool of the page."""
    return tool(f"{title}: for the memory page.", annotations, text.structured, meta, title=title)


class PageTools(Tools):
    @tool("Undoes the last change made on the memory page.", CHANGE, text.structured, APP_ONLY, title="Undo")
    async def page_undo(self, call: Call[PageUndoArgs]) -> PageUndone:
        services, group = await self._ready(), call.args.shared_with
        shared_with = await shared_into(services.deps, call.caller, group) if group is not None else None
        return await services.undoer.undo(_owner(call), call.args, shared_with)

    @page_tool("Groups", READ, APP_ONLY)
    async def page_groups(self, call: Call[NoArgs]) -> PageGroups:
        services = await self._ready()
        groups = services.deps.settings.groups if OPERATOR in call.caller.scopes else ()
        return await services.page.groups(groups)


def _read(name: str, ready: GetServices) -> ToolSpec:
    types, title = get_type_hints(getattr(PageReads, name)), name.capitalize()

    async def handler(call: Call[Any]) -> BaseModel:
        read = getattr((await ready()).page, name)
        found: BaseModel = await read(_owner(call), call.args)
        return found

    about = f"{title}: for the memory page."
    models = (types["args"], types["return"])
    return ToolSpec(f"page_{name}", title, about, *models, handler, text.structured, READ, APP_ONLY)


def _owner(call: Call[Any]) -> int:
    return own_chat(call.caller).owner_id
