"""Generates seeded conversations with labeled questions for developing retrieval. The generator was made without any
public evaluation corpus.

There are three shapes: two people who write to each other over months (`people`), two friends who chat in short
careless messages every day (`friends`), and one person with an assistant that gives long answers (`assistant`). Facts
come from sentence banks with several wordings each. Both speakers tell facts. Some facts are in answers that can be
understood only together with the question. Other messages repeat facts or distract from them. The generator sets a
distance between questions and answers. With this distance, common methods reach the same recall as on real
conversations. The figures are in the table of `python -m benchmarks.retrieval` and in docs/explanation/performance.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from benchmarks import assistants, people
from benchmarks.dialogue import Dialogue

SHAPES: Final[Mapping[str, Callable[[int], Dialogue]]] = {
    "people": lambda seed: people.write(seed, people.LETTERS),
    "friends": lambda seed: people.write(seed, people.CHAT),
    "assistant": assistants.write,
}


def corpus(count: int, seed: int = 1, shapes: Sequence[str] = tuple(SHAPES)) -> list[Dialogue]:
    """`count` dialogues of each shape, alternating."""
    seeds = range(seed * 1000, seed * 1000 + count)
    return [SHAPES[shape](n) for n in seeds for shape in shapes]
