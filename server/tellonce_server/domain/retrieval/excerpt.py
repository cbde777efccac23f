"""Selects the sentences of a long message that best match a question. Pure."""

from tellonce_text.claims import content_stems
from tellonce_text.sentences import split_sentences
from tellonce_text.tokens import estimate

WHOLE = 160
"""Maximum tokens of a message that is shown whole."""

SHORTEST = 60
"""Maximum tokens of a long reply in the smallest contexts."""

LINE = 60
"""Maximum tokens of each summary in a list of summaries about a topic."""

WHOLE_ROUTINE = 500
"""Maximum tokens of a routine message that is shown whole. The window shows only the summary of such a message, so its
full text is useful in a search result."""


def excerpt(text: str, tokens: int, query: str, *, whole: int = WHOLE) -> str:
    """The whole text if it has at most `whole` tokens. Otherwise return the best sentences of the text in their
    original order, with "…" at omissions. These sentences have at most `whole` and at most WHOLE tokens."""
    if tokens <= whole:
        return text
    wanted = set(content_stems(query))
    sentences = split_sentences(text)
    ranked = sorted(range(len(sentences)), key=lambda i: (-len(wanted & set(content_stems(sentences[i]))), i))
    chosen: list[int] = []
    room = min(whole, WHOLE)
    for index in ranked:
        price = estimate(sentences[index])
        if price <= room:
            chosen.append(index)
            room -= price
    return _joined(sentences, sorted(chosen))


def excerpts_of(total: int) -> int:
    """Maximum tokens of a long reply in a context of `total` tokens. Ten such replies fit into a quarter of the
    context, unless the context is so small that SHORTEST applies."""
    return max(SHORTEST, min(WHOLE, total // 40))


def _joined(sentences: list[str], chosen: list[int]) -> str:
    parts: list[str] = []
    last = -1
    for index in chosen:
        parts += ["…"] if index != last + 1 else []
        parts.append(sentences[index])
        last = index
    return " ".join([*parts, *(["…"] if last != len(sentences) - 1 else [])])
