"""Shortens the JSON schemas of tools, because a model pays tokens for them in every turn. Pure."""

from typing import Any

_NOISE = frozenset(("title", "default"))
_LIMITS = frozenset(
    ("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "pattern", "minItems", "maxItems")
)


def compact_arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """The shortened schema of arguments, without formats. An argument for a time also accepts a day."""
    slim = compact(_without("format", schema))
    fields = slim.get("properties", {})
    for field in fields.values():
        field.pop("additionalProperties", None)
        _refer_to(fields, field.get("items", {}))
    return slim


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without titles, null branches, defaults and limits. A call that exceeds a limit gets an error that
    explains it. References are resolved, because some hosts cannot do so."""
    definitions: dict[str, Any] = schema.get("$defs", {})
    slim = _slim({key: value for key, value in schema.items() if key not in ("$defs", "description")}, definitions)
    assert isinstance(slim, dict)  # keep it an object schema
    slim.setdefault("type", "object")
    return slim


def _refer_to(fields: dict[str, Any], item: dict[str, Any]) -> None:
    """Replace a description that `fields` already contains by `As above.`"""
    item.pop("additionalProperties", None)
    for name, inner in item.get("properties", {}).items():
        if name in fields:
            inner.pop("enum", None)
            inner["description"] = "As above."


def compact_result(schema: dict[str, Any]) -> dict[str, Any]:
    """The shortened schema of a result. It keeps null branches, because an empty field of a result is sent as null."""
    return compact(_without("default", schema))


def _without(keyword: str, node: Any) -> Any:
    if isinstance(node, list):
        return [_without(keyword, item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _without(keyword, value) for key, value in node.items() if key != keyword or isinstance(value, dict)}


def _slim(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_slim(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = {k: v for k, v in definitions[node["$ref"].rpartition("/")[2]].items() if k != "description"}
        return _slim({**target, **{k: v for k, v in node.items() if k != "$ref"}}, definitions)
    if "anyOf" in node:
        return _without_null(node, definitions)
    return {key: _entry(key, value, definitions) for key, value in node.items() if not _is_noise(key, value)}


def _entry(key: str, value: Any, definitions: dict[str, Any]) -> Any:
    """Below `properties`, the keys are names of fields and not schema keywords."""
    if key == "properties":
        return {name: _slim(field, definitions) for name, field in value.items()}
    return _slim(value, definitions)


def _is_noise(key: str, value: Any) -> bool:
    return (key in _NOISE or key in _LIMITS) and not isinstance(value, dict)


def _without_null(node: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """An optional argument can be omitted. A field of a result keeps the null branch."""
    branches = [branch for branch in node["anyOf"] if branch.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    optional = "default" in node
    if len(branches) == 1 and (optional or len(node["anyOf"]) == 1):
        return _slim({**branches[0], **rest}, definitions)
    return {**_slim(rest, definitions), "anyOf": _slim(node["anyOf"], definitions)}
