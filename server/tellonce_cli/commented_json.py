"""Reads JSON with comments and trailing commas, and changes one member without changing anything else. Pure."""

import json
import re
from dataclasses import dataclass
from typing import Any

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_SPACE = re.compile(r"\s*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_VISIBLE = re.compile(r"[^\n]")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class _Member:
    """The name of a member of an object, and the offsets of its name, its value and its end."""

    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True)
class _Object:
    """The members of an object in their order, and the offset of its closing brace."""

    members: list[_Member]
    closing: int

    def find(self, name: str) -> _Member | None:
        """The last member with this name, because readers of JSON use the last one."""
        return next((member for member in reversed(self.members) if member.name == name), None)


def read(text: str) -> Any:
    """The value of the text; an empty object for an empty text. Raises ValueError."""
    return json.loads(_plain(text)) if text else {}


def with_member(text: str, table: str, name: str, value: Any) -> str:
    """Set the member `name` of the object `table` to the value, and return the changed text. A missing member or object
    is added. The text must be valid."""
    text = text or "{}\n"
    outer = _outermost(text)
    within = outer.find(table)
    if within is None:
        return _added(text, outer, table, {name: value}, 1)
    inner = _object(text, within.value)
    former = inner.find(name)
    if former is None:
        return _added(text, inner, name, value, 2)
    return text[: former.value] + _written(text, value, 2) + text[former.end :]


def without_member(text: str, table: str, name: str) -> str:
    """Remove the member `name` of the object `table`, and return the changed text. The text must be valid."""
    within = _outermost(text).find(table)
    return text if within is None else _removed(text, _object(text, within.value), name)


def without_table(text: str, table: str) -> str:
    """Remove the object `table`, and return the changed text. The text must be valid."""
    return _removed(text, _outermost(text), table)


def _without_comments(text: str) -> str:
    return _COMMENT.sub(_blank, text)


def _plain(text: str) -> str:
    """The text as strict JSON. All offsets stay the same."""
    return _TRAILING_COMMA.sub(_blank, _without_comments(text))


def _blank(found: re.Match[str]) -> str:
    return found[1] or _VISIBLE.sub(" ", found[0])


def _after_space(plain: str, offset: int) -> int:
    found = _SPACE.match(plain, offset)
    return found.end() if found is not None else offset


def _outermost(text: str) -> _Object:
    return _object(text, _after_space(_plain(text), 0))


def _object(text: str, opening: int) -> _Object:
    plain, members = _plain(text), list[_Member]()
    at = _after_space(plain, opening + 1)
    while plain[at] != "}":
        name, end = _DECODER.raw_decode(plain, at)
        value = _after_space(plain, _after_space(plain, end) + 1)
        _, end = _DECODER.raw_decode(plain, value)
        members.append(_Member(name, at, value, end))
        at = _after_space(plain, end)
        if plain[at] == ",":
            at = _after_space(plain, at + 1)
    return _Object(members, at)


def _added(text: str, to: _Object, name: str, value: Any, depth: int) -> str:
    """The text with a new last member. Comments after the former last member stay on its line."""
    margin = "\n" + _indent(text) * depth
    member = f"{margin}{json.dumps(name)}: {_written(text, value, depth)}"
    inside = text[: to.closing].rstrip()
    between = text[len(inside) : to.closing]
    rest = (between if "\n" in between else "\n" + _indent(text) * (depth - 1)) + text[to.closing :]
    if not to.members:
        return inside + member + rest
    last = to.members[-1].end
    if "," in _without_comments(text)[last : to.closing]:
        return f"{inside}{member},{rest}"
    return f"{inside[:last]},{inside[last:]}{member}{rest}"


def _removed(text: str, of: _Object, name: str) -> str:
    """The text without a member and the member's comma, and without its line if the line has no other content."""
    member = of.find(name)
    if member is None:
        return text
    bare, index = _without_comments(text), of.members.index(member)
    comma = bare.find(",", member.end, of.members[index + 1].start if member is not of.members[-1] else of.closing)
    head, tail = text[: member.start], text[max(member.end, comma + 1) :]
    if comma < 0 and index > 0:
        preceding = bare.index(",", of.members[index - 1].end)
        head = head[:preceding] + head[preceding + 1 :]
    line = head.rstrip(" \t")
    return line.removesuffix("\n") + tail if re.match(r"[ \t]*\n", tail) else head + tail


def _written(text: str, value: Any, depth: int) -> str:
    indent = _indent(text)
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", "\n" + indent * depth)


def _indent(text: str) -> str:
    found = _INDENT.search(_without_comments(text))
    return found[1] if found is not None else "  "
