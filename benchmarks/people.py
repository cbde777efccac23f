"""Generates conversations of two people about their lives, in sessions, with questions."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from benchmarks.blocks import Block, blocks, fill, sentences, slots_of
from benchmarks.dialogue import Dialogue, Probe, Regime
from benchmarks.script import (
    MONTHS,
    Script,
    StatedFact,
    asked,
    happened,
    like,
    question,
    recall,
    session_dates,
    turns_of,
)

NAMES = ("Anna Ben Carla David Elena Frank Grace Hassan Irina Jamal Kate Luis Maya Nils Olivia Pedro Quinn Rosa Samir "
         "Tessa Umar Vera Will Xenia Yusuf Zara").split()  # fmt: skip
HEARSAY = 0.07
"""The share of facts that only the other person mentions, as in "you told me that …"."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Style:
    """How two people write. `apart` is the mean number of days between sessions. `exchanges` is the number of message
    pairs in one session."""

    regime: Regime
    sessions: tuple[int, int]
    apart: float
    exchanges: tuple[int, int]
    greets: float
    """The share of messages that begin with a phrase, often with the other's name."""
    pads: float
    """The share of messages that continue with small talk."""
    recalls: float
    """The share of small talk that returns to an older fact."""
    far: float
    """The share of facts that are told in other words than a question would use."""
    near: float
    """The share of questions that use the same words as the fact."""
    careless: bool
    """Whether the speaker writes several short messages in a row, with typing errors and without capitals."""


LETTERS = Style("people", (25, 30), 9, (9, 13), 0.65, 0.4, 0.45, 0.25, 0.72, careless=False)
CHAT = Style("friends", (26, 32), 1, (14, 18), 0.12, 0.15, 0.6, 0.5, 0.4, careless=True)


def write(seed: int, style: Style) -> Dialogue:
    rng = random.Random(f"{style.regime} {seed}")
    pair = rng.sample(NAMES, 2)
    talk = _Talk(Script(rng), pair, style)
    dates = session_dates(rng, rng.randint(*style.sessions), style.apart)
    for date, facts in zip(dates, _spread(rng, _facts(rng, pair), len(dates)), strict=True):
        talk.session(date, facts)
    return Dialogue(f"{style.regime}-{seed}", style.regime, talk.script.turns, _probes(rng, pair, talk.script, style))


