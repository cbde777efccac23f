"""The definition of a tool before it is bound to a server. A definition does not depend on storage or transport."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp.server.mcpserver import Context
from mcp.types import InputRequiredResult, ToolAnnotations
from pydantic import BaseModel

from tellonce_server.core.scope import Caller

ArgsT = TypeVar("ArgsT", bound=BaseModel)
AnyContext = Context[Any, Any]


@dataclass(frozen=True)
class Call(Generic[ArgsT]):
    """One call of a tool: the caller, the arguments and the MCP context."""

    caller: Caller
    args: ArgsT
    context: AnyContext


Handler = Callable[[Call[Any]], Awaitable[BaseModel | InputRequiredResult]]


@dataclass(frozen=True)
class ToolSpec:
    """A tool. `args` and `result` are models of the contract. `render` formats a result as text. `meta` is metadata for
    hosts.

    A tool that is not `listed` can be called, but models do not see it.
    """

    name: str
    title: str
    description: str
    args: type[BaseModel]
    result: type[BaseModel]
    handler: Handler
    render: Callable[[Any], str]
    annotations: ToolAnnotations
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    listed: bool = True


def program_tool(
    name: str,
    description: str,
    args: type[BaseModel],
    result: type[BaseModel],
    handler: Handler,
    annotations: ToolAnnotations,
    *,
    listed: bool = True,
) -> ToolSpec:
    """A tool for our own programs. Its title is made from its name, and its text is the result as JSON."""
    title = name.replace("_", " ").capitalize()
    return ToolSpec(name, title, description, args, result, handler, _as_json, annotations, listed=listed)


def _as_json(result: BaseModel) -> str:
    return result.model_dump_json()
