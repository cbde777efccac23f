"""A small variety of everyday sentences for computing a model's mean vector, the same on every machine."""

from collections.abc import Iterator
from itertools import product

_FRAMES = (
    "I need to talk about {0} before {1}.",
    "Could you tell me more about {0}? I was thinking of {1}.",
    "Yesterday we looked at {0}, and {1} came up again.",
    "{0} is more expensive than {1}, as far as I know.",
    "My sister asked whether {0} goes well with {1}.",
    "Here is a summary of {0}: it depends mostly on {1}.",
)
_TOPICS = (
    "the garden",
    "our flight to Oslo",
    "the database migration",
    "a birthday dinner",
    "my blood test",
    "the guitar lesson",
    "tax papers",
    "the new puppy",
    "a football match",
    "kitchen tiles",
    "the deployment",
    "his job interview",
)


def sentences() -> Iterator[str]:
    """Every sentence pattern filled with every pair of different topics."""
    for frame, first, second in product(_FRAMES, _TOPICS, _TOPICS):
        if first != second:
            yield frame.format(first, second)
