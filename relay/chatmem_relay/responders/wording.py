"""What a message wants, by its words alone: an answer, a list, an acknowledgement; pure."""

import re
from typing import Literal

Wish = Literal["about_me", "goals", "dates", "recap", "answer", "greeting", "thanks", "statement"]

_QUESTION = re.compile(
    r"[?？؟]\s*[)\]\"'”»]*\s*(?:\n|\Z)|[?？]\s"
    r"|^\W*(?:what|how|why|when|where|who|whom|which|whose|do(?! not)|does|did|is|are|was|were|can|could|would|will|should|has|have"
    r"|tell me|remind me|show me|list|find|explain|describe|summari[sz]e"
    r"|was|wie|warum|wann|wo|wer|welche\w*|что|как|почему|когда|где|кто|какой|какая|quel\w*|quand|comment|pourquoi|où|qui"
    r"|qué|cuándo|cómo|dónde|quién|cuál)\b"
    r"|[吗呢么]\s*\Z",
    re.IGNORECASE,
)
_PATTERNS: tuple[tuple[Wish, re.Pattern[str]], ...] = (
    ("about_me", re.compile(r"\bwhat\b.*\b(?:know|remember)\b.*\b(?:me|my ?self)\b|\bwho am i\b|\bmy profile\b", re.I)),
    ("goals", re.compile(r"\b(?:what|which|list|show)\b.*\b(?:my|current)\b.*\bgoals?\b", re.I)),
    ("dates", re.compile(r"\b(?:what|which|list|show)\b.*\b(?:important|upcoming)\b.*\bdates?\b", re.I)),
    (
        "recap",
        re.compile(
            r"\bcatch me up\b|\bsummari[sz]e (?:our|this|the) (?:chat|talk|conversation)\b"
            r"|\bwhat (?:did|have) we (?:talk|discuss)\w*(?: about)?\W*\Z",
            re.I,
        ),
    ),
    (
        "greeting",
        re.compile(r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|hallo|hola|salut)\b[\W\w]{0,20}\Z", re.I),
    ),
    (
        "thanks",
        re.compile(r"^\W*(?:thanks?(?: you)?|thx|cheers|great|ok(?:ay)?|cool|nice|perfect)\b[\W\w]{0,20}\Z", re.I),
    ),
)
_SMALL = frozenset(
    "a an and are about any at be by can could did do does for from had has have he her him his how i in is it its know me "
    "mention mentioned my of on or our please remember said say she should tell that the their them they this to told us "
    "was we were what when where which who whose why will with would you your just now exactly current currently".split()
)


_LONGEST_WISH = 300
"""Characters in which somebody asks for a list; the patterns take time in proportion to their cube."""


def wish(text: str) -> Wish:
    """The first that fits; a question that is none of the lists wants an answer."""
    head = text[:_LONGEST_WISH]
    for kind, pattern in _PATTERNS:
        if pattern.search(head):
            return kind
    return "answer" if is_question(text) else "statement"


def is_question(text: str) -> bool:
    return bool(_QUESTION.search(text))


def content_words(text: str) -> set[str]:
    """The beginnings of the words that carry meaning; pairs of characters where words are written together."""
    words = re.findall(r"[^\W_]+", text.casefold())
    meant = (word for word in words if word.isascii() and word not in _SMALL and (len(word) > 2 or word.isdigit()))
    # "Where do I live?" asks for what is kept as "Lives in Lisbon".
    plain = {word.removesuffix("s")[:6] for word in meant}
    return plain | {word[i : i + 2] for word in words if not word.isascii() for i in range(max(1, len(word) - 1))}


def best_sentences(text: str, question: str, most: int = 2) -> str:
    """The sentences of a long text that answer best, in their order; a short text stays whole."""
    sentences = [s for s in re.split(r"(?<=[.!?。！？])\s+|\n+", text.strip()) if s.strip()]
    if len(sentences) <= most:
        return " ".join(sentences)
    wanted = content_words(question)
    ranked = sorted(range(len(sentences)), key=lambda i: (-len(wanted & content_words(sentences[i])), i))
    return " ".join(sentences[i] for i in sorted(ranked[:most]))
