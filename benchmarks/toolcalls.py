"""Calls every assistant tool as a client does, in the measured chats."""

import secrets
from collections.abc import Awaitable, Callable

import numpy as np

from benchmarks.population import BIG_OWNER, MEASURED_OWNER, Words
from benchmarks.subjects import WRITTEN_OWNER
from benchmarks.timing import After, Call
from tellonce import contract as c
from tellonce.client import MemoryClient

REPEATED = 8
"""Number of different questions that the calls with an embedded query repeat."""


def questions(seed: int) -> Callable[[int], str]:
    """The n-th question of this seed; each n gives a new question."""
    words = Words(np.random.default_rng(seed))
    return lambda number: words.query(np.random.default_rng((seed, number)))


def reading(client: MemoryClient, seed: int, *, big: bool) -> dict[str, Call]:
    """Return the reading calls of a turn: a call with a new query, a call with a query that is already embedded, and a
    call without a query."""
    fresh, known = questions(seed), questions(1)

    def context(chat: int, ask: Callable[[int], str | None]) -> Call:
        return lambda n: client.get_context(c.GetContextArgs(chat_id=chat, query=ask(n)))

    def search(ask: Callable[[int], str]) -> Call:
        return lambda n: client.search_memory(c.SearchMemoryArgs(chat_id=MEASURED_OWNER, query=ask(n)))

    def again(n: int) -> str:
        return known(n % REPEATED)

    calls = {
        "get_context, fresh query": context(MEASURED_OWNER, fresh),
        "get_context, embedded query": context(MEASURED_OWNER, again),
        "get_context, no query": context(MEASURED_OWNER, lambda n: None),
        "search_memory, fresh query": search(questions(seed + 1)),
        "search_memory, embedded query": search(again),
    }
    if big:
        calls["get_context 50k, fresh query"] = context(BIG_OWNER, questions(seed + 2))
        calls["get_context 50k, embedded query"] = context(BIG_OWNER, again)
    return calls


def writing(client: MemoryClient, seed: int) -> dict[str, Call]:
    words = Words(np.random.default_rng(seed))
    run = secrets.token_hex(5)  # two runs with one seed must not record the same ids

    def record(n: int) -> Awaitable[object]:
        role: c.Role = "user" if n % 2 else "assistant"
        text = words.texts(1, 24)[0]
        args = c.RecordMessageArgs(chat_id=WRITTEN_OWNER, role=role, content=text, message_id=f"{run}-{n}")
        return client.record_message(args)

    def remember(_: int) -> Awaitable[object]:
        return client.remember(c.RememberArgs(chat_id=WRITTEN_OWNER, content=f"I like {words.texts(1, 6)[0]}"))

    asked = questions(seed + 3)

    def said(n: int) -> Awaitable[object]:
        return client.record_message(c.RecordMessageArgs(chat_id=WRITTEN_OWNER, role="user", content=asked(n)))

    def asks(n: int) -> Awaitable[object]:
        return client.get_context(c.GetContextArgs(chat_id=MEASURED_OWNER, query=asked(n)))

    return {
        "record_message": record,
        "remember": remember,
        "get_context, fresh in a turn": After(said, asks),
    }


async def others(client: MemoryClient) -> dict[str, Call]:
    """Return one call for each tool that clients use only occasionally, such as `update_memory`. This function also
    creates the rows that these calls need."""
    stored = (await client.remember(c.RememberArgs(chat_id=WRITTEN_OWNER, content="My bicycle is green"))).memory
    assert stored is not None  # one statement becomes one memory
    context = await client.get_context(c.GetContextArgs(chat_id=MEASURED_OWNER, query="What was it?"))

    def update(n: int) -> Awaitable[object]:
        action: c.MemoryAction = "unpin" if n % 2 else "pin"
        return client.update_memory(c.UpdateMemoryArgs(chat_id=WRITTEN_OWNER, memory_id=stored.id, action=action))

    return {
        "update_memory": update,
        "forget (preview)": lambda n: client.forget(c.ForgetArgs(chat_id=WRITTEN_OWNER, memory_ids=(stored.id,))),
        "get_profile": lambda n: client.get_profile(c.GetProfileArgs(chat_id=MEASURED_OWNER)),
        "summarize_chat": lambda n: client.summarize_chat(c.SummarizeChatArgs(chat_id=MEASURED_OWNER)),
        "explain (receipt)": lambda n: client.explain(
            c.ExplainArgs(chat_id=MEASURED_OWNER, receipt_id=context.receipt_id)
        ),
        "start_new_chat": lambda n: client.start_new_chat(c.StartNewChatArgs(chat_id=WRITTEN_OWNER)),
    }
