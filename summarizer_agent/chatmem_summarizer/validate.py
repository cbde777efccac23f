"""What a summary by a small local model must be to be kept, and what stands in for it; knows no model."""

import re
from collections.abc import Sequence

from chatmem.work import WorkMessage
from chatmem_summarizer.length import clip
from chatmem_summarizer.salience import topics

LONGEST = 300
"""Characters; or 30 % of the source, where that is more."""
LEAST_OVERLAP = 0.1

_CHATTER = re.compile(
    r"\b(?:here(?:'s| is| are)|certainly|sure|of course|absolutely|i(?:'d| would) be happy|happy to help|great "
    r"question|let me know"
    r"|as an ai|i cannot|i can't|i'm sorry|below is|the following is|in summary|to summari[sz]e|this (?:conversation"
    r"|text) (?:is|discusses))\b",
    re.IGNORECASE,
)
_CHATTER_START = re.compile(r"^\W*(?:ok(?:ay)?|yes|well|summary|note|answer)\b", re.IGNORECASE)
_TITLE = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*\n]+\*\*\s*(?:\n|$)|__[^_\n]+__\s*\n|[^\n.!?]{1,80}:\s*\n|[A-Z][^\n.!?]{0,70}\n\s*\n)"
)
_WORD = re.compile(r"\w+")


def complaint(summary: str, source: str) -> str | None:
    """Why a summary of `source` must not be kept; None when it may."""
    text = summary.strip()
    if not text:
        return "empty"
    if len(text) > max(LONGEST, len(source) * 3 // 10):
        return f"{len(text)} characters are too long"
    if "```" in text:
        return "code fence"
    if _CHATTER_START.match(text) or _CHATTER.search(text):
        return "chatter"
    if _TITLE.match(text):
        return "title"
    if overlap(text, source) < LEAST_OVERLAP:
        return "hardly a word of the source"
    return None


def overlap(summary: str, source: str) -> float:
    """The share of the summary's words that occur in the source."""
    said = [word.lower() for word in _WORD.findall(summary)]
    known = {word.lower() for word in _WORD.findall(source)}
    return sum(word in known for word in said) / len(said) if said else 0.0


def fallback(messages: Sequence[WorkMessage]) -> str:
    """`Conversation with 12 messages about: a, b, c.`; without any topic, the first or the last user message."""
    about = topics(messages)
    if about:
        return f"Conversation with {len(messages)} messages about: {', '.join(about)}."
    said = [message.text.strip() for message in messages if message.role == "user" and message.text.strip()]
    if not said:
        said = [message.text.strip() for message in messages if message.text.strip()] or ["No text"]
    chosen = said[0] if len(said[0]) >= len(said[-1]) else said[-1]
    return clip(chosen, LONGEST)
