"""The marks around recalled text, and the form of stored text in a prompt, so that it cannot imitate our own lines.

Line beginnings are ours: section titles, day headers, `[09:15 AM] User: …`. Stored text comes after one of these. Its
further lines are indented, and marked as a quotation if they look like ours. Pure.
"""

import re
import unicodedata

from tellonce.tag_form import OPENING
from tellonce_text.normalization import nfkc

FENCE_OPEN = "⟦memory⟧"
FENCE_CLOSE = "⟦/memory⟧"

INDENT = "  "
QUOTED = f"{INDENT}› "

_RECALLED = re.compile(rf"{FENCE_OPEN}.*?(?:{FENCE_CLOSE}|\Z)", re.DOTALL)
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NOTABLE = re.compile(rf"{_BREAK.pattern}|[⟦⟧〚〛]|memory\s*[\])>】〗»]", re.IGNORECASE)
# The quantifiers are possessive (`*+`), so that a run of blanks is read once and not once per character.
_MARK = re.compile(r"([\[⟦〚【〖(<«])\1?\s*+(?:(/)\s*+)?memory\s*+([\]⟧〛】〗)>»])\3?", re.IGNORECASE)
_UNLIKE_A_NAME = re.compile(rf"{_BREAK.pattern}|[\[\]()|⟦⟧〚〛]")
_BRACKETS = str.maketrans("⟦⟧〚〛", "[][]")
_IMITATION = re.compile(
    r"\s*+(?:"
    r"[─—=_*-]{3}"  # a day header, a rule
    r"|\[[^\]\n]{1,80}\]"  # [09:15 AM], [Summary | …], a tag
    r"|#{1,6}\s|<"  # titles and marks of other prompts
    r"|[*_`>\s]*+(?:user|assistant|system|human|developer|tool)\b[^\n:]{0,40}:"
    r"|(?:confirmed by the user|inferred|summary|this thread|around it|focus|notice|memory \d++)\b[^\n:]{0,40}:"
    r"|(?-i:[A-Z][A-Z ,&'-]{3,}+:?\s*+$)"  # a section's title
    r")",
    re.IGNORECASE,
)


def fenced(text: str) -> str:
    return f"{FENCE_OPEN}\n{text}\n{FENCE_CLOSE}"


def without_recalled(text: str) -> str:
    """The text without what is between the marks, because recalled memory that is pasted back is nobody's words."""
    return _RECALLED.sub("\n", text)


def contained(line: str) -> str:
    """A line of ours that ends in stored text, which cannot leave the line, open or close a fence, or form a tag."""
    if _NOTABLE.search(line) is None and OPENING.search(line) is None:
        return line
    first, *further = _BREAK.split(_unmarked(line))
    return "\n".join([first, *(_continued(part) for part in further)])


def name_of(text: str) -> str:
    """A name chosen by others (of a speaker, a routine, a thread) as it may appear before the colon: one line, no
    brackets."""
    return text if _UNLIKE_A_NAME.search(text) is None else " ".join(_UNLIKE_A_NAME.sub(" ", text).split())


def contained_text(text: str) -> str:
    """A stored text to be shown alone under a title. Its first line is marked too if it imitates a line of ours."""
    first, *further = contained(text).split("\n")
    return "\n".join([_continued(first) if _imitates(first) else first, *further])


def _unmarked(text: str) -> str:
    text = _MARK.sub(lambda mark: f"({mark[2] or ''}memory)", text)
    return OPENING.sub(lambda tag: f"({tag[0][1:]}", text).translate(_BRACKETS)


def _continued(line: str) -> str:
    return f"{QUOTED}{line.lstrip()}" if _imitates(line) else f"{INDENT}{line}".rstrip()


def _imitates(line: str) -> bool:
    """Whether a line looks like ours to a reader, who ignores invisible characters and reads full-width letters as
    plain ones."""
    seen = line if line.isascii() else "".join(c for c in nfkc(line) if unicodedata.category(c) != "Cf")
    return _IMITATION.match(seen) is not None
