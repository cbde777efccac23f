"""Finds a literal in a text, in the stored form and as a client shows it, without Markdown markup. Pure.

The separators between digits or words may differ, and a matched word can contain bold letters, a link or a hyphen.
Every function is linear in the length of the text: only a short literal becomes a regular expression, and the patterns
do not backtrack into skipped characters.
"""

import html
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tellonce_text.folding import fold

MOST_FLEXIBLE = 128
"""Maximum characters of a literal that becomes a regular expression. A longer one would take too long. Of a longer
literal, only letters, digits and unusual signs are compared."""

COINCIDENCE = 5
"""A number of at least this many digits matches with certainty, with any separators. `1, 2, 3` is not always 123."""

Certainty = typing.Literal["exact", "number", "form"]
"""`number`: a short number with other separators. `form`: a word contains a hyphen or `_` that the literal does not
have."""

_MARKUP: Final = r"[*_~\\]*+"
"""Marks of bold, italic or struck text and of code, which a client does not show, and the backslash that escapes
them."""
_GAP_SIGNS: Final = "*_~\\- >#|•"
"""Separators between two words of a name, with the markup of quotes, lists, headings and tables."""
_TELLING: Final = "#>|"
"""A match must contain each of these separators that the literal contains, because it can be part of a name."""
_IN_WORD: Final = r"[*~\\]*+"
"""Markup inside a word: `**Sar**ah` is shown as "Sarah"."""
_BROKEN_WORD: Final = r"[*~\\_-]*+"
_SKIPPED: Final = frozenset(f"{_GAP_SIGNS},.'/()")
"""Every character that one of these patterns skips."""
_SEPARATOR: Final = f"[{re.escape(''.join(sorted(_SKIPPED)))}]*+"
"""Separators that may occur between two digits of a number."""
_PARTS: Final = re.compile(
    r"(?P<number>\d(?:[ ,.'_/()-]*\d)*)|(?P<gap>[ •>#|-][ •>#|*_~\\-]*)|(?P<letters>[^\W\d_]+)|(?P<markup>[*_~\\]+)"
    r"|(?P<other>[^\w •>#|*~\\-]+)"
)
UNREAD: Final = "*~\\-_`"
"""The SQL function `may_say` removes these characters from texts, because a word can contain them."""
_LIKE_RUN: Final = re.compile(r"[a-z]+|[0-9]")
_MOST_RUNS: Final = 16
"""Maximum words and digits in a LIKE pattern. A longer one would find almost the same texts."""

_LINK: Final = r"(?P<image>!?)\[(?P<label>[^\[\]]*+)\](?P<target>\((?:[^()]|\([^()]*+\))*+\))"
_CODE: Final = r"^[ >]*+(?P<fence>```|~~~)[^`\n]*+\n(?P<code>.*?)(?:^[ >]*+(?P=fence)|\Z)"
_TABLE_RULE: Final = r"^(?=[^|\n]*+\|)[|: -]++$"
_UNDERLINE: Final = r"^==++$"
_HIDDEN: Final = re.compile(
    rf"{_LINK}|{_CODE}|(?P<line>{_TABLE_RULE}|{_UNDERLINE}|<(?:br|BR) ?/?>)|&#?[0-9A-Za-z]{{1,31}};",
    re.MULTILINE | re.DOTALL,
)
"""The parts that look different in a client: a link (its label), a code block (without its marks), an HTML entity (its
character), and the marks of a table or heading (a line break)."""
_FOLLOWED: Final = ("(http://", "(https://", "(tg://", "(mailto:")
"""A client opens a link target that begins like this, but does not show it."""


@dataclass(frozen=True)
class Span:
    """The place of a match in the original text."""

    start: int
    end: int
    certainty: Certainty = "exact"


@dataclass(frozen=True)
class Literal:
    """A literal to search for. `core` is the folded literal without the characters that a pattern may skip. `strict` is
    like `pattern`, but skips no hyphen or `_` inside words. Both are None if only the core is compared."""

    folded: str
    core: str
    pattern: re.Pattern[str] | None
    strict: re.Pattern[str] | None

    @classmethod
    def of(cls, said: str) -> "Literal | None":
        """The literal for a text; None if the folded text is blank."""
        folded = _folded(said).strip()
        if not folded:
            return None
        core = _core(folded)
        if len(folded) > MOST_FLEXIBLE:
            whole = None if core else re.compile(re.escape(folded))
            return cls(folded, core, whole, whole)
        folded = " ".join(folded.split())
        strict = re.compile(_flexible(folded, _IN_WORD))
        return cls(folded, core, re.compile(_flexible(folded, _BROKEN_WORD)), strict)

    @property
    def likes(self) -> list[str]:
        """LIKE patterns for ASCII texts in lower case without the characters in `UNREAD`. If such a text
        shows the literal, at least one pattern matches the text."""
        runs = _LIKE_RUN.findall(self.folded)[:_MOST_RUNS]
        return ["%](%", "%&%;%", *(["%".join(["", *runs, ""])] if self.folded.isascii() else [])]

    def spans(self, text: str) -> list[Span]:
        """The matches in the original text, in order and without overlap, with the invisible characters that follow
        them."""
        found = self._occurrences(text)
        if _may_hide(text):
            shown, starts, ends = _shown(text)
            if shown != text:
                found += [Span(starts[s.start], ends[s.end - 1], s.certainty) for s in self._occurrences(shown)]
                found = _disjoint(found)
        return found

    def _occurrences(self, text: str) -> list[Span]:
        return list(self._spans(text)) if self.core in _core_of(text) else []

    def _spans(self, text: str) -> Iterator[Span]:
        folded = _folded(text)
        origins = None if len(folded) == len(text) and text.isascii() else _origins(text)
        for start, end in self._places(folded):
            certainty = self._certainty(folded, start, end)
            if origins is not None:
                start, end = origins[start], _behind(text, origins[end - 1] + 1)
            yield Span(start, end, certainty)

    def _places(self, folded: str) -> Iterator[tuple[int, int]]:
        if self.pattern is not None:
            yield from (match.span() for match in self.pattern.finditer(folded))
            return
        kept = [at for at, c in enumerate(folded) if c not in _SKIPPED]
        core, size = "".join(folded[at] for at in kept), len(self.core)
        at = core.find(self.core)
        while at >= 0:
            yield kept[at], kept[at + size - 1] + 1
            at = core.find(self.core, at + size)

    def _certainty(self, folded: str, start: int, end: int) -> Certainty:
        if self.strict is not None and self.strict.fullmatch(folded, start, end) is None:
            return "form"
        match, digits = folded[start:end], sum(map(str.isdigit, self.folded))
        other = 1 < digits < COINCIDENCE and match != self.folded and _numbers(match) != _numbers(self.folded)
        return "number" if other else "exact"


