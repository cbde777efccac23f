"""Parses the tags that a model may put into an answer, and removes the tags from the answer. Pure.

The tags are `[REMEMBER: …]`, `[REMEMBER_GLOBAL: …]`, `[GOAL: … | DEADLINE: …]`, `[DONE: …]` and `[REMIND: … | AT: … |
EVERY: …]`, in the forms of `tellonce.tag_form`. Only the model's own words are searched: not code, not quotations, and not tags
that the model repeats from its prompt.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, cast

from tellonce.tag_form import (
    AT_MARK,
    CLOSERS,
    DEADLINE_MARK,
    EVERY_MARK,
    MAY_OPEN,
    NAMES,
    OPENERS,
    OPENING,
    SHOWN,
    name_of,
)

TagKind = Literal["remember", "remember_global", "goal", "done", "remind", "seen"]
Span = tuple[int, int]

# Any indentation is allowed, because a fence inside a list is indented.
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*$(?:.*?^[ \t]*\1[`~]*[ \t]*$|.*\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
_QUOTED = re.compile(
    r"^[ \t]*>[^\n]*"  # a quoted line
    r"|“[^“”\n]*+”|„[^„“”\n]*+[“”]|«[^«»\n]*+»|「[^「」\n]*+」|『[^『』\n]*+』"
    r'|(?<![^\s(:,—–])"(?! )[^"\n]*+"(?!\w)',
    re.MULTILINE,
)
_BRACKET = re.compile(rf"[{re.escape(OPENERS + CLOSERS)}]|\n[ \t]*\n")
_EMPTY_MARKS = re.compile(r"^[ \t]*(?:[-*•>+]|\d+[.)])?[ \t]*$")
_TIME_MARKS: dict[TagKind, re.Pattern[str]] = {"goal": DEADLINE_MARK, "remind": AT_MARK}
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


@dataclass(frozen=True)
class Tag:
    """A tag. `time` is a goal's deadline or a reminder's first time, in the model's words. `every` is the rule of a
    repeated reminder."""

    kind: TagKind
    text: str
    time: str | None = None
    every: str | None = None


@dataclass(frozen=True)
class Parsed:
    """A parsed answer. `visible` is the text for the person."""

    visible: str
    tags: tuple[Tag, ...]


LONGEST_HEARD, MOST_HEARD = 400, 200
"""Limits for the tags in a prompt that are compared with the model's tags: characters of one tag, and number of
tags."""


def repeatable_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The contents of the tags in these texts. If a tag in the model's answer only repeats one of these contents, the
    tag has no effect."""
    found = (_folded(text[m.end() : m.end() + LONGEST_HEARD]) for text in texts for m in SHOWN.finditer(text))
    return tuple(islice(dict.fromkeys(filter(None, found)), MOST_HEARD))


def parse(answer: str, repeated: Sequence[str] = ()) -> Parsed:
    """Remove the tags. A tag that repeats one of `repeated` stays. An unclosed tag ends with its line."""
    found = list(_found(answer, repeated))
    visible = _without(answer, [span for span, _ in found])
    # After removal, the text around a tag may itself look like a tag. The model did not mean this tag, so the tag is
    # neither stored nor shown.
    while joined := [span for span, _ in _found(visible, repeated)]:
        visible = _without(visible, joined)
    return Parsed(visible, tuple(tag for _, tag in found if tag is not None))


def shown_so_far(partial: str, repeated: Sequence[str] = ()) -> str:
    """The part of an unfinished answer before an unfinished tag."""
    return parse(partial[: _safe_end(partial)], repeated).visible


def finished(cut_off: str) -> str:
    """An interrupted answer without an unfinished tag at its end. Otherwise, half of a statement would be stored."""
    return cut_off[: _safe_end(cut_off)]


def _safe_end(partial: str) -> int:
    others = _others_words(partial)
    opening = MAY_OPEN.search(partial)
    end = len(partial)
    if opening is not None and any(name.startswith(name_of(opening["name"])) for name in NAMES):
        end = opening.start()
    for match in OPENING.finditer(partial):
        # If a closing backtick arrives later, this text is code. Until then, the text can also be a tag, so it is not
        # shown yet.
        closed = _closing(partial, match.end())
        if not _inside(match.start(), others) and (closed is None or closed > end):
            return min(end, match.start())
    return end


