"""An MCP tool that validates its arguments with a pydantic model, and returns its result both as text and as data."""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, InputRequiredResult, TextContent
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import ErrorDetails

from tellonce.client import DATA_META, LATER_META
from tellonce.contract_types import NOT_A_TIME, ZONE
from tellonce.reasons import reasons_meta
from tellonce.server_text import ServerText, invalid, texts_of, to_meta
from tellonce_server.api.coercion import coerced, unstorable
from tellonce_server.api.schema import compact_arguments, compact_result
from tellonce_server.api.spec import AnyContext, Call, ToolSpec
from tellonce_server.core import errors
from tellonce_server.core.errors import MOST_NAMED, Refused
from tellonce_server.core.scope import Caller

logger = logging.getLogger(__name__)

CallerOf = Callable[[], Caller]
"""A function that returns the caller of the current request. The request's credential determines the caller."""


class StrictTool(Tool):
    """A tool that validates its arguments, and returns its result as text and as structured content. Times are read and
    shown in the zone that `zone` returns, if any."""

    spec: ToolSpec = Field(exclude=True)
    zone: Callable[[], ZoneInfo] | None = Field(exclude=True)
    scopes: frozenset[str] = Field(exclude=True)
    caller_of: CallerOf = Field(exclude=True)
    observe: Callable[[str, float, bool], None] = Field(exclude=True)

    @property
    def only_reads(self) -> bool:
        return self.annotations is not None and self.annotations.read_only_hint is True

    async def run(self, arguments: dict[str, Any], context: AnyContext, convert_result: bool = False) -> Any:
        """Run the tool. A caller's mistake gives an error that says what to do. Any other failure gives an error
        without details."""
        started = time.perf_counter()
        ok = False
        try:
            result = await self._answer(arguments, context)
            ok = not (isinstance(result, CallToolResult) and result.is_error)
            return result
        finally:
            self.observe(self.name, time.perf_counter() - started, ok)

    async def _answer(self, arguments: dict[str, Any], context: AnyContext) -> CallToolResult | InputRequiredResult:
        zone = self.zone() if self.zone is not None else None
        try:
            taken = coerced(arguments, _full_schema(self.spec.args))
            args = self.spec.args.model_validate(taken, context={ZONE: zone})
        except ValidationError as error:
            return failed(invalid(explained(self.name, error, self.spec.args), error, self.name))
        try:
            if reason := unstorable(arguments):
                raise Refused(f"{self.name} was not run. {reason}", "text_unstorable")
            result = await self.spec.handler(Call(self.caller_of(), args, context))
        except Refused as refusal:
            return failed(refusal.text)
        except errors.TEMPORARY_FAILURES as failure:
            # A model reads the sentence; our own clients read the key in `_meta` and try again later.
            return failed(errors.DATABASE_ERRORS.noted(failure), {LATER_META: True})
        except Exception:
            # Any unexpected error of a call is caught here. The caller gets no details, because they may contain stored
            # text.
            logger.exception("the tool %s raised an unexpected exception", self.name)
            return failed(ServerText(f"{self.name} failed inside the memory server; try again.", "crash"))
        errors.DATABASE_ERRORS.answered()
        if isinstance(result, InputRequiredResult):
            return result
        shown = result if zone is None else in_zone(result, zone)
        structured = shown.model_dump(mode="json", exclude_none=False)
        reads_data_only = bool((context.request_context.meta or {}).get(DATA_META))
        return CallToolResult(
            content=[] if reads_data_only else [TextContent(type="text", text=self.spec.text(args, shown))],
            structured_content=structured,
            _meta={**to_meta(texts_of(shown)), **reasons_meta(structured)} or None,
        )


def failed(text: ServerText, meta: Mapping[str, Any] = MappingProxyType({})) -> CallToolResult:
    """The result of a call that was refused or that failed."""
    shown = TextContent(type="text", text=str(text))
    return CallToolResult(content=[shown], is_error=True, _meta={**meta, **to_meta([text])})


def strict_tool(
    spec: ToolSpec,
    *,
    scopes: frozenset[str],
    zone: Callable[[], ZoneInfo] | None,
    caller_of: CallerOf,
    observe: Callable[[str, float, bool], None],
) -> StrictTool:
    """Create the tool. After each call, `observe` gets the tool's name, the seconds, and whether it succeeded."""
    return StrictTool(
        fn=spec.handler,
        name=spec.name,
        title=spec.title,
        description=spec.description,
        parameters=_arguments_schema(spec.args),
        fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=_result_schema(spec.result)),
        is_async=True,
        context_kwarg=None,
        annotations=spec.annotations,
        meta=dict(spec.meta),
        spec=spec,
        zone=zone,
        scopes=scopes,
        caller_of=caller_of,
        observe=observe,
    )


# The schemas never change, so each is computed once per process. Computing the schemas takes most of the time that is
# needed to create a server.
@cache
def _arguments_schema(args: type[BaseModel]) -> dict[str, Any]:
    return compact_arguments(_full_schema(args))


@cache
def _full_schema(args: type[BaseModel]) -> dict[str, Any]:
    return args.model_json_schema()


@cache
def _result_schema(result: type[BaseModel]) -> dict[str, Any]:
    return compact_result(result.model_json_schema(mode="serialization"))


def explained(tool: str, error: ValidationError, args: type[BaseModel]) -> str:
    """Pydantic's errors as sentences that tell a model what to change, without values and links."""
    found = error.errors(include_url=False, include_input=False)[:5]
    unknown = any(each["type"] == "extra_forbidden" and len(each["loc"]) == 1 for each in found)
    known = [f"The arguments of {tool} are {', '.join(args.model_fields)}."] if unknown else []
    return " ".join([f"{tool} was not run.", *map(_sentence, found), *known])


def _sentence(error: ErrorDetails) -> str:
    field = ".".join(map(str, error["loc"]))[:MOST_NAMED]
    if error["type"] == "extra_forbidden":
        return f"There is no argument {field or 'without a name'}; leave it out."
    if error["type"] == "missing":
        return f"Argument {field} is required."
    text = _fault(error)
    return f"Argument {field}: {text[0].lower()}{text[1:]}." if field else f"{text[0].upper()}{text[1:]}."


def _fault(error: ErrorDetails) -> str:
    """The problem with a value, in the terms of JSON and not of Python."""
    limits = error.get("ctx", {})
    match error["type"]:
        case "timezone_aware":
            return "needs its UTC offset, as in 2026-03-15T09:00:00+08:00"
        case kind if kind.startswith(("datetime_", "date_")):
            return NOT_A_TIME
        case "too_long" if limits.get("field_type") == "Tuple":
            return f"has {limits['actual_length']} entries; at most {limits['max_length']} are allowed"
        case "too_long":
            return f"is {limits['actual_length']} characters long; at most {limits['max_length']} are allowed"
        case "model_type" | "dict_type" | "model_attributes_type":
            return "should be an object"
        case _:
            return error["msg"].removeprefix("Value error, ")


ResultT = TypeVar("ResultT", bound=BaseModel)


def in_zone(result: ResultT, zone: ZoneInfo) -> ResultT:
    """The result with all its times converted to the user's zone."""
    placed: ResultT = _placed(result, zone)
    return placed


def _placed(value: Any, zone: ZoneInfo) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(zone)
    if isinstance(value, tuple):
        return tuple(_placed(part, zone) for part in value)
    if isinstance(value, BaseModel):
        changed = {name: _placed(part, zone) for name, part in value if isinstance(part, datetime | tuple | BaseModel)}
        return value.model_copy(update=changed) if changed else value
    return value
