"""Converts text to the way friends type it: several short messages, lower case, typing errors. Pure except for its
random source."""

import random
import re
from collections.abc import Iterator

JOINED = 0.5
"""The share of sentences that stay in one message with the previous one."""

ERRORS = 0.02
"""The share of words with two letters exchanged."""

_SHORT = {"I'm": "im", "you": "u", "are": "r", "because": "cuz", "don't": "dont", "can't": "cant", "going to": "gonna",
          "tomorrow": "tmrw", "people": "ppl", "really": "rly", "it's": "its", "want to": "wanna", "please": "pls"}  # fmt: skip
_ENDS = ("", "", "", "", "", "", " lol", " haha", " 😂", " 😭", "!!", "...", " tbh", " ngl")


def pieces(rng: random.Random, text: str) -> Iterator[str]:
    """The sentences of the text; some stay joined to the previous one."""
    held = ""
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        if held and rng.random() >= JOINED:
            yield held
            held = ""
        held = f"{held} {sentence}".strip()
    yield held


def typed(rng: random.Random, text: str) -> str:
    for word, short in _SHORT.items():
        if rng.random() < 0.5:
            text = re.sub(rf"\b{re.escape(word)}\b", short, text)
    if rng.random() < 0.6:
        text = text[:1].lower() + text[1:]
    text = " ".join(_slipped(word) if len(word) > 4 and rng.random() < ERRORS else word for word in text.split())
    return text if text.endswith("?") else text.rstrip(".!") + rng.choice(_ENDS)


def _slipped(word: str) -> str:
    middle = len(word) // 2
    return f"{word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]}"