def _folded(text: str) -> str:
    """The folded text. Folding would turn backticks into apostrophes, so `*` replaces them first."""
    return fold(text.replace("`", "*"))


def _core(folded: str) -> str:
    return "".join(c for c in folded if c not in _SKIPPED)


class _Table(dict[int, str | None]):
    """Maps each character to its folded characters without the skipped ones. None deletes a character. With "" instead,
    translating ASCII takes five times as long."""

    def __missing__(self, code: int) -> str | None:
        self[code] = core = _core(_folded(chr(code))) or None
        return core


_CORES: Final = _Table()


def _core_of(text: str) -> str:
    return text.translate(_CORES)


def _may_hide(text: str) -> bool:
    """Whether a client may show some part of the text differently. Only the answer False is certain."""
    links = "](" in text or "&" in text
    return links or "|" in text or "```" in text or "~~~" in text or "==" in text or "<br" in text or "<BR" in text


def _shown(text: str) -> tuple[str, list[int], list[int]]:
    """The text as a client shows it, except marks inside lines such as `**`. Also the start and the end of each shown
    character in the original text."""
    shown: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0

    def copy(start: int, end: int) -> None:
        shown.append(text[start:end])
        starts.extend(range(start, end))
        ends.extend(range(start + 1, end + 1))

    def instead(other: str, hidden: re.Match[str]) -> None:
        shown.append(other)
        starts.extend([hidden.start()] * len(other))
        ends.extend([hidden.end()] * len(other))

    for match in _HIDDEN.finditer(text):
        copy(at, match.start())
        if match["code"] is not None:
            copy(*match.span("code"))
        elif match["label"] is None:
            instead(" " if match["line"] is not None else html.unescape(match[0]), match)
        else:
            copy(*match.span("label"))
            if match["image"] or not match["target"].lower().startswith(_FOLLOWED):
                instead(" ", match)
                copy(*match.span("target"))
        at = match.end()
    copy(at, len(text))
    return "".join(shown), starts, ends


def _disjoint(found: list[Span]) -> list[Span]:
    """The spans in order. Of overlapping spans, only the first is kept."""
    found.sort(key=lambda span: (span.start, span.certainty != "exact"))
    ordered: list[Span] = []
    for span in found:
        if not ordered or ordered[-1].end <= span.start:
            ordered.append(span)
    return ordered


def _flexible(folded: str, in_word: str) -> str:
    """The regular expression for a literal. It never begins with optional characters, because many of them in a row
    would take quadratic time. `in_word` matches the optional characters inside a word."""
    parts: list[str] = []
    before = "gap"
    for match in _PARTS.finditer(folded):
        kind, part = str(match.lastgroup), match[0]
        if kind == "gap":
            parts.append(_gap(part, is_last=match.end() == len(folded)) if parts else _leading(part))
        elif kind == "markup":
            parts.append(_skipping("*_~\\", "*_~", part) if parts and before != "gap" else "")
        else:
            is_word = {kind, before} <= {"letters", "number"}
            parts.append("" if before in ("gap", "markup") else in_word if is_word else _MARKUP)
            parts.append(_written(kind, part, in_word))
        before = kind
    return "".join(parts) or " *+".join(map(re.escape, folded.split()))


def _gap(part: str, *, is_last: bool) -> str:
    return "" if is_last and not any(sign in part for sign in _TELLING) else _skipping(_GAP_SIGNS, _TELLING, part)


def _skipping(signs: str, required: str, part: str) -> str:
    """The pattern for a run of `signs`. If `part` contains a character of `required`, the run must contain it, too."""
    ahead = (f"(?=[{re.escape(signs.replace(sign, ''))}]*+{re.escape(sign)})" for sign in required if sign in part)
    return f"{''.join(ahead)}[{re.escape(signs)}]*+"


def _leading(part: str) -> str:
    return re.escape(part[-1]) if part[-1] in _TELLING else ""


def _written(kind: str, part: str, in_word: str) -> str:
    if kind == "number":
        return _SEPARATOR.join(filter(str.isdigit, part))
    return (in_word if kind == "letters" else _MARKUP).join(map(re.escape, part))


def _numbers(folded: str) -> list[str]:
    return re.findall(r"\d(?:[ ,.'_/()-]*\d)*", folded)


def _origins(text: str) -> list[int]:
    """The index of the original character for each folded character: `"aß" -> [0, 1, 1]`."""
    return [position for position, c in enumerate(text) for _ in fold(c)]


def _behind(text: str, end: int) -> int:
    while end < len(text) and not fold(text[end]):
        end += 1
    return end
