"""The question before all of a topic is forgotten; it carries the topic, for a button's data would not hold it. Pure."""

import re

_QUESTION = re.compile(r"\AForget all of “(.+)”\? It is in [^“”]*\Z", re.DOTALL)


def question(topic: str, memories: int, messages: int) -> str:
    return f"Forget all of “{topic}”? It is in {memories} memories and {messages} messages."


def asked_about(text: str) -> str | None:
    """The topic such a question is about."""
    found = _QUESTION.match(text)
    return found[1] if found else None
