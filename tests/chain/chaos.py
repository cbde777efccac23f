"""Simulates people who write, speak, send pictures and set reminders. Meanwhile, relay, server and summarizer are
killed at random, and the model sometimes fails. Afterwards the invariants are checked.

A benchmark uses this module for longer runs. Therefore this module does not use pytest. The same seed gives the same
people, words, kills and times.
"""

import asyncio
import itertools
import random
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tellonce_sql import query
from tests.chain.kill_run_reminders import Bells, is_of_bell, tag_of
from tests.chain.product import TALKER, Whole
from tests.stubs.replies import Fail, HalfStream, Reply, Say
from tests.stubs.stub import Asked
from tests.stubs.summarizer_model import competent

USERS = (201, 202, 203, 204)
GROUP = -1_000_000_000_201
VICTIMS = ("relay", "server", "summarizer")
ENVIRONMENT = {
    "TELEGRAM_GROUPS": str(GROUP),
    "TELEGRAM_ALWAYS_GROUPS": str(GROUP),
    # With a short lease, the jobs of a killed summarizer can soon be claimed again.
    "TELLONCE_QUEUE__LEASE_SECONDS": "5",
}
MOST_UNANSWERED = 8
ANSWER = re.compile(r"^(?:Answer to )?(note-\d+-\d+)\.$")
"""Matches a whole answer, or the second part of an answer that was interrupted. The first part of such an answer is a
separate message."""
_NOTE = re.compile(r"note-\d+-\d+")


@dataclass
class Thread:
    """One person's thread. `said` maps the name of each note to the number of the message with this note."""

    number: int
    user: int
    chat: int
    topic: int | None = None
    said: dict[str, int] = field(default_factory=dict)

    def thread_of(self, message: dict[str, Any]) -> bool:
        own = message["chat"]["id"] == self.chat and message.get("message_thread_id") == self.topic
        return own and f"-{self.number}-" in message.get("text", "")


@dataclass
class Run:
    """The result of a run. `others` are the bot's messages that are not answers, such as the notice of an outage.
    `failures` counts the model's failures by kind."""

    threads: list[Thread]
    bells: Bells
    kills: Counter[str]
    faults: list[str]
    others: Counter[str]
    failures: Counter[str]

    @property
    def messages(self) -> int:
        return sum(len(thread.said) for thread in self.threads)

    def __str__(self) -> str:
        killed = ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))
        lines = [f"{self.messages} messages in {len(self.threads)} threads; kill -9: {killed or 'none'}"]
        lines += [f"{len(self.bells.moments)} reminders, and one every minute"]
        lines += [f"the model failed {count} times: {kind}" for kind, count in sorted(self.failures.items())]
        lines += [f"also said {count} times: {text}" for text, count in self.others.items()]
        return "\n".join(
            [
                *lines,
                *(self.faults or ["every message recorded once, answered once, in order; every reminder rang once"]),
            ]
        )


def troubled(rng: random.Random, failures: Counter[str]) -> Any:
    """A model that waits a moment before it answers, so that processes are killed in every step of a turn. It fails one
    time in five: it rejects the key, is overloaded, or ends its stream too early."""

    async def answer(asked: Asked) -> Reply:
        if asked.model != TALKER:
            return competent(asked)
        await asyncio.sleep(rng.uniform(0, 0.3))
        words = _words(asked.messages[0])
        found = _NOTE.search(words)
        whole = (f"Answer to {found[0]}." if found else "What?") + tag_of(words)
        if len(asked.messages) > 1:
            return Say(whole.removeprefix(_words(asked.messages[1])))
        trouble = rng.random()
        if trouble < 0.05:
            failures["refused key"] += 1
            return Fail(401, "invalid x-api-key", "authentication_error")
        if trouble < 0.1:
            failures["overloaded"] += 1
            return Fail(529, "overloaded", "overloaded_error")
        if trouble < 0.2:
            failures["cut stream"] += 1
            return HalfStream(whole[:12])
        return Say(f"{whole}\n[SEEN: a picture]" if "[SEEN:" in asked.system else whole)

    return answer


