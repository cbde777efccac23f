"""Parses Markdown notes of people and assistants: front matter, statements and paragraphs. Pure."""

import re
from collections.abc import Iterator
from datetime import datetime, time

_FRONT = re.compile(r"\A---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z][\w -]*):[ \t]*(.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
"""No part of a link may contain a bracket. Otherwise the time for a note of many unclosed links would be quadratic."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s*(?:#{1,6}(?:\s|$)|(?:#[\w/-]++\s*+)++$)")
_TITLE = re.compile(r"\*\*[^*\n]*\*\*:?\s*$")
"""A line in bold without other words, which is used as a heading."""

_NO_STATEMENT = re.compile(rf"^\s*(?:{_HEADING.pattern}|{_TITLE.pattern}|\||>|@|<!--|---|===|\[[^\]]*\]:)")
_FENCES = ("```", "~~~")
_CREATED = ("created", "created_at", "date", "created time", "said_at")
SHORTEST = 4
"""Minimum number of characters of a statement. Shorter lines and paragraphs of a note are not imported."""


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the simple fields at the start of a note, and the text after them. Lists and nested fields are ignored."""
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    return {key.strip().lower(): value.strip().strip("\"'") for key, value in _FIELD.findall(found[1])}, text[
        found.end() :
    ]


def said_at(fields: dict[str, str], name: str, changed: datetime) -> datetime:
    """The time in the front matter, else in the note's name, else of the last change."""
    written = [fields[key] for key in _CREATED if key in fields]
    days = [*written, *_DAY.findall(name)]
    return next((at for day in days if (at := _moment(day)) is not None), changed)


def is_day(name: str) -> bool:
    """Whether the name of a note is only a date, such as `2024-05-01` in a diary."""
    return _DAY.fullmatch(name) is not None


def _moment(text: str) -> datetime | None:
    """A date without a time becomes noon, which is on the same date in neighboring zones."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    at = datetime.combine(at, time(12)) if _DAY.fullmatch(text) else at
    return at if at.tzinfo else at.astimezone()


def without_links(text: str) -> str:
    """The text with each link replaced by its visible text: `[[Note|shown]]` becomes `shown`."""
    return _LINK.sub(lambda link: link[2] or link[1], text)


def has_items(body: str) -> bool:
    """Whether a text contains list items."""
    return any(_BULLET.match(line) for line in body.splitlines())


def is_heading(line: str) -> bool:
    """Whether a line is a heading or contains only tags. For `#family dinner at eight`, the result is false."""
    return _HEADING.match(line) is not None


def paragraphs(body: str) -> Iterator[str]:
    """The paragraphs of a note. The first paragraph below a heading includes the heading. A code block is not split."""
    heading, lines, fenced = "", list[str](), False
    for line in [*body.splitlines(), ""]:
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        if fenced or line.strip():
            lines.append(line.rstrip())
            continue
        if len(lines) == 1 and is_heading(lines[0]):
            heading = lines[0]
        elif lines:
            yield without_links("\n".join([heading, *lines] if heading else lines)).strip()
            heading = ""
        lines = []
    if lines:  # the last code block was never closed
        yield without_links("\n".join(lines)).strip()


def statements(body: str) -> Iterator[str]:
    """Yield each list item and paragraph as one line, without tables, quotations, code and includes."""
    held, fenced = list[str](), False
    for line in [*body.splitlines(), ""]:
        fence = line.lstrip().startswith(_FENCES)
        fenced = fenced != fence
        said = not fence and not fenced and line.strip() and not _NO_STATEMENT.match(line)
        if not said or _BULLET.match(line):
            yield from _statement(held)
            held = []
        if said:
            held.append(_BULLET.sub("", line).strip())
    yield from _statement(held)


def _statement(lines: list[str]) -> Iterator[str]:
    text = without_links(" ".join(lines)).replace("**", "").strip()
    if len(text) >= SHORTEST and not text.endswith(":"):
        yield text
