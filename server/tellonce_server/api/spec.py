"""What makes a tool, before it is bound to a server; knows neither storage nor transport."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mcp.server.mcpserver import Context
from mcp.types import InputRequiredResult, ToolAnnotations
from pydantic import BaseModel

from tellonce_server.core.scope import Caller

ArgsT = TypeVar("ArgsT", bound=BaseModel)
AnyContext = Context[Any, Any]


@dataclass(frozen=True)
class Call(Generic[ArgsT]):
    """One call of a tool: who, with what arguments, in which MCP context."""

    caller: Caller
    args: ArgsT
    context: AnyContext


Handler = Callable[[Call[Any]], Awaitable[BaseModel | InputRequiredResult]]


@dataclass(frozen=True)
class ToolSpec:
    """`args` and `result` are the contract's models; `render` tells a result in the text channel; `meta` is for hosts.

    A tool that is not `listed` can be called, but no model is told of it.
    """

    name: str
    title: str
    description: str
    args: type[BaseModel]
    result: type[BaseModel]
    handler: Handler
    render: Callable[[Any], str]
    annotations: ToolAnnotations
    meta: Mapping[str, Any]
    listed: bool = True
