"""Reads the sentence banks of the generator. A bank has blocks of lines, and each line begins with a one-letter
part."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Block:
    """One kind of fact. `slots` are the possible values of the placeholders in its sentences. `parts` are lists of
    sentences: `s` has plain statements, `q` has questions."""

    name: str
    slots: Mapping[str, Sequence[str]]
    parts: Mapping[str, Sequence[str]]

    def draw(self, rng: random.Random) -> dict[str, str]:
        """Choose one value at random for every slot."""
        return {name: rng.choice(list(values)) for name, values in self.slots.items()}


@cache
def blocks(file: str) -> list[Block]:
    """The blocks of a bank, in the order of the file."""
    found: list[Block] = []
    for line in _lines(file):
        if line.startswith("["):
            found.append(Block(line.strip("[]"), {}, {}))
        elif " = " in line and not re.match(r"\w: ", line):
            name, _, values = line.partition(" = ")
            found[-1] = _with_slot(found[-1], name, values.split(" | "))
        else:
            found[-1] = _with_part(found[-1], line)
    return found


@cache
def sentences(file: str, part: str) -> list[str]:
    """All sentences of one part in a bank that has no blocks."""
    return [line[3:] for line in _lines(file) if line.startswith(f"{part}: ")]


def fill(sentence: str, values: Mapping[str, str]) -> str:
    """The sentence with the values in its slots. `{x_cap}` becomes the value of `x` with a capital first letter."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name in values:
            return values[name]
        text = values[name.removesuffix("_cap")]
        return text[:1].upper() + text[1:]

    return _SLOT.sub(value, sentence)


def slots_of(sentence: str) -> set[str]:
    return {name.removesuffix("_cap") for name in _SLOT.findall(sentence)}


def _with_slot(block: Block, name: str, values: Sequence[str]) -> Block:
    return Block(block.name, {**block.slots, name: values}, block.parts)


def _with_part(block: Block, line: str) -> Block:
    part, sentence = line[0], line[3:]
    return Block(block.name, block.slots, {**block.parts, part: [*block.parts.get(part, ()), sentence]})


def _lines(file: str) -> list[str]:
    text = (FOLDER / file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
