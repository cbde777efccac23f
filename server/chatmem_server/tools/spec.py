"""What makes a tool, before it is bound to a server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.types import ToolAnnotations
from pydantic import BaseModel

from chatmem_server.tools.strict import Handler


@dataclass(frozen=True)
class ToolSpec:
    name: str
    title: str
    description: str
    args: type[BaseModel]
    result: type[BaseModel]
    handler: Handler
    render: Callable[[Any], str]
    annotations: ToolAnnotations
    meta: Mapping[str, Any]
