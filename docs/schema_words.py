"""Describes JSON Schema types in words for the tables of the reference."""

from typing import Any

Schema = dict[str, Any]


def type_words(schema: Schema, defs: Schema) -> str:
    """The type of a value, such as `list of integer`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return type_words(defs[name], defs) if "properties" not in defs[name] else f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        kinds = dict.fromkeys(type_words(option, defs) for option in schema["anyOf"] if option.get("type") != "null")
        null = " or null" if any(option.get("type") == "null" for option in schema["anyOf"]) else ""
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
            node.get("items"),
            node.get("additionalProperties"),
        ]
        waiting += [child for child in children if isinstance(child, dict)]
    return [name for name in found if "properties" in defs[name]]
