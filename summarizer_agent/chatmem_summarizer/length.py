"""How long a text is in tokens, estimated on the high side, and how to shorten one at a good place."""

import re

_WIDE = re.compile(r"[\u0590-\u0fff\u1100-\u1fff\u2e80-\ud7ff\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"')\]”’]*(?=\s|$)")
MARK = "…"


def tokens(text: str) -> int:
    """About how many tokens a language model takes `text` for; rather too many than too few."""
    wide = len(_WIDE.findall(text))
    narrow = len(text) - wide
    return wide + max(-(-narrow * 10 // 36), -(-len(text.split()) * 13 // 10))


def clip(text: str, characters: int) -> str:
    """At most `characters` of the text: whole sentences if that keeps half of it, else whole words and a mark."""
    text = text.strip()
    if len(text) <= characters:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text[:characters])]
    if ends and ends[-1] * 2 >= characters:
        return text[: ends[-1]]
    head = text[: max(0, characters - len(MARK))]
    cut = head.rsplit(None, 1)[0] if " " in head.strip() else head
    return cut.rstrip(" ,;:–-") + MARK


def head_and_tail(text: str, characters: int) -> str:
    """At most `characters`: two thirds from the beginning, the rest from the end, where people come to the point."""
    if len(text) <= characters:
        return text
    tail = max(1, characters // 3)
    return f"{text[: max(1, characters - tail - 3)]} {MARK} {text[-tail:]}"
