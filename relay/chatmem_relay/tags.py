"""The tags a model may put into an answer, and the answer without them; pure.

`[REMEMBER: …]`, `[REMEMBER_GLOBAL: …]`, `[GOAL: … | DEADLINE: …]`, `[DONE: …]`. Tags inside code are code.
"""

import re
from dataclasses import dataclass
from typing import Literal

TagKind = Literal["remember", "remember_global", "goal", "done"]

_OPEN = re.compile(r"\[(REMEMBER_GLOBAL|REMEMBER|GOAL|DONE)\s*:", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_DEADLINE = re.compile(r"\|\s*DEADLINE\s*:\s*(.*)\Z", re.IGNORECASE | re.DOTALL)
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
_NAMES = ("[REMEMBER_GLOBAL:", "[REMEMBER:", "[GOAL:", "[DONE:")


@dataclass(frozen=True)
class Tag:
    kind: TagKind
    text: str
    deadline: str | None = None


@dataclass(frozen=True)
class Parsed:
    """`visible` is what a person is shown."""

    visible: str
    tags: tuple[Tag, ...]


def parse(answer: str) -> Parsed:
    """Take the tags out. Brackets inside a tag may nest; one that never closes ends with its line."""
    code = [match.span() for match in _CODE.finditer(answer)]
    visible: list[str] = []
    tags: list[Tag] = []
    at = 0
    while (found := _OPEN.search(answer, at)) is not None:
        start, end = found.start(), _end(answer, found.end())
        if any(a <= start < b for a, b in code):
            visible.append(answer[at : found.end()])
            at = found.end()
            continue
        visible.append(answer[at:start])
        tag = _tag(
            found[1],
            answer[found.end() : end].rstrip("]") if answer[end - 1 : end] == "]" else answer[found.end() : end],
        )
        tags += [tag] if tag is not None else []
        at = end
    visible.append(answer[at:])
    return Parsed(_tidy("".join(visible)), tuple(tags))


def shown_so_far(partial: str) -> str:
    """What of a half-streamed answer may be shown: nothing of a tag that is open or may be opening."""
    cut = len(partial)
    for bracket in (i for i, c in enumerate(partial) if c == "["):
        rest = partial[bracket:].upper()
        opening = any(name.startswith(rest.replace(" ", "")) for name in _NAMES)
        if opening or (_OPEN.match(partial, bracket) and _unclosed(partial, bracket)):
            cut = bracket
            break
    return parse(partial[:cut]).visible


def _unclosed(text: str, start: int) -> bool:
    return text[start:].count("[") > text[start:].count("]")


def _end(text: str, start: int) -> int:
    """Just behind the bracket that closes the tag opened before `start`; of an unclosed tag the line's end."""
    depth = 1
    for index in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    newline = text.find("\n", start)
    return len(text) if newline < 0 else newline


def _tag(name: str, body: str) -> Tag | None:
    kind: TagKind = name.lower()  # type: ignore[assignment]  # the pattern admits these names only
    deadline = _DEADLINE.search(body) if kind == "goal" else None
    text = (body[: deadline.start()] if deadline else body).strip()
    if not text:
        return None
    return Tag(kind, text, deadline[1].strip() or None if deadline else None)


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
