"""Marks recalled text in a prompt, and formats stored text so that the text cannot imitate the lines that we write.
Pure.

Only our own lines start at the left margin: section titles, day headers, `[09:15 AM] User: …`. The first line of a
stored text is at the end of such a line. The other lines of the stored text are indented. An indented line that looks
like one of our lines is marked as a quotation.
"""

import re
import unicodedata

from tellonce.tag_form import OPENING
from tellonce_text.folding import nfkc

FENCE_OPEN = "⟦memory⟧"
FENCE_CLOSE = "⟦/memory⟧"

INDENT = "  "
QUOTED = f"{INDENT}› "

_RECALLED = re.compile(rf"{FENCE_OPEN}.*?(?:{FENCE_CLOSE}|\Z)", re.DOTALL)
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NOTABLE = re.compile(rf"{_BREAK.pattern}|[⟦⟧〚〛]|memory\s*[\])>】〗»]", re.IGNORECASE)
# The quantifiers are possessive (`*+`), so that many blanks in a row take only linear time.
_MARK = re.compile(r"([\[⟦〚【〖(<«])\1?\s*+(?:(/)\s*+)?memory\s*+([\]⟧〛】〗)>»])\3?", re.IGNORECASE)
_UNLIKE_A_NAME = re.compile(rf"{_BREAK.pattern}|[\[\]()|⟦⟧〚〛]")
_BRACKETS = str.maketrans("⟦⟧〚〛", "[][]")
_IMITATION = re.compile(
    r"\s*+(?:"
    r"[─—=_*-]{3}"  # a day header or a horizontal rule
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
    """Fenced parts were recalled and pasted back, so they are not new statements."""
    return _RECALLED.sub("\n", text)


def contained(line: str) -> str:
    """Return a safe form of a line. The line begins with words of this program and ends with stored text. In the safe
    form, the stored text cannot start a line that looks like a line of this program. It also cannot open or close a
    fence, and it cannot form a tag."""
    if _NOTABLE.search(line) is None and OPENING.search(line) is None:
        return line
    first, *further = _BREAK.split(_unmarked(line))
    return "\n".join([first, *(_continued(part) for part in further)])


def name_of(text: str) -> str:
    """Return a name in a form that is safe before a colon: one line without brackets. The names of speakers, routines
    and threads are not safe, because other people and programs choose them."""
    return text if _UNLIKE_A_NAME.search(text) is None else " ".join(_UNLIKE_A_NAME.sub(" ", text).split())


def contained_text(text: str) -> str:
    """Format a stored text that stands alone under a title. Its first line may be marked, too."""
    first, *further = contained(text).split("\n")
    return "\n".join([_continued(first) if _imitates(first) else first, *further])


def _unmarked(text: str) -> str:
    text = _MARK.sub(lambda mark: f"({mark[2] or ''}memory)", text)
    return OPENING.sub(lambda tag: f"({tag[0][1:]}", text).translate(_BRACKETS)


def _continued(line: str) -> str:
    return f"{QUOTED}{line.lstrip()}" if _imitates(line) else f"{INDENT}{line}".rstrip()


def _imitates(line: str) -> bool:
    """Invisible characters are ignored, and full-width letters count as plain letters."""
    seen = line if line.isascii() else "".join(c for c in nfkc(line) if unicodedata.category(c) != "Cf")
    return _IMITATION.match(seen) is not None
