"""Converts models' Markdown to plain text with marked ranges, as Telegram expects it. Pure.

With marks instead of markup, nothing needs escaping and a text can be split anywhere.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# Link reference definitions are disabled, because the parser removes them from the text. "[Todo]: done" would vanish
# from the answer.
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("reference")
MOST_SIGNS = 2_000
"""Maximum number of brackets, stars, underscores and tildes in a paragraph that is parsed. A paragraph with more of
these signs is shown as it is written, because the parser takes up to 25 µs for each sign."""


def _parse_paragraphs(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            token.children = []
            if sum(map(token.content.count, "[*_~")) > MOST_SIGNS:
                token.children.append(Token("text", "", 0, content=token.content))
            else:
                state.md.inline.parse(token.content, state.md, state.env, token.children)


_PARSER.core.ruler.at("inline", _parse_paragraphs)


def _multiplication(state: StateInline, silent: bool) -> bool:
    """Keep the asterisks between two digits, as in `2*3*4`, which CommonMark takes for emphasis."""
    found = _TIMES.match(state.src, state.pos)
    if found is None:
        return False
    state.pending += "" if silent else found[0]
    state.pos = found.end()
    return True


_TIMES = re.compile(r"(?<=\d)\*{1,2}(?=\d)")
_PARSER.inline.ruler.before("emphasis", "multiplication", _multiplication)
_INLINE_MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
_LINKS = ("http://", "https://", "tg://", "mailto:")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
"""Matches `<br>`, which models use for line breaks in table cells."""

LONGEST = 16_384
"""Maximum number of characters that are parsed as Markdown: the length of four messages. The parser takes at most 0.1 s
for a text of this length."""

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")


@dataclass(frozen=True)
class Mark:
    """A range of a text. `kind` is Telegram's name for the mark; positions are in UTF-16 units."""

    kind: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class Marked:
    """A text, and the marks in this text."""

    text: str
    marks: tuple[Mark, ...] = ()


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units, the unit in which Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def rendered(source: str) -> Marked:
    """Convert Markdown to plain text and marks. A text without Markdown is unchanged."""
    if len(source) > LONGEST:
        return cut_out(Marked(source), 0, source)
    writer = _Writer()
    for token in _PARSER.parse(source):
        if (handler := _BLOCKS.get(token.type)) is not None:
            handler(writer, token)
    return cut_out(Marked("".join(writer.parts), tuple(writer.marks)), 0, "".join(writer.parts))


class _Opened(NamedTuple):
    kind: str
    at: int
    part: int
    url: str


@dataclass
class _Writer:
    """`lists` has the next number of each ordered list, or None. `block_begins`: the next block needs no line break."""

    parts: list[str] = field(default_factory=list)
    at: int = 0
    marks: list[Mark] = field(default_factory=list)
    opened: list[_Opened] = field(default_factory=list)
    lists: list[int | None] = field(default_factory=list)
    block_begins: bool = False
    cells: list[list[str]] = field(default_factory=list)
    in_table: bool = False

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.at += units(text)

    def open(self, kind: str, url: str = "") -> None:
        self.opened.append(_Opened(kind, self.at, len(self.parts), url))

    def close(self) -> None:
        kind, start, _, url = self.opened.pop()
        if kind == "blockquote" and any(outer.kind == kind for outer in self.opened):
            return  # Telegram has no nested quotations
        self.mark(kind, start, url or None)

    def spell_out(self) -> None:
        """Close a link that Telegram does not support by writing its address after its text."""
        link = self.opened.pop()
        if link.url and link.url != "".join(self.parts[link.part :]):
            self.add(f" ({link.url})")

    def mark(self, kind: str, start: int, url: str | None = None, language: str | None = None) -> None:
        if self.at > start:
            self.marks.append(Mark(kind, start, self.at - start, url, language))

    def paragraph(self) -> None:
        """Begin a new paragraph after any earlier text. A line break separates two paragraphs of a list. A blank line
        separates other paragraphs."""
        if self.block_begins:
            self.block_begins = False
        elif self.parts:
            self.add("\n" if self.lists else "\n\n")

    def block(self, text: str, kind: str = "", language: str | None = None) -> None:
        """Write a whole block. `kind` is the kind of its mark; empty for no mark."""
        self.paragraph()
        start = self.at
        self.add(text)
        if kind:
            self.mark(kind, start, language=language)


def _list_open(w: _Writer, token: Token) -> None:
    if not w.lists and w.parts and not w.block_begins:
        w.add("\n")
    start = int(str(token.attrs.get("start", 1)))
    w.lists.append(start if token.type == "ordered_list_open" else None)


def _item_open(w: _Writer, token: Token) -> None:
    if w.parts and not w.block_begins:
        w.add("\n")
    number = w.lists[-1]
    w.add("  " * (len(w.lists) - 1) + ("• " if number is None else f"{number}. "))
    w.lists[-1] = None if number is None else number + 1
    w.block_begins = True


def _item_close(w: _Writer, token: Token) -> None:
    w.block_begins = False


def _heading_open(w: _Writer, token: Token) -> None:
    w.paragraph()
    w.open("bold")


def _quote_open(w: _Writer, token: Token) -> None:
    w.paragraph()
    w.block_begins = True
    w.open("blockquote")