def _words(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else str(content[-1]["text"])


def threads(life: Whole) -> list[Thread]:
    topics = [life.telegram.open_topic(GROUP, name) for name in ("One", "Two")]
    private = [Thread(number, user, user) for number, user in enumerate(USERS)]
    return [*private, *(Thread(len(USERS) + i, USERS[i], GROUP, topic) for i, topic in enumerate(topics))]


async def run(life: Whole, messages: int, kills: int, seed: int) -> Run:
    """Let people write, kill processes, wait until everything is done, and return the result."""
    rng = random.Random(seed)
    failures: Counter[str] = Counter()
    life.model.script = troubled(random.Random(seed + 1), failures)
    talk, bells = threads(life), Bells()
    await bells.repeat(life, USERS[0])
    order = [talk[i % len(talk)] for i in range(messages)]
    rng.shuffle(order)
    moments = sorted(rng.sample(range(1, messages), min(kills, messages - 1)))
    killed: Counter[str] = Counter()
    killer = asyncio.create_task(_kill(life, talk, moments, rng, killed))
    await _talk(life, order, bells, random.Random(seed + 2))
    await killer
    await _all_up(life)
    await _quiet(life, talk, bells)
    return Run(talk, bells, killed, await faults(life, talk, bells), _others(life), failures)


async def _talk(life: Whole, order: Sequence[Thread], bells: Bells, rng: random.Random) -> None:
    """Send messages. Some of the messages request a reminder, and some are commands that set a reminder. Some people
    wait for an answer before the next message. The number of unanswered messages is limited."""
    for number, thread in enumerate(order):
        await life.until(partial(_answered, life, number - MOST_UNANSWERED), 600)
        note = f"note-{thread.number}-{len(thread.said)}"
        words, wish = f"Keep {note} for me.", rng.random() if thread.topic is None else 1.0
        if wish < 0.1:
            words += f" And {bells.order(life, thread.number, rng)}."
        elif wish < 0.2:
            await life.telegram.say(f"/{bells.order(life, thread.number, rng).replace(' me at', '')}", thread.user)
        thread.said[note] = await _say(life, thread, words, rng.random())
        await asyncio.sleep(rng.choice((0.0, 0.05, 0.4)))


async def _say(life: Whole, thread: Thread, words: str, chance: float) -> int:
    """Send the text as a message, as a picture's caption, or by voice."""
    if chance < 0.7:
        return await life.telegram.say(words, thread.user, thread.chat, topic=thread.topic)
    place = {"user": thread.user, "chat": thread.chat, **life.telegram.thread(thread.chat, thread.topic)}
    if chance < 0.85:
        return await life.telegram.photo(caption=words, **place)
    return await life.telegram.voice(words.encode(), **place)


async def _answered(life: Whole, count: int) -> bool:
    return sum(bool(ANSWER.match(message["text"])) for message in life.telegram.sent) >= count


async def _kill(
    life: Whole, talk: Sequence[Thread], moments: Sequence[int], rng: random.Random, killed: Counter[str]
) -> None:
    """Kill one process after each of the given numbers of messages. Sometimes a process is killed while another one is
    starting."""
    for moment in moments:
        while sum(len(thread.said) for thread in talk) < moment:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await asyncio.sleep(rng.uniform(0, 0.5))
        victim = rng.choice(VICTIMS)
        await life.kill(victim)
        killed[victim] += 1
        await (life.spawn(victim) if rng.random() < 0.3 else life.start(victim))


async def _all_up(life: Whole) -> None:
    for name in ("server", "summarizer", "relay"):
        if life.processes[name].returncode is not None:
            await life.start(name)
    await life.answers()


async def _quiet(life: Whole, talk: Sequence[Thread], bells: Bells) -> None:
    """Wait until every answer is recorded, every reminder is delivered and the queue is empty. After a timeout, return
    without an error."""
    wanted = sum(len(thread.said) for thread in talk)

    async def recorded() -> bool:
        return bool(await life.value("select count(*) from messages where exchange_of is not null") >= wanted)

    try:
        await life.until(recorded, 120 + wanted / 2)
        await bells.rung(life)
        await life.settled()
    except TimeoutError:
        return


async def faults(life: Whole, talk: Sequence[Thread], bells: Bells) -> list[str]:
    """Return a sentence for each invariant that does not hold."""
    found = [fault for thread in talk for fault in (*_seen(life, thread), *await _stored(life, thread))]
    found += await bells.faults(life)
    gaps = await life.rows("select distinct owner_id from chats")
    for row in gaps:
        found += [f"coverage gap: {dict(gap)}" for gap in await life.rows(query("threads.gaps"), row["owner_id"])]
    return found + await _left(life)


async def _left(life: Whole) -> list[str]:
    """Return a sentence for each kind of job that stays unfinished. First wait until the queue is empty, because the
    repeating reminder can queue a job at any time."""
    with suppress(TimeoutError):
        await life.settled()
    left = "select kind, state, count(*) as n from chat_context_queue where state <> 'complete' group by 1, 2"
    return [f"{row['n']} {row['kind']} jobs are {row['state']}" for row in await life.rows(left)]


def _seen(life: Whole, thread: Thread) -> list[str]:
    """Check the messages that the person saw."""
    texts = [message["text"] for message in life.telegram.sent if thread.thread_of(message)]
    answers = [found[1] for text in texts if (found := ANSWER.match(text))]
    counts = Counter(answers)
    faults = [f"{note} was answered {counts[note]} times" for note in thread.said if counts[note] != 1]
    heard = Counter(found[0] for text in texts if text.startswith("🎤") and (found := _NOTE.search(text)))
    faults += [f"{note} was heard {count} times" for note, count in heard.items() if count != 1]
    once = list(dict.fromkeys(answers))
    return faults + (
        [] if once == [n for n in thread.said if n in counts] else [f"thread {thread.number}: order {once}"]
    )


async def _stored(life: Whole, thread: Thread) -> list[str]:
    """Check the messages in the memory."""
    rows = await life.rows(
        "select id, role, content, exchange_of from messages where chat_id = $1 and content ~ $2 order by thread_key, thread_no",
        thread.chat,
        rf"note-{thread.number}-\d+\M",
    )
    notes = [(row["role"], found[0]) for row in rows if (found := _NOTE.search(row["content"]))]
    counts = Counter(notes)
    faults = [
        f"{role} message {note} is stored {counts[role, note]} times"
        for role, note in itertools.product(("user", "assistant"), thread.said)
        if counts[role, note] != 1
    ]
    asked = {row["id"]: _note(row) for row in rows if row["role"] == "user"}
    faults += [f"{_note(row)} answers {asked.get(row['exchange_of'])}" for row in rows if _mismatched(row, asked)]
    for role in ("user", "assistant"):
        stored = list(dict.fromkeys(note for kind, note in notes if kind == role))
        if stored != [note for note in thread.said if note in stored]:
            faults.append(f"thread {thread.number}: {role} messages are stored in the order {stored}")
    return faults


def _note(row: Any) -> str:
    found = _NOTE.search(row["content"])
    return found[0] if found else row["content"]


def _mismatched(row: Any, asked: dict[int, str]) -> bool:
    return row["role"] == "assistant" and asked.get(row["exchange_of"]) != _note(row)


def _others(life: Whole) -> Counter[str]:
    texts = [message["text"] for message in life.telegram.sent]
    others = [text for text in texts if not ANSWER.match(text) and not is_of_bell(text)]
    return Counter("🎤 …" if text.startswith("🎤") else text for text in others)