def _facts(rng: random.Random, pair: Sequence[str]) -> list[tuple[Block, str]]:
    """The facts of both people; most kinds of facts are used. Some kinds of events occur several times, so that no fact
    can be found by its kind alone."""
    wanted: list[tuple[Block, str]] = []
    for who in pair:
        events, states = blocks("people_events.txt"), blocks("people_states.txt")
        wanted += [(block, who) for block in rng.sample(events, 16) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        # A fact that can change is told twice: first as it was, then as it is now.
        wanted += [(b, who) for b in rng.sample(states, 12) for _ in range(2 if "u" in b.parts else 1)]
    rng.shuffle(wanted)
    return wanted


def _spread(rng: random.Random, items: Sequence[_T], count: int) -> list[list[_T]]:
    bins: list[list[_T]] = [[] for _ in range(count)]
    for index, item in enumerate(items):
        bins[index % count].append(item)
    rng.shuffle(bins)
    return bins


class _Talk:
    """Writes the sessions of one dialogue."""

    def __init__(self, script: Script, pair: Sequence[str], style: Style) -> None:
        self.script, self.pair, self.style, self.rng = script, pair, style, script.rng

    def session(self, at: datetime, facts: list[tuple[Block, str]]) -> None:
        rng, waiting = self.rng, list(facts)
        turns = 2 * rng.randint(*self.style.exchanges)
        speaker = rng.randrange(2)
        echo: str | None = None
        while turns > 0 or waiting:
            at += timedelta(minutes=rng.randint(1, 4))
            who, other = self.pair[speaker], self.pair[1 - speaker]
            fact = next((f for f in waiting if f[1] == who and rng.random() < 0.55), None)
            lead = next((f for f in waiting if f[1] == other and "l" in f[0].parts and rng.random() < 0.12), None)
            if fact is not None and echo is None:
                waiting.remove(fact)
                echo = self._tell(fact[0], who, other, at, leaning=False)
            elif lead is not None and echo is None:
                waiting.remove(lead)
                self._talk(who, other, rng.choice(lead[0].parts["l"]), at, ask=False)
                at += timedelta(minutes=1)
                turns, speaker = turns - 1, 1 - speaker
                echo = self._tell(lead[0], other, who, at, leaning=True)
            else:
                self._react(who, other, echo, at)
                echo = None
            turns, speaker = turns - 1, 1 - speaker

    def _tell(self, block: Block, who: str, other: str, at: datetime, *, leaning: bool) -> str:
        """Tell a fact. Returns the words that the other person will echo."""
        rng, script = self.rng, self.script
        known = next((t for t in script.stated if t.block is block and t.who == who and "u" in block.parts), None)
        values = known.values if known else block.draw(rng)
        values["when"], day = happened(rng, at)
        part = "u" if known else "p" if leaning else rng.choices("sf", (1 - self.style.far, self.style.far))[0]
        sentence = rng.choice(block.parts[part])
        stated = known or StatedFact(block, who, values, at, day, frozenset(slots_of(sentence)))
        if known is None and not leaning and rng.random() < HEARSAY:
            core = f"I was just telling my family what you said: {fill(sentence, values)}"
            turns = self._talk(other, who, core, at, ask=False, values=values.values())
        else:
            turns = self._talk(who, other, fill(sentence, values), at, ask=rng.random() < 0.35, values=values.values())
        if known:
            stated.changed = turns
        else:
            stated.turns = turns
            script.stated.append(stated)
        return fill(rng.choice(block.parts["e"]), values)

    def _react(self, who: str, other: str, echo: str | None, at: datetime) -> None:
        rng, stated = self.rng, self.script.stated
        if echo is not None:
            self._talk(who, other, echo, at, ask=False)
        elif stated and rng.random() < self.style.recalls:
            core = recall(rng, rng.choice([*stated, *stated[-4:]]), "chatter.txt", "v")
            self._talk(who, other, core, at, ask=rng.random() < 0.3)
        elif rng.random() < 0.3:
            block = rng.choice([*blocks("people_events.txt"), *blocks("people_states.txt")])
            values = {**block.draw(rng), "when": "lately"}
            self._talk(who, other, fill(rng.choice(block.parts["d"]), values), at, ask=rng.random() < 0.4)
        else:
            middle = rng.sample(sentences("chatter.txt", "m"), rng.choice((1, 1, 2)))
            self._talk(who, other, " ".join(middle), at, ask=rng.random() < 0.7)

    def _talk(
        self, who: str, other: str, core: str, at: datetime, *, ask: bool, values: Iterable[str] = ()
    ) -> tuple[int, ...]:
        """Write the messages. Returns the turns that contain the core text."""
        rng = self.rng
        before = (
            [rng.choice(sentences("chatter.txt", "o")).format(other=other)] if rng.random() < self.style.greets else []
        )
        after: list[str] = []
        if len(core.split()) < 18 and rng.random() < self.style.pads:
            after.append(rng.choice(sentences("chatter.txt", "m")))
        if ask:
            after.append(rng.choice(sentences("chatter.txt", "c")))
        if not self.style.careless:
            return (self._say(who, " ".join([*before, core, *after]), at),)
        for text in before:
            self._say(who, typed(rng, text), at)
        turns = self._pieces(who, core, at, list(values))
        for text in after:
            self._say(who, typed(rng, text), at)
        return turns

    def _pieces(self, who: str, core: str, at: datetime, values: Sequence[str]) -> tuple[int, ...]:
        """Write the core text in one or several messages. Returns the turns that contain a value."""
        said = [(piece, self._say(who, typed(self.rng, piece), at)) for piece in pieces(self.rng, core)]
        holding = tuple(turn for piece, turn in said if any(value.lower() in piece.lower() for value in values))
        return holding or (said[0][1],)

    def _say(self, who: str, text: str, at: datetime) -> int:
        role: Literal["user", "assistant"] = "user" if who == self.pair[0] else "assistant"
        return self.script.say(role, who, text, at)


def _probes(rng: random.Random, pair: Sequence[str], script: Script, style: Style) -> list[Probe]:
    probes = [probe for stated in script.stated for probe in _of_fact(rng, script, stated, style)]
    return [*probes, *_of_lists(rng, script, pair, style), *_of_dates(rng, script)]


def _of_fact(rng: random.Random, script: Script, stated: StatedFact, style: Style) -> Iterable[Probe]:
    block = stated.block
    part = "n" if rng.random() < style.near else "q"
    if not stated.changed and (text := question(rng, script, stated, part)) and rng.random() < 0.9:
        yield Probe("single-hop", text, stated.turns)
        if rng.random() < 0.15:
            other = next(t.speaker for t in script.turns if t.speaker != stated.who)
            yield Probe("adversarial", text.replace(stated.who, str(other)), stated.turns)
    if (text := question(rng, script, stated, "w")) and rng.random() < 0.55:
        yield Probe("temporal", text, stated.turns)
    if stated.changed and (text := question(rng, script, stated, "v")):
        yield Probe("updated", text, stated.changed)
    if "x" in block.parts and rng.random() < 0.1 and len(like(script, stated)) == 1:
        yield Probe("open-domain", asked(rng.choice(block.parts["x"]), stated), stated.turns)


def _of_lists(rng: random.Random, script: Script, pair: Sequence[str], style: Style) -> list[Probe]:
    groups: defaultdict[tuple[str, str], list[StatedFact]] = defaultdict(list)
    for stated in script.stated:
        groups[stated.block.name, stated.who].append(stated)
    probes = [
        Probe("multi-hop", asked(_near(rng, facts[0].block.parts["m"], style), facts[0]), turns_of(facts))
        for facts in groups.values()
        if len(facts) > 1 and "m" in facts[0].block.parts
    ]
    for (name, who), facts in groups.items():
        theirs = groups.get((name, pair[1]))
        if who == pair[0] and theirs and rng.random() < 0.3:
            text = next(iter(facts[0].block.parts.get("m", ())), None)
            both = f"{pair[0]} and {pair[1]}"
            if text and len(facts) + len(theirs) <= 3:
                probes.append(Probe("multi-hop", fill(text, {"who": both}), turns_of([*facts, *theirs])))
    return probes


def _near(rng: random.Random, questions: Sequence[str], style: Style) -> str:
    """Choose the last wording with the probability `style.near`, otherwise the first wording. In the sentence banks,
    the last wording is the most similar to the fact."""
    return questions[-1] if rng.random() < style.near else questions[0]


def _of_dates(rng: random.Random, script: Script) -> list[Probe]:
    """Questions about what somebody did on a given day or in a given month."""
    months: defaultdict[tuple[str, int, int], list[StatedFact]] = defaultdict(list)
    for stated in script.stated:
        if "w" in stated.block.parts:
            months[stated.who, stated.happened.year, stated.happened.month].append(stated)
    probes: list[Probe] = []
    for (who, year, month), facts in months.items():
        if len(facts) == 1 and rng.random() < 0.5:
            probes.append(Probe("date", f"What did {who} do in {MONTHS[month - 1]} {year}?", turns_of(facts)))
    for stated in rng.sample(script.stated, min(4, len(script.stated))):
        day = stated.happened
        if "w" in stated.block.parts:
            text = f"What happened to {stated.who} on {day.day} {MONTHS[day.month - 1]}, {day.year}?"
            probes.append(Probe("date", text, stated.turns))
    return probes


JOINED = 0.5
"""The share of sentences that are sent in the same message as the previous sentence."""

ERRORS = 0.02
"""The share of words in which two letters are exchanged."""

_SHORT = {"I'm": "im", "you": "u", "are": "r", "because": "cuz", "don't": "dont", "can't": "cant", "going to": "gonna",
          "tomorrow": "tmrw", "people": "ppl", "really": "rly", "it's": "its", "want to": "wanna", "please": "pls"}  # fmt: skip
_ENDS = ("", "", "", "", "", "", " lol", " haha", " 😂", " 😭", "!!", "...", " tbh", " ngl")


def pieces(rng: random.Random, text: str) -> Iterator[str]:
    """Yield the sentences of the text; some of them stay joined to the previous sentence."""
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
