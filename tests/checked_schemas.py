"""Checks each schema of a tool once per process. Otherwise each client of the MCP library would check the schemas of all
tools that it calls, which takes 2 to 12 ms per tool."""

import json
from collections.abc import Mapping
from typing import Any

from jsonschema.validators import Draft202012Validator

_checked: set[str] = set()


def check_once() -> None:
    """Replace the check of this process with a check that remembers the valid schemas."""
    check = Draft202012Validator.check_schema

    def check_new(schema: Mapping[str, Any], **options: Any) -> None:
        text = json.dumps([schema, sorted(options)], sort_keys=True)
        if text not in _checked:
            check(schema, **options)
            _checked.add(text)

    Draft202012Validator.check_schema = check_new
