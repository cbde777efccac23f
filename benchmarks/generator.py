"""Seeded conversations with labelled questions, to develop retrieval with; no corpus of the judges is behind it.

Two regimes: two people who chat over months, and one person with an assistant that answers at length.  Facts come from
sentence banks with several wordings each, told by either side, in leaning answers, beside echoes and distractors.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeVar

from benchmarks.blocks import Block, blocks, fill, sentences, slots_of
from benchmarks.dialogue import Dialogue, Probe, Turn

NAMES = ("Anna Ben Carla David Elena Frank Grace Hassan Irina Jamal Kate Luis Maya Nils Olivia Pedro Quinn Rosa Samir "
         "Tessa Umar Vera Will Xenia Yusuf Zara").split()  # fmt: skip
MONTHS = ("January February March April May June July August September October November December").split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SESSIONS = (25, 30)
EXCHANGES = (9, 13)

# How far questions are from what answers them, and how much speaks of the same without answering; set so that the
# usual methods land where they do on real conversations (see the table of `python -m benchmarks.retrieval`).
FAR = 0.25
"""Share of facts told in words a question would not use."""

NEAR = 0.72
"""Share of questions in the words of the telling."""

BACK = 0.97
"""How often an assistant's reply contains a question like the one that will be asked."""

HEARSAY = 0.07
"""Share of facts that are told by the other one: "you told me that …"."""

RECALLS = 0.45
"""Share of small talk (in the other regime: of requests) that comes back to an older fact."""

_T = TypeVar("_T")
Kind = Literal["single-hop", "multi-hop", "temporal", "date", "updated", "open-domain", "adversarial", "assistant"]


@dataclass
class Told:
    """A fact that was told: by whom, with which values, in which turn, and when it happened."""

    block: Block
    who: str
    values: dict[str, str]
    at: datetime
    happened: datetime
    names: frozenset[str] = frozenset()
    turn: int = 0
    changed: int | None = None


@dataclass
class _Script:
    """A dialogue while it is written."""

    rng: random.Random
    turns: list[Turn] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def say(self, role: Literal["user", "assistant"], speaker: str | None, text: str, at: datetime) -> int:
        self.turns.append(Turn(len(self.turns) + 1, role, speaker, text, at))
        return len(self.turns)


def people(seed: int) -> Dialogue:
    """Two people, 25–30 sessions of about 22 messages of about 25 words."""
    rng = random.Random(f"people {seed}")
    pair = rng.sample(NAMES, 2)
    script = _Script(rng)
    dates = _session_dates(rng, rng.randint(*SESSIONS), 9)
    plans = _spread(rng, _people_facts(rng, pair), len(dates))
    for date, facts in zip(dates, plans, strict=True):
        _people_session(script, pair, date, facts)
    return Dialogue(f"people-{seed}", "people", script.turns, _people_probes(rng, pair, script))


def assistant(seed: int) -> Dialogue:
    """One user and an assistant whose replies are long and repeat what was asked."""
    rng = random.Random(f"assistant {seed}")
    script = _Script(rng)
    bank = blocks("assistant_facts.txt")
    subjects = [*rng.sample(bank, len(bank)), *rng.choices(bank, k=26), *[None] * 6]
    rng.shuffle(subjects)
    for date, block in zip(_session_dates(rng, len(subjects), 3), subjects, strict=True):
        _assistant_session(script, block, date)
    return Dialogue(f"assistant-{seed}", "assistant", script.turns, _assistant_probes(rng, script))


def corpus(count: int, seed: int = 1) -> list[Dialogue]:
    """`count` dialogues of each regime."""
    return [make(seed * 1000 + n) for n in range(count) for make in (people, assistant)]


# When


def _session_dates(rng: random.Random, count: int, apart: float) -> list[datetime]:
    at = datetime(2025, rng.randint(1, 6), rng.randint(1, 28), 8, tzinfo=UTC)
    dates: list[datetime] = []
    for _ in range(count):
        at += timedelta(days=rng.expovariate(1 / apart) + 0.5)
        dates.append(at.replace(hour=rng.randint(8, 21), minute=rng.randint(0, 59)))
    return dates


