"""Long answers cut at good places for Telegram; pure."""

LONGEST = 4096
"""UTF-16 units of one Telegram message."""

_BREAKS = ("\n\n", "\n", ". ", " ")


def split(text: str, longest: int = LONGEST) -> list[str]:
    """Parts of at most `longest` UTF-16 units, cut at paragraphs, lines, sentences or words."""
    parts: list[str] = []
    rest = text.strip()
    while units(rest) > longest:
        cut = _cut(rest, longest)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*parts, rest] if rest else parts


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _cut(text: str, longest: int) -> int:
    limit = _characters(text, longest)
    for mark in _BREAKS:
        at = text.rfind(mark, limit // 2, limit)
        if at > 0:
            return at + len(mark)
    return limit


def _characters(text: str, longest: int) -> int:
    """How many characters fit: one outside the basic plane counts twice, and is never cut in two."""
    used = 0
    for index, character in enumerate(text):
        used += 1 + (ord(character) > 0xFFFF)
        if used > longest:
            return index
    return len(text)
