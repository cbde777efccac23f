"""Generates a user's projects with an assistant over months: steps, wishes, changes and lists."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.blocks import Block, blocks
from benchmarks.dialogue import Probe

BANK = "assistant_projects.txt"
COUNT = 5
"""Number of projects of one dialogue."""

ASKED = 3
"""The number of steps of each project that have a question."""


@dataclass
class Fact:
    """One fact of the user. The fact's sentence is number `place` of this `part` of the project's sentence bank. The
    user tells the fact in the turn `turn`."""

    part: str
    place: int
    turn: int = 0


@dataclass
class Project:
    """A project. `sessions` are the facts told in each session, in time order; a session may have none."""

    block: Block
    sessions: list[list[Fact]] = field(default_factory=list)

    def line(self, fact: Fact) -> str:
        return self.block.parts[fact.part][fact.place]

    def turns(self, part: str) -> tuple[int, ...]:
        return tuple(sorted(fact.turn for facts in self.sessions for fact in facts if fact.part == part))


def projects(rng: random.Random) -> list[Project]:
    return [Project(block, _sessions(rng, block)) for block in rng.sample(blocks(BANK), COUNT)]


def _sessions(rng: random.Random, block: Block) -> list[list[Fact]]:
    """The facts of the sessions. Steps and changes keep their order; wishes, list items and empty turns are distributed
    among them."""
    ordered = _merged(rng, *([Fact(part, n) for n in range(len(block.parts[part]))] for part in "pu"))
    loose = [Fact(part, n) for part in "iw" for n in range(len(block.parts[part]))]
    rng.shuffle(loose)
    facts = _merged(rng, ordered, loose)
    sessions: list[list[Fact]] = []
    while facts:
        count = rng.choice((0, 1, 1, 2))
        sessions.append([facts.pop(0) for _ in range(min(count, len(facts)))])
    return sessions


def _merged(rng: random.Random, *runs: Sequence[Fact]) -> list[Fact]:
    """The sequences merged at random. The items of each sequence stay in order."""
    left = [list(run) for run in runs]
    order = [index for index, run in enumerate(runs) for _ in run]
    rng.shuffle(order)
    return [left[index].pop(0) for index in order]


def probes(rng: random.Random, project: Project) -> Iterator[Probe]:
    """Questions about some steps, the last value, all items of a list and the order of events. The last probe is a
    request. One of the user's wishes is relevant to it."""
    parts = project.block.parts
    told = {(fact.part, fact.place): fact.turn for facts in project.sessions for fact in facts}
    for place in rng.sample(range(len(parts["p"])), ASKED):
        yield Probe("single-hop", parts["q"][place], (told["p", place],))
    yield Probe("updated", parts["v"][0], (told["u", len(parts["u"]) - 1],))
    yield Probe("list", rng.choice(parts["m"]), project.turns("i"))
    yield Probe("order", rng.choice(parts["o"]), project.turns("p"))
    place = rng.randrange(len(parts["y"]))
    yield Probe("wish", parts["y"][place], (told["w", place],))