def _happened(rng: random.Random, at: datetime) -> tuple[str, datetime]:
    """A relative expression, and the day it means."""
    weekday = rng.randrange(7)
    back = (at.weekday() - weekday - 1) % 7 + 1
    days, text = rng.choice(
        [
            (1, "yesterday"),
            (7, "last week"),
            (2, "two days ago"),
            (0, "this morning"),
            (30, "last month"),
            (14, "two weeks ago"),
            (4, "a few days ago"),
            (back, f"last {WEEKDAYS[weekday]}"),
            (at.weekday() + 2, "last weekend"),
            (back, f"on {WEEKDAYS[weekday]}"),
        ]
    )
    return text, at - timedelta(days=days)


# Two people


def _people_facts(rng: random.Random, pair: Sequence[str]) -> list[tuple[Block, str]]:
    """Every person has most kinds of facts, some events several times: so nothing is found by its kind alone."""
    wanted: list[tuple[Block, str]] = []
    for who in pair:
        events, states = blocks("people_events.txt"), blocks("people_states.txt")
        wanted += [(block, who) for block in rng.sample(events, 16) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        # Told a second time, what can change has changed.
        wanted += [(b, who) for b in rng.sample(states, 12) for _ in range(2 if "u" in b.parts else 1)]
    rng.shuffle(wanted)
    return wanted


def _spread(rng: random.Random, items: Sequence[_T], count: int) -> list[list[_T]]:
    bins: list[list[_T]] = [[] for _ in range(count)]
    for index, item in enumerate(items):
        bins[index % count].append(item)
    rng.shuffle(bins)
    return bins


def _people_session(script: _Script, pair: Sequence[str], at: datetime, facts: list[tuple[Block, str]]) -> None:
    rng = script.rng
    waiting = list(facts)
    turns = 2 * rng.randint(*EXCHANGES)
    speaker = rng.randrange(2)
    echo: str | None = None
    while turns > 0 or waiting:
        at += timedelta(minutes=rng.randint(1, 4))
        who, other = pair[speaker], pair[1 - speaker]
        fact = next((f for f in waiting if f[1] == who and rng.random() < 0.55), None)
        lead = next((f for f in waiting if f[1] == other and "l" in f[0].parts and rng.random() < 0.12), None)
        if fact is not None and echo is None:
            waiting.remove(fact)
            echo = _tell(script, fact[0], who, other, at, leaning=False)
        elif lead is not None and echo is None:
            waiting.remove(lead)
            _talk(script, who, other, rng.choice(lead[0].parts["l"]), at, ask=False)
            at += timedelta(minutes=1)
            turns, speaker = turns - 1, 1 - speaker
            echo = _tell(script, lead[0], other, who, at, leaning=True)
        else:
            _react(script, who, other, echo, at)
            echo = None
        turns, speaker = turns - 1, 1 - speaker


def _tell(script: _Script, block: Block, who: str, other: str, at: datetime, *, leaning: bool) -> str:
    """Tell a fact; what the other will echo."""
    rng = script.rng
    known = next((t for t in script.told if t.block is block and t.who == who and "u" in block.parts), None)
    values = known.values if known else block.draw(rng)
    values["when"], happened = _happened(rng, at)
    part = "u" if known else "p" if leaning else rng.choices("sf", (1 - FAR, FAR))[0]
    sentence = rng.choice(block.parts[part])
    told = known or Told(block, who, values, at, happened, frozenset(slots_of(sentence)))
    if known is None and not leaning and rng.random() < HEARSAY:
        core = f"I was just telling my family what you said: {fill(sentence, values)}"
        turn = _talk(script, other, who, core, at, ask=False)
    else:
        turn = _talk(script, who, other, fill(sentence, values), at, ask=rng.random() < 0.35)
    if known:
        told.changed = turn
    else:
        told.turn = turn
        script.told.append(told)
    return fill(rng.choice(block.parts["e"]), values)


def _react(script: _Script, who: str, other: str, echo: str | None, at: datetime) -> None:
    rng = script.rng
    if echo is not None:
        _talk(script, who, other, echo, at, ask=False)
    elif script.told and rng.random() < RECALLS:
        core = _recall(rng, rng.choice([*script.told, *script.told[-4:]]), "chatter.txt", "v")
        _talk(script, who, other, core, at, ask=rng.random() < 0.3)
    elif rng.random() < 0.3:
        block = rng.choice([*blocks("people_events.txt"), *blocks("people_states.txt")])
        values = {**block.draw(rng), "when": "lately"}
        _talk(script, who, other, fill(rng.choice(block.parts["d"]), values), at, ask=rng.random() < 0.4)
    else:
        middle = rng.sample(sentences("chatter.txt", "m"), rng.choice((1, 1, 2)))
        _talk(script, who, other, " ".join(middle), at, ask=rng.random() < 0.7)


def _recall(rng: random.Random, told: Told, file: str, part: str) -> str:
    """A remark that names what was told and adds nothing."""
    value = _of_them(told.values[rng.choice([slot for slot in told.block.slots if slot != "topic"])])
    return fill(rng.choice(sentences(file, part)), {"v": value})


def _talk(script: _Script, who: str, other: str, core: str, at: datetime, *, ask: bool) -> int:
    rng = script.rng
    parts = [rng.choice(sentences("chatter.txt", "o")).format(other=other)] if rng.random() < 0.65 else []
    parts.append(core)
    if len(core.split()) < 18 and rng.random() < 0.4:
        parts.append(rng.choice(sentences("chatter.txt", "m")))
    if ask:
        parts.append(rng.choice(sentences("chatter.txt", "c")))
    return script.say("user" if script_first(script, who) else "assistant", who, " ".join(parts), at)


def script_first(script: _Script, who: str) -> bool:
    """The dialogue's first speaker is its user."""
    return not script.turns or script.turns[0].speaker == who


def _people_probes(rng: random.Random, pair: Sequence[str], script: _Script) -> list[Probe]:
    probes = [probe for told in script.told for probe in _fact_probes(rng, script, told)]
    probes += _list_probes(rng, script, pair)
    probes += _date_probes(rng, script)
    return probes


def _fact_probes(rng: random.Random, script: _Script, told: Told) -> Iterable[Probe]:
    block = told.block
    evidence = (told.turn,)
    part = "n" if rng.random() < NEAR else "q"
    if not told.changed and (question := _question(rng, script, told, part)) and rng.random() < 0.9:
        yield Probe("single-hop", question, evidence)
        if rng.random() < 0.15:
            other = next(t.speaker for t in script.turns if t.speaker != told.who)
            yield Probe("adversarial", question.replace(told.who, str(other)), evidence)
    if (question := _question(rng, script, told, "w")) and rng.random() < 0.55:
        yield Probe("temporal", question, evidence)
    if told.changed and (question := _question(rng, script, told, "v")):
        yield Probe("updated", question, (told.changed,))
    if "x" in block.parts and rng.random() < 0.1 and len(_like(script, told)) == 1:
        yield Probe("open-domain", _asked(rng.choice(block.parts["x"]), told), evidence)


def _like(script: _Script, told: Told) -> list[Told]:
    return [t for t in script.told if t.block is told.block and t.who == told.who]


def _question(rng: random.Random, script: _Script, told: Told, part: str) -> str | None:
    """A question that only this fact answers, if the bank has one."""
    rivals = [t for t in _like(script, told) if t is not told]
    choices = [
        q
        for q in told.block.parts.get(part, ())
        if slots_of(q) - {"who"} <= told.names
        and all(any(t.values[s] != told.values[s] for s in slots_of(q) - {"who"}) for t in rivals)
    ]
    return _asked(rng.choice(choices), told) if choices else None


def _asked(question: str, told: Told) -> str:
    values = {name: _of_them(value) for name, value in told.values.items()}
    return fill(question, {**values, "who": told.who})


def _of_them(value: str) -> str:
    return f"their {value[3:]}" if value.startswith("my ") else value


def _list_probes(rng: random.Random, script: _Script, pair: Sequence[str]) -> list[Probe]:
    groups: defaultdict[tuple[str, str], list[Told]] = defaultdict(list)
    for told in script.told:
        groups[told.block.name, told.who].append(told)
    probes = [
        Probe("multi-hop", _asked(_near(rng, facts[0].block.parts["m"]), facts[0]), _turns(facts))
        for facts in groups.values()
        if len(facts) > 1 and "m" in facts[0].block.parts
    ]
    for (name, who), facts in groups.items():
        theirs = groups.get((name, pair[1]))
        if who == pair[0] and theirs and rng.random() < 0.3:
            question = next(iter(facts[0].block.parts.get("m", ())), None)
            both = f"{pair[0]} and {pair[1]}"
            if question and len(facts) + len(theirs) <= 3:
                probes.append(Probe("multi-hop", fill(question, {"who": both}), _turns([*facts, *theirs])))
    return probes


def _near(rng: random.Random, questions: Sequence[str]) -> str:
    """The banks put the nearest wording last."""
    return questions[-1] if rng.random() < NEAR else questions[0]


def _turns(facts: Sequence[Told]) -> tuple[int, ...]:
    return tuple(sorted(t.turn for t in facts))


def _date_probes(rng: random.Random, script: _Script) -> list[Probe]:
    """What somebody did on a day or in a month, named absolutely."""
    months: defaultdict[tuple[str, int, int], list[Told]] = defaultdict(list)
    for told in script.told:
        if "w" in told.block.parts:
            months[told.who, told.happened.year, told.happened.month].append(told)
    probes: list[Probe] = []
    for (who, year, month), facts in months.items():
        if len(facts) == 1 and rng.random() < 0.5:
            probes.append(Probe("date", f"What did {who} do in {MONTHS[month - 1]} {year}?", _turns(facts)))
    for told in rng.sample(script.told, min(4, len(script.told))):
        day = told.happened
        if "w" in told.block.parts:
            text = f"What happened to {told.who} on {day.day} {MONTHS[day.month - 1]}, {day.year}?"
            probes.append(Probe("date", text, (told.turn,)))
    return probes


# A user and an assistant


def _assistant_session(script: _Script, block: Block | None, at: datetime) -> None:
    rng = script.rng
    if block is None:
        for request in rng.sample(sentences("advice.txt", "y"), rng.randint(2, 5)):
            at = _exchange(script, request, "this", at)
        return
    topic = block.slots["topic"][0]
    values = block.draw(rng)
    told = _user_fact(script, block, values, at)
    request = " ".join(block.parts["r"])
    given = fill(rng.choice(block.parts["a"]), values) if "a" in block.parts else None
    if told is None and given is None:
        at = _exchange(script, request, topic, at, block=block)
    elif given is not None:
        names = frozenset(block.slots)
        at = _exchange(script, request, topic, at, given=given, told=Told(block, "assistant", values, at, at, names))
    elif rng.random() < 0.5:
        at = _exchange(script, f"{request} {told[1]} {_aside(rng)}", topic, at, block=block, told=told[0])
    else:
        at = _exchange(script, request, topic, at, block=block)
        message = f"{told[1]} {_aside(rng)} {rng.choice(_FOLLOW_UPS)}"
        at = _exchange(script, message, topic, at, block=block, told=told[0])
    for follow_up in rng.sample(_FOLLOW_UPS, rng.randint(2, 4)):
        at = _exchange(script, follow_up, topic, at, block=block)


def _aside(rng: random.Random) -> str:
    return rng.choice(sentences("chatter.txt", "m"))


_FOLLOW_UPS = (
    "Thanks, that's useful! Can you tell me a bit more about the third point and how I'd start with it this week?",
    "I like that. What would you do first if you only had one afternoon and a small budget?",
    "Could you turn this into a short checklist that I can print out and put on the fridge?",
    "Good points. What mistakes do most people make with this, and how do I avoid them?",
    "Are there any books, videos or websites you'd recommend for somebody who is new to this?",
    "Hmm, I'm not sure that works for me, I have very little time in the evening. Is there a simpler way?",
)


def _user_fact(script: _Script, block: Block, values: dict[str, str], at: datetime) -> tuple[Told, str] | None:
    """The fact a user lets fall: the first time, or its later change; None when there is nothing new to tell."""
    if "s" not in block.parts:
        return None
    rng = script.rng
    values["when"], happened = _happened(rng, at)
    known = [t for t in script.told if t.block is block]
    if not known:
        sentence = rng.choice(block.parts[rng.choices("sf", (1 - FAR, FAR))[0]])
        return Told(block, "user", values, at, happened, frozenset(slots_of(sentence))), fill(sentence, values)
    if "u" in block.parts and not known[0].changed:
        known[0].values["when"] = values["when"]
        return known[0], fill(rng.choice(block.parts["u"]), known[0].values)
    if "m" in block.parts and rng.random() < 0.6:
        sentence = rng.choice(block.parts["s"])
        return Told(block, "user", values, at, happened, frozenset(slots_of(sentence))), fill(sentence, values)
    return None


def _exchange(
    script: _Script,
    request: str,
    topic: str,
    at: datetime,
    *,
    given: str | None = None,
    told: Told | None = None,
    block: Block | None = None,
) -> datetime:
    if script.told and script.rng.random() < RECALLS:
        request = f"{request} {_recall(script.rng, script.rng.choice(script.told), 'advice.txt', 'g')}"
    asked = script.say("user", None, request, at)
    extra = [*([given] if given else []), *_questions_back(script.rng, block)]
    answer = _reply(script.rng, topic, request, extra)
    reply = script.say("assistant", None, answer, at + timedelta(seconds=30))
    if told is not None:
        turn = reply if given else asked
        if told in script.told:
            told.changed = turn
        else:
            told.turn = turn
            script.told.append(told)
    return at + timedelta(minutes=script.rng.randint(2, 9))


def _questions_back(rng: random.Random, block: Block | None) -> list[str]:
    """What makes long replies match a question better than its answer does: they talk about the question."""
    subjects = [block] * 3 if block is not None else []
    subjects.append(rng.choice(blocks("assistant_facts.txt")))
    return [_question_back(rng, x) for x in subjects if rng.random() < BACK]


def _question_back(rng: random.Random, block: Block) -> str:
    asked = [*block.parts.get("q", ()), *block.parts.get("v", ()), *block.parts.get("b", ())]
    turned = fill(rng.choice(asked), block.draw(rng)).replace(" my ", " your ").replace(" I ", " you ")
    return fill(rng.choice(sentences("advice.txt", "k")), {"question": turned})


def _reply(rng: random.Random, topic: str, request: str, extra: Sequence[str]) -> str:
    """200–600 words about the topic that take up the user's words."""
    values = {"topic": topic}
    tips = rng.sample(sentences("advice.txt", "t"), rng.randint(4, 13))
    parts = [rng.choice(sentences("advice.txt", "i")), *(f"{n}. {tip}" for n, tip in enumerate(tips, 1))]
    if rng.random() < 0.6:
        parts.insert(1, f"You wrote: {_turned(request)} That is a good place to begin.")
    for passage in extra:
        parts.insert(rng.randrange(1, len(parts)), passage)
    parts += [rng.choice(sentences("advice.txt", part)) for part in "nz"]
    return "\n\n".join(fill(part, values) for part in parts)


def _turned(request: str) -> str:
    """Some of the request, from the other's mouth."""
    words = request.replace("I'm", "you are").replace("I ", "you ").replace(" my ", " your ").split(". ")
    return f"{words[-1].rstrip('.')}."


def _assistant_probes(rng: random.Random, script: _Script) -> list[Probe]:
    probes: list[Probe] = []
    for told in script.told:
        # What the assistant gave is asked for in more than one way, so that a fifth of the answers are its own.
        part, kind, times = ("q", "single-hop", 1) if told.who == "user" else ("b", "assistant", 3)
        asked = {_question(rng, script, told, part) for _ in range(times)}
        probes += [Probe(kind, text, (told.turn,)) for text in sorted(filter(None, asked))]
        if (when := _question(rng, script, told, "w")) and rng.random() < 0.15:
            probes.append(Probe("temporal", when, (told.turn,)))
        if told.changed and (changed := _question(rng, script, told, "v")):
            probes.append(Probe("updated", changed, (told.changed,)))
        if "x" in told.block.parts:
            probes.append(Probe("open-domain", rng.choice(told.block.parts["x"]), (told.turn,)))
    groups: defaultdict[str, list[Told]] = defaultdict(list)
    for told in script.told:
        groups[told.block.name].append(told)
    for facts in groups.values():
        if len(facts) > 1 and "m" in facts[0].block.parts:
            probes.append(Probe("multi-hop", facts[0].block.parts["m"][0], _turns(facts)))
    return probes
