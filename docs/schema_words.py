"""Describes models and JSON Schema types in words for the tables of the reference."""

import json
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]


def type_words(schema: Schema, defs: Schema) -> str:
    """The type of a value, such as `list of integer`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return type_words(defs[name], defs) if "properties" not in defs[name] else f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf", schema.get("oneOf")):
        kinds = dict.fromkeys(type_words(option, defs) for option in options if option.get("type") != "null")
        null = " or null" if any(option.get("type") == "null" for option in options) else ""
        return " or ".join(kinds) + null
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {type_words(schema.get('items', {}), defs)}"
    if schema.get("format") == "date-time":
        return "time (ISO 8601)"
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def referenced(schema: Schema, defs: Schema) -> list[str]:
    """The objects that a schema refers to, in order, without the schema's own object."""
    found: dict[str, None] = {}
    waiting = [schema]
    while waiting:
        node = waiting.pop(0)
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name and name not in found:
            found[name] = None
            waiting.append(defs[name])
        children = [
            *node.get("properties", {}).values(),
            *node.get("anyOf", []),
            *node.get("oneOf", []),
            node.get("items"),
            node.get("additionalProperties"),
        ]
        waiting += [child for child in children if isinstance(child, dict)]
    return [name for name in found if "properties" in defs[name]]


def table(kind: type[BaseModel], *, arguments: bool) -> str:
    """The fields of a model as a table. If `arguments` is true, optional fields have a mark."""
    schema = kind.model_json_schema(mode="validation" if arguments else "serialization", by_alias=True)
    return rows(schema, schema.get("$defs", {}), arguments=arguments)


def rows(schema: Schema, defs: Schema, *, arguments: bool) -> str:
    """The fields of a schema as a table."""
    fields: Schema = schema.get("properties", {})
    if not fields:
        return "None."
    needed = schema.get("required", []) if arguments else fields
    lines = [
        f"| `{name}` | {_type(field, defs)} | {_meaning(field, name in needed)} |" for name, field in fields.items()
    ]
    return "\n".join(["| field | type | meaning |", "|---|---|---|", *lines])


def _type(field: Schema, defs: Schema) -> str:
    words = type_words(field, defs)
    return words.removesuffix(" or null") if "default" in field and field["default"] is None else words


def _meaning(field: Schema, needed: bool) -> str:
    said = cell(field.get("description", ""))
    if needed:
        return said
    default = field.get("default")
    if default in (None, [], ""):
        return f"Optional. {said}".strip()
    return said if "efault" in said else f"Default: `{json.dumps(default)}`. {said}".strip()


def cell(value: str) -> str:
    """The text in a form for a cell of a Markdown table."""
    return " ".join(value.split()).replace("|", "\\|")