def _found(answer: str, repeated: Sequence[str]) -> Iterator[tuple[Span, Tag | None]]:
    others = _others_words(answer)
    at = 0
    while (match := OPENING.search(answer, at)) is not None:
        at = match.end()
        if _inside(match.start(), others) or answer[match.start() - 1 : match.start()] == "\\":
            continue
        closing = _closing(answer, match.end())
        body_end = closing if closing is not None else _line_end(answer, match.end())
        body = answer[match.end() : body_end]
        at = body_end + (closing is not None)
        if not _repeats(body, repeated):
            yield (match.start(), at), _tag(match["name"], body)


def _repeats(body: str, heard: Sequence[str]) -> bool:
    said = _folded(body)
    return bool(said) and any(other.startswith(said[:LONGEST_HEARD]) for other in heard)


def _folded(text: str) -> str:
    return _flat(text).casefold()


def _others_words(text: str) -> list[Span]:
    code = _code(text)
    quoted = [match.span() for match in _QUOTED.finditer(text) if not _inside(match.start(), code)]
    return code + quoted


def _code(text: str) -> list[Span]:
    """A fenced block that is not closed extends to the end of the text."""
    fences = [match.span() for match in _FENCE.finditer(text)]
    inline = [match.span() for match in _INLINE.finditer(text) if not _inside(match.start(), fences)]
    return fences + inline


def _inside(at: int, spans: list[Span]) -> bool:
    return any(start <= at < end for start, end in spans)


def _closing(text: str, start: int) -> int | None:
    """The position of the bracket that closes the tag; None if none does within the paragraph."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        if match[0] in OPENERS and OPENING.match(text, match.start()) and "\n" in text[start : match.start()]:
            return None
        if match[0] not in OPENERS and match[0] not in CLOSERS:
            return None
        depth += 1 if match[0] in OPENERS else -1
        if depth == 0:
            return match.start()
    return None


def _line_end(text: str, start: int) -> int:
    newline = text.find("\n", start)
    return len(text) if newline < 0 else newline


def _tag(name: str, body: str) -> Tag | None:
    kind = cast("TagKind", name_of(name).lower())  # the pattern allows only these names
    body, every = _split(body, EVERY_MARK if kind == "remind" else None)
    body, time = _split(body, _TIME_MARKS.get(kind))
    text = _flat(body)
    return Tag(kind, text, time, every) if any(character.isalnum() for character in text) else None


def _split(body: str, mark: re.Pattern[str] | None) -> tuple[str, str | None]:
    """The text before a mark such as `| AT:`, and the text after it."""
    found = mark.search(body) if mark is not None else None
    return (body[: found.start()], _flat(found["time"]) or None) if found is not None else (body, None)


def _flat(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def _without(text: str, spans: list[Span]) -> str:
    """The text without the ranges, and without lines that contained only such ranges."""
    if not spans:
        return _trimmed(text)
    kept, at, touched = list[str](), 0, set[int]()
    for start, end in (_widened(text, span) for span in spans):
        kept.append(text[at:start])
        touched.add("".join(kept).count("\n"))
        at = end
    lines = ("".join(kept) + text[at:]).split("\n")
    lines = [line for i, line in enumerate(lines) if i not in touched or not _EMPTY_MARKS.match(line)]
    return _BLANK_LINES.sub("\n\n", _trimmed("\n".join(lines)))


def _widened(text: str, span: Span) -> Span:
    """The range, the emphasis around it, and one blank next to it."""
    start, end = span
    for mark in ("***", "**", "__", "~~", "*", "_"):
        if text[:start].endswith(mark) and text.startswith(mark, end):
            start, end = start - len(mark), end + len(mark)
            break
    if text[:start].endswith(" ") and text.startswith(" ", end):
        start -= 1
    return start, end


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()
