"""Generates conversations of a person with an assistant, and questions about the person. The assistant's replies are
long and repeat the request."""

import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from benchmarks import projects
from benchmarks.blocks import Block, blocks, fill, sentences, slots_of
from benchmarks.dialogue import Dialogue, Probe
from benchmarks.projects import Project
from benchmarks.script import Script, StatedFact, happened, question, recall, session_dates, turns_of

FAR = 0.6
"""The share of facts that are told in words that a question would not use."""

BACK = 0.6
"""The share of replies that contain a question. This question is similar to one that the benchmark asks later."""

RECALLS = 0.45
"""The share of requests that return to an older fact."""

ASIDES = 0.4
"""The share of requests in a project that also contain small talk."""

_FOLLOW_UPS = (
    "Thanks, that's useful! Can you tell me a bit more about the third point and how I'd start with it this week?",
    "I like that. What would you do first if you only had one afternoon and a small budget?",
    "Could you turn this into a short checklist that I can print out and put on the fridge?",
    "Good points. What mistakes do most people make with this, and how do I avoid them?",
    "Are there any books, videos or websites you'd recommend for somebody who is new to this?",
    "Hmm, I'm not sure that works for me, I have very little time in the evening. Is there a simpler way?",
)


SUBJECTS, AGAIN, CHATS = 16, 8, 4
"""The number of subjects that have a separate session, of later sessions that return to such a subject, and of sessions
without facts."""


def write(seed: int) -> Dialogue:
    rng = random.Random(f"assistant {seed}")
    script = Script(rng)
    bank = rng.sample(blocks("assistant_facts.txt"), SUBJECTS)
    single = [*bank, *rng.choices(bank, k=AGAIN), *[None] * CHATS]
    rng.shuffle(single)
    long = projects.projects(rng)
    order = [None] * len(single) + [project for project in long for _ in project.sessions]
    rng.shuffle(order)
    waiting = {id(project): iter(project.sessions) for project in long}
    for date, project in zip(session_dates(rng, len(order), 3), order, strict=True):
        if project is None:
            _session(script, single.pop(), date)
        else:
            _project_session(script, project, next(waiting[id(project)]), date)
    asked = [*_probes(rng, script), *(probe for project in long for probe in projects.probes(rng, project))]
    return Dialogue(f"assistant-{seed}", "assistant", script.turns, asked)


def _project_session(script: Script, project: Project, facts: Sequence[projects.Fact], at: datetime) -> None:
    """Yield requests about one project; some of the requests mention a fact."""
    rng, block = script.rng, project.block
    requests = rng.sample(block.parts["d"], rng.randint(max(2, len(facts)), 4))
    telling = dict(zip(rng.sample(range(len(requests)), len(facts)), facts, strict=True))
    for place, request in enumerate(requests):
        fact = telling.get(place)
        said = [request, *([project.line(fact)] if fact else []), *([_aside(rng)] if rng.random() < ASIDES else [])]
        rng.shuffle(said)
        if fact is not None:
            fact.turn = len(script.turns) + 1
        at = _exchange(script, " ".join(said), block.slots["topic"][0], at, block=block)


def _session(script: Script, block: Block | None, at: datetime) -> None:
    rng = script.rng
    if block is None:
        for request in rng.sample(sentences("advice.txt", "y"), rng.randint(2, 5)):
            at = _exchange(script, request, "this", at)
        return
    topic = block.slots["topic"][0]
    values = block.draw(rng)
    stated = _user_fact(script, block, values, at)
    request = " ".join(block.parts["r"])
    given = fill(rng.choice(block.parts["a"]), values) if "a" in block.parts else None
    if stated is None and given is None:
        at = _exchange(script, request, topic, at, block=block)
    elif given is not None:
        names = frozenset(block.slots)
        at = _exchange(
            script, request, topic, at, given=given, stated=StatedFact(block, "assistant", values, at, at, names)
        )
    elif rng.random() < 0.5:
        at = _exchange(script, f"{request} {stated[1]} {_aside(rng)}", topic, at, block=block, stated=stated[0])
    else:
        at = _exchange(script, request, topic, at, block=block)
        message = f"{stated[1]} {_aside(rng)} {rng.choice(_FOLLOW_UPS)}"
        at = _exchange(script, message, topic, at, block=block, stated=stated[0])
    for follow_up in rng.sample(_FOLLOW_UPS, rng.randint(2, 4)):
        at = _exchange(script, follow_up, topic, at, block=block)