def _quote_close(w: _Writer, token: Token) -> None:
    w.block_begins = False
    w.close()


def _code(w: _Writer, token: Token) -> None:
    w.block(token.content.rstrip("\n"), "pre", next(iter(token.info.split()), None))


def _inline(w: _Writer, token: Token) -> None:
    target = _Writer(in_table=True) if w.in_table else w
    for child in token.children or ():
        _inline_piece(target, child)
    if w.in_table:
        w.cells[-1].append("".join(target.parts))


def _inline_piece(w: _Writer, token: Token) -> None:
    name, _, edge = token.type.rpartition("_")
    if name in _INLINE_MARKS:
        w.open(_INLINE_MARKS[name]) if edge == "open" else w.close()
    elif token.type == "link_open":
        w.open("text_link", str(token.attrs.get("href", "")))
    elif token.type == "link_close":
        w.close() if w.opened[-1].url.startswith(_LINKS) and not w.in_table else w.spell_out()
    elif token.type == "code_inline":
        start = w.at
        w.add(token.content)
        w.mark("code", start)
    else:
        w.add(_plain(token, " " if w.in_table else "\n"))


def _plain(token: Token, line_break: str) -> str:
    if token.type in ("softbreak", "hardbreak") or _BREAK.fullmatch(token.content):
        return line_break
    if token.type == "image":
        return f"{token.content} ({token.attrs.get('src', '')})".strip()
    return token.content


def _table_open(w: _Writer, token: Token) -> None:
    w.in_table, w.cells = True, []


def _table_close(w: _Writer, token: Token) -> None:
    """Telegram has no tables, so the table becomes a fixed-width block."""
    w.in_table = False
    widths = [max(len(row[i]) for row in w.cells) for i in range(len(w.cells[0]))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) for row in w.cells]
    w.block("\n".join(row.rstrip() for row in rows), "pre")


_BLOCKS: dict[str, Callable[[_Writer, Token], object]] = {
    "paragraph_open": lambda w, token: w.paragraph() if not w.in_table else None,
    "heading_open": _heading_open,
    "heading_close": lambda w, token: w.close(),
    "bullet_list_open": _list_open,
    "ordered_list_open": _list_open,
    "bullet_list_close": lambda w, token: w.lists.pop(),
    "ordered_list_close": lambda w, token: w.lists.pop(),
    "list_item_open": _item_open,
    "list_item_close": _item_close,
    "blockquote_open": _quote_open,
    "blockquote_close": _quote_close,
    "fence": _code,
    "code_block": _code,
    "hr": lambda w, token: w.block("———"),
    "html_block": lambda w, token: w.block(token.content.rstrip("\n")),
    "inline": _inline,
    "table_open": _table_open,
    "tr_open": lambda w, token: w.cells.append([]),
    "table_close": _table_close,
}


def cut_out(whole: Marked, at: int, piece: str) -> Marked:
    """Return `piece` with its marks and without blanks at both ends. In `whole`, the piece begins at `at`. Telegram
    would remove these blanks without moving the marks. The indentation of code stays, because Telegram keeps it."""
    lead = len(_BLANK_LINES.match(piece)[0])  # type: ignore[index]  # it matches any text
    if not any(m.kind == "pre" and m.offset <= at + lead < m.offset + m.length for m in whole.marks):
        lead = len(piece) - len(piece.lstrip())
    # A blank is one character and one unit.
    text = piece[lead:].rstrip()
    return Marked(text, clipped(whole.marks, at + lead, at + lead + units(text)))


def clipped(marks: Sequence[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """The marks within [start, end), relative to start."""
    inside: list[Mark] = []
    for mark in marks:
        a, b = max(mark.offset, start), min(mark.offset + mark.length, end)
        if a < b:
            inside.append(replace(mark, offset=a - start, length=b - a))
    return tuple(sorted(inside, key=lambda m: (m.offset, -m.length)))


MESSAGE_UNITS = 4096
"""Maximum UTF-16 units of one Telegram message."""

_BREAKS = ("\n\n", "\n", ". ", "。", " ")


def split_marked(whole: Marked, longest: int = MESSAGE_UNITS) -> list[Marked]:
    """Split at paragraphs, lines, sentences or words into parts of at most `longest` units."""
    at = 0
    parts: list[Marked] = []
    for piece in _pieces(whole.text, longest):
        part = cut_out(whole, at, piece)
        if part.text:
            parts.append(part)
        at += units(piece)
    return parts


def _pieces(text: str, longest: int) -> Iterator[str]:
    while units(text) > longest:
        cut = _cut_at(text, longest)
        yield text[:cut]
        text = text[cut:]
    yield text


def _cut_at(text: str, longest: int) -> int:
    limit = _characters(text, longest)
    for mark in _BREAKS:
        at = text.rfind(mark, limit // 2, limit)
        if at > 0:
            return at + len(mark)
    return limit


def _characters(text: str, longest: int) -> int:
    """A character outside the basic plane takes two units and is never split."""
    used = 0
    for index, character in enumerate(text):
        used += 1 + (ord(character) > 0xFFFF)
        if used > longest:
            return index
    return len(text)
