"""Converts arguments to the form that the contract requires if their meaning is clear: `"7" -> 7`. Pure.

OpenAI's strict mode sends null for every optional argument. Models sometimes send a number as text. They sometimes send
a single value instead of a list. Ambiguous values, such as `1.5` or `true` for a number, stay unchanged, so that
validation refuses them.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tellonce.contract import MAX_BIGINT

Schema = Mapping[str, Any]

_WHOLE = re.compile(r"-?\d{1,19}")
_NUMBER = re.compile(r"-?\d{1,19}(?:\.\d{1,19})?")
_FLAGS = {"true": True, "false": False}


def coerced(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments without nulls, with values converted to the JSON types of `schema` (with its `$defs`)."""
    return _object(arguments, schema, schema.get("$defs", {}))


def _object(value: Mapping[str, Any], schema: Schema, definitions: Schema) -> dict[str, Any]:
    fields: Schema = schema.get("properties", {})
    return {
        name: _value(inner, fields[name], definitions) if name in fields else inner
        for name, inner in value.items()
        if inner is not None
    }


def _value(value: Any, schema: Schema, definitions: Schema) -> Any:
    schema = _branch(schema, definitions)
    match schema.get("type"):
        case "integer":
            return _integer(value)
        case "number":
            return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
        case "boolean":
            return _FLAGS.get(value.lower(), value) if isinstance(value, str) else value
        case "array":
            return [_value(inner, schema.get("items", {}), definitions) for inner in _list(value)]
        case "object" if isinstance(value, Mapping):
            return _object(value, schema, definitions)
        case _:
            return value


def _branch(schema: Schema, definitions: Schema) -> Schema:
    """Resolve a reference, and replace an optional type (`X | null`) with `X`."""
    if "$ref" in schema:
        return _branch(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    branches = [branch for branch in schema.get("anyOf", ()) if branch.get("type") != "null"]
    return _branch(branches[0], definitions) if len(branches) == 1 else schema


def _integer(value: Any) -> Any:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _list(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            written = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
        return written if isinstance(written, list) else [value]
    return [value]


def unstorable(arguments: dict[str, Any]) -> str | None:
    """A sentence about the first value that cannot be stored; None if all can be stored."""
    for path, value in _leaves(arguments):
        reason = _reason(value)
        if reason is not None:
            return f"Argument {path[:80]} {reason}."
    return None


def _leaves(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each leaf with its dotted path. Without recursion, any depth is safe."""
    waiting: list[tuple[str, Any]] = list(arguments.items())
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{path}.{key}", inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{path}.{index}", inner) for index, inner in enumerate(value)]
        else:
            yield path, value


def _reason(value: Any) -> str | None:
    if isinstance(value, str):
        if "\x00" in value:
            return "holds a NUL character; send plain text"
        return None if _is_unicode(value) else "is not valid Unicode text"
    if isinstance(value, int) and abs(value) > MAX_BIGINT:
        return "is beyond 64 bits; send a smaller number"
    return "is not a finite number" if isinstance(value, float) and not math.isfinite(value) else None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