def _aside(rng: random.Random) -> str:
    return rng.choice(sentences("chatter.txt", "m"))


def _user_fact(script: Script, block: Block, values: dict[str, str], at: datetime) -> tuple[StatedFact, str] | None:
    """The next fact that the user mentions, which is new or has changed; None if there is no such fact."""
    if "s" not in block.parts:
        return None
    rng = script.rng
    values["when"], day = happened(rng, at)
    known = [t for t in script.stated if t.block is block]
    if not known:
        sentence = rng.choice(block.parts[rng.choices("sf", (1 - FAR, FAR))[0]])
        return StatedFact(block, "user", values, at, day, frozenset(slots_of(sentence))), fill(sentence, values)
    if "u" in block.parts and not known[0].changed:
        known[0].values["when"] = values["when"]
        return known[0], fill(rng.choice(block.parts["u"]), known[0].values)
    if "m" in block.parts and rng.random() < 0.6:
        sentence = rng.choice(block.parts["s"])
        return StatedFact(block, "user", values, at, day, frozenset(slots_of(sentence))), fill(sentence, values)
    return None


def _exchange(
    script: Script,
    request: str,
    topic: str,
    at: datetime,
    *,
    given: str | None = None,
    stated: StatedFact | None = None,
    block: Block | None = None,
) -> datetime:
    if script.stated and script.rng.random() < RECALLS:
        request = f"{request} {recall(script.rng, script.rng.choice(script.stated), 'advice.txt', 'g')}"
    asked = script.say("user", None, request, at)
    extra = [*([given] if given else []), *_questions_back(script.rng, block)]
    answer = _reply(script.rng, topic, request, extra)
    reply = script.say("assistant", None, answer, at + timedelta(seconds=30))
    if stated is not None:
        turns, stated.said = (reply if given else asked,), given or ""
        if stated in script.stated:
            stated.changed = turns
        else:
            stated.turns = turns
            script.stated.append(stated)
    return at + timedelta(minutes=script.rng.randint(2, 9))


def _questions_back(rng: random.Random, block: Block | None) -> list[str]:
    """Questions that the assistant asks in its reply. They make a later question of the benchmark more similar to this
    reply than to the message with the answer."""
    subjects = [block] * 3 if block is not None else []
    subjects.append(rng.choice(blocks("assistant_facts.txt")))
    return [_question_back(rng, x) for x in subjects if rng.random() < BACK]


def _question_back(rng: random.Random, block: Block) -> str:
    asked = [question for part in "qvbmo" for question in block.parts.get(part, ())]
    turned = fill(rng.choice(asked), block.draw(rng)).replace(" my ", " your ").replace(" I ", " you ")
    return fill(rng.choice(sentences("advice.txt", "k")), {"question": turned})


def _reply(rng: random.Random, topic: str, request: str, extra: Sequence[str]) -> str:
    """A reply of 200–600 words about the topic; it repeats the user's words."""
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
    """The last sentence of a request, as an assistant repeats it: `"I'm late. Check my visa." -> "Check your visa."`"""
    words = request.replace("I'm", "you are").replace("I ", "you ").replace(" my ", " your ").split(". ")
    return f"{words[-1].rstrip('.')}."


def _probes(rng: random.Random, script: Script) -> list[Probe]:
    probes: list[Probe] = []
    for stated in script.stated:
        # Each fact that the assistant told gets three questions, so that the assistant's messages contain a fifth of all
        # answers.
        part, kind, times = ("q", "single-hop", 1) if stated.who == "user" else ("b", "assistant", 3)
        asked = {question(rng, script, stated, part) for _ in range(times)}
        probes += [Probe(kind, text, stated.turns, stated.said) for text in sorted(filter(None, asked))]
        if (when := question(rng, script, stated, "w")) and rng.random() < 0.15:
            probes.append(Probe("temporal", when, stated.turns))
        if stated.changed and (changed := question(rng, script, stated, "v")):
            probes.append(Probe("updated", changed, stated.changed))
        if "x" in stated.block.parts:
            probes.append(Probe("open-domain", rng.choice(stated.block.parts["x"]), stated.turns))
    groups: defaultdict[str, list[StatedFact]] = defaultdict(list)
    for stated in script.stated:
        groups[stated.block.name].append(stated)
    for facts in groups.values():
        if len(facts) > 1 and "m" in facts[0].block.parts:
            probes.append(Probe("multi-hop", facts[0].block.parts["m"][0], turns_of(facts)))
    return probes
