"""The definition of a tool before it is bound to a server. A definition does not depend on storage or transport."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from types import FunctionType, MappingProxyType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

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
    """A tool. `render` formats a result, `remark` writes the lines above it, and `meta` is metadata for hosts. Models
    see only `listed` tools."""

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
    remark: Callable[[Any, Any], str] = lambda args, result: ""

    def text(self, args: BaseModel, result: BaseModel) -> str:
        """The text channel of a call."""
        return "\n".join(filter(None, (self.remark(args, result), self.render(result))))


MethodT = TypeVar("MethodT", bound=Callable[..., Awaitable[BaseModel | InputRequiredResult]])
_DECLARED: dict[object, ToolSpec] = {}
"""The declared methods, each with its definition. The definition's handler is not bound to an object yet."""


def as_json(result: BaseModel) -> str:
    return result.model_dump_json()


def tool(
    description: str,
    annotations: ToolAnnotations,
    render: Callable[[Any], str] = as_json,
    meta: Mapping[str, Any] = MappingProxyType({}),
    *,
    title: str | None = None,
    listed: bool = True,
    remark: Callable[[Any, Any], str] = lambda args, result: "",
) -> Callable[[MethodT], MethodT]:
    """Declare a method as a tool. Its name is the tool's name and default title. Its types are the models of the
    arguments and of the result."""

    def declared(method: MethodT) -> MethodT:
        name, types = method.__name__, get_type_hints(method)
        args, result = get_args(types["call"])[0], types["return"]
        titled = title or name.replace("_", " ").capitalize()
        model = next(iter(get_args(result)), result)
        _DECLARED[method] = ToolSpec(
            name, titled, description, args, model, method, render, annotations, meta, listed, remark
        )
        return method

    return declared


def specs_of(tools: object) -> list[ToolSpec]:
    """The declared tools of an object, in the order of its methods."""
    methods = [method for method in vars(type(tools)).values() if isinstance(method, FunctionType)]
    return [replace(_DECLARED[m], handler=getattr(tools, m.__name__)) for m in methods if m in _DECLARED]
