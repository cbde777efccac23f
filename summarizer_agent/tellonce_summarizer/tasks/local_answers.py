"""Checks the summaries of small local models."""

import re

from tellonce_summarizer.models.answers import UnacceptableAnswerError

LONGEST = 300
"""Maximum number of characters of a local model's summary. For a long source, the maximum is 30 % of the source's
length."""
LEAST_OVERLAP = 0.1

# Small models begin their answers with such phrases, even if the prompt forbids it. Most of the phrases are
# English.
_CHATTER = re.compile(
    r"\b(?:here(?:'s| is| are)|certainly|of course|absolutely|i(?:'d| would) be happy|happy to help|let me know"
    r"|as an ai|i cannot|i can't|i'm sorry|below is|the following is|in summary|to summari[sz]e)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|well|sure|summary|note|answer|title|let me|let's|i(?:'ll| will|'ve| have| am|'m| can| need to))\b",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*\n]+\*\*\s*(?:\n|$)|__[^_\n]+__\s*\n|[^\n.!?]{1,80}:\s*\n|[A-Z][^\n.!?]{0,70}\n\s*\n)"
)
_WORD = re.compile(r"\w+")


def complaint(summary: str, source: str) -> str | None:
    """Return the reason why a summary of `source` must be rejected; None if the summary is acceptable."""
    text = summary.strip()
    if not text:
        return "empty"
    if len(text) > max(LONGEST, len(source) * 3 // 10):
        return f"{len(text)} characters are too long"
    if "```" in text:
        return "code fence"
    if _OPENING.match(text):
        return "begins with words about the model itself"
    if _CHATTER.search(text):
        return "chatter"
    if _TITLE.match(text):
        return "title"
    if overlap(text, source) < LEAST_OVERLAP:
        return "contains hardly a word of the source"
    return None


def overlap(summary: str, source: str) -> float:
    """The share of the summary's words that occur in the source."""
    said = [word.lower() for word in _WORD.findall(summary)]
    known = {word.lower() for word in _WORD.findall(source)}
    return sum(word in known for word in said) / len(said) if said else 0.0


def checked(text: str, source: str) -> str:
    """Return a local model's text if the text passes the stricter validation."""
    wrong = complaint(text, source)
    if wrong is not None:
        raise UnacceptableAnswerError(wrong)
    return text.strip()
