"""Simulates people who use the memory while its processes are killed, and keeps a ledger of acknowledged calls.

A simulated person repeats each call until it is answered, as the relay does. So all calls are acknowledged when the load
stops.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.connect import connect_http

TALKERS = (1, 2, 3, 4)
REMEMBERER = 5
FORGETTER = 6
USERS = (*TALKERS, REMEMBERER, FORGETTER)

ResultT = TypeVar("ResultT")

PLACES = ("Porto", "Oslo", "Lima", "Kyoto", "Accra", "Quebec", "Tartu", "Perth")
THINGS = ("bicycles", "kettles", "ladders", "violins", "lanterns", "teapots", "hammocks", "globes")
SAYINGS = (
    "I own {n} {thing} in {place}",
    "My locker {n} stands in {place}",
    "What do you know about {thing} from {place}? That is question {n}.",
    "I moved to {place} {n} days ago and I love {thing}",
)


@dataclass
class Ledger:
    """The acknowledged calls, and the answers that should never have occurred."""

    messages: dict[int, dict[str, str]] = field(default_factory=dict)
    """The acknowledged messages of each chat. The inner dictionary maps the id of a message to its newest acknowledged
    text. The order is that of the first acknowledgments."""
    memories: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    acks: int = 0
    retries: int = 0
    slowest: float = 0
    """Seconds of the longest call. Failed calls are included, so that a hanging call is noticed."""
    violations: list[str] = field(default_factory=list)


class Load:
    def __init__(self, url: str, token: str, seed: int) -> None:
        self.ledger = Ledger()
        self._url = url
        self._token = token
        self._seed = seed
        self._stop = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Ledger]:
        """Let all people act during the block. At the end of the block, each person completes the current action."""
        async with asyncio.TaskGroup() as people:
            for chat in TALKERS:
                people.create_task(self._person(chat, self._talk))
            people.create_task(self._person(REMEMBERER, self._remember))
            people.create_task(self._person(FORGETTER, self._forget))
            people.create_task(self._person(FORGETTER, self._read))
            try:
                yield self.ledger
            finally:
                self._stop.set()

    async def _person(self, chat: int, step: "Step") -> None:
        chance = Random(f"{self._seed} {chat} {step.__name__}")
        async with connect_http(self._url, self._token, attempts=1) as client:
            person = Person(client, self.ledger, chat, chance)
            n = 0
            while not self._stop.is_set():
                n += 1
                await step(person, n)
                await asyncio.sleep(chance.uniform(0.02, 0.1))

    async def _talk(self, p: "Person", n: int) -> None:
        said = p.saying(n)
        await p.say("user", f"u{n}", said)
        await p.look(said, f"u{n}")
        await p.say("assistant", f"a{n}", f"Noted, number {n}.", f"u{n}")
        if p.chance.random() < 0.15:
            k = p.chance.randint(max(1, n - 20), n)
            await p.say("user", f"u{k}", f"{p.saying(k)}, or rather {n} of them")

    async def _remember(self, p: "Person", n: int) -> None:
        text = f"Shelf Q{n} holds the {p.chance.choice(THINGS)} from {p.chance.choice(PLACES)}"
        await p.insist(lambda: p.client.remember(c.RememberArgs(chat_id=p.chat, content=text, kind="pin")))
        p.ledger.memories.append(text)
        await p.look(text, None)

    async def _forget(self, p: "Person", n: int) -> None:
        canary = f"zq{p.chance.getrandbits(48):012x}"
        said = f"My locker in {p.chance.choice(PLACES)} opens with {canary}"
        await p.say("user", f"u{n}", said)
        await p.say("assistant", f"a{n}", f"I will keep {canary} in mind.", f"u{n}")
        await p.insist(lambda: p.client.remember(c.RememberArgs(chat_id=p.chat, content=said)))
        await p.look(f"What opens with {canary}?", None)
        await asyncio.sleep(p.chance.uniform(0, 0.5))
        await p.forget(canary)
        p.ledger.forgotten.append(canary)

    async def _read(self, p: "Person", n: int) -> None:
        await p.look("What opens my locker?", None)


Step = Callable[["Person", int], Awaitable[None]]


@dataclass
class Person:
    client: MemoryClient
    ledger: Ledger
    chat: int
    chance: Random

    def saying(self, n: int) -> str:
        return self.chance.choice(SAYINGS).format(
            n=n, thing=self.chance.choice(THINGS), place=self.chance.choice(PLACES)
        )

    async def say(self, role: c.Role, message_id: str, text: str, answers: str | None = None) -> None:
        args = c.RecordMessageArgs(
            chat_id=self.chat, role=role, content=text, message_id=message_id, exchange_of=answers
        )
        await self.insist(lambda: self.client.record_message(args))
        self.ledger.messages.setdefault(self.chat, {})[message_id] = text

    async def look(self, query: str, answering: str | None) -> None:
        args = c.GetContextArgs(chat_id=self.chat, query=query, exclude_message_id=answering, token_budget=1000)
        context = await self.insist(lambda: self.client.get_context(args))
        if context.coverage.gap:
            self.ledger.violations.append(f"chat {self.chat}: coverage {context.coverage}")
        if context.tokens > 1000:
            self.ledger.violations.append(f"chat {self.chat}: {context.tokens} tokens of 1000")

    async def forget(self, topic: str) -> None:
        """Repeat until a preview finds nothing. If the answer to a confirmed erasure is lost, the client does not know
        whether the text was erased."""
        while True:
            shown = await self.insist(lambda: self.client.forget(c.ForgetArgs(chat_id=self.chat, topic=topic)))
            if shown.confirm is None:
                return
            confirmed = c.ForgetArgs(chat_id=self.chat, topic=topic, confirm=shown.confirm)
            try:
                done = await self.client.forget(confirmed)
            except (MemoryUnreachable, MemoryRefused):
                continue
            # After the preview, a job can learn from the text. Then another preview is needed.
            if done.traces_left == 0:
                return

    async def insist(self, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        while True:
            began = time.monotonic()
            try:
                result = await call()
            except MemoryUnreachable:
                self.ledger.retries += 1
                self.ledger.slowest = max(self.ledger.slowest, time.monotonic() - began)
                await asyncio.sleep(self.chance.uniform(0.1, 0.4))
            else:
                self.ledger.slowest = max(self.ledger.slowest, time.monotonic() - began)
                self.ledger.acks += 1
                return result
