"""Finds the content words of a text, its statements, and its questions. Pure."""

import re

_QUESTION = re.compile(
    r"[?？؟][\s)\]\"'”»]*(?:\n|\Z)|[?？؟]\s"
    r"|^\W*(?:what|who|whose|where|when|why|how|which|do|does|did|is|are|was|were|tell|show|list|find)\b(?! not\b)",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s+|(?<=[。！？])|\n+")
_SMALL = frozenset(
    "a an and are about any at be by can could did do does for from had has have he her him his how i in is it its know me "
    "mention mentioned my of on or our please remember said say she should tell that the their them they this to told us "
    "was we were what when where which who whose why will with would you your just now exactly current currently list "
    "show find".split()
)


def is_question(text: str) -> bool:
    return bool(_QUESTION.search(text))


def content_words(text: str) -> set[str]:
    """Prefixes of the content words; pairs of characters for scripts without spaces."""
    words = re.findall(r"[^\W_]+", text.casefold())
    meant = (word for word in words if word.isascii() and word not in _SMALL and (len(word) > 2 or word.isdigit()))
    # "Where do I live?" asks for what is stored as "Lives in Lisbon".
    plain = {word.removesuffix("s")[:6] for word in meant}
    return plain | {word[i : i + 2] for word in words if not word.isascii() for i in range(max(1, len(word) - 1))}


def told_sentences(text: str) -> list[str]:
    """The sentences that state something, without questions."""
    sentences = (sentence.strip() for sentence in _SENTENCE_END.split(text.strip()))
    return [sentence for sentence in sentences if sentence and not is_question(sentence)]


def best_sentences(text: str, question: str, most: int = 2) -> str:
    """The statements of a text that answer best, verbatim and in order, with `…` at omissions."""
    sentences = told_sentences(text)
    wanted = content_words(question)
    ranked = sorted(range(len(sentences)), key=lambda i: (-len(wanted & content_words(sentences[i])), i))
    chosen = sorted(ranked[:most])
    parts = [("" if i == 0 or i - 1 in chosen else "… ") + sentences[i] for i in chosen]
    return " ".join(parts)
